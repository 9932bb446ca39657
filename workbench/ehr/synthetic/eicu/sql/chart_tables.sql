-- Tables with many rows a stay. Identifiers count within the stay.

-- table: eicu_crd.nursecharting
SELECT
  patientunitstayid::BIGINT * 100000
    + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, category, label, name, value, delay) AS nursingchartid,
  patientunitstayid,
  moment AS nursingchartoffset,
  moment + delay AS nursingchartentryoffset,
  category AS nursingchartcelltypecat,
  label AS nursingchartcelltypevallabel,
  name AS nursingchartcelltypevalname,
  value AS nursingchartvalue
FROM nursing
ORDER BY
  nursingchartid;

-- table: eicu_crd.physicalexam
SELECT
  patientunitstayid * 100 + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, path, value) AS physicalexamid,
  patientunitstayid,
  moment AS physicalexamoffset,
  path AS physicalexampath,
  value AS physicalexamvalue,
  value AS physicalexamtext
FROM examined
ORDER BY
  physicalexamid;

-- table: eicu_crd.intakeoutput
SELECT
  patientunitstayid * 5000 + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, path, volume) AS intakeoutputid,
  patientunitstayid,
  moment AS intakeoutputoffset,
  sum(CASE WHEN path LIKE '%|Intake (ml)|%' THEN volume ELSE 0 END) OVER (PARTITION BY patientunitstayid, moment // 720) AS intaketotal,
  sum(CASE WHEN path LIKE '%|Output (ml)|%' THEN volume ELSE 0 END) OVER (PARTITION BY patientunitstayid, moment // 720) AS outputtotal,
  0 AS dialysistotal,
  intaketotal - outputtotal AS nettotal,
  moment + 10 AS intakeoutputentryoffset,
  path AS cellpath,
  regexp_extract(path, '[^|]*$') AS celllabel,
  volume AS cellvaluenumeric,
  as_text(volume) AS cellvaluetext
FROM fluid
ORDER BY
  intakeoutputid;

-- table: eicu_crd.respiratorycare
SELECT
  patientunitstayid * 1000 + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, airwaytype, airwaysize) AS respcareid,
  patientunitstayid,
  moment AS respcarestatusoffset,
  row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, airwaytype, airwaysize) AS currenthistoryseqnum,
  airwaytype,
  airwaysize,
  airwayposition,
  cuffpressure,
  CASE WHEN airwaytype IS NOT NULL THEN moment ELSE 0 END AS ventstartoffset,
  0 AS ventendoffset,
  0 AS priorventstartoffset,
  0 AS priorventendoffset,
  NULL AS apneaparams,
  NULL AS lowexhmvlimit,
  NULL AS hiexhmvlimit,
  NULL AS lowexhtvlimit,
  NULL AS hipeakpreslimit,
  NULL AS lowpeakpreslimit,
  NULL AS hirespratelimit,
  NULL AS lowrespratelimit,
  NULL AS sighpreslimit,
  NULL AS lowironoxlimit,
  NULL AS highironoxlimit,
  NULL AS meanairwaypreslimit,
  NULL AS peeplimit,
  NULL AS cpaplimit,
  NULL AS setapneainterval,
  setapneatv,
  NULL AS setapneaippeephigh,
  NULL AS setapnearr,
  NULL AS setapneapeakflow,
  NULL AS setapneainsptime,
  NULL AS setapneaie,
  NULL AS setapneafio2
FROM airway
ORDER BY
  respcareid;

-- table: eicu_crd.vitalperiodic
WITH seen AS (
  SELECT
    *
  FROM state
  WHERE
    moment >= 0
)
SELECT
  patientunitstayid::BIGINT * 100000 + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, i) AS vitalperiodicid,
  patientunitstayid,
  moment // 5 * 5 AS observationoffset,
  CASE WHEN uniform(sk, 'probe') < 0.1 THEN celsius END AS temperature,
  spo2 AS sao2,
  hr + round(2 * bell(ck, 'monitor')) AS heartrate,
  rr + round(bell(ck, 'monitor breath')) AS respiration,
  NULL AS cvp,
  NULL AS etco2,
  CASE WHEN pressure <> 'Non-Invasive BP' THEN map + 34 END AS systemicsystolic,
  CASE WHEN pressure <> 'Non-Invasive BP' THEN map - 17 END AS systemicdiastolic,
  CASE WHEN pressure <> 'Non-Invasive BP' THEN map END AS systemicmean,
  NULL AS pasystolic,
  NULL AS padiastolic,
  NULL AS pamean,
  NULL AS st1,
  NULL AS st2,
  NULL AS st3,
  NULL AS icp
FROM seen
ORDER BY
  vitalperiodicid;

-- table: eicu_crd.vitalaperiodic
WITH seen AS (
  SELECT
    *
  FROM state
  WHERE
    moment >= 0 AND i % 2 = 0
)
SELECT
  patientunitstayid * 5000 + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, i) AS vitalaperiodicid,
  patientunitstayid,
  moment AS observationoffset,
  map + 33 AS noninvasivesystolic,
  map - 16 AS noninvasivediastolic,
  map AS noninvasivemean,
  NULL AS paop,
  NULL AS cardiacoutput,
  NULL AS cardiacinput,
  NULL AS svr,
  NULL AS svri,
  NULL AS pvr,
  NULL AS pvri
FROM seen
ORDER BY
  vitalaperiodicid;

-- table: eicu_crd.lab
WITH drawn AS (
  SELECT
    patientunitstayid,
    moment + 35 AS moment,
    unnest([
      {kind: 1, test: 'sodium', result: round(138 + 3 * bell(ck, 'sodium')), unit: 'mmol/L'},
      {kind: 1, test: 'potassium', result: round(4.1 + 0.5 * bell(ck, 'potassium'), 1), unit: 'mmol/L'},
      {kind: 1, test: 'bicarbonate', result: round(clip(25 - 7 * f + 2 * bell(ck, 'bicarbonate'), 6, 40)), unit: 'mmol/L'},
      {kind: 1, test: 'creatinine', result: round(clip(0.9 + 2 * f * abs(bell(sk, 'creatinine')), 0.4, 9), 2), unit: 'mg/dL'},
      {kind: 1, test: 'BUN', result: round(clip(17 + 25 * f + 4 * bell(ck, 'urea'), 4, 140)), unit: 'mg/dL'},
      {kind: 1, test: 'glucose', result: round(clip(135 + 35 * bell(ck, 'glucose'), 45, 480)), unit: 'mg/dL'},
      {kind: 1, test: 'total bilirubin', result: round(clip(0.7 + f * abs(bell(sk, 'bilirubin')), 0.1, 20), 1), unit: 'mg/dL'},
      {kind: 3, test: 'WBC x 1000', result: round(clip(9 + 8 * f + 2 * bell(ck, 'white'), 0.5, 60), 1), unit: 'K/mcL'},
      {kind: 3, test: 'Hgb', result: round(clip(11.5 - 2 * f + 1.2 * bell(sk, 'haemoglobin'), 5, 18), 1), unit: 'g/dL'},
      {kind: 3, test: 'platelets x 1000', result: round(clip(210 - 90 * f + 50 * bell(sk, 'platelets'), 8, 700)), unit: 'K/mcL'}
    ], recursive := TRUE)
  FROM state
  WHERE
    (i * every_minutes) % 720 = 0
)
SELECT
  patientunitstayid * 5000 + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, test) AS labid,
  patientunitstayid,
  moment AS labresultoffset,
  kind AS labtypeid,
  test AS labname,
  result AS labresult,
  as_text(result) AS labresulttext,
  unit AS labmeasurenamesystem,
  unit AS labmeasurenameinterface,
  moment + 20 AS labresultrevisedoffset
FROM drawn
ORDER BY
  labid;
