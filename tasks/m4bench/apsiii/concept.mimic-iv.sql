-- The pinned concept in the task's form: a part without a value is 0.
SELECT
  subject_id,
  hadm_id,
  stay_id,
  apsiii,
  coalesce(hr_score, 0) AS hr_score,
  coalesce(mbp_score, 0) AS mbp_score,
  coalesce(temp_score, 0) AS temp_score,
  coalesce(resp_rate_score, 0) AS resp_rate_score,
  coalesce(pao2_aado2_score, 0) AS pao2_aado2_score,
  coalesce(hematocrit_score, 0) AS hematocrit_score,
  coalesce(wbc_score, 0) AS wbc_score,
  coalesce(creatinine_score, 0) AS creatinine_score,
  coalesce(uo_score, 0) AS uo_score,
  coalesce(bun_score, 0) AS bun_score,
  coalesce(sodium_score, 0) AS sodium_score,
  coalesce(albumin_score, 0) AS albumin_score,
  coalesce(bilirubin_score, 0) AS bilirubin_score,
  coalesce(glucose_score, 0) AS glucose_score,
  coalesce(acidbase_score, 0) AS acidbase_score,
  coalesce(gcs_score, 0) AS gcs_score
FROM mimiciv_derived.apsiii
