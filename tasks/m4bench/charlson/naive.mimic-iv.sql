-- Charlson index as a careful reader of the instruction alone may write it: the better known codes of each group,
-- whichever revision they are from, age by calendar years with decades from 50 on, and milder forms that give way
-- to the severer ones.

WITH matched AS (
  SELECT
    hadm_id,
    replace(upper(icd_code), '.', '') AS code
  FROM mimiciv_hosp.diagnoses_icd
),

found AS (
  SELECT
    admissions.subject_id,
    admissions.hadm_id,
    patients.anchor_age + year(admissions.admittime) - patients.anchor_year AS age,
    COALESCE(MAX(regexp_matches(code, '^(410|412|I21|I22|I252)')::INTEGER), 0) AS myocardial_infarct,
    COALESCE(MAX(regexp_matches(code, '^(428|I50|I110|I130)')::INTEGER), 0) AS congestive_heart_failure,
    COALESCE(MAX(regexp_matches(code, '^(440|441|443|I70|I71|I73)')::INTEGER), 0) AS peripheral_vascular_disease,
    COALESCE(MAX(regexp_matches(code, '^(43[0-8]|G45|I6)')::INTEGER), 0) AS cerebrovascular_disease,
    COALESCE(MAX(regexp_matches(code, '^(290|3310|F0[0-3]|G30)')::INTEGER), 0) AS dementia,
    COALESCE(MAX(regexp_matches(code, '^(49[0-6]|J4[0-7])')::INTEGER), 0) AS chronic_pulmonary_disease,
    COALESCE(MAX(regexp_matches(code, '^(710|714|M05|M06|M32|M34)')::INTEGER), 0) AS rheumatic_disease,
    COALESCE(MAX(regexp_matches(code, '^(53[1-4]|K2[5-8])')::INTEGER), 0) AS peptic_ulcer_disease,
    COALESCE(MAX(regexp_matches(code, '^(571|B18|K70|K73|K74|K76)')::INTEGER), 0) AS any_liver,
    COALESCE(MAX(regexp_matches(code, '^(250|E1[0-4]|E0[89])')::INTEGER), 0) AS any_diabetes,
    COALESCE(MAX(regexp_matches(code, '^(250[4-9]|E1[0-4][2-8]|E0[89][2-8])')::INTEGER), 0) AS diabetes_with_cc,
    COALESCE(MAX(regexp_matches(code, '^(342|344|G81|G82)')::INTEGER), 0) AS paraplegia,
    COALESCE(MAX(regexp_matches(code, '^(585|V420|V451|N18|Z940|Z992)')::INTEGER), 0) AS renal_disease,
    COALESCE(MAX(regexp_matches(code, '^(1[4-9]|20[0-8]|C[0-9])')::INTEGER), 0) AS any_cancer,
    COALESCE(MAX(regexp_matches(code, '^(572|4560|4561|I850|K72|K766|K767)')::INTEGER), 0) AS severe_liver_disease,
    COALESCE(MAX(regexp_matches(code, '^(19[6-8]|C7[789B])')::INTEGER), 0) AS metastatic_solid_tumor,
    COALESCE(MAX(regexp_matches(code, '^(042|B2[0-4])')::INTEGER), 0) AS aids
  FROM mimiciv_hosp.admissions
  INNER JOIN mimiciv_hosp.patients USING (subject_id)
  LEFT JOIN matched USING (hadm_id)
  GROUP BY ALL
),

graded AS (
  SELECT
    *,
    CASE WHEN age < 50 THEN 0 WHEN age < 60 THEN 1 WHEN age < 70 THEN 2 WHEN age < 80 THEN 3 ELSE 4 END AS age_score,
    any_liver * (1 - severe_liver_disease) AS mild_liver_disease,
    any_diabetes * (1 - diabetes_with_cc) AS diabetes_without_cc,
    any_cancer * (1 - metastatic_solid_tumor) AS malignant_cancer
  FROM found
)

SELECT
  subject_id,
  hadm_id,
  age_score + myocardial_infarct + congestive_heart_failure + peripheral_vascular_disease + cerebrovascular_disease
  + dementia + chronic_pulmonary_disease + rheumatic_disease + peptic_ulcer_disease + mild_liver_disease
  + diabetes_without_cc + 2 * diabetes_with_cc + 2 * paraplegia + 2 * renal_disease + 2 * malignant_cancer
  + 3 * severe_liver_disease + 6 * metastatic_solid_tumor + 6 * aids AS charlson_comorbidity_index,
  age_score,
  myocardial_infarct,
  congestive_heart_failure,
  peripheral_vascular_disease,
  cerebrovascular_disease,
  dementia,
  chronic_pulmonary_disease,
  rheumatic_disease,
  peptic_ulcer_disease,
  mild_liver_disease,
  diabetes_without_cc,
  diabetes_with_cc,
  paraplegia,
  renal_disease,
  malignant_cancer,
  severe_liver_disease,
  metastatic_solid_tumor,
  aids
FROM graded
