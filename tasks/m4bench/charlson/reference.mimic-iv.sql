-- Charlson comorbidity index: one row per hospital admission. Target 'public-code': equal in value to the pinned public
-- concept; see deviations.toml. Raw tables only. Whole numbers throughout, so that no order of rows shows.

WITH prefix(condition, icd_version, low, high) AS (
  -- Codes from the first prefix to the last, both included, compared on as many characters as the prefix has.
  VALUES
    -- rule: myocardial-infarct (acute, subsequent and old)
    ('myocardial_infarct', 9, '410', '410'), ('myocardial_infarct', 9, '412', '412'),
    ('myocardial_infarct', 10, 'I21', 'I22'), ('myocardial_infarct', 10, 'I252', 'I252'),
    -- rule: congestive-heart-failure (with hypertensive heart disease and cardiomyopathies)
    ('congestive_heart_failure', 9, '39891', '39891'), ('congestive_heart_failure', 9, '40201', '40201'),
    ('congestive_heart_failure', 9, '40211', '40211'), ('congestive_heart_failure', 9, '40291', '40291'),
    ('congestive_heart_failure', 9, '40401', '40401'), ('congestive_heart_failure', 9, '40403', '40403'),
    ('congestive_heart_failure', 9, '40411', '40411'), ('congestive_heart_failure', 9, '40413', '40413'),
    ('congestive_heart_failure', 9, '40491', '40491'), ('congestive_heart_failure', 9, '40493', '40493'),
    ('congestive_heart_failure', 9, '4254', '4259'), ('congestive_heart_failure', 9, '428', '428'),
    ('congestive_heart_failure', 10, 'I099', 'I099'), ('congestive_heart_failure', 10, 'I110', 'I110'),
    ('congestive_heart_failure', 10, 'I130', 'I130'), ('congestive_heart_failure', 10, 'I132', 'I132'),
    ('congestive_heart_failure', 10, 'I255', 'I255'), ('congestive_heart_failure', 10, 'I420', 'I420'),
    ('congestive_heart_failure', 10, 'I425', 'I429'), ('congestive_heart_failure', 10, 'I43', 'I43'),
    ('congestive_heart_failure', 10, 'I50', 'I50'), ('congestive_heart_failure', 10, 'P290', 'P290'),
    -- rule: peripheral-vascular-disease (with aortic aneurysm, gut ischaemia and grafts)
    ('peripheral_vascular_disease', 9, '0930', '0930'), ('peripheral_vascular_disease', 9, '4373', '4373'),
    ('peripheral_vascular_disease', 9, '440', '441'), ('peripheral_vascular_disease', 9, '4431', '4439'),
    ('peripheral_vascular_disease', 9, '4471', '4471'), ('peripheral_vascular_disease', 9, '5571', '5571'),
    ('peripheral_vascular_disease', 9, '5579', '5579'), ('peripheral_vascular_disease', 9, 'V434', 'V434'),
    ('peripheral_vascular_disease', 10, 'I70', 'I71'), ('peripheral_vascular_disease', 10, 'I731', 'I731'),
    ('peripheral_vascular_disease', 10, 'I738', 'I739'), ('peripheral_vascular_disease', 10, 'I771', 'I771'),
    ('peripheral_vascular_disease', 10, 'I790', 'I790'), ('peripheral_vascular_disease', 10, 'I792', 'I792'),
    ('peripheral_vascular_disease', 10, 'K551', 'K551'), ('peripheral_vascular_disease', 10, 'K558', 'K559'),
    ('peripheral_vascular_disease', 10, 'Z958', 'Z959'),
    -- rule: cerebrovascular-disease (strokes, transient attacks, retinal artery, late effects)
    ('cerebrovascular_disease', 9, '36234', '36234'), ('cerebrovascular_disease', 9, '430', '438'),
    ('cerebrovascular_disease', 10, 'G45', 'G46'), ('cerebrovascular_disease', 10, 'H340', 'H340'),
    ('cerebrovascular_disease', 10, 'I60', 'I69'),
    -- rule: dementia
    ('dementia', 9, '290', '290'), ('dementia', 9, '2941', '2941'), ('dementia', 9, '3312', '3312'),
    ('dementia', 10, 'F00', 'F03'), ('dementia', 10, 'F051', 'F051'), ('dementia', 10, 'G30', 'G30'),
    ('dementia', 10, 'G311', 'G311'),
    -- rule: chronic-pulmonary-disease (with chronic heart disease of the lung and pneumoconioses)
    ('chronic_pulmonary_disease', 9, '4168', '4169'), ('chronic_pulmonary_disease', 9, '490', '505'),
    ('chronic_pulmonary_disease', 9, '5064', '5064'), ('chronic_pulmonary_disease', 9, '5081', '5081'),
    ('chronic_pulmonary_disease', 9, '5088', '5088'),
    ('chronic_pulmonary_disease', 10, 'I278', 'I279'), ('chronic_pulmonary_disease', 10, 'J40', 'J47'),
    ('chronic_pulmonary_disease', 10, 'J60', 'J67'), ('chronic_pulmonary_disease', 10, 'J684', 'J684'),
    ('chronic_pulmonary_disease', 10, 'J701', 'J701'), ('chronic_pulmonary_disease', 10, 'J703', 'J703'),
    -- rule: rheumatic-disease
    ('rheumatic_disease', 9, '4465', '4465'), ('rheumatic_disease', 9, '7100', '7104'),
    ('rheumatic_disease', 9, '7140', '7142'), ('rheumatic_disease', 9, '7148', '7148'),
    ('rheumatic_disease', 9, '725', '725'),
    ('rheumatic_disease', 10, 'M05', 'M06'), ('rheumatic_disease', 10, 'M315', 'M315'),
    ('rheumatic_disease', 10, 'M32', 'M34'), ('rheumatic_disease', 10, 'M351', 'M351'),
    ('rheumatic_disease', 10, 'M353', 'M353'), ('rheumatic_disease', 10, 'M360', 'M360'),
    -- rule: peptic-ulcer-disease
    ('peptic_ulcer_disease', 9, '531', '534'),
    ('peptic_ulcer_disease', 10, 'K25', 'K28'),
    -- rule: mild-liver-disease (with chronic viral hepatitis and a transplanted liver)
    ('mild_liver_disease', 9, '07022', '07023'), ('mild_liver_disease', 9, '07032', '07033'),
    ('mild_liver_disease', 9, '07044', '07044'), ('mild_liver_disease', 9, '07054', '07054'),
    ('mild_liver_disease', 9, '0706', '0706'), ('mild_liver_disease', 9, '0709', '0709'),
    ('mild_liver_disease', 9, '570', '571'), ('mild_liver_disease', 9, '5733', '5734'),
    ('mild_liver_disease', 9, '5738', '5739'), ('mild_liver_disease', 9, 'V427', 'V427'),
    ('mild_liver_disease', 10, 'B18', 'B18'), ('mild_liver_disease', 10, 'K700', 'K703'),
    ('mild_liver_disease', 10, 'K709', 'K709'), ('mild_liver_disease', 10, 'K713', 'K715'),
    ('mild_liver_disease', 10, 'K717', 'K717'), ('mild_liver_disease', 10, 'K73', 'K74'),
    ('mild_liver_disease', 10, 'K760', 'K760'), ('mild_liver_disease', 10, 'K762', 'K764'),
    ('mild_liver_disease', 10, 'K768', 'K769'), ('mild_liver_disease', 10, 'Z944', 'Z944'),
    -- rule: diabetes-without-complication (diabetes due to another condition, E08, is in neither list)
    ('diabetes_without_cc', 9, '2500', '2503'), ('diabetes_without_cc', 9, '2508', '2509'),
    ('diabetes_without_cc', 10, 'E100', 'E101'), ('diabetes_without_cc', 10, 'E106', 'E106'),
    ('diabetes_without_cc', 10, 'E108', 'E109'), ('diabetes_without_cc', 10, 'E110', 'E111'),
    ('diabetes_without_cc', 10, 'E116', 'E116'), ('diabetes_without_cc', 10, 'E118', 'E119'),
    ('diabetes_without_cc', 10, 'E120', 'E121'), ('diabetes_without_cc', 10, 'E126', 'E126'),
    ('diabetes_without_cc', 10, 'E128', 'E129'), ('diabetes_without_cc', 10, 'E130', 'E131'),
    ('diabetes_without_cc', 10, 'E136', 'E136'), ('diabetes_without_cc', 10, 'E138', 'E139'),
    ('diabetes_without_cc', 10, 'E140', 'E141'), ('diabetes_without_cc', 10, 'E146', 'E146'),
    ('diabetes_without_cc', 10, 'E148', 'E149'),
    -- rule: diabetes-with-complication (kidney, eye, nerve, circulation, several)
    ('diabetes_with_cc', 9, '2504', '2507'),
    ('diabetes_with_cc', 10, 'E102', 'E105'), ('diabetes_with_cc', 10, 'E107', 'E107'),
    ('diabetes_with_cc', 10, 'E112', 'E115'), ('diabetes_with_cc', 10, 'E117', 'E117'),
    ('diabetes_with_cc', 10, 'E122', 'E125'), ('diabetes_with_cc', 10, 'E127', 'E127'),
    ('diabetes_with_cc', 10, 'E132', 'E135'), ('diabetes_with_cc', 10, 'E137', 'E137'),
    ('diabetes_with_cc', 10, 'E142', 'E145'), ('diabetes_with_cc', 10, 'E147', 'E147'),
    -- rule: paraplegia (with hemiplegia)
    ('paraplegia', 9, '3341', '3341'), ('paraplegia', 9, '342', '343'), ('paraplegia', 9, '3440', '3446'),
    ('paraplegia', 9, '3449', '3449'),
    ('paraplegia', 10, 'G041', 'G041'), ('paraplegia', 10, 'G114', 'G114'), ('paraplegia', 10, 'G801', 'G802'),
    ('paraplegia', 10, 'G81', 'G82'), ('paraplegia', 10, 'G830', 'G834'), ('paraplegia', 10, 'G839', 'G839'),
    -- rule: renal-disease (chronic kidney disease, dialysis and a transplanted kidney)
    ('renal_disease', 9, '40301', '40301'), ('renal_disease', 9, '40311', '40311'),
    ('renal_disease', 9, '40391', '40391'), ('renal_disease', 9, '40402', '40403'),
    ('renal_disease', 9, '40412', '40413'), ('renal_disease', 9, '40492', '40493'),
    ('renal_disease', 9, '582', '582'), ('renal_disease', 9, '5830', '5837'),
    ('renal_disease', 9, '585', '586'), ('renal_disease', 9, '5880', '5880'),
    ('renal_disease', 9, 'V420', 'V420'), ('renal_disease', 9, 'V451', 'V451'),
    ('renal_disease', 9, 'V56', 'V56'),
    ('renal_disease', 10, 'I120', 'I120'), ('renal_disease', 10, 'I131', 'I131'),
    ('renal_disease', 10, 'N032', 'N037'), ('renal_disease', 10, 'N052', 'N057'),
    ('renal_disease', 10, 'N18', 'N19'), ('renal_disease', 10, 'N250', 'N250'),
    ('renal_disease', 10, 'Z490', 'Z492'), ('renal_disease', 10, 'Z940', 'Z940'),
    ('renal_disease', 10, 'Z992', 'Z992'),
    -- rule: malignant-cancer (not skin cancer other than melanoma; C7A, C7B and D45 to D47 are not in it)
    ('malignant_cancer', 9, '140', '172'), ('malignant_cancer', 9, '1740', '1958'),
    ('malignant_cancer', 9, '200', '208'), ('malignant_cancer', 9, '2386', '2386'),
    ('malignant_cancer', 10, 'C00', 'C26'), ('malignant_cancer', 10, 'C30', 'C34'),
    ('malignant_cancer', 10, 'C37', 'C41'), ('malignant_cancer', 10, 'C43', 'C43'),
    ('malignant_cancer', 10, 'C45', 'C58'), ('malignant_cancer', 10, 'C60', 'C76'),
    ('malignant_cancer', 10, 'C81', 'C85'), ('malignant_cancer', 10, 'C88', 'C88'),
    ('malignant_cancer', 10, 'C90', 'C97'),
    -- rule: severe-liver-disease (varices, hepatic failure, encephalopathy, portal hypertension)
    ('severe_liver_disease', 9, '4560', '4562'), ('severe_liver_disease', 9, '5722', '5728'),
    ('severe_liver_disease', 10, 'I850', 'I850'), ('severe_liver_disease', 10, 'I859', 'I859'),
    ('severe_liver_disease', 10, 'I864', 'I864'), ('severe_liver_disease', 10, 'I982', 'I982'),
    ('severe_liver_disease', 10, 'K704', 'K704'), ('severe_liver_disease', 10, 'K711', 'K711'),
    ('severe_liver_disease', 10, 'K721', 'K721'), ('severe_liver_disease', 10, 'K729', 'K729'),
    ('severe_liver_disease', 10, 'K765', 'K767'),
    -- rule: metastatic-solid-tumor (with cancer of unknown primary site; from C77 to C80 in one range would take in C7A and C7B)
    ('metastatic_solid_tumor', 9, '196', '199'),
    ('metastatic_solid_tumor', 10, 'C77', 'C79'), ('metastatic_solid_tumor', 10, 'C80', 'C80'),
    -- rule: aids
    ('aids', 9, '042', '044'),
    ('aids', 10, 'B20', 'B22'), ('aids', 10, 'B24', 'B24')
),

mapped AS (
  -- One row per code that occurs and condition that it stands for.
  SELECT DISTINCT
    code.icd_code,
    code.icd_version,
    prefix.condition
  FROM (SELECT DISTINCT icd_code, icd_version FROM mimiciv_hosp.diagnoses_icd) AS code
  INNER JOIN prefix
    -- rule: icd-version (a prefix counts in its own revision only: V42.0 is a kidney in ICD-9, a car crash in ICD-10)
    ON code.icd_version = prefix.icd_version
    -- rule: prefix-match (characters as stored: no dots, capital letters)
    AND substr(code.icd_code, 1, length(prefix.low)) BETWEEN prefix.low AND prefix.high
),

flag AS (
  -- rule: every-admission (an admission without codes has no condition)
  SELECT
    admission.hadm_id,
    CAST(COUNT(*) FILTER (mapped.condition = 'myocardial_infarct') > 0 AS INTEGER) AS myocardial_infarct,
    CAST(COUNT(*) FILTER (mapped.condition = 'congestive_heart_failure') > 0 AS INTEGER) AS congestive_heart_failure,
    CAST(COUNT(*) FILTER (mapped.condition = 'peripheral_vascular_disease') > 0 AS INTEGER) AS peripheral_vascular_disease,
    CAST(COUNT(*) FILTER (mapped.condition = 'cerebrovascular_disease') > 0 AS INTEGER) AS cerebrovascular_disease,
    CAST(COUNT(*) FILTER (mapped.condition = 'dementia') > 0 AS INTEGER) AS dementia,
    CAST(COUNT(*) FILTER (mapped.condition = 'chronic_pulmonary_disease') > 0 AS INTEGER) AS chronic_pulmonary_disease,
    CAST(COUNT(*) FILTER (mapped.condition = 'rheumatic_disease') > 0 AS INTEGER) AS rheumatic_disease,
    CAST(COUNT(*) FILTER (mapped.condition = 'peptic_ulcer_disease') > 0 AS INTEGER) AS peptic_ulcer_disease,
    CAST(COUNT(*) FILTER (mapped.condition = 'mild_liver_disease') > 0 AS INTEGER) AS mild_liver_disease,
    CAST(COUNT(*) FILTER (mapped.condition = 'diabetes_without_cc') > 0 AS INTEGER) AS diabetes_without_cc,
    CAST(COUNT(*) FILTER (mapped.condition = 'diabetes_with_cc') > 0 AS INTEGER) AS diabetes_with_cc,
    CAST(COUNT(*) FILTER (mapped.condition = 'paraplegia') > 0 AS INTEGER) AS paraplegia,
    CAST(COUNT(*) FILTER (mapped.condition = 'renal_disease') > 0 AS INTEGER) AS renal_disease,
    CAST(COUNT(*) FILTER (mapped.condition = 'malignant_cancer') > 0 AS INTEGER) AS malignant_cancer,
    CAST(COUNT(*) FILTER (mapped.condition = 'severe_liver_disease') > 0 AS INTEGER) AS severe_liver_disease,
    CAST(COUNT(*) FILTER (mapped.condition = 'metastatic_solid_tumor') > 0 AS INTEGER) AS metastatic_solid_tumor,
    CAST(COUNT(*) FILTER (mapped.condition = 'aids') > 0 AS INTEGER) AS aids
  FROM mimiciv_hosp.admissions AS admission
  LEFT JOIN mimiciv_hosp.diagnoses_icd AS diagnosis
    -- rule: own-codes (those of the same admission, in any position)
    ON admission.hadm_id = diagnosis.hadm_id
  LEFT JOIN mapped
    ON diagnosis.icd_code = mapped.icd_code
    AND diagnosis.icd_version = mapped.icd_version
  GROUP BY admission.hadm_id
),

aged AS (
  SELECT
    admission.hadm_id,
    -- rule: age-clock (age in the anchor year and the time since its start, in years of 31,556,908.8 seconds)
    patient.anchor_age * 31556908800000
    + DATE_DIFF('microseconds', MAKE_TIMESTAMP(patient.anchor_year, 1, 1, 0, 0, 0), admission.admittime)
      AS age_microseconds
  FROM mimiciv_hosp.admissions AS admission
  INNER JOIN mimiciv_hosp.patients AS patient
    ON admission.subject_id = patient.subject_id
),

scored AS (
  SELECT
    hadm_id,
    -- rule: age-bands (a birthday itself still belongs to the decade before)
    CASE
      WHEN age_microseconds <= 50 * 31556908800000 THEN 0
      WHEN age_microseconds <= 60 * 31556908800000 THEN 1
      WHEN age_microseconds <= 70 * 31556908800000 THEN 2
      WHEN age_microseconds <= 80 * 31556908800000 THEN 3
      ELSE 4
    END AS age_score
  FROM aged
)

SELECT
  admission.subject_id,
  admission.hadm_id,
  -- rule: total (age, and the weights of 1987)
  scored.age_score
  + flag.myocardial_infarct
  + flag.congestive_heart_failure
  + flag.peripheral_vascular_disease
  + flag.cerebrovascular_disease
  + flag.dementia
  + flag.chronic_pulmonary_disease
  + flag.rheumatic_disease
  + flag.peptic_ulcer_disease
  + 2 * flag.paraplegia
  + 2 * flag.renal_disease
  + 6 * flag.aids
  -- rule: liver-hierarchy (the severer counts, in the total only)
  + GREATEST(flag.mild_liver_disease, 3 * flag.severe_liver_disease)
  -- rule: diabetes-hierarchy
  + GREATEST(flag.diabetes_without_cc, 2 * flag.diabetes_with_cc)
  -- rule: cancer-hierarchy
  + GREATEST(2 * flag.malignant_cancer, 6 * flag.metastatic_solid_tumor)
    AS charlson_comorbidity_index,
  scored.age_score,
  flag.myocardial_infarct,
  flag.congestive_heart_failure,
  flag.peripheral_vascular_disease,
  flag.cerebrovascular_disease,
  flag.dementia,
  flag.chronic_pulmonary_disease,
  flag.rheumatic_disease,
  flag.peptic_ulcer_disease,
  flag.mild_liver_disease,
  flag.diabetes_without_cc,
  flag.diabetes_with_cc,
  flag.paraplegia,
  flag.renal_disease,
  flag.malignant_cancer,
  flag.severe_liver_disease,
  flag.metastatic_solid_tumor,
  flag.aids
FROM mimiciv_hosp.admissions AS admission
INNER JOIN flag
  ON admission.hadm_id = flag.hadm_id
LEFT JOIN scored
  ON admission.hadm_id = scored.hadm_id
