-- SIRS of the first day of eICU-CRD (Bone 1992), one row a unit stay: four signs by their worst values.
WITH charted AS (
  SELECT
    patientunitstayid,
    nursingchartoffset,
    nursingchartcelltypevallabel AS label,
    nursingchartcelltypevalname AS name,
    -- rule: eicu-number (digits with at most one point, blanks around do not matter; words are no value)
    CAST(
      CASE
        WHEN regexp_full_match(trim(nursingchartvalue), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)') THEN trim(nursingchartvalue)
      END AS DOUBLE
    ) AS value
  FROM eicu_crd.nursecharting
  WHERE
    -- rule: eicu-vital-categories (three kinds of charting)
    nursingchartcelltypecat IN ('Vital Signs', 'Scores', 'Other Vital Signs and Infusions')
    -- rule: eicu-window (six hours before unit admission to 24 hours after, both ends included)
    AND nursingchartoffset BETWEEN -360 AND 1440
), nursed AS (
  SELECT
    patientunitstayid,
    CASE
      -- rule: eicu-heart-labels (label and name)
      WHEN label = 'Heart Rate' AND name = 'Heart Rate' THEN 'heart rate'
      -- rule: eicu-breathing-labels (label and name)
      WHEN label = 'Respiratory Rate' AND name = 'Respiratory Rate' THEN 'breathing'
    END AS kind,
    value
  FROM charted
), nursed_signs AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-heart-valid (25 to 225)
    max(value) FILTER (kind = 'heart rate' AND value BETWEEN 25 AND 225) AS heart_high,
    -- rule: eicu-breathing-valid (0 to 60)
    max(value) FILTER (kind = 'breathing' AND value BETWEEN 0 AND 60) AS breathing_high
  FROM nursed
  GROUP BY
    patientunitstayid
), warmth AS (
  SELECT
    patientunitstayid,
    nursingchartoffset,
    value AS celsius
  FROM charted
  WHERE
    -- rule: eicu-temperature-labels (the field in degrees Celsius)
    label = 'Temperature' AND name = 'Temperature (C)'
    -- rule: eicu-temperature-valid (25 to 46 degrees Celsius)
    AND value BETWEEN 25 AND 46
), warmth_converted AS (
  SELECT
    f.patientunitstayid,
    -- rule: eicu-temperature-converted (to two decimals)
    round((f.value - 32) / 1.8, 2) AS celsius
  FROM charted AS f
  -- rule: eicu-temperature-fahrenheit (only where nothing valid is charted in Celsius at the offset)
  ANTI JOIN warmth AS c
    ON f.patientunitstayid = c.patientunitstayid AND f.nursingchartoffset = c.nursingchartoffset
  WHERE
    f.label = 'Temperature' AND f.name = 'Temperature (F)'
), warmth_both AS (
  SELECT patientunitstayid, celsius FROM warmth
  UNION ALL
  SELECT patientunitstayid, celsius FROM warmth_converted
  WHERE
    celsius BETWEEN 25 AND 46
), nursed_temperature AS (
  SELECT
    patientunitstayid,
    min(celsius) AS temperature_low,
    max(celsius) AS temperature_high
  FROM warmth_both
  GROUP BY
    patientunitstayid
), monitor AS (
  SELECT
    patientunitstayid,
    max(heartrate) FILTER (heartrate BETWEEN 25 AND 225) AS heart_high,
    max(respiration) FILTER (respiration BETWEEN 0 AND 60) AS breathing_high,
    min(temperature) FILTER (temperature BETWEEN 25 AND 46) AS temperature_low,
    max(temperature) FILTER (temperature BETWEEN 25 AND 46) AS temperature_high
  FROM eicu_crd.vitalperiodic
  WHERE
    observationoffset BETWEEN -360 AND 1440
  GROUP BY
    patientunitstayid
), result AS (
  SELECT
    patientunitstayid,
    labname,
    labresult
  FROM eicu_crd.lab
  WHERE
    -- rule: eicu-lab-names (letter by letter; a result in words is none)
    labname IN ('WBC x 1000', '-bands', 'paCO2')
    AND labresult IS NOT NULL
    AND labresultoffset BETWEEN -360 AND 1440
  QUALIFY
    -- rule: eicu-lab-revised (of one test at one offset what was revised last, tested for its range afterwards)
    rank() OVER (PARTITION BY patientunitstayid, labname, labresultoffset ORDER BY labresultrevisedoffset DESC NULLS LAST) = 1
), tested AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-white-valid (above 0, up to 100)
    min(labresult) FILTER (labname = 'WBC x 1000' AND labresult > 0 AND labresult <= 100) AS white_low,
    max(labresult) FILTER (labname = 'WBC x 1000' AND labresult > 0 AND labresult <= 100) AS white_high,
    -- rule: eicu-bands-valid (up to 100)
    max(labresult) FILTER (labname = '-bands' AND labresult <= 100) AS bands,
    -- rule: eicu-carbon-dioxide-valid (from 5)
    min(labresult) FILTER (labname = 'paCO2' AND labresult >= 5) AS carbon_dioxide
  FROM result
  GROUP BY
    patientunitstayid
), gathered AS (
  SELECT
    p.patientunitstayid,
    p.uniquepid,
    p.patienthealthsystemstayid,
    -- rule: eicu-monitor-instead (each sign from the monitor only where nurses charted nothing valid of it)
    coalesce(n.heart_high, m.heart_high) AS heart_high,
    coalesce(n.breathing_high, m.breathing_high) AS breathing_high,
    coalesce(w.temperature_low, m.temperature_low) AS temperature_low,
    coalesce(w.temperature_high, m.temperature_high) AS temperature_high,
    t.* EXCLUDE (patientunitstayid)
  FROM eicu_crd.patient AS p
  -- rule: eicu-grain (one row for every unit stay)
  LEFT JOIN nursed_signs AS n
    ON p.patientunitstayid = n.patientunitstayid
  LEFT JOIN nursed_temperature AS w
    ON p.patientunitstayid = w.patientunitstayid
  LEFT JOIN monitor AS m
    ON p.patientunitstayid = m.patientunitstayid
  LEFT JOIN tested AS t
    ON p.patientunitstayid = t.patientunitstayid
), signs AS (
  SELECT
    patientunitstayid,
    uniquepid,
    patienthealthsystemstayid,
    -- rule: eicu-temperature-limits (below 36 or above 38 degrees Celsius)
    CASE WHEN temperature_low < 36 OR temperature_high > 38 THEN 1 END AS warm,
    -- rule: eicu-heart-high (above 90)
    CASE WHEN heart_high > 90 THEN 1 END AS fast,
    CASE
      -- rule: eicu-breathing-high (above 20)
      WHEN breathing_high > 20 THEN 1
      -- rule: eicu-carbon-dioxide-low (below 32 mmHg)
      WHEN carbon_dioxide < 32 THEN 1
    END AS breathing,
    CASE
      -- rule: eicu-white-limits (above 12 or below 4 thousand per microlitre)
      WHEN white_high > 12 OR white_low < 4 THEN 1
      -- rule: eicu-bands-high (above 10 percent)
      WHEN bands > 10 THEN 1
    END AS white
  FROM gathered
), scored AS (
  SELECT
    patientunitstayid,
    uniquepid,
    patienthealthsystemstayid,
    -- rule: eicu-missing-zero (a sign that was not measured is not there)
    coalesce(warm, 0) AS temp_score,
    coalesce(fast, 0) AS heart_rate_score,
    coalesce(breathing, 0) AS resp_score,
    coalesce(white, 0) AS wbc_score
  FROM signs
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
