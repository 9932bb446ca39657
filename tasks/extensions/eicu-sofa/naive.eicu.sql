-- What a careful reader of the instruction alone may write: the paper's bands over the obvious tables.
WITH blood AS (
  SELECT
    patientunitstayid,
    min(labresult) FILTER (labname = 'platelets x 1000') AS platelets,
    max(labresult) FILTER (labname ILIKE '%bilirubin%') AS bilirubin,
    max(labresult) FILTER (labname ILIKE '%creatinine%') AS creatinine,
    min(labresult) FILTER (labname = 'paO2') AS oxygen,
    max(labresult) FILTER (labname = 'FiO2') AS fraction
  FROM eicu_crd.lab
  WHERE
    labresultoffset BETWEEN -360 AND 1440
  GROUP BY
    patientunitstayid
), pressure AS (
  SELECT
    patientunitstayid,
    min(systemicmean) AS lowest
  FROM eicu_crd.vitalperiodic
  WHERE
    observationoffset BETWEEN -360 AND 1440
  GROUP BY
    patientunitstayid
), drugs AS (
  SELECT
    patientunitstayid,
    max(TRY_CAST(drugrate AS DOUBLE)) FILTER (drugname ILIKE 'dopamine%') AS dopamine,
    max(TRY_CAST(drugrate AS DOUBLE)) FILTER (drugname ILIKE 'dobutamine%') AS dobutamine,
    max(TRY_CAST(drugrate AS DOUBLE) / CASE WHEN drugname LIKE '%/kg/%' THEN 1 ELSE TRY_CAST(patientweight AS DOUBLE) END)
      FILTER (drugname ILIKE 'norepinephrine%' OR drugname ILIKE 'epinephrine%') AS epinephrines
  FROM eicu_crd.infusiondrug
  WHERE
    infusionoffset BETWEEN -360 AND 1440
  GROUP BY
    patientunitstayid
), coma AS (
  SELECT
    patientunitstayid,
    min(TRY_CAST(nursingchartvalue AS DOUBLE)) AS total
  FROM eicu_crd.nursecharting
  WHERE
    nursingchartcelltypevalname = 'GCS Total' AND nursingchartoffset BETWEEN -360 AND 1440
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
), graded AS (
  SELECT
    p.patientunitstayid,
    p.uniquepid,
    p.patienthealthsystemstayid,
    CASE
      WHEN a.vent = 1 AND 100 * b.oxygen / b.fraction < 100 THEN 4
      WHEN a.vent = 1 AND 100 * b.oxygen / b.fraction < 200 THEN 3
      WHEN 100 * b.oxygen / b.fraction < 300 THEN 2
      WHEN 100 * b.oxygen / b.fraction < 400 THEN 1
      ELSE 0
    END AS respiration,
    CASE WHEN b.platelets < 20 THEN 4 WHEN b.platelets < 50 THEN 3 WHEN b.platelets < 100 THEN 2 WHEN b.platelets < 150 THEN 1 ELSE 0 END
      AS coagulation,
    CASE WHEN b.bilirubin > 12 THEN 4 WHEN b.bilirubin >= 6 THEN 3 WHEN b.bilirubin >= 2 THEN 2 WHEN b.bilirubin >= 1.2 THEN 1 ELSE 0 END
      AS liver,
    CASE
      WHEN d.dopamine > 15 OR d.epinephrines > 0.1 THEN 4
      WHEN d.dopamine > 5 OR d.epinephrines > 0 THEN 3
      WHEN d.dopamine > 0 OR d.dobutamine > 0 THEN 2
      WHEN m.lowest < 70 THEN 1
      ELSE 0
    END AS cardiovascular,
    CASE WHEN c.total < 6 THEN 4 WHEN c.total < 10 THEN 3 WHEN c.total < 13 THEN 2 WHEN c.total < 15 THEN 1 ELSE 0 END AS cns,
    CASE
      WHEN b.creatinine > 5 OR p.unitdischargeoffset >= 1440 AND u.volume < 200 THEN 4
      WHEN b.creatinine >= 3.5 OR p.unitdischargeoffset >= 1440 AND u.volume < 500 THEN 3
      WHEN b.creatinine >= 2 THEN 2
      WHEN b.creatinine >= 1.2 THEN 1
      ELSE 0
    END AS renal
  FROM eicu_crd.patient AS p
  LEFT JOIN blood AS b
    ON p.patientunitstayid = b.patientunitstayid
  LEFT JOIN eicu_crd.apacheapsvar AS a
    ON p.patientunitstayid = a.patientunitstayid
  LEFT JOIN pressure AS m
    ON p.patientunitstayid = m.patientunitstayid
  LEFT JOIN drugs AS d
    ON p.patientunitstayid = d.patientunitstayid
  LEFT JOIN coma AS c
    ON p.patientunitstayid = c.patientunitstayid
  LEFT JOIN urine AS u
    ON p.patientunitstayid = u.patientunitstayid
)
SELECT
  patientunitstayid,
  uniquepid,
  patienthealthsystemstayid,
  respiration + coagulation + liver + cardiovascular + cns + renal AS sofa,
  respiration,
  coagulation,
  liver,
  cardiovascular,
  cns,
  renal
FROM graded
