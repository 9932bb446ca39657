-- What a careful reader of the instruction alone may write: cultures by their admission, orders by their start, common
-- names, and every dose of the ward's record that was not refused.
WITH culture AS (
  SELECT
    hadm_id,
    min(charttime) AS time_zero
  FROM mimiciv_hosp.microbiologyevents
  WHERE
    spec_type_desc = 'BLOOD CULTURE' AND hadm_id IS NOT NULL
  GROUP BY
    hadm_id
), ordered AS (
  SELECT
    culture.hadm_id,
    min(prescription.starttime) AS first_order_time
  FROM culture
  INNER JOIN mimiciv_hosp.prescriptions AS prescription
    ON culture.hadm_id = prescription.hadm_id
    AND prescription.route LIKE 'IV%'
    AND regexp_matches(lower(prescription.drug), 'cillin|cef|penem|mycin|micin|floxacin|metronidazole|linezolid|aztreonam')
    AND prescription.starttime BETWEEN time_zero - INTERVAL 1 DAY AND time_zero + INTERVAL 3 DAY
  GROUP BY
    culture.hadm_id
), dosed AS (
  SELECT
    culture.hadm_id,
    min(dose.charttime) AS first_dose_time
  FROM culture
  INNER JOIN mimiciv_hosp.emar AS dose
    ON culture.hadm_id = dose.hadm_id
    AND dose.event_txt = 'Administered'
    AND regexp_matches(lower(dose.medication), 'cillin|cef|penem|mycin|micin|floxacin|metronidazole|linezolid|aztreonam')
    AND dose.charttime BETWEEN time_zero - INTERVAL 1 DAY AND time_zero + INTERVAL 3 DAY
  GROUP BY
    culture.hadm_id
)
SELECT
  culture.hadm_id,
  culture.time_zero,
  first_order_time,
  first_dose_time,
  date_diff('minute', time_zero, first_order_time) AS minutes_to_order,
  CASE WHEN first_dose_time >= time_zero THEN date_diff('minute', time_zero, first_dose_time) END AS minutes_to_antibiotic,
  CASE
    WHEN time_zero IS NULL THEN 'no-time-zero'
    WHEN first_dose_time < time_zero THEN 'given-before'
    WHEN first_dose_time IS NOT NULL THEN 'given'
    WHEN first_order_time IS NOT NULL THEN 'ordered-only'
    ELSE 'none'
  END AS antibiotic_status,
  CASE WHEN time_zero IS NOT NULL THEN coalesce((first_dose_time <= time_zero + INTERVAL 1 HOUR)::INTEGER, 0) END AS within_1h,
  CASE WHEN time_zero IS NOT NULL THEN coalesce((first_dose_time <= time_zero + INTERVAL 3 HOUR)::INTEGER, 0) END AS within_3h
FROM culture
LEFT JOIN ordered
  ON culture.hadm_id = ordered.hadm_id
LEFT JOIN dosed
  ON culture.hadm_id = dosed.hadm_id
