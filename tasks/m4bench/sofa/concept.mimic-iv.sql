-- The pinned concept in the task's form: a component without any value is 0.
SELECT
  subject_id,
  hadm_id,
  stay_id,
  sofa,
  coalesce(respiration, 0) AS respiration,
  coalesce(coagulation, 0) AS coagulation,
  coalesce(liver, 0) AS liver,
  coalesce(cardiovascular, 0) AS cardiovascular,
  coalesce(cns, 0) AS cns,
  coalesce(renal, 0) AS renal
FROM mimiciv_derived.first_day_sofa
