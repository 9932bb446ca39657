-- Macros for derivations on MIMIC-IV: time, temporal joins, units, items. They know no score and no cohort.
-- Load: execute this text on the connection. Macros that take tables are called with the tables' names as texts,
-- for example FROM latest_at('moments', 'events'); a temporary table or view of yours can be named.

-- ---------------------------------------------------------------- time

-- Hours that have passed, with their fraction. 10:59 to 11:01 is 0.033.
CREATE OR REPLACE TEMP MACRO elapsed_hours(earlier, later) AS
  date_diff('microsecond', earlier, later) / 3600000000.0;

-- Full hours of the clock that were crossed. 10:59 to 11:01 is 1.
CREATE OR REPLACE TEMP MACRO crossed_hours(earlier, later) AS date_diff('hour', earlier, later);

-- Whether a moment lies in a window around an anchor, both ends included. Hours may have a fraction.
CREATE OR REPLACE TEMP MACRO within_hours(moment, anchor, hours_before, hours_after) AS
  date_diff('microsecond', anchor, moment) BETWEEN -hours_before * 3600000000 AND hours_after * 3600000000;

-- The same with its start left out.
CREATE OR REPLACE TEMP MACRO after_start_within_hours(moment, anchor, hours_before, hours_after) AS
  date_diff('microsecond', anchor, moment) > -hours_before * 3600000000
  AND date_diff('microsecond', anchor, moment) <= hours_after * 3600000000;

-- ---------------------------------------------------------------- temporal joins

-- For each row of moments(id, moment) the latest row of events(id, moment, value) at or before it; NULL where
-- there is none. Two events of one id at one moment are a tie that the caller has to settle before.
CREATE OR REPLACE TEMP MACRO latest_at(moments, events) AS TABLE
  SELECT asked.id, asked.moment, told.moment AS told_at, told.value
  FROM query_table(moments) AS asked
  ASOF LEFT JOIN query_table(events) AS told ON asked.id = told.id AND asked.moment >= told.moment;

-- The same, but no older than so many hours (exactly so old still counts).
CREATE OR REPLACE TEMP MACRO latest_within(moments, events, hours) AS TABLE
  SELECT
    id,
    moment,
    CASE WHEN date_diff('microsecond', told_at, moment) <= hours * 3600000000 THEN told_at END AS told_at,
    CASE WHEN date_diff('microsecond', told_at, moment) <= hours * 3600000000 THEN value END AS value
  FROM (
    SELECT asked.id, asked.moment, told.moment AS told_at, told.value
    FROM query_table(moments) AS asked
    ASOF LEFT JOIN query_table(events) AS told ON asked.id = told.id AND asked.moment >= told.moment
  );

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

-- Rows of spans(id, starts, ends) joined into episodes: a gap of at most so many hours is bridged.
CREATE OR REPLACE TEMP MACRO joined_spans(spans, gap_hours) AS TABLE
  SELECT id, min(starts) AS starts, max(ends) AS ends, count(*) AS spans
  FROM (
    SELECT *, sum(opens) OVER (PARTITION BY id ORDER BY starts, ends) AS episode
    FROM (
      SELECT
        *,
        CASE
          WHEN date_diff(
            'microsecond',
            max(ends) OVER (
              PARTITION BY id ORDER BY starts, ends ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ),
            starts
          ) <= gap_hours * 3600000000 THEN 0
          ELSE 1
        END AS opens
      FROM query_table(spans)
    )
  )
  GROUP BY id, episode;

-- ---------------------------------------------------------------- units

CREATE OR REPLACE TEMP MACRO celsius_of(fahrenheit) AS (fahrenheit - 32) / 1.8;

CREATE OR REPLACE TEMP MACRO kilograms_of(pounds) AS pounds * 0.45359237;

-- Inspired oxygen in percent, from a percentage (above 20 to 100) or a fraction (above 0.2 to 1); else NULL.
CREATE OR REPLACE TEMP MACRO oxygen_percent(written) AS
  CASE WHEN written > 0.2 AND written <= 1 THEN written * 100 WHEN written > 20 AND written <= 100 THEN written END;

-- A number written as text, with blanks around it or not; NULL where it is none.
CREATE OR REPLACE TEMP MACRO number_of(written) AS try_cast(trim(CAST(written AS VARCHAR)) AS DOUBLE);

-- A drug's rate in micrograms per kilogram and minute, from the units that the infusion table holds; NULL for
-- any other unit, or where a weight in kg is needed and lacking.
CREATE OR REPLACE TEMP MACRO micrograms_per_kg_min(rate, unit, weight_kg) AS
  CASE unit
    WHEN 'mcg/kg/min' THEN rate
    WHEN 'mg/kg/min' THEN rate * 1000
    WHEN 'mcg/kg/hour' THEN rate / 60
    WHEN 'mg/kg/hour' THEN rate * 1000 / 60
    WHEN 'mcg/min' THEN rate / nullif(weight_kg, 0)
    WHEN 'mg/min' THEN rate * 1000 / nullif(weight_kg, 0)
    WHEN 'mcg/hour' THEN rate / 60 / nullif(weight_kg, 0)
    WHEN 'mg/hour' THEN rate * 1000 / 60 / nullif(weight_kg, 0)
  END;

-- ---------------------------------------------------------------- items

-- What the tables of events call a quantity: FROM items_of('heart rate'); items_of('%') lists all.
CREATE OR REPLACE TEMP MACRO items_of(quantity_like) AS TABLE
  SELECT quantity, source_table, itemid, unit
  FROM (
    VALUES
      ('heart rate', 'chartevents', 220045, 'bpm'),
      ('systolic pressure, arterial line', 'chartevents', 220050, 'mmHg'),
      ('systolic pressure, arterial line', 'chartevents', 225309, 'mmHg'),
      ('systolic pressure, cuff', 'chartevents', 220179, 'mmHg'),
      ('mean pressure, arterial line', 'chartevents', 220052, 'mmHg'),
      ('mean pressure, arterial line', 'chartevents', 225312, 'mmHg'),
      ('mean pressure, cuff', 'chartevents', 220181, 'mmHg'),
      ('respiratory rate', 'chartevents', 220210, '/min'),
      ('respiratory rate, total', 'chartevents', 224690, '/min'),
      ('temperature, Fahrenheit', 'chartevents', 223761, '°F'),
      ('temperature, Celsius', 'chartevents', 223762, '°C'),
      ('oxygen saturation', 'chartevents', 220277, '%'),
      ('inspired oxygen, charted', 'chartevents', 223835, '%'),
      ('coma scale, eyes', 'chartevents', 220739, 'points'),
      ('coma scale, verbal', 'chartevents', 223900, 'points'),
      ('coma scale, motor', 'chartevents', 223901, 'points'),
      ('weight, admission', 'chartevents', 226512, 'kg'),
      ('weight, daily', 'chartevents', 224639, 'kg'),
      ('creatinine', 'labevents', 50912, 'mg/dL'),
      ('bilirubin, total', 'labevents', 50885, 'mg/dL'),
      ('platelets', 'labevents', 51265, 'K/uL'),
      ('white cells', 'labevents', 51301, 'K/uL'),
      ('bands', 'labevents', 51144, '%'),
      ('INR', 'labevents', 51237, 'ratio'),
      ('sodium', 'labevents', 50983, 'mEq/L'),
      ('potassium', 'labevents', 50971, 'mEq/L'),
      ('bicarbonate', 'labevents', 50882, 'mEq/L'),
      ('urea nitrogen', 'labevents', 51006, 'mg/dL'),
      ('albumin', 'labevents', 50862, 'g/dL'),
      ('glucose, laboratory', 'labevents', 50931, 'mg/dL'),
      ('hematocrit', 'labevents', 51221, '%'),
      ('gas, kind of specimen', 'labevents', 52033, 'text'),
      ('gas, oxygen pressure', 'labevents', 50821, 'mmHg'),
      ('gas, carbon dioxide pressure', 'labevents', 50818, 'mmHg'),
      ('gas, pH', 'labevents', 50820, 'units'),
      ('gas, inspired oxygen', 'labevents', 50816, '%'),
      ('norepinephrine', 'inputevents', 221906, 'mcg/kg/min'),
      ('epinephrine', 'inputevents', 221289, 'mcg/kg/min'),
      ('dopamine', 'inputevents', 221662, 'mcg/kg/min'),
      ('dobutamine', 'inputevents', 221653, 'mcg/kg/min'),
      ('phenylephrine', 'inputevents', 221749, 'mcg/kg/min'),
      ('vasopressin', 'inputevents', 222315, 'units/hour')
  ) AS item (quantity, source_table, itemid, unit)
  WHERE quantity ILIKE quantity_like;
