-- What a careful reader of the instruction alone may write: the consensus limits over monitors and laboratory.
WITH monitor AS (
  SELECT
    patientunitstayid,
    max(heartrate) AS heart_high,
    max(respiration) AS breathing_high
  FROM eicu_crd.vitalperiodic
  WHERE
    observationoffset BETWEEN -360 AND 1440
  GROUP BY
    patientunitstayid
), warmth AS (
  SELECT
    patientunitstayid,
    min(TRY_CAST(nursingchartvalue AS DOUBLE)) AS lowest,
    max(TRY_CAST(nursingchartvalue AS DOUBLE)) AS highest
  FROM eicu_crd.nursecharting
  WHERE
    nursingchartcelltypevalname = 'Temperature (C)' AND nursingchartoffset BETWEEN -360 AND 1440
  GROUP BY
    patientunitstayid
), blood AS (
  SELECT
    patientunitstayid,
    min(labresult) FILTER (labname = 'WBC x 1000') AS white_low,
    max(labresult) FILTER (labname = 'WBC x 1000') AS white_high,
    max(labresult) FILTER (labname = '-bands') AS bands,
    min(labresult) FILTER (labname = 'paCO2') AS carbon_dioxide
  FROM eicu_crd.lab
  WHERE
    labresultoffset BETWEEN -360 AND 1440
  GROUP BY
    patientunitstayid
), scored AS (
  SELECT
    p.patientunitstayid,
    p.uniquepid,
    p.patienthealthsystemstayid,
    CASE WHEN w.lowest < 36 OR w.highest > 38 THEN 1 ELSE 0 END AS temp_score,
    CASE WHEN m.heart_high > 90 THEN 1 ELSE 0 END AS heart_rate_score,
    CASE WHEN m.breathing_high > 20 OR b.carbon_dioxide < 32 THEN 1 ELSE 0 END AS resp_score,
    CASE WHEN b.white_low < 4 OR b.white_high > 12 OR b.bands > 10 THEN 1 ELSE 0 END AS wbc_score
  FROM eicu_crd.patient AS p
  LEFT JOIN monitor AS m
    ON p.patientunitstayid = m.patientunitstayid
  LEFT JOIN warmth AS w
    ON p.patientunitstayid = w.patientunitstayid
  LEFT JOIN blood AS b
    ON p.patientunitstayid = b.patientunitstayid
)
SELECT
  patientunitstayid,
  uniquepid,
  patienthealthsystemstayid,
  temp_score + heart_rate_score + resp_score + wbc_score AS sirs,
  temp_score,
  heart_rate_score,
  resp_score,
  wbc_score
FROM scored
