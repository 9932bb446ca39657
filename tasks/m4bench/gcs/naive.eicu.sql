-- What a careful reader of the instruction alone may write: the obvious total, each response's own minimum.
WITH scored AS (
  SELECT
    patientunitstayid,
    nursingchartcelltypevalname AS part,
    TRY_CAST(nursingchartvalue AS DOUBLE) AS value
  FROM eicu_crd.nursecharting
  WHERE
    nursingchartcelltypevallabel = 'Glasgow coma score' AND nursingchartoffset BETWEEN -360 AND 1440
), lowest AS (
  SELECT
    patientunitstayid,
    min(value) FILTER (part = 'GCS Total') AS total,
    min(value) FILTER (part = 'Motor') AS motor,
    min(value) FILTER (part = 'Verbal') AS verbal,
    min(value) FILTER (part = 'Eyes') AS eyes
  FROM scored
  GROUP BY
    patientunitstayid
)
SELECT
  p.patientunitstayid,
  p.uniquepid,
  p.patienthealthsystemstayid,
  coalesce(l.total, 15) AS gcs_min,
  coalesce(l.motor, 6) AS gcs_motor,
  coalesce(l.verbal, 5) AS gcs_verbal,
  coalesce(l.eyes, 4) AS gcs_eyes
FROM eicu_crd.patient AS p
LEFT JOIN lowest AS l
  ON p.patientunitstayid = l.patientunitstayid
