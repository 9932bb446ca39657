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
  rows_from(patientunitstayid, 100) + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, path, value) AS physicalexamid,
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
  rows_from(patientunitstayid, 5000) + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, path, volume) AS intakeoutputid,
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
  rows_from(patientunitstayid, 1000) + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, airwaytype, airwaysize) AS respcareid,
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
