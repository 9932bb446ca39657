-- Tables with many rows a stay that come from laboratory, pumps, ventilators and monitors.

-- table: eicu_crd.vitalperiodic
SELECT
  patientunitstayid::BIGINT * 100000 + row_number() OVER (
    PARTITION BY patientunitstayid ORDER BY moment, i, celsius, hr, rr, line
  ) AS vitalperiodicid,
  patientunitstayid,
  CASE i WHEN -1 THEN moment ELSE moment // 5 * 5 END AS observationoffset,
  celsius AS temperature,
  spo2 AS sao2,
  hr AS heartrate,
  rr AS respiration,
  NULL AS cvp,
  NULL AS etco2,
  line + 34 AS systemicsystolic,
  line - 17 AS systemicdiastolic,
  line AS systemicmean,
  NULL AS pasystolic,
  NULL AS padiastolic,
  NULL AS pamean,
  NULL AS st1,
  NULL AS st2,
  NULL AS st3,
  NULL AS icp
FROM monitored
ORDER BY
  vitalperiodicid;

-- table: eicu_crd.vitalaperiodic
SELECT
  rows_from(patientunitstayid, 5000) + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, i, cuff) AS vitalaperiodicid,
  patientunitstayid,
  moment AS observationoffset,
  cuff + 33 AS noninvasivesystolic,
  cuff - 16 AS noninvasivediastolic,
  cuff AS noninvasivemean,
  NULL AS paop,
  NULL AS cardiacoutput,
  NULL AS cardiacinput,
  NULL AS svr,
  NULL AS svri,
  NULL AS pvr,
  NULL AS pvri
FROM monitored
WHERE
  cuff IS NOT NULL
ORDER BY
  vitalaperiodicid;

-- table: eicu_crd.lab
WITH told AS (
  SELECT
    *,
    CASE
      WHEN test IN ('paO2', 'paCO2', 'pH', 'FiO2') THEN 7
      WHEN test IN ('WBC x 1000', '-bands', 'Hgb', 'platelets x 1000') THEN 3
      ELSE 1
    END AS kind,
    CASE
      WHEN test IN ('sodium', 'potassium', 'bicarbonate') THEN 'mmol/L'
      WHEN test IN ('WBC x 1000', 'platelets x 1000', 'platelets') THEN 'K/mcL'
      WHEN test IN ('paO2', 'paCO2') THEN 'mm Hg'
      WHEN test IN ('FiO2', '-bands') THEN '%'
      WHEN test = 'Hgb' THEN 'g/dL'
      WHEN test <> 'pH' THEN 'mg/dL'
    END AS unit
  FROM resulted
)
SELECT
  rows_from(patientunitstayid, 5000) + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, test, revised, result) AS labid,
  patientunitstayid,
  moment AS labresultoffset,
  kind AS labtypeid,
  test AS labname,
  result AS labresult,
  words AS labresulttext,
  unit AS labmeasurenamesystem,
  unit AS labmeasurenameinterface,
  moment + revised AS labresultrevisedoffset
FROM told
ORDER BY
  labid;

-- table: eicu_crd.infusiondrug
SELECT
  rows_from(patientunitstayid, 500) + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, name, rate) AS infusiondrugid,
  patientunitstayid,
  moment AS infusionoffset,
  name AS drugname,
  rate AS drugrate,
  pump_rate AS infusionrate,
  CASE WHEN pump_rate IS NOT NULL THEN '4' END AS drugamount,
  CASE WHEN pump_rate IS NOT NULL THEN '250' END AS volumeoffluid,
  weight AS patientweight
FROM infused
ORDER BY
  infusiondrugid;

-- table: eicu_crd.respiratorycharting
SELECT
  rows_from(patientunitstayid, 1000) + row_number() OVER (PARTITION BY patientunitstayid ORDER BY moment, category, label, value) AS respchartid,
  patientunitstayid,
  moment AS respchartoffset,
  moment + 4 AS respchartentryoffset,
  category AS respcharttypecat,
  label AS respchartvaluelabel,
  value AS respchartvalue
FROM breathed
ORDER BY
  respchartid;
