-- Baseline creatinine: one row per hospital admission of an adult.
-- Target 'public-code': equal in value to the pinned public concept. Raw tables only, so that both modes share it.
-- Each value comes from one row or one minimum, so that no result depends on the order of rows.

WITH adult AS (
  SELECT
    admission.subject_id,
    admission.hadm_id,
    patient.gender,
    -- rule: age-at-admission (age of the anchor year, counted on from its first of January in years of 31,556,908.8
    -- seconds; ages above 89 are stored as 91)
    patient.anchor_age + date_diff(
      'microseconds', make_timestamp(patient.anchor_year, 1, 1, 0, 0, 0), admission.admittime
    ) / 31556908800000.0 AS age
  FROM mimiciv_hosp.admissions AS admission
  INNER JOIN mimiciv_hosp.patients AS patient
    ON admission.subject_id = patient.subject_id
),

estimated AS (
  SELECT
    subject_id,
    hadm_id,
    gender,
    age,
    -- rule: equation-solved-at-75 (MDRD of 186, without a term for race, solved for creatinine at 75 mL/min/1.73 m²)
    power(
      75.0 / 186.0 / power(age, -0.203)
      -- rule: factor-for-women (nobody else)
      / CASE WHEN gender = 'F' THEN 0.742 ELSE 1 END,
      -1 / 1.154
    ) AS mdrd_est
  FROM adult
  -- rule: adults (18 years at admission)
  WHERE age >= 18
),

lowest AS (
  SELECT
    hadm_id,
    -- rule: lowest-of-admission (of the whole admission, with what comes later)
    min(creatinine) AS scr_min
  FROM (
    -- One row per laboratory specimen: its largest creatinine.
    SELECT
      specimen_id,
      -- rule: by-admission (values without an admission are not seen, whenever they were drawn)
      max(hadm_id) AS hadm_id,
      max(valuenum) AS creatinine
    FROM mimiciv_hosp.labevents
    WHERE
      -- rule: creatinine-item (serum, by the central laboratory)
      itemid = 50912
      -- rule: creatinine-accepted (above 0, up to 150 mg/dL)
      AND valuenum > 0 AND valuenum <= 150
    GROUP BY specimen_id
  )
  GROUP BY hadm_id
),

kidney_disease AS (
  -- rule: kidney-codes (a diagnosis of the admission, coded after discharge; each version by its own codes)
  SELECT DISTINCT hadm_id
  FROM mimiciv_hosp.diagnoses_icd
  WHERE (icd_version = 9 AND icd_code LIKE '585%')
    OR (icd_version = 10 AND icd_code LIKE 'N18%')
)

SELECT
  estimated.subject_id,
  estimated.hadm_id,
  estimated.gender,
  estimated.age,
  lowest.scr_min,
  CASE WHEN kidney_disease.hadm_id IS NOT NULL THEN 1 ELSE 0 END AS ckd,
  estimated.mdrd_est,
  CASE
    -- rule: normal-value-stands (up to and with 1.1)
    WHEN lowest.scr_min <= 1.1 THEN lowest.scr_min
    -- rule: value-of-the-ill-stands (none if there is none)
    WHEN kidney_disease.hadm_id IS NOT NULL THEN lowest.scr_min
    -- rule: estimate-otherwise (also without any creatinine)
    ELSE estimated.mdrd_est
  END AS scr_baseline
FROM estimated
LEFT JOIN lowest
  ON estimated.hadm_id = lowest.hadm_id
LEFT JOIN kidney_disease
  ON estimated.hadm_id = kidney_disease.hadm_id
