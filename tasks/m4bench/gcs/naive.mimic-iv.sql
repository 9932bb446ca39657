-- What the instruction alone suggests: the responses of one moment added up, only complete moments, the first 24
-- hours in the unit.
WITH examination AS (
  SELECT
    stay_id,
    charttime,
    max(valuenum) FILTER (WHERE itemid = 223901) AS motor,
    max(valuenum) FILTER (WHERE itemid = 223900) AS verbal,
    max(valuenum) FILTER (WHERE itemid = 220739) AS eyes
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (223900, 223901, 220739)
  GROUP BY stay_id, charttime
),

ranked AS (
  SELECT
    stay.stay_id,
    motor,
    verbal,
    eyes,
    row_number() OVER (
      PARTITION BY stay.stay_id ORDER BY motor + verbal + eyes ASC, charttime ASC
    ) AS place
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN examination ON stay.stay_id = examination.stay_id
  WHERE
    charttime >= stay.intime
    AND charttime < stay.intime + INTERVAL 24 HOUR
    AND motor + verbal + eyes IS NOT NULL
)

SELECT
  stay.subject_id,
  stay.hadm_id,
  stay.stay_id,
  coalesce(motor + verbal + eyes, 15) AS gcs_min,
  coalesce(motor, 6) AS gcs_motor,
  coalesce(verbal, 5) AS gcs_verbal,
  coalesce(eyes, 4) AS gcs_eyes
FROM mimiciv_icu.icustays AS stay
LEFT JOIN ranked ON stay.stay_id = ranked.stay_id AND ranked.place = 1
