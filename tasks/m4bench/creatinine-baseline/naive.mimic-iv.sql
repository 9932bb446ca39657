-- What the instruction alone suggests: the lowest serum creatinine of the admission, kept where it is within the
-- laboratory's range or kidney disease is coded in words, else MDRD solved at 75; the anchor age as it stands.
WITH lowest AS (
  SELECT
    hadm_id,
    min(valuenum) AS scr_min
  FROM mimiciv_hosp.labevents
  WHERE itemid IN (SELECT itemid FROM mimiciv_hosp.d_labitems WHERE label ILIKE 'creatinine%' AND fluid = 'Blood')
  GROUP BY hadm_id
),

kidney_disease AS (
  SELECT DISTINCT diagnosis.hadm_id
  FROM mimiciv_hosp.diagnoses_icd AS diagnosis
  INNER JOIN mimiciv_hosp.d_icd_diagnoses AS title
    ON diagnosis.icd_code = title.icd_code AND diagnosis.icd_version = title.icd_version
  WHERE title.long_title ILIKE '%chronic kidney disease%'
),

patient AS (
  SELECT
    admission.subject_id,
    admission.hadm_id,
    patient.gender,
    patient.anchor_age AS age,
    pow(
      75 / (175 * pow(patient.anchor_age, -0.203) * CASE WHEN patient.gender = 'F' THEN 0.742 ELSE 1 END),
      -1 / 1.154
    ) AS mdrd_est
  FROM mimiciv_hosp.admissions AS admission
  INNER JOIN mimiciv_hosp.patients AS patient ON admission.subject_id = patient.subject_id
  WHERE patient.anchor_age >= 18
)

SELECT
  patient.subject_id,
  patient.hadm_id,
  patient.gender,
  patient.age,
  lowest.scr_min,
  CASE WHEN kidney_disease.hadm_id IS NULL THEN 0 ELSE 1 END AS ckd,
  patient.mdrd_est,
  CASE
    WHEN lowest.scr_min <= 1.2 OR kidney_disease.hadm_id IS NOT NULL THEN lowest.scr_min
    ELSE patient.mdrd_est
  END AS scr_baseline
FROM patient
LEFT JOIN lowest ON patient.hadm_id = lowest.hadm_id
LEFT JOIN kidney_disease ON patient.hadm_id = kidney_disease.hadm_id
