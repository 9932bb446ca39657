-- OASIS of eICU-CRD: points of the first unit day (after 0, up to 1440 minutes), one row a unit stay.
WITH listed_urine(label) AS (
  VALUES
    ('3 Way Foley'), ('3 way foley'), ('Actual Urine'), ('Adjusted total UO NOC end shift'), ('BRP (Urine)'),
    ('BRP (urine)'), ('CONDOM CATHETER OUTPUT'), ('Condom Cath'), ('Condom Catheter'), ('INCONTINENT OF URINE'),
    ('Inc Urine'), ('Inc. urine'), ('Incont. Urine'), ('Incont. urine'), ('Incontient Urine'),
    ('Incontient urine'), ('Incontinence-urine'), ('Incontinent (urine)'), ('Incontinent UOP'),
    ('Incontinent Urine'), ('Indwelling Foley'), ('Intermittent/Straight Cath (mL)'), ('Straight  Cath'),
    ('Straight  cath'), ('Straight Cath'), ('Straight Cath Q6hrs'), ('Straight Cath UOP'),
    ('Straight Cath Urine'), ('Straight Cathed'), ('Straight Catheter Output'), ('Straight Catheter-Foley'),
    ('Straight Catheter-Straight Catheter'), ('Straight Catheterization Urine'), ('Straight cath'),
    ('Straight cath ml'), ('Straight catheterization'), ('Straight caths'), ('Suprapubic Urine Output'),
    ('True Urine'), ('True Urine out'), ('URINE'), ('URINE CATHETER'), ('Unmeasured Urine'),
    ('Urethal Catheter'), ('Urethral Catheter'), ('Urine'), ('Urine (measured)'), ('Urine Output-FOLEY'),
    ('Urine Output-FOLEY CATH'), ('Urine Output-FOLEY CATHETER'), ('Urine Output-Foley'),
    ('Urine Output-Foley Catheter'), ('Urine Output-Foley Output'), ('Urine Output-Foley cath'),
    ('Urine Output-Fpley'), ('Urine Output-Ileoconduit'), ('Urine Output-L Nephrostomy'),
    ('Urine Output-L Nephrostomy Tube'), ('Urine Output-LEFT PCN TUBE'), ('Urine Output-Left Nephrostomy'),
    ('Urine Output-Left Nephrostomy Tube'), ('Urine Output-Nephrostomy'), ('Urine Output-R Nephrostomy'),
    ('Urine Output-R Nephrostomy Tube'), ('Urine Output-R nephrostomy'), ('Urine Output-R. Nephrostomy'),
    ('Urine Output-RIGHT Nephrouretero Stent Urine Output'), ('Urine Output-Rt Nephrectomy'),
    ('Urine Output-Texas Cath'), ('Urine Output-Urine'), ('Urine Output-Urine Output'),
    ('Urine Output-external catheter'), ('Urine Output-foley'), ('Urine Output-foley catheter'),
    ('Urine Output-left nephrostomy'), ('Urine Output-right nephrostomy'), ('Urine Output-stent'),
    ('Urine Output-straight cath'), ('Urine Output-suprapubic'), ('Urine Straight Cath'),
    ('Urine foley catheter'), ('Urine via condom catheter'), ('Urine, L neph:'), ('Urine, R neph:'),
    ('Urine, void:'), ('Urine- Foley'), ('Urine- foley'), ('Urine- void'), ('Urine-foley'),
    ('Urine-straight cath'), ('condom cath'), ('condom catheter'), ('condome cath urine'), ('diaper urine'),
    ('inc of urine'), ('inc urine'), ('inc. urine'), ('incont of urine'), ('incont urine'),
    ('incont. of urine'), ('incont. of urine count'), ('incont. urine'), ('incontient urine'),
    ('incontinence of urine'), ('incontinence/ voids urine'), ('incontinent of urine'), ('incontinent urine'),
    ('incontinent urine counts'), ('indwelling foley'), ('straight cath'), ('straight cath daily'),
    ('straight cath ml'), ('straight cath urine'), ('straight cathed'), ('straightcath'), ('strait cath Urine'),
    ('true urine'), ('unmeasured urine'), ('unmeasured urine output'), ('urinary output 7AM - 7 PM'),
    ('urinary output 7AM-7PM'), ('urine'), ('urine (void)'), ('urine output')
), charted AS (
  SELECT
    patientunitstayid,
    nursingchartoffset,
    nursingchartcelltypecat AS category,
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
    -- rule: eicu-first-day (after unit admission, up to and including minute 1440)
    nursingchartoffset > 0 AND nursingchartoffset <= 1440
), measured AS (
  SELECT
    patientunitstayid,
    value,
    CASE
      -- rule: eicu-heart-labels (label and name)
      WHEN label = 'Heart Rate' AND name = 'Heart Rate' THEN 'heart rate'
      -- rule: eicu-breathing-labels (label and name)
      WHEN label = 'Respiratory Rate' AND name = 'Respiratory Rate' THEN 'breathing'
      -- rule: eicu-temperature-labels (the Celsius field only, as charted)
      WHEN label = 'Temperature' AND name = 'Temperature (C)' THEN 'temperature'
      -- rule: eicu-pressure-line-labels (three spellings of invasive mean pressure)
      WHEN label = 'Invasive BP' AND name = 'Invasive BP Mean' THEN 'line'
      WHEN label = 'MAP (mmHg)' AND name = 'Value' THEN 'line'
      WHEN label = 'Arterial Line MAP (mmHg)' AND name = 'Value' THEN 'line'
      WHEN label = 'Non-Invasive BP' AND name = 'Non-Invasive BP Mean' THEN 'cuff'
    END AS kind
  FROM charted
  WHERE
    category IN ('Vital Signs', 'Scores', 'Other Vital Signs and Infusions')
), vital AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-heart-valid (25 to 225)
    min(value) FILTER (kind = 'heart rate' AND value BETWEEN 25 AND 225) AS heart_low,
    max(value) FILTER (kind = 'heart rate' AND value BETWEEN 25 AND 225) AS heart_high,
    -- rule: eicu-breathing-valid (0 to 60; 0 is no minimum)
    min(value) FILTER (kind = 'breathing' AND value > 0 AND value <= 60) AS breathing_low,
    max(value) FILTER (kind = 'breathing' AND value BETWEEN 0 AND 60) AS breathing_high,
    -- rule: eicu-temperature-valid (25 to 46 degrees; nothing is converted)
    min(value) FILTER (kind = 'temperature' AND value BETWEEN 25 AND 46) AS temperature_low,
    max(value) FILTER (kind = 'temperature' AND value BETWEEN 25 AND 46) AS temperature_high,
    -- rule: eicu-pressure-valid (1 to 250)
    min(value) FILTER (kind = 'line' AND value BETWEEN 1 AND 250) AS line_low,
    max(value) FILTER (kind = 'line' AND value BETWEEN 1 AND 250) AS line_high,
    min(value) FILTER (kind = 'cuff' AND value BETWEEN 1 AND 250) AS cuff_low,
    max(value) FILTER (kind = 'cuff' AND value BETWEEN 1 AND 250) AS cuff_high
  FROM measured
  GROUP BY
    patientunitstayid
), coma_offset AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-gcs-smallest (the smallest total of an offset)
    min(value) AS total
  FROM charted
  WHERE
    -- rule: eicu-gcs-categories (only these two kinds of charting)
    category IN ('Scores', 'Other Vital Signs and Infusions')
    -- rule: eicu-gcs-total-labels (two spellings of the charted total; sums of parts do not count)
    AND (label = 'Glasgow coma score' AND name = 'GCS Total' OR label = 'Score (Glasgow Coma Scale)' AND name = 'Value')
  GROUP BY
    patientunitstayid, nursingchartoffset
), coma AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-gcs-total-valid (3 to 15; after the smallest of an offset was taken)
    min(total) FILTER (total BETWEEN 3 AND 15) AS total
  FROM coma_offset
  GROUP BY
    patientunitstayid
), examined AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-gcs-exam (the smallest number of the examination notes, in no range)
    min(
      CAST(
        CASE
          WHEN regexp_full_match(trim(physicalexamvalue), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)') THEN trim(physicalexamvalue)
        END AS DOUBLE
      )
    ) AS total
  FROM eicu_crd.physicalexam
  WHERE
    physicalexamoffset > 0 AND physicalexamoffset <= 1440
    -- rule: eicu-gcs-exam-path (one or two characters after the last slash)
    AND regexp_full_match(
      physicalexampath, 'notes/Progress Notes/Physical Exam/Physical Exam/Neurologic/GCS/.{1,2}', 's'
    )
  GROUP BY
    patientunitstayid
), output AS (
  SELECT
    patientunitstayid,
    intakeoutputoffset,
    cellvaluenumeric,
    cellpath,
    substr(cellpath, length('flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|') + 1) AS label
  FROM eicu_crd.intakeoutput
  WHERE
    starts_with(cellpath, 'flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|')
), urine AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-urine-sum (all rows as charted, repeated and negative ones too)
    sum(CAST(cellvaluenumeric AS DECIMAL(18, 4))) AS volume
  FROM output
  WHERE
    intakeoutputoffset > 0
    AND intakeoutputoffset <= 1440
    AND (
      -- rule: eicu-urine-paths (the published list, letter by letter)
      label IN (SELECT label FROM listed_urine)
      -- rule: eicu-urine-foley (begins with foley in any case; no pacu, or, ir anywhere)
      OR (starts_with(lower(label), 'foley') AND NOT regexp_matches(lower(cellpath), 'pacu|or|ir'))
      -- rule: eicu-urine-patterns (catheter and void names with a type behind them)
      OR label LIKE 'Output%Urinary Catheter%'
      OR label LIKE 'Output%Urethral Catheter%'
      OR label LIKE 'Output%External Urethral%'
      OR label LIKE 'Urine Output (mL)%'
    )
  GROUP BY
    patientunitstayid
), apache AS (
  SELECT
    patientunitstayid,
    max(urine) FILTER (urine > 0) AS urine,
    max(intubated) FILTER (intubated = 1) AS intubated
  FROM eicu_crd.apacheapsvar
  GROUP BY
    patientunitstayid
), predicted AS (
  SELECT
    patientunitstayid,
    max(oobintubday1) FILTER (oobintubday1 = 1) AS intubated,
    max(electivesurgery) FILTER (electivesurgery = 1) AS elective
  FROM eicu_crd.apachepredvar
  GROUP BY
    patientunitstayid
), airway AS (
  -- rule: eicu-vent-airway (any of five fields of respiratory care filled on the first day)
  SELECT DISTINCT
    patientunitstayid
  FROM eicu_crd.respiratorycare
  WHERE
    respcarestatusoffset > 0
    AND respcarestatusoffset <= 1440
    AND (
      trim(airwaytype) <> ''
      OR trim(airwaysize) <> ''
      OR trim(airwayposition) <> ''
      OR cuffpressure IS NOT NULL
      OR trim(setapneatv) <> ''
    )
), gathered AS (
  SELECT
    p.patientunitstayid,
    p.uniquepid,
    p.patienthealthsystemstayid,
    p.hospitaladmitoffset,
    p.unitadmitsource,
    CASE
      WHEN p.age = '> 89' THEN 91
      WHEN regexp_full_match(trim(p.age), '[0-9]+') THEN CAST(trim(p.age) AS INTEGER)
    END AS age,
    -- rule: eicu-gcs-source-order (charted totals first, examination notes only without any)
    coalesce(c.total, e.total) AS gcs,
    v.* EXCLUDE (patientunitstayid),
    -- rule: eicu-urine-apache (only where nothing at all is charted, and positive)
    coalesce(u.volume, CAST(a.urine AS DECIMAL(18, 4))) AS urine,
    -- rule: eicu-vent-apache (intubated on the APACHE day; -1 and 0 are no)
    a.intubated = 1
    -- rule: eicu-vent-predicted (intubated on day 1 of the predictions; -1 and 0 are no)
    OR d.intubated = 1
    OR w.patientunitstayid IS NOT NULL AS ventilated,
    d.elective
  FROM eicu_crd.patient AS p
  -- rule: eicu-grain (one row for every unit stay)
  LEFT JOIN coma AS c
    ON p.patientunitstayid = c.patientunitstayid
  LEFT JOIN examined AS e
    ON p.patientunitstayid = e.patientunitstayid
  LEFT JOIN vital AS v
    ON p.patientunitstayid = v.patientunitstayid
  LEFT JOIN urine AS u
    ON p.patientunitstayid = u.patientunitstayid
  LEFT JOIN apache AS a
    ON p.patientunitstayid = a.patientunitstayid
  LEFT JOIN predicted AS d
    ON p.patientunitstayid = d.patientunitstayid
  LEFT JOIN airway AS w
    ON p.patientunitstayid = w.patientunitstayid
), scored AS (
  SELECT
    *,
    -- rule: eicu-pre-icu (minutes from hospital admission, negative before the unit)
    CASE
      WHEN hospitaladmitoffset > -10.2 THEN 5
      WHEN hospitaladmitoffset >= -296.4 THEN 3
      WHEN hospitaladmitoffset >= -1440 THEN 0
      WHEN hospitaladmitoffset >= -18708 THEN 2
      WHEN hospitaladmitoffset < -18708 THEN 1
    END AS preiculos,
    -- rule: eicu-age (written '> 89' is 91; above 89 scores less than 78 to 89)
    CASE
      WHEN age < 24 THEN 0
      WHEN age BETWEEN 24 AND 53 THEN 3
      WHEN age BETWEEN 54 AND 77 THEN 6
      WHEN age BETWEEN 78 AND 89 THEN 9
      WHEN age > 89 THEN 7
    END AS age_points,
    -- rule: eicu-gcs-bands (whole numbers; between 13 and 15 only 14 scores)
    CASE
      WHEN gcs < 8 THEN 10
      WHEN gcs BETWEEN 8 AND 13 THEN 4
      WHEN gcs = 14 THEN 3
      WHEN gcs = 15 THEN 0
    END AS gcs_points,
    -- rule: eicu-heart-bands (the low minimum first, then the maximum; gaps score nothing)
    CASE
      WHEN heart_low < 33 THEN 4
      WHEN heart_high BETWEEN 33 AND 88 THEN 0
      WHEN heart_high BETWEEN 89 AND 106 THEN 1
      WHEN heart_high BETWEEN 107 AND 125 THEN 3
      WHEN heart_high > 125 THEN 6
    END AS heart_points,
    -- rule: eicu-pressure-bands (the minimum through its bands, then a high maximum)
    CASE
      WHEN line_low < 20.65 THEN 4
      WHEN line_low BETWEEN 20.65 AND 50.99 THEN 3
      WHEN line_low BETWEEN 51 AND 61.32 THEN 2
      WHEN line_low BETWEEN 61.33 AND 143.44 THEN 0
      WHEN line_high > 143.44 THEN 3
      -- rule: eicu-pressure-source-order (the cuff only where the line falls into no band)
      WHEN cuff_low < 20.65 THEN 4
      WHEN cuff_low BETWEEN 20.65 AND 50.99 THEN 3
      WHEN cuff_low BETWEEN 51 AND 61.32 THEN 2
      WHEN cuff_low BETWEEN 61.33 AND 143.44 THEN 0
      WHEN cuff_high > 143.44 THEN 3
    END AS pressure_points,
    -- rule: eicu-breathing-bands (the minimum through its bands, then the maximum)
    CASE
      WHEN breathing_low < 6 THEN 10
      WHEN breathing_low BETWEEN 6 AND 12 THEN 1
      WHEN breathing_low BETWEEN 13 AND 22 THEN 0
      WHEN breathing_high BETWEEN 23 AND 30 THEN 1
      WHEN breathing_high BETWEEN 31 AND 44 THEN 6
      WHEN breathing_high > 44 THEN 9
    END AS breathing_points,
    -- rule: eicu-temperature-bands (low ones first, then cool, then the maximum)
    CASE
      WHEN temperature_low < 33.22 THEN 3
      WHEN temperature_low BETWEEN 33.22 AND 35.93 THEN 4
      WHEN temperature_high BETWEEN 33.22 AND 35.93 THEN 4
      WHEN temperature_low BETWEEN 35.94 AND 36.39 THEN 2
      WHEN temperature_high BETWEEN 36.40 AND 36.88 THEN 0
      WHEN temperature_high BETWEEN 36.89 AND 39.88 THEN 2
      WHEN temperature_high > 39.88 THEN 6
    END AS temperature_points,
    -- rule: eicu-urine-bands (mL of the day, not scaled to the hours observed)
    CASE
      WHEN urine < 671 THEN 10
      WHEN urine BETWEEN 671 AND 1426.99 THEN 5
      WHEN urine BETWEEN 1427 AND 2543.99 THEN 1
      WHEN urine BETWEEN 2544 AND 6896 THEN 0
      WHEN urine > 6896 THEN 8
    END AS urine_points,
    CASE WHEN ventilated THEN 9 ELSE 0 END AS ventilation_points,
    -- rule: eicu-elective (elective surgery that did not come from the emergency department)
    CASE WHEN elective = 1 AND unitadmitsource IS DISTINCT FROM 'Emergency Department' THEN 0 ELSE 6 END AS elective_points
  FROM gathered
), filled AS (
  SELECT
    patientunitstayid,
    uniquepid,
    patienthealthsystemstayid,
    -- rule: eicu-missing-zero (what is missing or between bands scores 0)
    coalesce(preiculos, 0) AS preiculos_score,
    coalesce(age_points, 0) AS age_score,
    coalesce(gcs_points, 0) AS gcs_score,
    coalesce(heart_points, 0) AS heart_rate_score,
    coalesce(pressure_points, 0) AS mbp_score,
    coalesce(breathing_points, 0) AS resp_rate_score,
    coalesce(temperature_points, 0) AS temp_score,
    coalesce(urine_points, 0) AS urineoutput_score,
    ventilation_points AS mechvent_score,
    elective_points AS electivesurgery_score
  FROM scored
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
FROM filled
