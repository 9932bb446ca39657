-- Tables that no task reads, for the faults that are reported of them.

-- table: eicu_crd.apachepatientresult
SELECT
  rows_from(patientunitstayid, 2) + CASE apacheversion WHEN 'IV' THEN 0 ELSE 1 END AS apachepatientresultsid,
  patientunitstayid,
  NULL AS physicianspeciality,
  'No interventions' AS physicianinterventioncategory,
  CASE WHEN edge_here(sk, 'apache-score-minus-one') THEN -1 ELSE round(20 + 80 * worst) END AS acutephysiologyscore,
  CASE WHEN edge_here(sk, 'apache-score-minus-one') THEN -1 ELSE round(35 + 80 * worst) END AS apachescore,
  apacheversion,
  CASE WHEN edge_here(sk, 'apache-score-minus-one') THEN '-1' ELSE as_text(round(0.02 + 0.5 * worst, 3)) END AS predictedicumortality,
  CASE WHEN dies THEN 'EXPIRED' ELSE 'ALIVE' END AS actualicumortality,
  round(1.5 + 4 * worst, 2) AS predictediculos,
  round(unitdischargeoffset / 1440.0, 4) AS actualiculos,
  CASE WHEN edge_here(sk, 'apache-score-minus-one') THEN '-1' ELSE as_text(round(0.04 + 0.6 * worst, 3)) END AS predictedhospitalmortality,
  CASE WHEN dies THEN 'EXPIRED' ELSE 'ALIVE' END AS actualhospitalmortality,
  round(5 + 8 * worst, 2) AS predictedhospitallos,
  round(unitdischargeoffset / 1440.0, 4) AS actualhospitallos,
  0 AS preopmi,
  0 AS preopcardiaccath,
  0 AS ptcawithin24h,
  round(unitdischargeoffset / 1440.0, 4) AS unabridgedunitlos,
  round(unitdischargeoffset / 1440.0, 4) AS unabridgedhosplos,
  NULL AS actualventdays,
  NULL AS predventdays,
  NULL AS unabridgedactualventdays
FROM apache
CROSS JOIN (VALUES ('IV'), ('IVa')) AS versions(apacheversion)
WHERE
  NOT without
ORDER BY
  apachepatientresultsid;

-- table: eicu_crd.diagnosis
WITH named AS (
  SELECT
    patientunitstayid,
    sk,
    unitdischargeoffset,
    pick(sk, 'named diagnosis', [
      {'words': 'cardiovascular|shock / hypotension|sepsis', 'code': '038.9, A41.9'},
      {'words': 'pulmonary|respiratory failure|acute respiratory failure', 'code': '518.81, J96.00'},
      {'words': 'renal|disorder of kidney|acute renal failure', 'code': '584.9, N17.9'},
      {'words': 'neurologic|altered mental status / pain|change in mental status', 'code': '780.09, R41.82'}
    ]) AS chosen
  FROM stay
)
SELECT
  rows_from(patientunitstayid, 10) AS diagnosisid,
  patientunitstayid,
  'True' AS activeupondischarge,
  least(95, unitdischargeoffset) AS diagnosisoffset,
  chosen.words AS diagnosisstring,
  CASE WHEN NOT edge_here(sk, 'diagnosis-without-code') THEN chosen.code END AS icd9code,
  'Primary' AS diagnosispriority
FROM named
ORDER BY
  diagnosisid;

-- table: eicu_crd.treatment
SELECT
  rows_from(patientunitstayid, 10) AS treatmentid,
  patientunitstayid,
  min(moment) + 77 AS treatmentoffset,
  'cardiovascular|shock|vasopressors|norepinephrine > 0.1 micrograms/kg/min' AS treatmentstring,
  'False' AS activeupondischarge
FROM state
WHERE
  severity > 0.45 AND f > 0.3 AND moment >= 0
GROUP BY
  patientunitstayid
ORDER BY
  treatmentid;
