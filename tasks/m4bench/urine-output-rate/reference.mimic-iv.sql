-- Urine output rate: one row per ICU stay and time of a charted urine output, with rates over looks back of about
-- 6, 12 and 24 hours. Target 'public-code': equal in value to the pinned public concept; see deviations.toml. Raw
-- tables only, so that both modes share it. Volumes add up as decimals and times as whole microseconds, so that no
-- order of rows shows in a sum.

WITH output AS (
  -- One row per stay and moment.
  SELECT
    stay_id,
    charttime,
    -- rule: same-time-sum (every counted output of a moment is added; a missing value adds nothing)
    SUM(
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

clock AS (
  -- rule: clock-start (a stay's clock starts at its first heart rate, whatever its value, not at intime)
  SELECT
    stay.stay_id,
    MIN(beat.charttime) AS started
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.chartevents AS beat
    ON stay.stay_id = beat.stay_id
    AND beat.itemid = 220045
    -- rule: clock-window (charted within one calendar month around the stay, both ends open)
    AND beat.charttime > stay.intime - INTERVAL 1 MONTH
    AND beat.charttime < stay.outtime + INTERVAL 1 MONTH
  GROUP BY stay.stay_id
),

collection AS (
  -- Each output with the microseconds it was collected over.
  SELECT
    output.stay_id,
    output.charttime,
    output.volume,
    DATE_DIFF(
      'microseconds',
      COALESCE(
        -- rule: gap-since-previous (the output before in the same stay)
        LAG(output.charttime) OVER (PARTITION BY output.stay_id ORDER BY output.charttime),
        -- rule: gap-of-first (since the clock's start; below zero where urine was charted earlier)
        clock.started
      ),
      output.charttime
    ) AS gap
  FROM output
  -- rule: heart-rate-needed (a stay without a clock has no rows)
  INNER JOIN clock
    ON output.stay_id = clock.stay_id
),

looking_back AS (
  SELECT
    stay_id,
    charttime,
    volume,
    SUM(volume) OVER six AS volume_6,
    SUM(volume) OVER twelve AS volume_12,
    SUM(volume) OVER day AS volume_24,
    SUM(gap) OVER six AS time_6,
    SUM(gap) OVER twelve AS time_12,
    SUM(gap) OVER day AS time_24
  FROM collection
  WINDOW
    -- rule: span-6h (elapsed time, both ends included: five hours, since each output stands for the time before it)
    six AS (PARTITION BY stay_id ORDER BY charttime RANGE BETWEEN INTERVAL 5 HOUR PRECEDING AND CURRENT ROW),
    -- rule: span-12h
    twelve AS (PARTITION BY stay_id ORDER BY charttime RANGE BETWEEN INTERVAL 11 HOUR PRECEDING AND CURRENT ROW),
    -- rule: span-24h
    day AS (PARTITION BY stay_id ORDER BY charttime RANGE BETWEEN INTERVAL 23 HOUR PRECEDING AND CURRENT ROW)
),

observed AS (
  SELECT
    stay_id,
    charttime,
    CAST(volume AS DOUBLE) AS volume,
    CAST(volume_6 AS DOUBLE) AS volume_6,
    CAST(volume_12 AS DOUBLE) AS volume_12,
    CAST(volume_24 AS DOUBLE) AS volume_24,
    time_6 / 3600000000.0 AS hours_6,
    time_12 / 3600000000.0 AS hours_12,
    time_24 / 3600000000.0 AS hours_24
  FROM looking_back
),

charted_weight AS (
  SELECT
    stay_id,
    charttime,
    itemid,
    valuenum AS weight,
    ROW_NUMBER() OVER (PARTITION BY stay_id, itemid ORDER BY charttime, valuenum) AS number
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
  INNER JOIN mimiciv_icu.icustays AS stay
    ON weighed.stay_id = stay.stay_id
),

weight_span AS (
  SELECT
    stay_id,
    weight,
    intime,
    starts,
    -- rule: weight-until-next (whichever item; the last one until two hours after the stay)
    COALESCE(LEAD(starts) OVER in_order, outtime + INTERVAL 2 HOUR) AS ends,
    ROW_NUMBER() OVER in_order AS number
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
)

SELECT
  observed.stay_id,
  observed.charttime,
  weight.weight,
  observed.volume AS uo,
  observed.volume_6 AS urineoutput_6hr,
  observed.volume_12 AS urineoutput_12hr,
  observed.volume_24 AS urineoutput_24hr,
  -- rule: rate-6h (only with six observed hours, before rounding; the decimal type keeps three places)
  CASE
    WHEN observed.hours_6 >= 6
    THEN TRY_CAST(observed.volume_6 / weight.weight / observed.hours_6 AS DECIMAL(18, 3))
  END AS uo_mlkghr_6hr,
  -- rule: rate-12h
  CASE
    WHEN observed.hours_12 >= 12
    THEN TRY_CAST(observed.volume_12 / weight.weight / observed.hours_12 AS DECIMAL(18, 3))
  END AS uo_mlkghr_12hr,
  -- rule: rate-24h
  CASE
    WHEN observed.hours_24 >= 24
    THEN TRY_CAST(observed.volume_24 / weight.weight / observed.hours_24 AS DECIMAL(18, 3))
  END AS uo_mlkghr_24hr,
  -- rule: time-rounding (to three places, then to two)
  ROUND(CAST(observed.hours_6 AS DECIMAL(18, 3)), 2) AS uo_tm_6hr,
  ROUND(CAST(observed.hours_12 AS DECIMAL(18, 3)), 2) AS uo_tm_12hr,
  ROUND(CAST(observed.hours_24 AS DECIMAL(18, 3)), 2) AS uo_tm_24hr
FROM observed
LEFT JOIN weight
  ON observed.stay_id = weight.stay_id
  -- rule: weight-in-force (from after its start up to and including its end)
  AND observed.charttime > weight.starts
  AND observed.charttime <= weight.ends
