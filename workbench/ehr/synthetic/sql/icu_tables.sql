-- table: mimiciv_icu.icustays
SELECT
  s.subject_id,
  s.hadm_id,
  s.stay_id,
  c.careunit AS first_careunit,
  CASE WHEN uniform(s.sk, 'moved') < 0.06 THEN 'Medical/Surgical Intensive Care Unit (MICU/SICU)' ELSE c.careunit END AS last_careunit,
  s.intime,
  s.outtime,
  (epoch(s.outtime) - epoch(s.intime)) / 86400.0 AS los
FROM stay AS s
INNER JOIN careunit AS c
  ON s.careunit = c.short
ORDER BY
  s.subject_id,
  s.intime;

-- table: mimiciv_icu.chartevents
SELECT
  s.subject_id,
  s.hadm_id,
  s.stay_id,
  c.carer AS caregiver_id,
  c.charttime,
  c.charttime + to_minutes(c.delay::BIGINT) AS storetime,
  c.itemid,
  c.value,
  c.valuenum,
  c.valueuom,
  0 AS warning
FROM charted AS c
INNER JOIN stay AS s
  ON c.sk = s.sk
ORDER BY
  s.stay_id,
  c.charttime,
  c.itemid,
  c.value,
  storetime;

-- table: mimiciv_icu.datetimeevents
SELECT
  s.subject_id,
  s.hadm_id,
  s.stay_id,
  s.carer AS caregiver_id,
  p.starttime + INTERVAL 1 HOUR AS charttime,
  p.starttime + INTERVAL 70 MINUTE AS storetime,
  CASE p.itemid WHEN 225752 THEN 224288 WHEN 224263 THEN 224280 ELSE 225754 END AS itemid,
  p.starttime AS value,
  'Date and Time' AS valueuom,
  0 AS warning
FROM procedure_done AS p
INNER JOIN stay AS s
  ON p.sk = s.sk
WHERE
  p.itemid IN (225752, 224263, 224275)
ORDER BY
  s.stay_id,
  charttime,
  itemid;

-- table: mimiciv_icu.inputevents
SELECT
  s.subject_id,
  s.hadm_id,
  s.stay_id,
  s.carer AS caregiver_id,
  i.starttime,
  i.endtime,
  i.endtime + INTERVAL 7 MINUTE AS storetime,
  i.itemid,
  i.amount,
  i.amountuom,
  i.rate,
  i.rateuom,
  (s.idx * 20000 + row_number() OVER (PARTITION BY s.idx ORDER BY i.sk, i.starttime, i.itemid, i.course, i.endtime))::INTEGER
    AS orderid,
  (s.idx * 20000 + min(place) OVER (PARTITION BY i.sk, i.course))::INTEGER AS linkorderid,
  i.category AS ordercategoryname,
  'Additive (Crystalloid)' AS secondaryordercategoryname,
  'Main order parameter' AS ordercomponenttypedescription,
  CASE WHEN i.rate IS NULL THEN 'Drug Push' ELSE 'Continuous Med' END AS ordercategorydescription,
  i.patientweight,
  i.amount AS totalamount,
  i.amountuom AS totalamountuom,
  0 AS isopenbag,
  0 AS continueinnextdept,
  i.status AS statusdescription,
  i.amount AS originalamount,
  i.rate AS originalrate
FROM (
  SELECT
    f.*,
    row_number() OVER (PARTITION BY t.idx ORDER BY f.sk, f.starttime, f.itemid, f.course, f.endtime) AS place
  FROM infusion AS f
  INNER JOIN stay AS t
    ON f.sk = t.sk
) AS i
INNER JOIN stay AS s
  ON i.sk = s.sk
ORDER BY
  s.stay_id,
  orderid;

-- table: mimiciv_icu.ingredientevents
SELECT
  s.subject_id,
  s.hadm_id,
  s.stay_id,
  s.carer AS caregiver_id,
  i.starttime,
  i.endtime,
  i.endtime + INTERVAL 7 MINUTE AS storetime,
  220490 AS itemid,
  i.amount,
  'mL' AS amountuom,
  i.rate,
  i.rateuom,
  (s.idx * 20000 + row_number() OVER (PARTITION BY s.idx ORDER BY i.sk, i.starttime, i.itemid))::INTEGER AS orderid,
  NULL AS linkorderid,
  i.status AS statusdescription,
  i.amount AS originalamount,
  i.rate AS originalrate
FROM infusion AS i
INNER JOIN stay AS s
  ON i.sk = s.sk
WHERE
  i.itemid IN (225158, 220949)
ORDER BY
  s.stay_id,
  orderid;

-- table: mimiciv_icu.outputevents
SELECT
  s.subject_id,
  s.hadm_id,
  s.stay_id,
  s.carer AS caregiver_id,
  o.charttime,
  o.charttime + to_minutes(4 + (o.itemid % 30)::BIGINT) AS storetime,
  o.itemid,
  o.value,
  'mL' AS valueuom
FROM output AS o
INNER JOIN stay AS s
  ON o.sk = s.sk
ORDER BY
  s.stay_id,
  o.charttime,
  o.itemid,
  o.value;

-- table: mimiciv_icu.procedureevents
SELECT
  s.subject_id,
  s.hadm_id,
  s.stay_id,
  s.carer AS caregiver_id,
  p.starttime,
  p.endtime,
  p.endtime + INTERVAL 12 MINUTE AS storetime,
  p.itemid,
  round((epoch(p.endtime) - epoch(p.starttime)) / 60.0) AS value,
  'min' AS valueuom,
  p.place AS location,
  CASE WHEN p.place IS NULL THEN NULL ELSE 'Invasive Arterial' END AS locationcategory,
  (s.idx * 2000 + row_number() OVER (PARTITION BY s.idx ORDER BY p.sk, p.starttime, p.itemid))::INTEGER AS orderid,
  (s.idx * 2000 + row_number() OVER (PARTITION BY s.idx ORDER BY p.sk, p.starttime, p.itemid))::INTEGER AS linkorderid,
  CASE WHEN p.place IS NULL THEN 'Procedures' ELSE 'Invasive Lines' END AS ordercategoryname,
  'Task' AS ordercategorydescription,
  round(s.weight, 1) AS patientweight,
  0 AS isopenbag,
  0 AS continueinnextdept,
  'FinishedRunning' AS statusdescription,
  round((epoch(p.endtime) - epoch(p.starttime)) / 60.0) AS originalamount,
  0 AS originalrate
FROM procedure_done AS p
INNER JOIN stay AS s
  ON p.sk = s.sk
ORDER BY
  s.stay_id,
  orderid;
