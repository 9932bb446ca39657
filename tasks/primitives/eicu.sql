-- Macros for derivations on eICU-CRD: time, temporal joins, units. They know no score and no cohort.
-- Load: execute this text on the connection. Macros that take tables are called with the tables' names as texts,
-- for example FROM latest_at('moments', 'events'); a temporary table or view of yours can be named.

-- Times in this database are minutes from admission to the unit ("offsets"), whole and often negative.

-- ---------------------------------------------------------------- time

-- Hours between two offsets, with their fraction.
CREATE OR REPLACE TEMP MACRO offset_hours(earlier, later) AS (later - earlier) / 60.0;

-- Whether an offset lies so many hours before to so many hours after admission to the unit, both ends included.
CREATE OR REPLACE TEMP MACRO within_hours(moment, hours_before, hours_after) AS
  moment BETWEEN -hours_before * 60 AND hours_after * 60;

-- ---------------------------------------------------------------- temporal joins

-- For each row of moments(id, moment) the latest row of events(id, moment, value) at or before it; NULL where
-- there is none. Two events of one id at one moment are a tie that the caller has to settle before.
CREATE OR REPLACE TEMP MACRO latest_at(moments, events) AS TABLE
  SELECT asked.id, asked.moment, told.moment AS told_at, told.value
  FROM query_table(moments) AS asked
  ASOF LEFT JOIN query_table(events) AS told ON asked.id = told.id AND asked.moment >= told.moment;

-- For each row of windows(id, starts, ends) lowest, highest and number of events(id, moment, value) in it, both
-- ends included; a window without events keeps its row.
CREATE OR REPLACE TEMP MACRO extremes_in(windows, events) AS TABLE
  SELECT
    asked.id,
    asked.starts,
    asked.ends,
    min(told.value) AS lowest,
    max(told.value) AS highest,
    count(told.value) AS events
  FROM query_table(windows) AS asked
  LEFT JOIN query_table(events) AS told
    ON asked.id = told.id AND told.moment BETWEEN asked.starts AND asked.ends
  GROUP BY asked.id, asked.starts, asked.ends;

-- ---------------------------------------------------------------- units

CREATE OR REPLACE TEMP MACRO celsius_of(fahrenheit) AS (fahrenheit - 32) / 1.8;

CREATE OR REPLACE TEMP MACRO kilograms_of(pounds) AS pounds * 0.45359237;

-- Inspired oxygen in percent, from a percentage (20 to 100) or a fraction (0.2 to 1); else NULL.
CREATE OR REPLACE TEMP MACRO oxygen_percent(written) AS
  CASE WHEN written BETWEEN 0.2 AND 1 THEN written * 100 WHEN written BETWEEN 20 AND 100 THEN written END;

-- A number written as text, with blanks around it or not; NULL where it is none.
CREATE OR REPLACE TEMP MACRO number_of(written) AS try_cast(trim(CAST(written AS VARCHAR)) AS DOUBLE);

-- Age in years from the text that the patient table holds: '> 89' is 90, an empty text NULL.
CREATE OR REPLACE TEMP MACRO years_of(age) AS
  CASE WHEN trim(age) LIKE '>%' THEN 90 ELSE try_cast(trim(age) AS INTEGER) END;
