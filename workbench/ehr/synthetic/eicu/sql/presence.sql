-- What edges look like in data: relations that the conditions of lists/presence.csv are asked of. Published tables
-- only, so that any source can be counted.
WITH nursing AS (
  SELECT
    patientunitstayid,
    nursingchartoffset AS moment,
    nursingchartcelltypecat AS category,
    nursingchartcelltypevallabel AS label,
    nursingchartcelltypevalname AS name,
    nursingchartvalue AS value,
    TRY_CAST(CASE WHEN regexp_full_match(trim(nursingchartvalue), '[+-]?[0-9]+[.]?[0-9]*') THEN trim(nursingchartvalue) END AS DOUBLE)
      AS number,
    nursingchartcelltypecat = 'Vital Signs'
      AND lag(nursingchartoffset) OVER same = nursingchartoffset - 1
      AND lag(nursingchartvalue) OVER same <> nursingchartvalue AS minute_later
  FROM eicu_crd.nursecharting
  WINDOW
    same AS (
      PARTITION BY patientunitstayid, nursingchartcelltypevallabel, nursingchartcelltypevalname
      ORDER BY nursingchartoffset, nursingchartid
    )
), twice AS (
  SELECT
    patientunitstayid,
    count(*) AS copies
  FROM nursing
  GROUP BY
    patientunitstayid, moment, category, label, name, value
), exam AS (
  SELECT
    patientunitstayid,
    physicalexamoffset AS moment,
    physicalexampath AS path,
    physicalexamvalue AS value
  FROM eicu_crd.physicalexam
  WHERE
    physicalexampath LIKE '%/Neurologic/GCS/%'
), output AS (
  SELECT
    o.patientunitstayid,
    intakeoutputoffset AS moment,
    cellpath AS path,
    cellvaluenumeric AS volume,
    p.unitdischargeoffset
  FROM eicu_crd.intakeoutput AS o
  INNER JOIN eicu_crd.patient AS p
    ON o.patientunitstayid = p.patientunitstayid
), care AS (
  SELECT
    patientunitstayid,
    respcarestatusoffset AS moment,
    airwaytype AS value,
    airwaytype,
    airwaysize,
    airwayposition,
    cuffpressure,
    setapneatv,
    coalesce(airwaytype, airwaysize, airwayposition, cuffpressure::VARCHAR, setapneatv) IS NOT NULL AS sign
  FROM eicu_crd.respiratorycare
), coma AS (
  SELECT
    patientunitstayid,
    moment AS offset_min,
    min(number) FILTER (what = 'total') AS total,
    count(number) FILTER (what = 'total') AS totals,
    min(number) FILTER (what = 'Motor') AS motor,
    count(number) FILTER (what = 'Motor') AS motors,
    min(number) FILTER (what = 'Verbal') AS verbal,
    min(number) FILTER (what = 'Eyes') AS eyes,
    count(*) OVER (
      PARTITION BY patientunitstayid ORDER BY moment RANGE BETWEEN 2 PRECEDING AND CURRENT ROW
    ) AS minute_chain
  FROM (
    SELECT
      *,
      CASE
        WHEN label = 'Score (Glasgow Coma Scale)' AND name = 'Value' OR label = 'Glasgow coma score' AND name = 'GCS Total' THEN 'total'
        WHEN label = 'Glasgow coma score' AND name IN ('Motor', 'Verbal', 'Eyes') THEN name
      END AS what
    FROM nursing
    WHERE
      category IN ('Scores', 'Other Vital Signs and Infusions')
  )
  WHERE
    what IS NOT NULL AND number IS NOT NULL
  GROUP BY
    patientunitstayid, moment
), coma_day AS (
  SELECT
    patientunitstayid,
    count(*) AS coma_rows,
    sum(totals) AS coma_totals,
    count(coalesce(motor, verbal, eyes)) AS coma_parts,
    min(total) FILTER (total BETWEEN 3 AND 15 AND offset_min > 0 AND offset_min <= 1440) AS gcs_total
  FROM coma
  GROUP BY
    patientunitstayid
), exam_day AS (
  SELECT
    patientunitstayid,
    count(*) AS exam_rows,
    min(TRY_CAST(value AS DOUBLE)) FILTER (length(regexp_extract(path, '[^/]*$')) IN (1, 2) AND moment > 0 AND moment <= 1440) AS exam_min
  FROM exam
  GROUP BY
    patientunitstayid
), vital AS (
  SELECT
    patientunitstayid,
    moment,
    CASE
      WHEN label = 'Heart Rate' AND name = 'Heart Rate' THEN 'hr'
      WHEN label = 'Respiratory Rate' AND name = 'Respiratory Rate' THEN 'rr'
      WHEN label = 'Temperature' AND name = 'Temperature (C)' THEN 'temp'
      WHEN label = 'Temperature' AND name = 'Temperature (F)' THEN 'fahrenheit'
      WHEN label = 'Non-Invasive BP' AND name = 'Non-Invasive BP Mean' THEN 'cuff'
      WHEN label = 'Invasive BP' AND name = 'Invasive BP Mean' OR label IN ('MAP (mmHg)', 'Arterial Line MAP (mmHg)') AND name = 'Value'
        THEN 'inv'
    END AS kind,
    number,
    moment > 0 AND moment <= 1440 AS inside
  FROM nursing
), vital_day AS (
  SELECT
    patientunitstayid,
    min(number) FILTER (kind = 'hr' AND inside AND number BETWEEN 25 AND 225) AS hr_min,
    max(number) FILTER (kind = 'hr' AND inside AND number BETWEEN 25 AND 225) AS hr_max,
    min(number) FILTER (kind = 'hr' AND inside) AS hr_raw_min,
    max(number) FILTER (kind = 'hr' AND inside) AS hr_raw_max,
    count(*) FILTER (kind = 'hr' AND moment IN (0, 1441) AND number = 130) AS hr_at_ends,
    max(number) FILTER (kind = 'hr' AND moment = 1440) AS hr_at_1440,
    count(*) FILTER (kind = 'hr' AND number IS NULL) AS hr_words,
    min(number) FILTER (kind = 'rr' AND inside AND number BETWEEN 0.001 AND 60) AS rr_min,
    max(number) FILTER (kind = 'rr' AND inside AND number BETWEEN 0 AND 60) AS rr_max,
    min(number) FILTER (kind = 'rr' AND inside) AS rr_raw_min,
    max(number) FILTER (kind = 'rr' AND inside) AS rr_raw_max,
    min(number) FILTER (kind = 'temp' AND inside AND number BETWEEN 25 AND 46) AS temp_min,
    max(number) FILTER (kind = 'temp' AND inside AND number BETWEEN 25 AND 46) AS temp_max,
    min(number) FILTER (kind = 'temp' AND inside) AS temp_raw_min,
    max(number) FILTER (kind = 'temp' AND inside) AS temp_raw_max,
    count(*) FILTER (kind = 'fahrenheit') AS fahrenheit_rows,
    min(number) FILTER (kind = 'inv' AND inside AND number BETWEEN 1 AND 250) AS inv_min,
    max(number) FILTER (kind = 'inv' AND inside AND number BETWEEN 1 AND 250) AS inv_max,
    min(number) FILTER (kind = 'inv' AND inside) AS inv_raw_min,
    max(number) FILTER (kind = 'inv' AND inside) AS inv_raw_max,
    min(number) FILTER (kind = 'cuff' AND inside AND number BETWEEN 1 AND 250) AS cuff_min,
    max(number) FILTER (kind = 'cuff' AND inside AND number BETWEEN 1 AND 250) AS cuff_max
  FROM vital
  GROUP BY
    patientunitstayid
), urine_day AS (
  SELECT
    patientunitstayid,
    count(*) FILTER (inside) AS urine_rows,
    sum(CAST(volume AS DECIMAL(18, 4))) FILTER (inside) AS urine_sum,
    min(volume) FILTER (inside) AS urine_low,
    count(*) FILTER (moment IN (0, 1441) AND volume = 2000) AS urine_at_ends,
    count(*) FILTER (moment = 1440) AS urine_at_1440,
    sum(volume) FILTER (moment > unitdischargeoffset) AS urine_late,
    max(copies) - 1 AS urine_twice
  FROM (
    SELECT
      *,
      moment > 0 AND moment <= 1440 AS inside,
      count(*) OVER (PARTITION BY patientunitstayid, moment, path, volume) AS copies
    FROM output
    WHERE
      regexp_matches(path, '[|](Urine|Urine, void:|URINE CATHETER|urine|Urine Output-Foley)$')
      OR path LIKE '%|Output (ml)|Urine Output (mL)%'
      OR path LIKE '%|Output (ml)|Foley%'
      OR path LIKE '%|Output (ml)|Output (mL)%'
  )
  GROUP BY
    patientunitstayid
), name_day AS (
  SELECT
    patientunitstayid,
    count(DISTINCT path) AS urine_names
  FROM output
  GROUP BY
    patientunitstayid
), care_day AS (
  SELECT
    patientunitstayid,
    count(*) AS care_rows,
    count(*) FILTER (sign AND moment > 0 AND moment <= 1440) AS airway_rows,
    count(airwaytype) AS airway_type,
    count(airwaysize) AS airway_size,
    count(airwayposition) AS airway_position,
    count(cuffpressure) AS airway_cuff,
    count(setapneatv) AS airway_apnea_volume,
    count(*) FILTER (sign AND moment IN (0, 1441)) AS airway_at_ends,
    count(*) FILTER (sign AND moment = 1440) AS airway_at_1440
  FROM care
  GROUP BY
    patientunitstayid
), day AS (
  SELECT
    p.*,
    c.* EXCLUDE (patientunitstayid, coma_rows),
    coalesce(c.coma_rows, 0) AS coma_rows,
    coalesce(e.exam_rows, 0) AS exam_rows,
    e.exam_min,
    v.* EXCLUDE (patientunitstayid),
    u.* EXCLUDE (patientunitstayid, urine_rows),
    coalesce(u.urine_rows, 0) AS urine_rows,
    n.urine_names,
    r.* EXCLUDE (patientunitstayid, care_rows, airway_rows),
    coalesce(r.care_rows, 0) AS care_rows,
    coalesce(r.airway_rows, 0) AS airway_rows,
    a.intubated,
    a.vent AS vent_flag,
    a.urine AS apache_urine,
    a.sodium = -1 OR a.albumin = -1 AS apache_minus_one,
    (a.patientunitstayid IS NOT NULL)::INTEGER AS apsvar_rows,
    q.oobintubday1 AS oobintub,
    q.electivesurgery AS elective,
    (q.patientunitstayid IS NOT NULL)::INTEGER AS predvar_rows
  FROM eicu_crd.patient AS p
  LEFT JOIN coma_day AS c
    ON p.patientunitstayid = c.patientunitstayid
  LEFT JOIN exam_day AS e
    ON p.patientunitstayid = e.patientunitstayid
  LEFT JOIN vital_day AS v
    ON p.patientunitstayid = v.patientunitstayid
  LEFT JOIN urine_day AS u
    ON p.patientunitstayid = u.patientunitstayid
  LEFT JOIN name_day AS n
    ON p.patientunitstayid = n.patientunitstayid
  LEFT JOIN care_day AS r
    ON p.patientunitstayid = r.patientunitstayid
  LEFT JOIN eicu_crd.apacheapsvar AS a
    ON p.patientunitstayid = a.patientunitstayid
  LEFT JOIN eicu_crd.apachepredvar AS q
    ON p.patientunitstayid = q.patientunitstayid
), scored AS (
  SELECT
    patientunitstayid,
    apachescore AS score
  FROM eicu_crd.apachepatientresult
), diagnosed AS (
  SELECT
    patientunitstayid,
    icd9code AS code
  FROM eicu_crd.diagnosis
), infused AS (
  SELECT
    i.patientunitstayid,
    TRY_CAST(i.drugrate AS DOUBLE) AS drug_rate,
    TRY_CAST(i.infusionrate AS DOUBLE) AS infusion_rate,
    i.patientweight AS weight,
    t.treatmentoffset - min(i.infusionoffset) OVER (PARTITION BY i.patientunitstayid) AS treated_later
  FROM eicu_crd.infusiondrug AS i
  LEFT JOIN eicu_crd.treatment AS t
    ON i.patientunitstayid = t.patientunitstayid
), totals AS (
  SELECT
    patientunitstayid,
    intaketotal < lag(intaketotal) OVER (PARTITION BY patientunitstayid ORDER BY intakeoutputoffset, intakeoutputid) AS falls
  FROM eicu_crd.intakeoutput
), result AS (
  SELECT
    patientunitstayid,
    labresultoffset AS moment,
    labname AS test,
    labresult AS result
  FROM eicu_crd.lab
), infusion AS (
  SELECT
    patientunitstayid,
    infusionoffset AS moment,
    drugname AS name,
    drugrate AS rate,
    patientweight AS weight_text
  FROM eicu_crd.infusiondrug
), collected AS (
  SELECT
    *,
    moment - lag(moment) OVER stay AS silence,
    count(*) OVER (stay RANGE BETWEEN 300 PRECEDING AND 300 PRECEDING) AS back_300,
    count(*) OVER (stay RANGE BETWEEN 660 PRECEDING AND 660 PRECEDING) AS back_660,
    count(*) OVER (stay RANGE BETWEEN 1380 PRECEDING AND 1380 PRECEDING) AS back_1380,
    count(*) OVER (stay RANGE BETWEEN 360 PRECEDING AND 360 PRECEDING) AS back_360,
    count(*) OVER (stay RANGE BETWEEN 720 PRECEDING AND 720 PRECEDING) AS back_720,
    count(*) OVER (stay RANGE BETWEEN 1440 PRECEDING AND 1440 PRECEDING) AS back_1440,
    count(*) OVER (stay RANGE BETWEEN 359 PRECEDING AND 301 PRECEDING) AS between_301_and_359,
    count(*) OVER (stay RANGE BETWEEN 719 PRECEDING AND 661 PRECEDING) AS between_661_and_719,
    count(*) OVER (stay RANGE BETWEEN 1439 PRECEDING AND 1381 PRECEDING) AS between_1381_and_1439
  FROM (
    SELECT DISTINCT
      patientunitstayid,
      moment,
      unitdischargeoffset
    FROM output
    WHERE
      regexp_matches(lower(path), 'output [(]ml[)][|].*(urine|foley|urethral|urinary|voided)')
  )
  WINDOW
    stay AS (PARTITION BY patientunitstayid ORDER BY moment)
)
