-- SOFA of the first day of eICU-CRD (Vincent 1996), one row a unit stay: six organs by their worst values.
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
    -- rule: eicu-window (six hours before unit admission to 24 hours after, both ends included)
    nursingchartoffset BETWEEN -360 AND 1440
), charted_pressure AS (
  SELECT
    patientunitstayid,
    min(value) AS pressure
  FROM charted
  WHERE
    category IN ('Vital Signs', 'Scores', 'Other Vital Signs and Infusions')
    AND (
      -- rule: eicu-pressure-line-labels (three spellings of invasive mean pressure)
      label = 'Invasive BP' AND name = 'Invasive BP Mean'
      OR label = 'MAP (mmHg)' AND name = 'Value'
      OR label = 'Arterial Line MAP (mmHg)' AND name = 'Value'
      -- rule: eicu-pressure-cuff-label (line and cuff are one quantity)
      OR label = 'Non-Invasive BP' AND name = 'Non-Invasive BP Mean'
    )
    -- rule: eicu-pressure-valid (1 to 250)
    AND value BETWEEN 1 AND 250
  GROUP BY
    patientunitstayid
), monitor AS (
  SELECT patientunitstayid, observationoffset, systemicmean AS value FROM eicu_crd.vitalperiodic
  UNION ALL
  SELECT patientunitstayid, observationoffset, noninvasivemean FROM eicu_crd.vitalaperiodic
), monitor_pressure AS (
  SELECT
    patientunitstayid,
    min(value) AS pressure
  FROM monitor
  WHERE
    observationoffset BETWEEN -360 AND 1440 AND value BETWEEN 1 AND 250
  GROUP BY
    patientunitstayid
), coma_part AS (
  SELECT
    patientunitstayid,
    nursingchartoffset,
    value,
    CASE
      -- rule: eicu-gcs-total-labels (two spellings of the charted total)
      WHEN label = 'Glasgow coma score' AND name = 'GCS Total' THEN 'total'
      WHEN label = 'Score (Glasgow Coma Scale)' AND name = 'Value' THEN 'total'
      -- rule: eicu-gcs-part-labels (the parts have one spelling)
      WHEN label = 'Glasgow coma score' AND name IN ('Motor', 'Verbal', 'Eyes') THEN lower(name)
    END AS part
  FROM charted
  WHERE
    -- rule: eicu-gcs-categories (only these two kinds of charting)
    category IN ('Scores', 'Other Vital Signs and Infusions')
), coma_offset AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-gcs-smallest (of each part the smallest number charted at an offset)
    min(value) FILTER (part = 'total') AS total,
    min(value) FILTER (part = 'motor') AS motor,
    min(value) FILTER (part = 'verbal') AS verbal,
    min(value) FILTER (part = 'eyes') AS eyes
  FROM coma_part
  WHERE
    part IS NOT NULL AND value IS NOT NULL
  GROUP BY
    patientunitstayid, nursingchartoffset
), coma AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-gcs-lowest (the lowest value of the window)
    min(
      -- rule: eicu-gcs-charted-total (a valid charted total wins over the sum of parts)
      coalesce(
        -- rule: eicu-gcs-total-valid (3 to 15; after the smallest was taken)
        CASE WHEN total BETWEEN 3 AND 15 THEN total END,
        -- rule: eicu-gcs-missing-parts (a part that is not charted at the offset counts as normal)
        coalesce(eyes, 4) + coalesce(motor, 6) + coalesce(verbal, 5)
      )
    ) AS gcs
  FROM coma_offset
  GROUP BY
    patientunitstayid
), result AS (
  SELECT
    patientunitstayid,
    labresultoffset,
    labname,
    labresult
  FROM eicu_crd.lab
  WHERE
    -- rule: eicu-lab-names (letter by letter; a result in words is none)
    labname IN ('platelets x 1000', 'total bilirubin', 'creatinine', 'paO2', 'FiO2')
    AND labresult IS NOT NULL
    AND labresultoffset BETWEEN -360 AND 1440
  QUALIFY
    -- rule: eicu-lab-revised (of one test at one offset what was revised last, tested for its range afterwards)
    rank() OVER (PARTITION BY patientunitstayid, labname, labresultoffset ORDER BY labresultrevisedoffset DESC NULLS LAST) = 1
), tested AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-platelets-valid (above 0)
    min(labresult) FILTER (labname = 'platelets x 1000' AND labresult > 0) AS platelets,
    -- rule: eicu-bilirubin-valid (up to 100)
    max(labresult) FILTER (labname = 'total bilirubin' AND labresult <= 100) AS bilirubin,
    -- rule: eicu-creatinine-valid (up to 28.28)
    max(labresult) FILTER (labname = 'creatinine' AND labresult <= 28.28) AS creatinine
  FROM result
  GROUP BY
    patientunitstayid
), gas AS (
  SELECT
    patientunitstayid,
    labresultoffset,
    -- rule: eicu-oxygen-valid (15 to 720)
    min(labresult) FILTER (labname = 'paO2' AND labresult BETWEEN 15 AND 720) AS oxygen,
    -- rule: eicu-fio2-of-gas (reported at the same offset: percent from 20, a fraction from 0.2; of several the largest)
    max(
      CASE WHEN labresult BETWEEN 20 AND 100 THEN labresult WHEN labresult BETWEEN 0.2 AND 1 THEN 100 * labresult END
    ) FILTER (labname = 'FiO2') AS percent
  FROM result
  GROUP BY
    patientunitstayid, labresultoffset
), inspired AS (
  SELECT
    patientunitstayid,
    respchartoffset,
    -- rule: eicu-fio2-number (a number, a percent sign may follow)
    CAST(
      CASE
        WHEN regexp_full_match(trim(respchartvalue), '([0-9]+[.]?[0-9]*|[.][0-9]+) ?%?') THEN rtrim(trim(respchartvalue), ' %')
      END AS DOUBLE
    ) AS value
  FROM eicu_crd.respiratorycharting
  WHERE
    -- rule: eicu-fio2-labels (two spellings)
    respchartvaluelabel IN ('FiO2', 'FIO2 (%)')
), inspired_offset AS (
  SELECT
    patientunitstayid,
    respchartoffset,
    -- rule: eicu-fio2-tie (of several charted at one offset the largest)
    max(CASE WHEN value BETWEEN 20 AND 100 THEN value WHEN value BETWEEN 0.2 AND 1 THEN 100 * value END) AS percent
  FROM inspired
  GROUP BY
    patientunitstayid, respchartoffset
), ratio AS (
  SELECT
    g.patientunitstayid,
    -- rule: eicu-ratio (each gas with its own fraction, to four decimals)
    round(100 * g.oxygen / coalesce(g.percent, max_by(i.percent, i.respchartoffset)), 4) AS ratio
  FROM gas AS g
  LEFT JOIN inspired_offset AS i
    -- rule: eicu-fio2-charted (only where the gas has none: the latest valid of the four hours up to the gas)
    ON g.patientunitstayid = i.patientunitstayid
    AND i.respchartoffset BETWEEN g.labresultoffset - 240 AND g.labresultoffset
    AND i.percent IS NOT NULL
  WHERE
    g.oxygen IS NOT NULL
  GROUP BY
    g.patientunitstayid, g.labresultoffset, g.oxygen, g.percent
), lungs AS (
  SELECT
    patientunitstayid,
    min(ratio) AS ratio
  FROM ratio
  GROUP BY
    patientunitstayid
), support AS (
  -- rule: eicu-vent-airway (any of five fields of respiratory care filled in the window)
  SELECT
    patientunitstayid
  FROM eicu_crd.respiratorycare
  WHERE
    respcarestatusoffset BETWEEN -360 AND 1440
    AND (
      trim(airwaytype) <> ''
      OR trim(airwaysize) <> ''
      OR trim(airwayposition) <> ''
      OR cuffpressure IS NOT NULL
      OR trim(setapneatv) <> ''
    )
  UNION
  -- rule: eicu-vent-apache (intubated on the APACHE day; -1 and 0 are no)
  SELECT patientunitstayid FROM eicu_crd.apacheapsvar
  WHERE
    intubated = 1
  UNION
  -- rule: eicu-vent-predicted (intubated on day 1 of the predictions; -1 and 0 are no)
  SELECT patientunitstayid FROM eicu_crd.apachepredvar
  WHERE
    oobintubday1 = 1
), pumped AS (
  SELECT
    i.patientunitstayid,
    CASE
      -- rule: eicu-drug-names (anywhere in the name, in any case; norepinephrine and noradrenalin hold the others)
      WHEN regexp_matches(lower(i.drugname), 'epinephrine|epinepherine|levophed|adrenalin') THEN 'epinephrines'
      WHEN contains(lower(i.drugname), 'dopamine') THEN 'dopamine'
      WHEN contains(lower(i.drugname), 'dobutamine') THEN 'dobutamine'
    END AS drug,
    -- rule: eicu-drug-rate (a number above 0; words are no rate)
    CAST(CASE WHEN regexp_full_match(trim(i.drugrate), '[+]?([0-9]+[.]?[0-9]*|[.][0-9]+)') THEN trim(i.drugrate) END AS DOUBLE) AS rate,
    -- rule: eicu-drug-unit (the brackets at the end of the name)
    regexp_extract(lower(i.drugname), '[(]([^()]*)[)] *$', 1) AS unit,
    -- rule: eicu-drug-weight (of the row, else of admission; 30 to 300 kg)
    coalesce(
      CASE
        WHEN regexp_full_match(trim(i.patientweight), '[0-9]+[.]?[0-9]*') AND CAST(trim(i.patientweight) AS DOUBLE) BETWEEN 30 AND 300
          THEN CAST(trim(i.patientweight) AS DOUBLE)
      END,
      CASE WHEN p.admissionweight BETWEEN 30 AND 300 THEN p.admissionweight END
    ) AS weight
  FROM eicu_crd.infusiondrug AS i
  INNER JOIN eicu_crd.patient AS p
    ON i.patientunitstayid = p.patientunitstayid
  WHERE
    i.infusionoffset BETWEEN -360 AND 1440
), dosed AS (
  SELECT
    patientunitstayid,
    drug,
    -- mcg/kg/min, to six decimals; empty where unit or weight are not there
    round(
      CASE unit
        WHEN 'mcg/kg/min' THEN rate
        WHEN 'mcg/min' THEN rate / weight
        WHEN 'mcg/kg/hr' THEN rate / 60
        WHEN 'mcg/hr' THEN rate / 60 / weight
        WHEN 'mg/kg/min' THEN 1000 * rate
        WHEN 'mg/min' THEN 1000 * rate / weight
        WHEN 'mg/kg/hr' THEN 1000 * rate / 60
        WHEN 'mg/hr' THEN 1000 * rate / 60 / weight
      END,
      6
    ) AS dose
  FROM pumped
  WHERE
    drug IS NOT NULL AND rate > 0
), drugs AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-drug-highest (the highest dose of each drug in the window, however short)
    max(dose) FILTER (drug = 'dopamine') AS dopamine,
    max(dose) FILTER (drug = 'epinephrines') AS epinephrines,
    -- rule: eicu-drug-unknown-dose (given, in whatever dose)
    bool_or(drug = 'epinephrines') AS gets_epinephrines
  FROM dosed
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
), charted_urine AS (
  SELECT
    patientunitstayid,
    -- rule: eicu-urine-sum (all rows as charted, repeated and negative ones too)
    sum(CAST(cellvaluenumeric AS DECIMAL(18, 4))) AS volume
  FROM output
  WHERE
    -- rule: eicu-first-day (after unit admission, up to and including minute 1440)
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
), apache_urine AS (
  SELECT
    patientunitstayid,
    max(urine) FILTER (urine > 0) AS volume
  FROM eicu_crd.apacheapsvar
  GROUP BY
    patientunitstayid
), gathered AS (
  SELECT
    p.patientunitstayid,
    p.uniquepid,
    p.patienthealthsystemstayid,
    l.ratio,
    s.patientunitstayid IS NOT NULL AS supported,
    t.platelets,
    t.bilirubin,
    t.creatinine,
    d.dopamine,
    d.epinephrines,
    d.gets_epinephrines,
    d.patientunitstayid IS NOT NULL AS gets_drugs,
    -- rule: eicu-pressure-monitor (the monitors only where nurses charted no valid pressure)
    coalesce(n.pressure, m.pressure) AS pressure,
    c.gcs,
    -- rule: eicu-urine-whole-day (only of stays that last the whole day)
    CASE
      -- rule: eicu-urine-apache (only where nothing at all is charted, and positive)
      WHEN p.unitdischargeoffset >= 1440 THEN coalesce(u.volume, CAST(a.volume AS DECIMAL(18, 4)))
    END AS urine
  FROM eicu_crd.patient AS p
  -- rule: eicu-grain (one row for every unit stay)
  LEFT JOIN lungs AS l
    ON p.patientunitstayid = l.patientunitstayid
  LEFT JOIN support AS s
    ON p.patientunitstayid = s.patientunitstayid
  LEFT JOIN tested AS t
    ON p.patientunitstayid = t.patientunitstayid
  LEFT JOIN drugs AS d
    ON p.patientunitstayid = d.patientunitstayid
  LEFT JOIN charted_pressure AS n
    ON p.patientunitstayid = n.patientunitstayid
  LEFT JOIN monitor_pressure AS m
    ON p.patientunitstayid = m.patientunitstayid
  LEFT JOIN coma AS c
    ON p.patientunitstayid = c.patientunitstayid
  LEFT JOIN charted_urine AS u
    ON p.patientunitstayid = u.patientunitstayid
  LEFT JOIN apache_urine AS a
    ON p.patientunitstayid = a.patientunitstayid
), graded AS (
  SELECT
    patientunitstayid,
    uniquepid,
    patienthealthsystemstayid,
    -- rule: eicu-respiration-bands (the two highest only under support)
    CASE
      WHEN supported AND ratio < 100 THEN 4
      WHEN supported AND ratio < 200 THEN 3
      WHEN ratio < 300 THEN 2
      WHEN ratio < 400 THEN 1
      -- rule: eicu-missing-zero (what was not measured counts as normal)
      ELSE 0
    END AS respiration,
    -- rule: eicu-coagulation-bands (thousand per microlitre)
    CASE WHEN platelets < 20 THEN 4 WHEN platelets < 50 THEN 3 WHEN platelets < 100 THEN 2 WHEN platelets < 150 THEN 1 ELSE 0 END
      AS coagulation,
    -- rule: eicu-liver-bands (mg/dL)
    CASE WHEN bilirubin >= 12 THEN 4 WHEN bilirubin >= 6 THEN 3 WHEN bilirubin >= 2 THEN 2 WHEN bilirubin >= 1.2 THEN 1 ELSE 0 END
      AS liver,
    -- rule: eicu-drug-bands (mcg/kg/min; a drug in an unknown dose counts as one in a low dose)
    CASE
      WHEN dopamine > 15 OR epinephrines > 0.1 THEN 4
      WHEN dopamine > 5 OR gets_epinephrines THEN 3
      WHEN gets_drugs THEN 2
      -- rule: eicu-pressure-low (below 70 mmHg)
      WHEN pressure < 70 THEN 1
      ELSE 0
    END AS cardiovascular,
    -- rule: eicu-consciousness-bands (the total of the coma scale)
    CASE WHEN gcs < 6 THEN 4 WHEN gcs < 10 THEN 3 WHEN gcs < 13 THEN 2 WHEN gcs < 15 THEN 1 ELSE 0 END AS cns,
    -- rule: eicu-renal-bands (creatinine in mg/dL, urine of the day in mL)
    CASE
      WHEN creatinine >= 5 OR urine < 200 THEN 4
      WHEN creatinine >= 3.5 OR urine < 500 THEN 3
      WHEN creatinine >= 2 THEN 2
      WHEN creatinine >= 1.2 THEN 1
      ELSE 0
    END AS renal
  FROM gathered
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
