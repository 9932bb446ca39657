-- KDIGO stage of acute kidney injury, worst of the first 48 hours in intensive care: one row per ICU stay.
-- Target 'public-code': equal in value to the pinned public concept; see deviations.toml. Raw tables only, so that
-- both modes share it. Means and sums are taken over exact decimals and whole microseconds, so that no result depends
-- on the order of rows; creatinine is then compared in doubles, as the concept does.

WITH stay AS (
  -- rule: every-stay (all ICU stays, whether anything was measured or not)
  SELECT
    subject_id,
    hadm_id,
    stay_id,
    intime,
    outtime,
    -- rule: two-day-window (from intime on; both ends belong to it)
    intime + INTERVAL 48 HOUR AS window_ends
  FROM mimiciv_icu.icustays
),

creatinine AS (
  -- One row per patient and moment. Laboratory values belong to a patient, with or without an admission.
  SELECT
    subject_id,
    charttime,
    -- rule: same-moment-mean
    CAST(avg(CAST(valuenum AS DECIMAL(18, 6))) AS DOUBLE) AS creat
  FROM mimiciv_hosp.labevents
  WHERE
    -- rule: creatinine-item (serum, by the central laboratory)
    itemid = 50912
    -- rule: creatinine-accepted (up to 150 mg/dL; nothing is too low, not even 0)
    AND valuenum <= 150
    AND charttime IS NOT NULL
  GROUP BY subject_id, charttime
),

compared AS (
  SELECT
    subject_id,
    charttime,
    creat,
    min(creat) OVER two_days AS lowest_48h,
    min(creat) OVER week AS lowest_7d
  FROM creatinine
  WINDOW
    -- rule: comparator-48h (lowest of the patient's values strictly before; a value exactly 48 hours before counts)
    two_days AS (
      PARTITION BY subject_id ORDER BY charttime
      RANGE BETWEEN INTERVAL 48 HOUR PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW
    ),
    -- rule: comparator-7d
    week AS (
      PARTITION BY subject_id ORDER BY charttime
      RANGE BETWEEN INTERVAL 168 HOUR PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW
    )
),

creatinine_stage AS (
  SELECT
    stay.stay_id,
    max(
      CASE
        -- rule: creatinine-threefold
        WHEN compared.creat >= compared.lowest_7d * 3.0 THEN 3
        -- rule: creatinine-four (with a 48-hour low of at most 3.7, or half as much again as the 7-day low)
        WHEN compared.creat >= 4 AND (compared.lowest_48h <= 3.7 OR compared.creat >= 1.5 * compared.lowest_7d) THEN 3
        -- rule: creatinine-twofold
        WHEN compared.creat >= compared.lowest_7d * 2.0 THEN 2
        -- rule: creatinine-rise (in binary doubles: from 1.1 to 1.4 is not reached)
        WHEN compared.creat >= compared.lowest_48h + 0.3 THEN 1
        -- rule: creatinine-half-again
        WHEN compared.creat >= compared.lowest_7d * 1.5 THEN 1
        -- rule: no-comparator (a first value is stage 0, however high)
        ELSE 0
      END
    ) AS stage
  FROM stay
  -- rule: laboratory-by-patient
  INNER JOIN compared ON stay.subject_id = compared.subject_id
  WHERE compared.charttime BETWEEN stay.intime AND stay.window_ends
    -- rule: creatinine-until-outtime
    AND compared.charttime <= stay.outtime
  GROUP BY stay.stay_id
),

output AS (
  -- One row per stay and moment.
  SELECT
    stay_id,
    charttime,
    -- rule: same-time-sum (every counted output of a moment is added; a missing value adds nothing)
    sum(
      CAST(
        -- rule: irrigant-sign (irrigant that went in counts against the output; charted below zero it stays so)
        CASE WHEN itemid = 227488 AND value > 0 THEN -value ELSE value END
        AS DECIMAL(18, 6)
      )
    ) AS volume
  FROM mimiciv_icu.outputevents
  WHERE
    -- rule: urine-items (catheter, void, condom, ileoconduit, suprapubic, nephrostomies, straight catheter, stents,
    -- irrigant in, irrigant and urine out; nothing from operating or recovery room)
    itemid IN (
      226559, 226560, 226561, 226584, 226563, 226564, 226565, 226567, 226557, 226558, 227488, 227489
    )
    AND charttime IS NOT NULL
  GROUP BY stay_id, charttime
),

collection AS (
  -- Each output with the microseconds that it stands for.
  SELECT
    stay_id,
    charttime,
    volume,
    coalesce(
      -- rule: gap-since-previous (the output before in the same stay)
      date_diff('microseconds', lag(charttime) OVER (PARTITION BY stay_id ORDER BY charttime), charttime),
      -- rule: gap-of-first (one hour, whenever it was charted)
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
    -- rule: span-6h (elapsed time, both ends included: seven rows of an hourly chart)
    six AS (PARTITION BY stay_id ORDER BY charttime RANGE BETWEEN INTERVAL 6 HOUR PRECEDING AND CURRENT ROW),
    -- rule: span-12h
    twelve AS (PARTITION BY stay_id ORDER BY charttime RANGE BETWEEN INTERVAL 12 HOUR PRECEDING AND CURRENT ROW),
    -- rule: span-24h
    day AS (PARTITION BY stay_id ORDER BY charttime RANGE BETWEEN INTERVAL 24 HOUR PRECEDING AND CURRENT ROW)
),

charted_weight AS (
  SELECT
    stay_id,
    charttime,
    itemid,
    valuenum AS weight,
    row_number() OVER (PARTITION BY stay_id, itemid ORDER BY charttime, valuenum) AS number
  FROM mimiciv_icu.chartevents
  WHERE
    -- rule: weight-items (admission weight and daily weight, in kilograms)
    itemid IN (226512, 224639)
    -- rule: weight-above-zero (no upper limit)
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
    -- rule: first-admission-weight-back-dated
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
    -- rule: weight-until-next (whichever item; the last one until two hours after the stay)
    coalesce(lead(starts) OVER in_order, outtime + INTERVAL 2 HOUR) AS ends,
    row_number() OVER in_order AS number
  FROM weight_start
  -- rule: tied-weights (of weights that start together the later charted one holds on, then daily before admission,
  -- then the larger)
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

  -- rule: first-weight-back-filled (a first weight that starts inside the stay also holds before, from two hours
  -- before the stay)
  SELECT
    stay_id,
    weight,
    intime - INTERVAL 2 HOUR AS starts,
    starts AS ends
  FROM weight_span
  WHERE number = 1 AND starts > intime
),

rate AS (
  -- mL/kg/h. The decimal type keeps three places.
  SELECT
    looking_back.stay_id,
    looking_back.charttime,
    -- rule: rate-6h (only where the collected time is at least six and below twelve hours)
    CASE
      WHEN hours_6 >= 6 AND hours_6 < 12 THEN try_cast(volume_6 / weight.weight / hours_6 AS DECIMAL(18, 3))
    END AS rate_6,
    -- rule: rate-12h
    CASE
      WHEN hours_12 >= 12 THEN try_cast(volume_12 / weight.weight / hours_12 AS DECIMAL(18, 3))
    END AS rate_12,
    -- rule: rate-24h
    CASE
      WHEN hours_24 >= 24 THEN try_cast(volume_24 / weight.weight / hours_24 AS DECIMAL(18, 3))
    END AS rate_24
  FROM looking_back
  LEFT JOIN weight
    ON looking_back.stay_id = weight.stay_id
    -- rule: weight-in-force (from its start up to, not including, its end)
    AND looking_back.charttime >= weight.starts
    AND looking_back.charttime < weight.ends
),

urine_stage AS (
  SELECT
    stay.stay_id,
    max(
      CASE
        -- rule: urine-needs-six-hour-rate (without it there is no stage, whatever the longer rates say)
        WHEN rate.rate_6 IS NULL THEN NULL
        -- rule: urine-first-six-hours
        WHEN rate.charttime <= stay.intime + INTERVAL 6 HOUR THEN 0
        -- rule: urine-day
        WHEN rate.rate_24 < 0.3 THEN 3
        -- rule: urine-none
        WHEN rate.rate_12 = 0 THEN 3
        -- rule: urine-half-day
        WHEN rate.rate_12 < 0.5 THEN 2
        -- rule: urine-six-hours
        WHEN rate.rate_6 < 0.5 THEN 1
        ELSE 0
      END
    ) AS stage
  FROM stay
  INNER JOIN rate ON stay.stay_id = rate.stay_id
  WHERE rate.charttime BETWEEN stay.intime AND stay.window_ends
  GROUP BY stay.stay_id
),

replacement_stage AS (
  -- rule: continuous-replacement (a charted mode is stage 3; no other form of dialysis is seen)
  SELECT
    stay.stay_id,
    3 AS stage
  FROM stay
  INNER JOIN mimiciv_icu.chartevents AS event
    ON stay.stay_id = event.stay_id
    AND event.itemid = 227290
    AND event.value IS NOT NULL
  WHERE event.charttime BETWEEN stay.intime AND stay.window_ends
  GROUP BY stay.stay_id
)

SELECT
  stay.subject_id,
  stay.hadm_id,
  stay.stay_id,
  -- rule: worst-of-three (each is its worst of the window; they need not coincide)
  greatest(
    coalesce(creatinine_stage.stage, 0), coalesce(urine_stage.stage, 0), coalesce(replacement_stage.stage, 0)
  ) AS aki_stage,
  -- rule: missing-is-none (a part without any value is stage 0)
  coalesce(creatinine_stage.stage, 0) AS aki_stage_creat,
  coalesce(urine_stage.stage, 0) AS aki_stage_uo,
  coalesce(replacement_stage.stage, 0) AS aki_stage_crrt
FROM stay
LEFT JOIN creatinine_stage ON stay.stay_id = creatinine_stage.stay_id
LEFT JOIN urine_stage ON stay.stay_id = urine_stage.stay_id
LEFT JOIN replacement_stage ON stay.stay_id = replacement_stage.stay_id
