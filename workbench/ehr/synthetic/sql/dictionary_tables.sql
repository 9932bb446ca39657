-- Tables that are the same for every patient.
-- table: mimiciv_hosp.d_hcpcs
SELECT
  unnest(['99291', '99292', '94002']) AS code,
  NULL AS category,
  unnest(['Critical care, evaluation and management, first 30-74 minutes', 'Critical care, each additional 30 minutes',
    'Ventilation assist and management, initiation']) AS long_description,
  unnest(['Critical care, first hour', 'Critical care, additional', 'Vent management, initial']) AS short_description
ORDER BY
  code;

-- table: mimiciv_hosp.d_icd_diagnoses
SELECT
  icd9 AS icd_code,
  9 AS icd_version,
  min(title9) AS long_title
FROM diagnosis
WHERE
  icd9 IS NOT NULL
GROUP BY
  icd9
UNION ALL
SELECT
  icd10,
  10,
  min(title10)
FROM diagnosis
WHERE
  icd10 IS NOT NULL
GROUP BY
  icd10
UNION ALL
SELECT
  icd_code,
  icd_version,
  title
FROM (
  SELECT icd_code, icd_version, title FROM boundary_code
  UNION ALL
  SELECT DISTINCT icd_code, icd_version, title FROM later_code
  WHERE
    icd_code NOT IN (SELECT b.icd_code FROM boundary_code AS b)
) AS boundary_code
WHERE
  NOT EXISTS (SELECT 1 FROM diagnosis AS d WHERE d.icd9 = boundary_code.icd_code OR d.icd10 = boundary_code.icd_code)
ORDER BY
  icd_version,
  icd_code;

-- table: mimiciv_hosp.d_icd_procedures
SELECT
  icd9 AS icd_code,
  9 AS icd_version,
  title9 AS long_title
FROM operation
UNION ALL
SELECT
  icd10,
  10,
  title10
FROM operation
ORDER BY
  icd_version,
  icd_code;

-- table: mimiciv_hosp.d_labitems
SELECT
  itemid,
  label,
  fluid,
  category
FROM lab_item
ORDER BY
  itemid;

-- table: mimiciv_hosp.provider
SELECT
  'P' || lpad(n::VARCHAR, 5, '0') AS provider_id
FROM range(500) AS r(n)
ORDER BY
  provider_id;

-- table: mimiciv_icu.caregiver
SELECT
  n AS caregiver_id
FROM range(1, 401) AS r(n)
ORDER BY
  caregiver_id;

-- table: mimiciv_icu.d_items
SELECT
  itemid,
  label,
  left(label, 50) AS abbreviation,
  linksto,
  category,
  unitname,
  param_type,
  NULL AS lownormalvalue,
  NULL AS highnormalvalue
FROM chart_item
ORDER BY
  itemid;
