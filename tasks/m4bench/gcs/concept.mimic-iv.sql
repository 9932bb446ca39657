-- The pinned concept in the task's form: what is missing counts as normal.
SELECT
  stay.subject_id,
  stay.hadm_id,
  stay.stay_id,
  coalesce(first_day.gcs_min, 15) AS gcs_min,
  coalesce(first_day.gcs_motor, 6) AS gcs_motor,
  coalesce(first_day.gcs_verbal, 5) AS gcs_verbal,
  coalesce(first_day.gcs_eyes, 4) AS gcs_eyes
FROM mimiciv_icu.icustays AS stay
LEFT JOIN mimiciv_derived.first_day_gcs AS first_day ON stay.stay_id = first_day.stay_id
