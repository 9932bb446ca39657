-- Glasgow Coma Scale of the first day in intensive care: the lowest score and the responses that belong to it.
-- Target 'public-code': equal in value to the pinned public concept; see deviations.toml and
-- admissible.mimic-iv.sql. Raw tables only.

WITH charted AS (
  -- One row per stay and charted moment.
  SELECT
    stay_id,
    charttime,
    -- rule: response-items (of two rows of one moment the better response)
    max(valuenum) FILTER (WHERE itemid = 223901) AS motor,
    max(
      -- rule: tube-verbal (an endotracheal tube is charted as an answer of its own, and read as 0)
      CASE WHEN value = 'No Response-ETT' THEN 0 ELSE valuenum END
    ) FILTER (WHERE itemid = 223900) AS verbal,
    max(valuenum) FILTER (WHERE itemid = 220739) AS eyes
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (223900, 223901, 220739)
  GROUP BY stay_id, charttime
),

moment AS (
  -- rule: carry-one-row (only the row just before, and only what was charted in it)
  SELECT
    *,
    lag(charttime) OVER earlier AS charttime_before,
    lag(motor) OVER earlier AS motor_before,
    lag(verbal) OVER earlier AS verbal_before,
    lag(eyes) OVER earlier AS eyes_before
  FROM charted
  WINDOW earlier AS (PARTITION BY stay_id ORDER BY charttime ASC)
),

carried AS (
  SELECT
    stay_id,
    charttime,
    motor,
    verbal,
    eyes,
    -- rule: carry-six-hours (less than six hours ago)
    charttime_before > charttime - INTERVAL 6 HOUR AS is_recent,
    CASE WHEN is_recent THEN motor_before END AS motor_carried,
    CASE WHEN is_recent THEN verbal_before END AS verbal_carried,
    CASE WHEN is_recent THEN eyes_before END AS eyes_carried
  FROM moment
),

scored AS (
  SELECT
    stay_id,
    charttime,
    CASE
      -- rule: tube-is-15
      WHEN verbal = 0 THEN 15
      -- rule: tube-carried (no verbal answer now, a tube in the row before)
      WHEN verbal IS NULL AND verbal_carried = 0 THEN 15
      -- rule: nothing-carried-after-tube (and rule: missing-response: 6, 5, 4)
      WHEN verbal_carried = 0 THEN coalesce(motor, 6) + verbal + coalesce(eyes, 4)
      ELSE
        -- rule: missing-response (not charted now nor carried: normal)
        coalesce(motor, motor_carried, 6) + coalesce(verbal, verbal_carried, 5)
        + coalesce(eyes, eyes_carried, 4)
    END AS score,
    -- rule: reported-responses (as charted or carried, also where the score did not use them)
    coalesce(motor, motor_carried) AS motor,
    coalesce(verbal, verbal_carried) AS verbal,
    coalesce(eyes, eyes_carried) AS eyes
  FROM carried
),

lowest AS (
  SELECT
    stay.stay_id,
    -- rule: tied-scores (the earliest of the lowest)
    arg_min(
      struct_pack(score := scored.score, motor := scored.motor, verbal := scored.verbal, eyes := scored.eyes),
      (scored.score, scored.charttime)
    ) AS worst
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN scored ON stay.stay_id = scored.stay_id
  -- rule: first-day-window (six hours before to 24 hours after, both ends included)
  WHERE scored.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
  GROUP BY stay.stay_id
)

-- rule: every-stay (with or without charting)
SELECT
  stay.subject_id,
  stay.hadm_id,
  stay.stay_id,
  -- rule: no-charting (15, 6, 5, 4; also for a response that is missing beside a score)
  coalesce(lowest.worst.score, 15) AS gcs_min,
  coalesce(lowest.worst.motor, 6) AS gcs_motor,
  coalesce(lowest.worst.verbal, 5) AS gcs_verbal,
  coalesce(lowest.worst.eyes, 4) AS gcs_eyes
FROM mimiciv_icu.icustays AS stay
LEFT JOIN lowest ON stay.stay_id = lowest.stay_id
