-- Glasgow Coma Scale of the first day by its own definition (Teasdale and Jennett 1974). Target 'adjudicated', a
-- draft for clinicians to decide on: an examination is a moment at which all three responses were charted and
-- could be tested; a tube makes the verbal response untestable, and an untestable score is no score.
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
  HAVING
    count(*) FILTER (WHERE itemid = 223900 AND value = 'No Response-ETT') = 0
    AND motor IS NOT NULL
    AND verbal IS NOT NULL
    AND eyes IS NOT NULL
),

lowest AS (
  SELECT
    stay.stay_id,
    arg_min(
      struct_pack(
        score := examined.motor + examined.verbal + examined.eyes,
        motor := examined.motor,
        verbal := examined.verbal,
        eyes := examined.eyes
      ),
      (examined.motor + examined.verbal + examined.eyes, examined.charttime)
    ) AS worst
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN examination AS examined ON stay.stay_id = examined.stay_id
  WHERE examined.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
  GROUP BY stay.stay_id
)

SELECT
  stay.subject_id,
  stay.hadm_id,
  stay.stay_id,
  lowest.worst.score AS gcs_min,
  lowest.worst.motor AS gcs_motor,
  lowest.worst.verbal AS gcs_verbal,
  lowest.worst.eyes AS gcs_eyes
FROM mimiciv_icu.icustays AS stay
LEFT JOIN lowest ON stay.stay_id = lowest.stay_id
