-- One row a stay, or about one.

-- table: eicu_crd.patient
SELECT
  patientunitstayid,
  128000 + moved_by(2) + idx * 2 + CASE WHEN n = 1 AND uniform(k, 'readmitted') < 0.5 THEN 1 ELSE 0 END AS patienthealthsystemstayid,
  pick(k, 'gender', ['Male', 'Female']) AS gender,
  age,
  pick(k, 'ethnicity', ['Caucasian', 'Caucasian', 'Caucasian', 'African American', 'Hispanic', 'Asian', 'Other/Unknown']) AS ethnicity,
  hospitalid,
  hospitalid + 30 + (bits(sk, 'ward') % 3)::INTEGER AS wardid,
  CASE WHEN elective_surgery THEN pick(sk, 'diagnosis', ['CABG alone, coronary artery bypass grafting',
      'Endarterectomy, carotid', 'Thoracotomy for lung cancer'])
    ELSE pick(sk, 'diagnosis', ['Sepsis, pulmonary', 'Sepsis, renal/UTI (including bladder)', 'CHF, congestive heart failure',
      'CVA, cerebrovascular accident/stroke', 'Rhythm disturbance (atrial, supraventricular)', 'Overdose, other toxin, poison or drug'])
  END AS apacheadmissiondx,
  CASE WHEN map_contains(fields, 'admissionheight') THEN nullif(fields['admissionheight'], '')::DOUBLE
    ELSE round(clip(169 + 10 * bell(k, 'height'), 140, 205), 1) END AS admissionheight,
  printf('%02d:%02d:00', (bits(sk, 'admit hour') % 24)::INTEGER, (bits(sk, 'admit minute') % 60)::INTEGER) AS hospitaladmittime24,
  hospitaladmitoffset,
  pick(sk, 'hospital source', ['Emergency Department', 'Direct Admit', 'Floor', NULL]) AS hospitaladmitsource,
  2014 + (bits(k, 'year') % 2)::INTEGER AS hospitaldischargeyear,
  printf('%02d:%02d:00', (bits(sk, 'discharge hour') % 24)::INTEGER, (bits(sk, 'discharge minute') % 60)::INTEGER) AS hospitaldischargetime24,
  unitdischargeoffset + CASE WHEN dies THEN 0 ELSE round(lognormal(sk, 'after', 4000.0, 0.8))::INTEGER END AS hospitaldischargeoffset,
  CASE WHEN dies THEN 'Death' ELSE pick(sk, 'to', ['Home', 'Home', 'Skilled Nursing Facility', 'Rehabilitation']) END
    AS hospitaldischargelocation,
  CASE WHEN dies THEN 'Expired' ELSE 'Alive' END AS hospitaldischargestatus,
  pick(sk, 'unit', ['Med-Surg ICU', 'Med-Surg ICU', 'MICU', 'SICU', 'Cardiac ICU', 'CCU-CTICU', 'Neuro ICU']) AS unittype,
  printf('%02d:%02d:00', (bits(sk, 'unit hour') % 24)::INTEGER, (bits(sk, 'unit minute') % 60)::INTEGER) AS unitadmittime24,
  unitadmitsource,
  n + 1 AS unitvisitnumber,
  CASE n WHEN 0 THEN 'admit' ELSE 'readmit' END AS unitstaytype,
  CASE WHEN map_contains(fields, 'admissionweight') THEN nullif(fields['admissionweight'], '')::DOUBLE
    ELSE round(clip(82 + 20 * bell(k, 'weight'), 38, 190), 1) END AS admissionweight,
  CASE WHEN map_contains(fields, 'dischargeweight') THEN nullif(fields['dischargeweight'], '')::DOUBLE
    ELSE round(clip(81 + 20 * bell(k, 'weight'), 38, 190), 1) END AS dischargeweight,
  printf('%02d:%02d:00', (bits(sk, 'leaves hour') % 24)::INTEGER, (bits(sk, 'leaves minute') % 60)::INTEGER) AS unitdischargetime24,
  unitdischargeoffset,
  CASE WHEN dies THEN 'Death' ELSE pick(sk, 'leaves', ['Floor', 'Floor', 'Step-Down Unit (SDU)', 'Telemetry', 'Home']) END
    AS unitdischargelocation,
  CASE WHEN dies THEN 'Expired' ELSE 'Alive' END AS unitdischargestatus,
  printf('%03d-%d', 1 + (bits(k, 'prefix') % 20)::INTEGER, 10000 + moved_by(1) + idx) AS uniquepid
FROM stay
ORDER BY
  patientunitstayid;

-- table: eicu_crd.apacheapsvar
SELECT
  92000 + patientunitstayid AS apacheapsvarid,
  patientunitstayid,
  intubated,
  vent_flag AS vent,
  0 AS dialysis,
  CASE WHEN intubated = 1 THEN -1 ELSE eyes END AS eyes,
  CASE WHEN intubated = 1 THEN -1 ELSE motor END AS motor,
  CASE WHEN intubated = 1 THEN -1 ELSE verbal END AS verbal,
  CASE WHEN intubated = 1 THEN 1 ELSE 0 END AS meds,
  apache_urine AS urine,
  round(9 + 9 * worst + 2 * bell(sk, 'wbc'), 1) AS wbc,
  celsius AS temperature,
  rr AS respiratoryrate,
  CASE WHEN edge_here(sk, 'apache-minus-one') THEN -1 ELSE round(138 + 4 * bell(sk, 'sodium')) END AS sodium,
  hr AS heartrate,
  map AS meanbp,
  CASE WHEN intubated = 1 THEN round(7.36 - 0.15 * worst + 0.04 * bell(sk, 'ph'), 2) ELSE -1 END AS ph,
  round(clip(35 + 6 * bell(sk, 'hematocrit'), 15, 58), 1) AS hematocrit,
  round(clip(0.9 + 2.2 * worst * abs(bell(sk, 'creatinine')), 0.4, 9), 2) AS creatinine,
  CASE WHEN edge_here(sk, 'apache-minus-one') THEN -1 ELSE round(clip(3.3 + 0.6 * bell(sk, 'albumin'), 1.2, 5), 1) END AS albumin,
  CASE WHEN intubated = 1 THEN round(clip(95 + 30 * bell(sk, 'pao2'), 40, 300)) ELSE -1 END AS pao2,
  CASE WHEN intubated = 1 THEN round(clip(40 + 7 * bell(sk, 'pco2'), 20, 90)) ELSE -1 END AS pco2,
  round(clip(18 + 20 * worst * abs(bell(sk, 'bun')), 4, 120)) AS bun,
  round(clip(140 + 45 * bell(sk, 'glucose'), 50, 500)) AS glucose,
  CASE WHEN edge_here(sk, 'apache-minus-one') THEN -1 ELSE round(clip(0.7 + worst * abs(bell(sk, 'bilirubin')), 0.1, 20), 1) END AS bilirubin,
  CASE WHEN intubated = 1 THEN 40 + 10 * (bits(sk, 'fio2') % 5)::INTEGER ELSE -1 END AS fio2
FROM apache
WHERE
  NOT without
ORDER BY
  patientunitstayid;

-- table: eicu_crd.apachepredvar
SELECT
  74000 + patientunitstayid AS apachepredvarid,
  patientunitstayid,
  1 AS sicuday,
  0 AS saps3day1,
  0 AS saps3today,
  0 AS saps3yesterday,
  CASE pick(k, 'gender', ['Male', 'Female']) WHEN 'Male' THEN 0 ELSE 1 END AS gender,
  CASE WHEN teaching THEN 1 ELSE 0 END AS teachtype,
  3 AS region,
  3 AS bedcount,
  1 AS admitsource,
  CASE WHEN elective_surgery THEN 3 END AS graftcount,
  CASE WHEN intubated = 1 THEN 1 ELSE 0 END AS meds,
  CASE WHEN intubated = 1 THEN -1 ELSE verbal END AS verbal,
  CASE WHEN intubated = 1 THEN -1 ELSE motor END AS motor,
  CASE WHEN intubated = 1 THEN -1 ELSE eyes END AS eyes,
  CASE age WHEN '> 89' THEN 90 ELSE coalesce(age::INTEGER, -1) END AS age,
  pick(sk, 'apache diagnosis', ['SEPSISPULM', 'CHF', 'CVASTROKE', 'S-CABG', 'RHYTHATR']) AS admitdiagnosis,
  0 AS thrombolytics,
  CASE WHEN dies THEN 1 ELSE 0 END AS diedinhospital,
  0 AS aids,
  0 AS hepaticfailure,
  0 AS lymphoma,
  0 AS metastaticcancer,
  0 AS leukemia,
  0 AS immunosuppression,
  0 AS cirrhosis,
  elective AS electivesurgery,
  1 AS activetx,
  n AS readmit,
  CASE WHEN elective_surgery THEN 1 END AS ima,
  CASE WHEN elective_surgery THEN 0 END AS midur,
  vent_flag AS ventday1,
  oobvent AS oobventday1,
  oobintub AS oobintubday1,
  (bits(k, 'diabetes') % 5 = 0)::INTEGER AS diabetes,
  1 AS managementsystem,
  round(-hospitaladmitoffset / 1440.0, 4) AS var03hspxlos,
  -1 AS pao2,
  -1 AS fio2,
  -1 AS ejectfx,
  round(clip(0.9 + 2.2 * worst * abs(bell(sk, 'creatinine')), 0.4, 9), 2) AS creatinine,
  CASE WHEN dies THEN 6 ELSE 1 END AS dischargelocation,
  n + 1 AS visitnumber,
  -1 AS amilocation,
  0 AS day1meds,
  verbal AS day1verbal,
  motor AS day1motor,
  eyes AS day1eyes,
  -1 AS day1pao2,
  -1 AS day1fio2
FROM apache
WHERE
  NOT without
ORDER BY
  patientunitstayid;
