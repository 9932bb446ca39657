-- Urine output rate of eICU-CRD: one row per unit stay and minute of a charted urine output, with rates over looks back
-- of about 6, 12 and 24 hours. Target 'public-code': urine and weight as public eICU code has them, looks back and rates
-- as the MIMIC-IV family has them; times are whole minutes from unit admission. Volumes add up as decimals, so that no
-- order of rows shows in a sum. hospitalid is for the report only; no output has it.
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
), output AS (
  SELECT
    charted.patientunitstayid,
    charted.intakeoutputoffset AS chartoffset,
    charted.cellvaluenumeric,
    charted.cellpath,
    substr(charted.cellpath, length('flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|') + 1) AS label
  FROM eicu_crd.intakeoutput AS charted
  INNER JOIN eicu_crd.patient AS stay
    ON charted.patientunitstayid = stay.patientunitstayid
  WHERE
    starts_with(charted.cellpath, 'flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|')
    -- rule: eicu-urine-in-unit (nothing charted for a time after unit discharge; the minute of discharge counts)
    AND (charted.intakeoutputoffset <= stay.unitdischargeoffset OR stay.unitdischargeoffset IS NULL)
), urine AS (
  -- One row per stay and minute.
  SELECT
    patientunitstayid,
    chartoffset,
    -- rule: eicu-urine-sum (all counted outputs of a minute are added, repeated and negative ones too)
    sum(CAST(cellvaluenumeric AS DECIMAL(18, 4))) AS volume
  FROM output
  WHERE
    -- rule: eicu-urine-paths (the published list, letter by letter)
    label IN (SELECT label FROM listed_urine)
    -- rule: eicu-urine-foley (begins with foley in any case; no pacu, or, ir anywhere)
    OR (starts_with(lower(label), 'foley') AND NOT regexp_matches(lower(cellpath), 'pacu|or|ir'))
    -- rule: eicu-urine-patterns (catheter and void names with a type behind them)
    OR label LIKE 'Output%Urinary Catheter%'
    OR label LIKE 'Output%Urethral Catheter%'
    OR label LIKE 'Output%External Urethral%'
    OR label LIKE 'Urine Output (mL)%'
  GROUP BY
    patientunitstayid, chartoffset
), collection AS (
  -- Each output with the minutes it was collected over.
  SELECT
    patientunitstayid,
    chartoffset,
    volume,
    chartoffset - coalesce(
      -- rule: eicu-gap-since-previous (the output before in the same stay)
      lag(chartoffset) OVER (PARTITION BY patientunitstayid ORDER BY chartoffset),
      -- rule: eicu-gap-of-first (since unit admission; collected over no known time where charted before it)
      least(0, chartoffset)
    ) AS gap
  FROM urine
), looking_back AS (
  SELECT
    patientunitstayid,
    chartoffset,
    volume,
    sum(volume) OVER six AS volume_6,
    sum(volume) OVER twelve AS volume_12,
    sum(volume) OVER day AS volume_24,
    sum(gap) OVER six AS minutes_6,
    sum(gap) OVER twelve AS minutes_12,
    sum(gap) OVER day AS minutes_24
  FROM collection
  WINDOW
    -- rule: eicu-span-6h (both ends included: five hours, since each output stands for the time before it)
    six AS (PARTITION BY patientunitstayid ORDER BY chartoffset RANGE BETWEEN 300 PRECEDING AND CURRENT ROW),
    -- rule: eicu-span-12h (eleven hours)
    twelve AS (PARTITION BY patientunitstayid ORDER BY chartoffset RANGE BETWEEN 660 PRECEDING AND CURRENT ROW),
    -- rule: eicu-span-24h (twenty-three hours)
    day AS (PARTITION BY patientunitstayid ORDER BY chartoffset RANGE BETWEEN 1380 PRECEDING AND CURRENT ROW)
), body AS (
  SELECT
    patientunitstayid,
    hospitalid,
    CASE
      -- rule: eicu-weight-swapped (height in the field of weight and the reverse, as public code tells it)
      WHEN admissionweight >= 100 AND admissionheight > 25 AND admissionheight <= 100
        AND admissionweight - admissionheight >= 20 THEN admissionheight
      ELSE admissionweight
    END AS admission,
    dischargeweight AS discharge
  FROM eicu_crd.patient
), weighed AS (
  SELECT
    patientunitstayid,
    hospitalid,
    coalesce(
      -- rule: eicu-weight-admission (the one of admission, where it is above 20 and at most 300 kg)
      CASE WHEN admission > 20 AND admission <= 300 THEN admission END,
      -- rule: eicu-weight-discharge (else the one of discharge, within the same limits; else none)
      CASE WHEN discharge > 20 AND discharge <= 300 THEN discharge END
    ) AS weight
  FROM body
)
SELECT
  back.patientunitstayid,
  back.chartoffset,
  weighed.weight,
  CAST(back.volume AS DOUBLE) AS uo,
  CAST(back.volume_6 AS DOUBLE) AS urineoutput_6hr,
  CAST(back.volume_12 AS DOUBLE) AS urineoutput_12hr,
  CAST(back.volume_24 AS DOUBLE) AS urineoutput_24hr,
  -- rule: eicu-rate-6h (only with 360 observed minutes and a weight; nothing is rounded)
  CASE WHEN back.minutes_6 >= 360 THEN back.volume_6 / weighed.weight / (back.minutes_6 / 60.0) END AS uo_mlkghr_6hr,
  -- rule: eicu-rate-12h (720 minutes)
  CASE WHEN back.minutes_12 >= 720 THEN back.volume_12 / weighed.weight / (back.minutes_12 / 60.0) END AS uo_mlkghr_12hr,
  -- rule: eicu-rate-24h (1,440 minutes)
  CASE WHEN back.minutes_24 >= 1440 THEN back.volume_24 / weighed.weight / (back.minutes_24 / 60.0) END AS uo_mlkghr_24hr,
  CAST(back.minutes_6 AS BIGINT) AS uo_minutes_6hr,
  CAST(back.minutes_12 AS BIGINT) AS uo_minutes_12hr,
  CAST(back.minutes_24 AS BIGINT) AS uo_minutes_24hr,
  weighed.hospitalid
FROM looking_back AS back
INNER JOIN weighed
  ON back.patientunitstayid = weighed.patientunitstayid
