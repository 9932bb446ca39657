-- What a careful reader of the instruction alone may write: the paper's bands over the obvious tables.
WITH monitor AS (
  SELECT
    patientunitstayid,
    min(heartrate) AS heart_low,
    max(heartrate) AS heart_high,
    min(respiration) AS breathing_low,
    max(respiration) AS breathing_high,
    min(systemicmean) AS pressure_low,
    max(systemicmean) AS pressure_high
  FROM eicu_crd.vitalperiodic
  WHERE
    observationoffset BETWEEN 0 AND 1440
  GROUP BY
    patientunitstayid
), nursed AS (
  SELECT
    patientunitstayid,
    min(TRY_CAST(nursingchartvalue AS DOUBLE)) FILTER (nursingchartcelltypevalname = 'GCS Total') AS gcs,
    min(TRY_CAST(nursingchartvalue AS DOUBLE)) FILTER (nursingchartcelltypevalname = 'Temperature (C)') AS temperature_low,
    max(TRY_CAST(nursingchartvalue AS DOUBLE)) FILTER (nursingchartcelltypevalname = 'Temperature (C)') AS temperature_high
  FROM eicu_crd.nursecharting
  WHERE
    nursingchartoffset BETWEEN 0 AND 1440
  GROUP BY
    patientunitstayid
), urine AS (
  SELECT
    patientunitstayid,
    sum(cellvaluenumeric) AS volume
  FROM eicu_crd.intakeoutput
  WHERE
    intakeoutputoffset BETWEEN 0 AND 1440 AND cellpath ILIKE '%output (ml)%' AND regexp_matches(lower(celllabel), 'urin|foley|void')
  GROUP BY
    patientunitstayid
), airway AS (
  SELECT DISTINCT
    patientunitstayid
  FROM eicu_crd.respiratorycare
  WHERE
    respcarestatusoffset <= 1440 AND airwaytype IS NOT NULL
), scored AS (
  SELECT
    p.patientunitstayid,
    p.uniquepid,
    p.patienthealthsystemstayid,
    CASE
      WHEN -p.hospitaladmitoffset < 10.2 THEN 5
      WHEN -p.hospitaladmitoffset < 297 THEN 3
      WHEN -p.hospitaladmitoffset < 1440 THEN 0
      WHEN -p.hospitaladmitoffset < 18708 THEN 2
      ELSE 1
    END AS preiculos_score,
    CASE
      WHEN p.age LIKE '%89%' THEN 7
      WHEN TRY_CAST(p.age AS INTEGER) < 24 THEN 0
      WHEN TRY_CAST(p.age AS INTEGER) <= 53 THEN 3
      WHEN TRY_CAST(p.age AS INTEGER) <= 77 THEN 6
      WHEN TRY_CAST(p.age AS INTEGER) <= 89 THEN 9
      ELSE 0
    END AS age_score,
    CASE WHEN n.gcs <= 7 THEN 10 WHEN n.gcs < 14 THEN 4 WHEN n.gcs = 14 THEN 3 ELSE 0 END AS gcs_score,
    CASE
      WHEN m.heart_high > 125 THEN 6
      WHEN m.heart_low < 33 THEN 4
      WHEN m.heart_high >= 107 THEN 3
      WHEN m.heart_high >= 89 THEN 1
      ELSE 0
    END AS heart_rate_score,
    CASE
      WHEN m.pressure_low < 20.65 THEN 4
      WHEN m.pressure_low < 51 THEN 3
      WHEN m.pressure_high > 143.44 THEN 3
      WHEN m.pressure_low < 61.33 THEN 2
      ELSE 0
    END AS mbp_score,
    CASE
      WHEN m.breathing_low < 6 THEN 10
      WHEN m.breathing_high > 44 THEN 9
      WHEN m.breathing_high > 30 THEN 6
      WHEN m.breathing_high > 22 THEN 1
      WHEN m.breathing_low < 13 THEN 1
      ELSE 0
    END AS resp_rate_score,
    CASE
      WHEN n.temperature_high > 39.88 THEN 6
      WHEN n.temperature_low < 33.22 THEN 3
      WHEN n.temperature_low <= 35.93 THEN 4
      WHEN n.temperature_low < 36.4 THEN 2
      WHEN n.temperature_high >= 36.89 THEN 2
      ELSE 0
    END AS temp_score,
    CASE
      WHEN u.volume < 671.09 THEN 10
      WHEN u.volume > 6896.8 THEN 8
      WHEN u.volume <= 1426.99 THEN 5
      WHEN u.volume <= 2544.14 THEN 1
      ELSE 0
    END AS urineoutput_score,
    CASE WHEN w.patientunitstayid IS NOT NULL OR a.vent = 1 THEN 9 ELSE 0 END AS mechvent_score,
    CASE WHEN d.electivesurgery = 1 THEN 0 ELSE 6 END AS electivesurgery_score
  FROM eicu_crd.patient AS p
  LEFT JOIN monitor AS m
    ON p.patientunitstayid = m.patientunitstayid
  LEFT JOIN nursed AS n
    ON p.patientunitstayid = n.patientunitstayid
  LEFT JOIN urine AS u
    ON p.patientunitstayid = u.patientunitstayid
  LEFT JOIN airway AS w
    ON p.patientunitstayid = w.patientunitstayid
  LEFT JOIN eicu_crd.apacheapsvar AS a
    ON p.patientunitstayid = a.patientunitstayid
  LEFT JOIN eicu_crd.apachepredvar AS d
    ON p.patientunitstayid = d.patientunitstayid
)
SELECT
  patientunitstayid,
  uniquepid,
  patienthealthsystemstayid,
  preiculos_score + age_score + gcs_score + heart_rate_score + mbp_score + resp_rate_score + temp_score
    + urineoutput_score + mechvent_score + electivesurgery_score AS oasis,
  preiculos_score,
  age_score,
  gcs_score,
  heart_rate_score,
  mbp_score,
  resp_rate_score,
  temp_score,
  urineoutput_score,
  mechvent_score,
  electivesurgery_score
FROM scored
