-- The pinned concept, with the patient of each admission.
SELECT
  admission.subject_id,
  baseline.*
FROM mimiciv_derived.creatinine_baseline AS baseline
INNER JOIN mimiciv_hosp.admissions AS admission
  ON baseline.hadm_id = admission.hadm_id
