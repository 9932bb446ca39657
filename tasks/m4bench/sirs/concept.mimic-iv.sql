-- The pinned concept in the task's form: a criterion without any value is 0.
SELECT
  subject_id,
  hadm_id,
  stay_id,
  sirs,
  coalesce(temp_score, 0) AS temp_score,
  coalesce(heart_rate_score, 0) AS heart_rate_score,
  coalesce(resp_score, 0) AS resp_score,
  coalesce(wbc_score, 0) AS wbc_score
FROM mimiciv_derived.sirs
