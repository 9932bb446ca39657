-- First-day Glasgow Coma Scale of eICU-CRD: the lowest value of -360 to 1440 minutes, one row a unit stay.
WITH charted AS (
  SELECT
    patientunitstayid,
    nursingchartoffset,
    CASE
      -- rule: eicu-gcs-total-labels (two spellings of the charted total)
      WHEN nursingchartcelltypevallabel = 'Glasgow coma score' AND nursingchartcelltypevalname = 'GCS Total' THEN 'total'
      WHEN nursingchartcelltypevallabel = 'Score (Glasgow Coma Scale)' AND nursingchartcelltypevalname = 'Value' THEN 'total'
      -- rule: eicu-gcs-part-labels (the parts have one spelling)
      WHEN nursingchartcelltypevallabel = 'Glasgow coma score' AND nursingchartcelltypevalname IN ('Motor', 'Verbal', 'Eyes')
        THEN lower(nursingchartcelltypevalname)
    END AS part,
    -- rule: eicu-number (digits with at most one point, blanks around do not matter; words are no value)
    CAST(
      CASE
        WHEN regexp_full_match(trim(nursingchartvalue), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)') THEN trim(nursingchartvalue)
      END AS DOUBLE
    ) AS value
  FROM eicu_crd.nursecharting
  WHERE
    -- rule: eicu-gcs-categories (only these two kinds of charting)
    nursingchartcelltypecat IN ('Scores', 'Other Vital Signs and Infusions')
), smallest AS (
  SELECT
    patientunitstayid,
    nursingchartoffset,
    -- rule: eicu-gcs-smallest (of each part the smallest number charted at an offset)
    min(value) FILTER (part = 'total') AS total,
    min(value) FILTER (part = 'motor') AS motor,
    min(value) FILTER (part = 'verbal') AS verbal,
    min(value) FILTER (part = 'eyes') AS eyes
  FROM charted
  WHERE
    part IS NOT NULL AND value IS NOT NULL
  GROUP BY
    patientunitstayid, nursingchartoffset
), valued AS (
  SELECT
    patientunitstayid,
    nursingchartoffset,
    -- rule: eicu-gcs-charted-total (a valid charted total wins over the sum of parts)
    coalesce(
      -- rule: eicu-gcs-total-valid (3 to 15; after the smallest was taken)
      CASE WHEN total BETWEEN 3 AND 15 THEN total END,
      -- rule: eicu-gcs-missing-parts (a part that is not charted at the offset counts as normal)
      coalesce(eyes, 4) + coalesce(motor, 6) + coalesce(verbal, 5)
    ) AS gcs,
    motor,
    verbal,
    eyes
  FROM smallest
  WHERE
    -- rule: eicu-gcs-window (six hours before unit admission to 24 hours after, both ends included)
    nursingchartoffset BETWEEN -360 AND 1440
), ranked AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY patientunitstayid
      ORDER BY
        -- rule: eicu-gcs-lowest (the lowest value of the window)
        gcs,
        -- rule: eicu-gcs-tie (the earliest of equal ones)
        nursingchartoffset
    ) AS place
  FROM valued
)
SELECT
  p.patientunitstayid,
  p.uniquepid,
  p.patienthealthsystemstayid,
  -- rule: eicu-gcs-no-data (15, 6, 5, 4)
  coalesce(r.gcs, 15) AS gcs_min,
  -- rule: eicu-gcs-reported-parts (the parts of that very offset, normal where not charted)
  coalesce(r.motor, 6) AS gcs_motor,
  coalesce(r.verbal, 5) AS gcs_verbal,
  coalesce(r.eyes, 4) AS gcs_eyes
FROM eicu_crd.patient AS p
-- rule: eicu-grain (one row for every unit stay)
LEFT JOIN ranked AS r
  ON p.patientunitstayid = r.patientunitstayid AND r.place = 1
