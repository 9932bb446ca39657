-- Every row that the pinned concept may give: it takes one of the moments with the lowest score and does not say
-- which.
WITH day AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    score.gcs,
    score.gcs_motor,
    score.gcs_verbal,
    score.gcs_eyes,
    min(score.gcs) OVER (PARTITION BY stay.stay_id) AS lowest
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_derived.gcs AS score ON stay.stay_id = score.stay_id
  WHERE score.charttime BETWEEN stay.intime - INTERVAL 6 HOUR AND stay.intime + INTERVAL 24 HOUR
)

SELECT DISTINCT
  stay_id AS tie_group,
  subject_id,
  hadm_id,
  stay_id,
  gcs AS gcs_min,
  coalesce(gcs_motor, 6) AS gcs_motor,
  coalesce(gcs_verbal, 5) AS gcs_verbal,
  coalesce(gcs_eyes, 4) AS gcs_eyes
FROM day
WHERE gcs = lowest
