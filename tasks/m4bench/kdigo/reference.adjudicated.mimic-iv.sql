-- KDIGO stage of acute kidney injury, worst of the first 48 hours in intensive care: one row per ICU stay.
-- Target 'adjudicated', a draft that clinicians have not yet decided on: the guideline's text (KDIGO 2012, chapter 2)
-- where the public code departs from it. Same grain, window, items and weights, so that the targets can be compared row
-- by row.
-- Left to be decided: whether chronic dialysis counts; plausible limits of weights; irrigant as output; mean urine flow
-- or flow in every hour; how long an untimed first urine output was collected.

WITH stay AS (
  SELECT
    subject_id,
    hadm_id,
    stay_id,
    intime,
    outtime,
    intime + INTERVAL 48 HOUR AS window_ends
  FROM mimiciv_icu.icustays
),

creatinine AS (
  SELECT
    subject_id,
    charttime,
    -- rule: exact-creatinine (decimals to thousandths, so that a rise of 0.3 is a rise of 0.3)
    CAST(avg(CAST(valuenum AS DECIMAL(18, 6))) AS DECIMAL(18, 3)) AS creat
  FROM mimiciv_hosp.labevents
  WHERE itemid = 50912
    -- rule: creatinine-above-zero
    AND valuenum > 0 AND valuenum <= 150
    AND charttime IS NOT NULL
  GROUP BY subject_id, charttime
),

compared AS (
  SELECT
    subject_id,
    charttime,
    creat,
    min(creat) OVER two_days AS lowest_48h,
    -- rule: baseline-of-a-year (the lowest of the week before; where the week has none, of the year before)
    coalesce(min(creat) OVER week, min(creat) OVER year) AS baseline
  FROM creatinine
  WINDOW
    two_days AS (
      PARTITION BY subject_id ORDER BY charttime
      RANGE BETWEEN INTERVAL 48 HOUR PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW
    ),
    week AS (
      PARTITION BY subject_id ORDER BY charttime
      RANGE BETWEEN INTERVAL 168 HOUR PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW
    ),
    year AS (
      PARTITION BY subject_id ORDER BY charttime
      RANGE BETWEEN INTERVAL 8760 HOUR PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW
    )
),

creatinine_stage AS (
  SELECT
    stay.stay_id,
    max(
      CASE
        WHEN compared.creat >= compared.baseline * 3 THEN 3
        -- rule: four-with-any-rise (4.0 or more counts with any rise that makes the diagnosis)
        WHEN compared.creat >= 4
          AND (compared.creat >= compared.lowest_48h + 0.3 OR compared.creat >= compared.baseline * 1.5) THEN 3
        WHEN compared.creat >= compared.baseline * 2 THEN 2
        WHEN compared.creat >= compared.lowest_48h + 0.3 THEN 1
        WHEN compared.creat >= compared.baseline * 1.5 THEN 1
        ELSE 0
      END
    ) AS stage
  FROM stay
  INNER JOIN compared ON stay.subject_id = compared.subject_id
  WHERE compared.charttime BETWEEN stay.intime AND stay.window_ends
    AND compared.charttime <= stay.outtime
  GROUP BY stay.stay_id
),

output AS (
  SELECT
    stay_id,
    charttime,
    sum(
      CAST(CASE WHEN itemid = 227488 AND value > 0 THEN -value ELSE value END AS DECIMAL(18, 6))
    ) AS volume
  FROM mimiciv_icu.outputevents
  WHERE itemid IN (
      226559, 226560, 226561, 226584, 226563, 226564, 226565, 226567, 226557, 226558, 227488, 227489
    )
    AND charttime IS NOT NULL
  GROUP BY stay_id, charttime
),

collection AS (
  SELECT
    stay_id,
    charttime,
    volume,
    coalesce(
      date_diff('microseconds', lag(charttime) OVER (PARTITION BY stay_id ORDER BY charttime), charttime),
      3600000000
    ) AS gap
  FROM output
),

looking_back AS (
  SELECT
    stay_id,
    charttime,
    CAST(sum(volume) OVER six AS DOUBLE) AS volume_6,
    CAST(sum(volume) OVER twelve AS DOUBLE) AS volume_12,
    CAST(sum(volume) OVER day AS DOUBLE) AS volume_24,
    sum(gap) OVER six / 3600000000.0 AS hours_6,
    sum(gap) OVER twelve / 3600000000.0 AS hours_12,
    sum(gap) OVER day / 3600000000.0 AS hours_24
  FROM collection
  WINDOW
    -- rule: looks-back-open (a row at the far end stands for the time before it, so it does not belong)
    six AS (
      PARTITION BY stay_id ORDER BY charttime
      RANGE BETWEEN INTERVAL 21599 SECOND PRECEDING AND CURRENT ROW
    ),
    twelve AS (
      PARTITION BY stay_id ORDER BY charttime
      RANGE BETWEEN INTERVAL 43199 SECOND PRECEDING AND CURRENT ROW
    ),
    day AS (
      PARTITION BY stay_id ORDER BY charttime
      RANGE BETWEEN INTERVAL 86399 SECOND PRECEDING AND CURRENT ROW
    )
),

charted_weight AS (
  SELECT
    stay_id,
    charttime,
    itemid,
    valuenum AS weight,
    row_number() OVER (PARTITION BY stay_id, itemid ORDER BY charttime, valuenum) AS number
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (226512, 224639)
    AND valuenum > 0
),

weight_start AS (
  SELECT
    weighed.stay_id,
    weighed.charttime,
    weighed.itemid,
    weighed.weight,
    stay.intime,
    stay.outtime,
    CASE
      WHEN weighed.itemid = 226512 AND weighed.number = 1 THEN stay.intime - INTERVAL 2 HOUR
      ELSE weighed.charttime
    END AS starts
  FROM charted_weight AS weighed
  INNER JOIN stay ON weighed.stay_id = stay.stay_id
),

weight_span AS (
  SELECT
    stay_id,
    weight,
    intime,
    starts,
    coalesce(lead(starts) OVER in_order, outtime + INTERVAL 2 HOUR) AS ends,
    row_number() OVER in_order AS number
  FROM weight_start
  WINDOW in_order AS (PARTITION BY stay_id ORDER BY starts, charttime, itemid DESC, weight)
),

weight AS (
  SELECT
    stay_id,
    weight,
    starts,
    ends
  FROM weight_span

  UNION ALL

  SELECT
    stay_id,
    weight,
    intime - INTERVAL 2 HOUR AS starts,
    starts AS ends
  FROM weight_span
  WHERE number = 1 AND starts > intime
),

rate AS (
  SELECT
    looking_back.stay_id,
    looking_back.charttime,
    -- rule: long-gaps-count (a rate whenever the collected time is long enough)
    CASE WHEN hours_6 >= 6 THEN volume_6 / weight.weight / hours_6 END AS rate_6,
    CASE WHEN hours_12 >= 12 THEN volume_12 / weight.weight / hours_12 END AS rate_12,
    CASE WHEN hours_24 >= 24 THEN volume_24 / weight.weight / hours_24 END AS rate_24,
    volume_12
  FROM looking_back
  LEFT JOIN weight
    ON looking_back.stay_id = weight.stay_id
    AND looking_back.charttime >= weight.starts
    AND looking_back.charttime < weight.ends
),

urine_stage AS (
  SELECT
    stay.stay_id,
    max(
      CASE
        -- rule: each-rate-for-itself (a missing six-hour rate does not silence the longer ones)
        WHEN round(rate.rate_24, 6) < 0.3 THEN 3
        -- rule: no-urine (none or less, irrigant taken off)
        WHEN rate.rate_12 IS NOT NULL AND rate.volume_12 <= 0 THEN 3
        WHEN round(rate.rate_12, 6) < 0.5 THEN 2
        WHEN round(rate.rate_6, 6) < 0.5 THEN 1
        ELSE 0
      END
    ) AS stage
  FROM stay
  INNER JOIN rate ON stay.stay_id = rate.stay_id
  WHERE rate.charttime BETWEEN stay.intime AND stay.window_ends
  GROUP BY stay.stay_id
),

replacement_stage AS (
  -- rule: any-dialysis (continuous, intermittent and peritoneal; treatments, not catheters)
  SELECT
    stay.stay_id,
    3 AS stage
  FROM stay
  INNER JOIN mimiciv_derived.rrt AS treatment
    ON stay.stay_id = treatment.stay_id
    AND (treatment.dialysis_active = 1 OR treatment.dialysis_type IN ('CRRT', 'CVVH', 'CVVHD', 'CVVHDF', 'SCUF'))
  WHERE treatment.charttime BETWEEN stay.intime AND stay.window_ends
  GROUP BY stay.stay_id
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
FROM stay
LEFT JOIN creatinine_stage ON stay.stay_id = creatinine_stage.stay_id
LEFT JOIN urine_stage ON stay.stay_id = urine_stage.stay_id
LEFT JOIN replacement_stage ON stay.stay_id = replacement_stage.stay_id
