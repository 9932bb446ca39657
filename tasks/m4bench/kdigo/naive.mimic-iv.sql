-- What the instruction alone suggests: creatinine of the admission against its lowest value of the seven days before,
-- urine by the words of the dictionary over full looks back of 6, 12 and 24 hours by the stay's mean weight, any row of
-- a dialysis mode.
WITH creatinine AS (
  SELECT
    stay.stay_id,
    stay.intime,
    event.charttime,
    event.valuenum AS value
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_hosp.labevents AS event ON stay.hadm_id = event.hadm_id
  WHERE event.itemid = 50912 AND event.valuenum > 0
    AND event.charttime < stay.intime + INTERVAL 48 HOUR
),

creatinine_stage AS (
  SELECT
    later.stay_id,
    max(
      CASE
        WHEN later.value >= 3 * earlier.value OR later.value >= 4 THEN 3
        WHEN later.value >= 2 * earlier.value THEN 2
        WHEN later.value >= 1.5 * earlier.value THEN 1
        WHEN round(later.value - earlier.value, 2) >= 0.3
          AND earlier.charttime >= later.charttime - INTERVAL 48 HOUR THEN 1
        ELSE 0
      END
    ) AS stage
  FROM creatinine AS later
  INNER JOIN creatinine AS earlier
    ON later.stay_id = earlier.stay_id
    AND earlier.charttime <= later.charttime
    AND earlier.charttime >= later.charttime - INTERVAL 168 HOUR
  WHERE later.charttime >= later.intime
  GROUP BY later.stay_id
),

output AS (
  SELECT
    stay_id,
    charttime,
    sum(value) AS volume
  FROM mimiciv_icu.outputevents
  WHERE itemid IN (
      SELECT itemid
      FROM mimiciv_icu.d_items
      WHERE linksto = 'outputevents'
        AND (lower(label) LIKE '%foley%' OR lower(label) LIKE '%void%' OR lower(label) LIKE '%urine%')
    )
  GROUP BY stay_id, charttime
),

weight AS (
  SELECT
    stay_id,
    avg(valuenum) AS weight
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (224639, 226512) AND valuenum BETWEEN 20 AND 300
  GROUP BY stay_id
),

flow AS (
  SELECT
    output.stay_id,
    output.charttime,
    stay.intime,
    sum(output.volume) OVER six / weight.weight / 6 AS rate_6,
    sum(output.volume) OVER twelve / weight.weight / 12 AS rate_12,
    sum(output.volume) OVER day / weight.weight / 24 AS rate_24
  FROM output
  INNER JOIN mimiciv_icu.icustays AS stay ON output.stay_id = stay.stay_id
  INNER JOIN weight ON output.stay_id = weight.stay_id
  WINDOW
    six AS (PARTITION BY output.stay_id ORDER BY output.charttime RANGE BETWEEN INTERVAL 6 HOUR PRECEDING AND CURRENT ROW),
    twelve AS (PARTITION BY output.stay_id ORDER BY output.charttime RANGE BETWEEN INTERVAL 12 HOUR PRECEDING AND CURRENT ROW),
    day AS (PARTITION BY output.stay_id ORDER BY output.charttime RANGE BETWEEN INTERVAL 24 HOUR PRECEDING AND CURRENT ROW)
),

urine_stage AS (
  SELECT
    stay_id,
    max(
      CASE
        WHEN rate_24 < 0.3 AND charttime >= intime + INTERVAL 24 HOUR THEN 3
        WHEN rate_12 <= 0 AND charttime >= intime + INTERVAL 12 HOUR THEN 3
        WHEN rate_12 < 0.5 AND charttime >= intime + INTERVAL 12 HOUR THEN 2
        WHEN rate_6 < 0.5 AND charttime >= intime + INTERVAL 6 HOUR THEN 1
        ELSE 0
      END
    ) AS stage
  FROM flow
  WHERE charttime < intime + INTERVAL 48 HOUR
  GROUP BY stay_id
),

replacement_stage AS (
  SELECT DISTINCT
    stay.stay_id,
    3 AS stage
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.chartevents AS event ON stay.stay_id = event.stay_id
  INNER JOIN mimiciv_icu.d_items AS item ON event.itemid = item.itemid
  WHERE item.label ILIKE '%CRRT%'
    AND event.charttime BETWEEN stay.intime AND stay.intime + INTERVAL 48 HOUR
)

SELECT
  stay.subject_id,
  stay.hadm_id,
  stay.stay_id,
  greatest(
    coalesce(creatinine_stage.stage, 0), coalesce(urine_stage.stage, 0), coalesce(replacement_stage.stage, 0)
  ) AS aki_stage,
  coalesce(creatinine_stage.stage, 0) AS aki_stage_creat,
  coalesce(urine_stage.stage, 0) AS aki_stage_uo,
  coalesce(replacement_stage.stage, 0) AS aki_stage_crrt
FROM mimiciv_icu.icustays AS stay
LEFT JOIN creatinine_stage ON stay.stay_id = creatinine_stage.stay_id
LEFT JOIN urine_stage ON stay.stay_id = urine_stage.stay_id
LEFT JOIN replacement_stage ON stay.stay_id = replacement_stage.stay_id
