-- Urine output rates as a careful reader of the instruction alone may write them: urine by the words of the
-- dictionary, the stay's admission as start of the first collection, looks back of the full 6, 12 and 24 hours, the
-- latest weight charted so far.

WITH urine_item AS (
  SELECT itemid
  FROM mimiciv_icu.d_items
  WHERE linksto = 'outputevents'
    AND (
      lower(label) LIKE '%urine%' OR lower(label) LIKE '%foley%' OR lower(label) LIKE '%void%'
      OR lower(label) LIKE '%nephrostomy%' OR lower(label) LIKE '%catheter%'
    )
),

output AS (
  SELECT
    stay_id,
    charttime,
    SUM(value) AS volume
  FROM mimiciv_icu.outputevents
  WHERE itemid IN (SELECT itemid FROM urine_item)
  GROUP BY stay_id, charttime
),

collection AS (
  SELECT
    output.stay_id,
    output.charttime,
    output.volume,
    epoch(
      output.charttime - COALESCE(
        LAG(output.charttime) OVER (PARTITION BY output.stay_id ORDER BY output.charttime),
        stay.intime
      )
    ) / 3600 AS hours
  FROM output
  INNER JOIN mimiciv_icu.icustays AS stay ON output.stay_id = stay.stay_id
),

looking_back AS (
  SELECT
    stay_id,
    charttime,
    volume,
    SUM(volume) OVER six AS volume_6,
    SUM(volume) OVER twelve AS volume_12,
    SUM(volume) OVER day AS volume_24,
    SUM(hours) OVER six AS hours_6,
    SUM(hours) OVER twelve AS hours_12,
    SUM(hours) OVER day AS hours_24
  FROM collection
  WINDOW
    six AS (PARTITION BY stay_id ORDER BY charttime RANGE BETWEEN INTERVAL 6 HOUR PRECEDING AND CURRENT ROW),
    twelve AS (PARTITION BY stay_id ORDER BY charttime RANGE BETWEEN INTERVAL 12 HOUR PRECEDING AND CURRENT ROW),
    day AS (PARTITION BY stay_id ORDER BY charttime RANGE BETWEEN INTERVAL 24 HOUR PRECEDING AND CURRENT ROW)
),

weight AS (
  SELECT
    stay_id,
    charttime,
    AVG(valuenum) AS weight
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (
      SELECT itemid
      FROM mimiciv_icu.d_items
      WHERE linksto = 'chartevents' AND lower(label) IN ('daily weight', 'admission weight (kg)')
    )
    AND valuenum IS NOT NULL
  GROUP BY stay_id, charttime
)

SELECT
  looking_back.stay_id,
  looking_back.charttime,
  weight.weight,
  looking_back.volume AS uo,
  looking_back.volume_6 AS urineoutput_6hr,
  looking_back.volume_12 AS urineoutput_12hr,
  looking_back.volume_24 AS urineoutput_24hr,
  CASE WHEN hours_6 >= 6 THEN volume_6 / nullif(weight.weight, 0) / hours_6 END AS uo_mlkghr_6hr,
  CASE WHEN hours_12 >= 12 THEN volume_12 / nullif(weight.weight, 0) / hours_12 END AS uo_mlkghr_12hr,
  CASE WHEN hours_24 >= 24 THEN volume_24 / nullif(weight.weight, 0) / hours_24 END AS uo_mlkghr_24hr,
  hours_6 AS uo_tm_6hr,
  hours_12 AS uo_tm_12hr,
  hours_24 AS uo_tm_24hr
FROM looking_back
ASOF LEFT JOIN weight
  ON looking_back.stay_id = weight.stay_id AND looking_back.charttime >= weight.charttime
