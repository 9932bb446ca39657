-- What edges look like in data: relations that the conditions of lists/presence.csv are asked of. Published tables
-- only, so that any source can be counted.
WITH antibiotic AS (
  SELECT
    subject_id,
    hadm_id,
    starttime,
    stoptime,
    drug,
    drug_type,
    route
  FROM mimiciv_hosp.prescriptions
  WHERE
    regexp_matches(lower(drug), 'vancomycin|cef|penem|cillin|floxacin|azithromycin|clindamycin|nitrofurantoin|cephalexin')
    AND NOT regexp_matches(lower(drug), 'ophth|otic|ertapenem|imipenem')
), specimen AS (
  SELECT
    micro_specimen_id,
    max(subject_id) AS subject_id,
    max(hadm_id) AS hadm_id,
    max(chartdate)::DATE AS day,
    max(charttime) AS moment,
    any_value(spec_type_desc) AS kind,
    count(DISTINCT org_name) AS organisms,
    count(*) AS events,
    count(charttime) AS timed
  FROM mimiciv_hosp.microbiologyevents
  GROUP BY
    micro_specimen_id
), paired AS (
  SELECT
    p.*,
    s.micro_specimen_id,
    s.moment,
    s.day,
    s.kind,
    s.hadm_id AS culture_hadm_id,
    (epoch(p.starttime) - epoch(s.moment)) / 60 AS minutes_later,
    p.starttime::DATE - s.day AS days_later,
    count(*) OVER (PARTITION BY p.subject_id, p.starttime, p.drug) AS pairs
  FROM antibiotic AS p
  INNER JOIN specimen AS s
    ON p.subject_id = s.subject_id
    AND abs(p.starttime::DATE - s.day) <= 5
), stay AS (
  SELECT
    i.*,
    a.admittime,
    lead(i.intime) OVER (PARTITION BY i.hadm_id ORDER BY i.intime) AS next_intime,
    (epoch(i.intime) - epoch(a.admittime)) / 60 AS minutes_before,
    r.first_rate,
    w.weights
  FROM mimiciv_icu.icustays AS i
  INNER JOIN mimiciv_hosp.admissions AS a
    ON i.hadm_id = a.hadm_id
  LEFT JOIN (
    SELECT stay_id, min(charttime) AS first_rate FROM mimiciv_icu.chartevents WHERE itemid = 220045 GROUP BY stay_id
  ) AS r
    ON i.stay_id = r.stay_id
  LEFT JOIN (
    SELECT stay_id, list(itemid) AS weights FROM mimiciv_icu.chartevents
    WHERE itemid IN (226512, 224639) GROUP BY stay_id
  ) AS w
    ON i.stay_id = w.stay_id
), admission AS (
  SELECT
    a.*,
    p.anchor_age,
    p.anchor_year,
    count(*) OVER (PARTITION BY a.subject_id) AS admissions,
    (SELECT count(*) FROM mimiciv_icu.icustays AS i WHERE i.hadm_id = a.hadm_id) AS stays,
    (SELECT count(*) FROM mimiciv_hosp.diagnoses_icd AS d WHERE d.hadm_id = a.hadm_id) AS codes,
    (SELECT count(*) FROM mimiciv_hosp.labevents AS l WHERE l.hadm_id = a.hadm_id AND l.itemid = 50912) AS creatinines,
    (SELECT list(s.curr_service ORDER BY s.transfertime) FROM mimiciv_hosp.services AS s WHERE s.hadm_id = a.hadm_id)
      AS services
  FROM mimiciv_hosp.admissions AS a
  INNER JOIN mimiciv_hosp.patients AS p
    ON a.subject_id = p.subject_id
), code AS (
  SELECT
    icd_code,
    icd_version
  FROM mimiciv_hosp.diagnoses_icd
), tie AS (
  SELECT
    count(*) AS orders,
    count(DISTINCT hadm_id) AS admissions,
    count(DISTINCT drug) AS spellings,
    count(DISTINCT lower(drug)) AS drugs
  FROM antibiotic
  WHERE
    starttime IS NOT NULL
  GROUP BY
    subject_id,
    starttime,
    stoptime,
    lower(drug)
), event AS (
  SELECT
    *
  FROM mimiciv_hosp.microbiologyevents
), prescription AS (
  SELECT
    *
  FROM mimiciv_hosp.prescriptions
), alone AS (
  -- Antibiotics without any culture of the patient within five days, and cultures without any antibiotic.
  SELECT
    'antibiotic' AS what
  FROM antibiotic AS p
  WHERE
    p.starttime IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM specimen AS s WHERE s.subject_id = p.subject_id AND abs(p.starttime::DATE - s.day) <= 5)
  UNION ALL
  SELECT
    'culture'
  FROM specimen AS s
  WHERE
    NOT EXISTS (
      SELECT 1 FROM antibiotic AS p WHERE s.subject_id = p.subject_id AND abs(p.starttime::DATE - s.day) <= 5)
), lab AS (
  SELECT
    l.*,
    count(*) OVER (PARTITION BY subject_id, itemid, charttime) AS same_time
  FROM mimiciv_hosp.labevents AS l
), stay_lab AS (
  SELECT
    l.itemid,
    l.valuenum,
    l.value,
    l.charttime,
    i.intime,
    i.outtime,
    (epoch(l.charttime) - epoch(i.intime)) / 60 AS minutes,
    (epoch(l.charttime) - epoch(date_trunc('minute', i.intime))) / 60 AS minute_offset
  FROM mimiciv_hosp.labevents AS l
  INNER JOIN stay AS i
    ON l.subject_id = i.subject_id AND abs(epoch(l.charttime) - epoch(i.intime)) < 90000
), creatinine AS (
  SELECT
    subject_id,
    hadm_id,
    charttime,
    valuenum,
    row_number() OVER (PARTITION BY hadm_id ORDER BY charttime, labevent_id) AS place,
    min(valuenum) OVER recent AS low,
    list(valuenum) OVER recent AS recent,
    list({'at': charttime, 'was': valuenum}) OVER fortnight AS moments,
    min(valuenum) OVER older AS outside
  FROM mimiciv_hosp.labevents
  WHERE
    itemid = 50912 AND valuenum IS NOT NULL
  WINDOW
    recent AS (PARTITION BY subject_id ORDER BY charttime RANGE BETWEEN INTERVAL 48 HOUR PRECEDING AND CURRENT ROW),
    fortnight AS (PARTITION BY subject_id ORDER BY charttime RANGE BETWEEN INTERVAL 8 DAY PRECEDING AND CURRENT ROW),
    older AS (PARTITION BY subject_id ORDER BY charttime RANGE BETWEEN INTERVAL 300 DAY PRECEDING AND INTERVAL 8 DAY PRECEDING)
), gas AS (
  SELECT
    subject_id,
    specimen_id,
    any_value(charttime) AS charttime,
    max(value) FILTER (itemid = 52033) AS kind,
    max(valuenum) FILTER (itemid = 50821) AS po2,
    max(valuenum) FILTER (itemid = 50820) AS ph,
    max(valuenum) FILTER (itemid = 50816) AS fio2
  FROM mimiciv_hosp.labevents
  WHERE
    itemid IN (52033, 50821, 50820, 50816)
  GROUP BY
    subject_id,
    specimen_id
), ranked_gas AS (
  SELECT
    *,
    count(*) OVER (PARTITION BY subject_id, charttime) AS at_once,
    min(po2) OVER (PARTITION BY subject_id ORDER BY charttime RANGE BETWEEN INTERVAL 5 DAY PRECEDING AND INTERVAL 2 DAY PRECEDING)
      AS earlier_po2
  FROM gas
  WHERE
    po2 IS NOT NULL
), charted_gas AS (
  SELECT
    c.itemid,
    c.valuenum,
    c.value AS word,
    (epoch(c.charttime) - epoch(g.charttime)) / 60 AS minutes
  FROM mimiciv_icu.chartevents AS c
  INNER JOIN ranked_gas AS g
    ON c.subject_id = g.subject_id AND abs(epoch(c.charttime) - epoch(g.charttime)) < 20000
  WHERE
    c.itemid IN (220224, 223835, 226732)
), charted AS (
  SELECT
    c.stay_id,
    c.charttime,
    c.itemid,
    c.value,
    c.valuenum,
    i.intime,
    i.outtime,
    i.admittime
  FROM mimiciv_icu.chartevents AS c
  INNER JOIN stay AS i
    ON c.stay_id = i.stay_id
), moment AS (
  SELECT
    stay_id,
    charttime,
    list(itemid) AS items,
    list(value) FILTER (itemid = 226732) AS devices,
    list(value) FILTER (itemid IN (223849, 229314)) AS modes,
    count(DISTINCT storetime) FILTER (itemid IN (223834, 227582)) AS flow_times
  FROM mimiciv_icu.chartevents
  WHERE
    itemid IN (220052, 220181, 225312, 225664, 220621, 226537, 226732, 223834, 227582, 227287, 223849, 229314, 220210, 224690,
      226707, 226730)
  GROUP BY
    stay_id,
    charttime
), coma AS (
  SELECT
    stay_id,
    charttime,
    max(valuenum) FILTER (itemid = 220739) AS eyes,
    max(value) FILTER (itemid = 223900) AS verbal,
    max(valuenum) FILTER (itemid = 223901) AS motor
  FROM mimiciv_icu.chartevents
  WHERE
    itemid IN (220739, 223900, 223901)
  GROUP BY
    stay_id,
    charttime
), coma_row AS (
  SELECT
    c.*,
    i.intime,
    lag(c.charttime) OVER w AS previous_time,
    lag(c.verbal) OVER w AS previous_verbal,
    lag(c.motor) OVER w AS previous_motor,
    lag(c.eyes) OVER w AS previous_eyes,
    lag(c.motor, 2) OVER w AS second_motor
  FROM coma AS c
  INNER JOIN stay AS i
    ON c.stay_id = i.stay_id
  WINDOW
    w AS (PARTITION BY c.stay_id ORDER BY c.charttime)
), weight AS (
  SELECT
    itemid,
    valuenum,
    valuenum / lag(valuenum) OVER w AS jump,
    charttime - lag(charttime) OVER w AS since
  FROM mimiciv_icu.chartevents
  WHERE
    itemid IN (226512, 224639)
  WINDOW
    w AS (PARTITION BY stay_id ORDER BY charttime, itemid)
), breathing AS (
  SELECT
    stay_id,
    value,
    charttime - lag(charttime) OVER (PARTITION BY stay_id ORDER BY charttime) AS gap,
    count(*) OVER (PARTITION BY stay_id) AS rows_of_stay,
    (epoch(charttime) - (SELECT epoch(i.intime) FROM stay AS i WHERE i.stay_id = c.stay_id)) / 60 AS since_intime
  FROM mimiciv_icu.chartevents AS c
  WHERE
    itemid IN (223849, 229314)
), urine AS (
  SELECT
    o.stay_id,
    o.charttime,
    o.itemid,
    o.value,
    i.intime,
    i.outtime,
    i.first_rate,
    (SELECT max(w.charttime) FROM mimiciv_icu.chartevents AS w WHERE w.stay_id = o.stay_id AND w.itemid = 224639
      AND w.charttime = o.charttime) AS new_weight,
    (epoch(o.charttime) - epoch(first_value(o.charttime) OVER w)) / 60 AS first_gap,
    count(*) FILTER (o.itemid = 226559) OVER (
      PARTITION BY o.stay_id ORDER BY o.charttime RANGE BETWEEN INTERVAL 12 HOUR PRECEDING AND CURRENT ROW) AS hours_charted,
    (epoch(i.outtime) - epoch(i.intime)) / 3600 AS hours,
    (epoch(o.charttime) - epoch(lag(o.charttime) OVER w)) / 60 AS gap,
    count(*) FILTER (o.value = 0 AND o.itemid = 226559) OVER (
      PARTITION BY o.stay_id ORDER BY o.charttime RANGE BETWEEN INTERVAL 12 HOUR PRECEDING AND CURRENT ROW) AS empty,
    count(DISTINCT o.itemid) OVER (PARTITION BY o.stay_id, o.charttime, o.value) AS ways
  FROM mimiciv_icu.outputevents AS o
  INNER JOIN stay AS i
    ON o.stay_id = i.stay_id
  WINDOW
    w AS (PARTITION BY o.stay_id, o.itemid = 226560 ORDER BY o.charttime)
), low_urine AS (
  SELECT
    o.value / w.weight AS per_kg,
    count(*) FILTER (o.value / w.weight BETWEEN 0.15 AND 0.25) OVER (
      PARTITION BY o.stay_id ORDER BY o.charttime RANGE BETWEEN INTERVAL 12 HOUR PRECEDING AND CURRENT ROW) AS low_hours
  FROM mimiciv_icu.outputevents AS o
  INNER JOIN (
    SELECT stay_id, median(valuenum) AS weight FROM mimiciv_icu.chartevents WHERE itemid IN (226512, 224639) GROUP BY stay_id
  ) AS w
    ON o.stay_id = w.stay_id
  WHERE
    o.itemid = 226559
), agent AS (
  SELECT
    v.*,
    i.intime,
    (epoch(v.starttime) - epoch(date_trunc('minute', i.intime))) / 60 AS minutes,
    (epoch(v.starttime) - epoch(i.intime)) / 60 AS exact_minutes,
    v.endtime > i.intime AS runs_on,
    v.starttime < max(v.endtime) OVER w AS overlapping,
    last_value(v.endtime) OVER w AS previous_end,
    v.patientweight / lag(v.patientweight) OVER w AS weight_ratio
  FROM mimiciv_icu.inputevents AS v
  INNER JOIN stay AS i
    ON v.stay_id = i.stay_id
  WINDOW
    w AS (PARTITION BY v.stay_id, v.itemid ORDER BY v.starttime, v.orderid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
), crossed AS (
  SELECT
    b.itemid
  FROM mimiciv_icu.inputevents AS a
  INNER JOIN mimiciv_icu.inputevents AS b
    ON a.stay_id = b.stay_id AND b.starttime > a.starttime AND b.endtime < a.endtime
  WHERE
    a.itemid = 221906 AND b.itemid = 221653
), dialysis AS (
  SELECT
    p.itemid,
    NOT EXISTS (SELECT 1 FROM mimiciv_icu.chartevents AS c WHERE c.stay_id = p.stay_id AND c.itemid = 227290) AS without_mode
  FROM mimiciv_icu.procedureevents AS p
), moment_weight AS (
  SELECT
    list(itemid) AS items
  FROM mimiciv_icu.chartevents
  WHERE
    itemid IN (226512, 224639)
  GROUP BY
    stay_id,
    charttime
), service_tie AS (
  SELECT
    count(*) AS services
  FROM mimiciv_hosp.services
  GROUP BY
    hadm_id,
    transfertime
), day_end_service AS (
  SELECT
    (epoch(s.transfertime) - epoch(i.intime)) / 60 AS minutes
  FROM mimiciv_hosp.services AS s
  INNER JOIN stay AS i
    ON s.hadm_id = i.hadm_id
), injured AS (
  SELECT
    a.codes,
    EXISTS (SELECT 1 FROM mimiciv_hosp.diagnoses_icd AS d WHERE d.hadm_id = a.hadm_id AND d.icd_code IN ('5855', 'N185'))
      AS stage_five
  FROM admission AS a
  INNER JOIN stay AS i
    ON a.hadm_id = i.hadm_id
  INNER JOIN mimiciv_hosp.labevents AS l
    ON a.hadm_id = l.hadm_id AND l.itemid = 50912 AND l.valuenum = 3.2
    AND l.charttime = date_trunc('minute', i.intime) + INTERVAL 310 MINUTE
), coma_day AS (
  SELECT
    count(*) FILTER (eyes + motor + spoken = low) AS lowest_rows,
    count(DISTINCT (eyes, motor, spoken)) FILTER (eyes + motor + spoken = low) AS lowest_parts
  FROM (
    SELECT
      *,
      min(eyes + motor + spoken) OVER (PARTITION BY stay_id) AS low
    FROM (
      SELECT
        c.stay_id,
        max(c.valuenum) FILTER (c.itemid = 220739) AS eyes,
        max(c.valuenum) FILTER (c.itemid = 223900) AS spoken,
        max(c.valuenum) FILTER (c.itemid = 223901) AS motor
      FROM mimiciv_icu.chartevents AS c
      INNER JOIN stay AS i
        ON c.stay_id = i.stay_id AND c.charttime <= i.intime + INTERVAL 24 HOUR
      WHERE
        c.itemid IN (220739, 223900, 223901)
      GROUP BY
        c.stay_id,
        c.charttime
    )
  )
  GROUP BY
    stay_id
), same_interval AS (
  SELECT
    count(*) AS orders,
    count(DISTINCT itemid) AS drugs
  FROM mimiciv_icu.inputevents
  WHERE
    itemid IN (221906, 221289, 221749, 221662, 222315)
  GROUP BY
    stay_id,
    starttime,
    endtime
), injured_coded AS (
  SELECT
    (SELECT list(d.icd_code) FROM mimiciv_hosp.diagnoses_icd AS d WHERE d.hadm_id = i.hadm_id) AS codes
  FROM stay AS i
  INNER JOIN mimiciv_hosp.labevents AS l
    ON i.hadm_id = l.hadm_id AND l.itemid = 50912 AND l.valuenum = 1.6
    AND l.charttime = date_trunc('hour', i.intime) + INTERVAL 248 MINUTE
), unmeasured AS (
  SELECT
    (
      SELECT count(*)
      FROM mimiciv_hosp.labevents AS l
      WHERE
        l.subject_id = i.subject_id AND l.itemid IN (50912, 50885, 51237, 50983, 51265, 51301)
        AND l.charttime BETWEEN i.intime - INTERVAL 6 HOUR AND i.intime + INTERVAL 24 HOUR
    ) AS labs
  FROM stay AS i
), first_hour AS (
  SELECT
    (epoch(s.moment) - epoch(date_trunc('hour', i.intime))) / 60 AS minutes
  FROM specimen AS s
  INNER JOIN stay AS i
    ON s.hadm_id = i.hadm_id
  INNER JOIN mimiciv_icu.inputevents AS v
    ON i.stay_id = v.stay_id AND v.itemid = 221906 AND v.rate = 0.3
    AND v.endtime = date_trunc('hour', i.intime) + INTERVAL 62 HOUR
)
