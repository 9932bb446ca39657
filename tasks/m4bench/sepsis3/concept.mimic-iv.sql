-- The pinned concept in the task's form: the flag as a number, and the admission of the stay.
SELECT
  sepsis.subject_id,
  stay.hadm_id,
  sepsis.stay_id,
  sepsis.antibiotic_time,
  sepsis.culture_time,
  sepsis.suspected_infection_time,
  sepsis.sofa_time,
  sepsis.sofa_score,
  sepsis.respiration,
  sepsis.coagulation,
  sepsis.liver,
  sepsis.cardiovascular,
  sepsis.cns,
  sepsis.renal,
  CAST(sepsis.sepsis3 AS INTEGER) AS sepsis3
FROM mimiciv_derived.sepsis3 AS sepsis
INNER JOIN mimiciv_icu.icustays AS stay ON sepsis.stay_id = stay.stay_id
