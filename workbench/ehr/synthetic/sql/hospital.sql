-- Around the unit: services, transfers, codes, prices, and what clinics measured. Lists are in lists/*.csv.

CREATE OR REPLACE TEMP TABLE service AS
WITH listed AS (
  SELECT
    ak,
    hours_after(admittime, within(ak, 'service', 0, 0.2)) AS transfertime,
    NULL::VARCHAR AS prev_service,
    CASE WHEN surgical AND admission_type = 'EW EMER.' AND uniform(ak, 'service-med-then-surgery') < rate('service-med-then-surgery') THEN 'MED' ELSE service END
      AS curr_service
  FROM admission
  UNION ALL
  SELECT
    ak,
    hours_after(admittime, within(ak, 'second service', 4, 20)),
    'MED',
    CASE WHEN kind = 'trauma' THEN 'TSURG' ELSE 'SURG' END
  FROM admission
  WHERE
    surgical AND admission_type = 'EW EMER.' AND uniform(ak, 'service-med-then-surgery') < rate('service-med-then-surgery')
  UNION ALL
  SELECT
    ak,
    hours_after(coalesce(last_out, admittime), 3),
    service,
    CASE WHEN service = 'MED' THEN 'CMED' ELSE 'MED' END
  FROM admission
  WHERE
    uniform(ak, 'late service') < 0.15 AND hours_after(coalesce(last_out, admittime), 3) < dischtime
), drawn AS (
  SELECT
    l.*,
    a.n,
    a.idx,
    a.surgical,
    row_number() OVER (PARTITION BY l.ak ORDER BY l.transfertime) = 1 AS opening
  FROM listed AS l
  INNER JOIN admission AS a
    ON l.ak = a.ak
), planted AS (
  SELECT
    *,
    n = 0 AND (edge_of(idx, 'service-at-day-end') OR edge_of(idx, 'service-before-day-end')) AS turns,
    n = 0 AND edge_of(idx, 'service-elective-other') AS other
  FROM drawn
  WHERE
    NOT (n = 0 AND edge_of(idx, 'service-none'))
)
SELECT
  ak,
  transfertime,
  prev_service,
  CASE
    WHEN turns THEN 'MED'
    WHEN other THEN ['GU', 'GYN', 'ENT', 'NSURG', 'TSURG'][1 + turn_in(idx, 'service-elective-other', 5)]
    ELSE curr_service
  END AS curr_service
FROM planted
WHERE
  opening OR NOT (turns OR other)
UNION ALL
SELECT
  ak,
  transfertime,
  NULL,
  CASE WHEN surgical THEN 'MED' ELSE 'SURG' END
FROM planted
WHERE
  opening AND n = 0 AND NOT (turns OR other) AND edge_of(idx, 'service-two-at-once')
UNION ALL
SELECT
  ak,
  transfertime + INTERVAL 1 HOUR,
  'SURG',
  'TSURG'
FROM planted
WHERE
  opening AND n = 0 AND NOT (turns OR other) AND surgical AND edge_of(idx, 'service-surgical-twice')
UNION ALL
SELECT
  p.ak,
  s.intime + to_minutes(CASE WHEN edge_of(p.idx, 'service-at-day-end') THEN 1440 ELSE 1439 END),
  'MED',
  'SURG'
FROM planted AS p
INNER JOIN stay AS s
  ON p.ak = s.ak AND s.first
WHERE
  p.opening AND p.turns;

CREATE OR REPLACE TEMP TABLE place AS
WITH steps AS (
  SELECT
    ak,
    'ED' AS eventtype,
    'Emergency Department' AS careunit,
    hours_after(admittime, -within(ak, 'waiting', 2, 9)) AS intime,
    admittime AS outtime
  FROM admission
  WHERE
    by_emergency
  UNION ALL
  SELECT
    a.ak,
    'admit',
    CASE WHEN a.first_in IS NOT NULL AND a.first_in <= hours_after(a.admittime, 0.6) THEN c.careunit
      ELSE pick(a.ak, 'ward', ['Medicine', 'Med/Surg', 'Surgery', 'Medicine/Cardiology', 'Neurology', 'Hematology/Oncology']) END,
    a.admittime,
    coalesce(a.first_in, a.dischtime)
  FROM admission AS a
  LEFT JOIN careunit AS c
    ON a.careunit = c.short
  UNION ALL
  SELECT
    s.ak,
    'transfer',
    c.careunit,
    s.intime,
    s.outtime
  FROM stay AS s
  INNER JOIN careunit AS c
    ON s.careunit = c.short
  UNION ALL
  SELECT
    s.ak,
    'transfer',
    pick(s.sk, 'step down', ['Medicine', 'Med/Surg', 'Surgery', 'Discharge Lounge']),
    s.outtime,
    coalesce(lead(s.intime) OVER (PARTITION BY s.ak ORDER BY s.j), a.dischtime)
  FROM stay AS s
  INNER JOIN admission AS a
    ON s.ak = a.ak
  UNION ALL
  SELECT
    ak,
    'discharge',
    NULL,
    dischtime,
    NULL
  FROM admission
)
SELECT
  *
FROM steps
WHERE
  outtime IS NULL OR intime < outtime;

-- Codes: the reason for admission first, then long-standing illness, then what the stay added.
CREATE OR REPLACE TEMP TABLE coded AS
WITH listed AS (
  SELECT
    a.ak,
    a.idx,
    a.n,
    a.icd_version,
    c.icd9,
    c.icd10,
    1 + c.rank AS rank
  FROM admission AS a
  INNER JOIN diagnosis AS c
    ON CASE c.condition
      WHEN 'hypertension' THEN a.hypertension
      WHEN 'diabetes' THEN a.diabetes
      WHEN 'kidney disease' THEN a.kidney_disease AND NOT a.dialysis
      WHEN 'dialysis' THEN a.dialysis
      WHEN 'heart failure' THEN a.heart_failure
      WHEN 'lung disease' THEN a.lung_disease
      WHEN 'liver disease' THEN a.liver_disease
      WHEN 'cancer' THEN a.cancer
      WHEN 'metastases' THEN a.metastases
      WHEN 'aids' THEN a.aids
      WHEN 'sepsis' THEN a.infected AND coalesce(a.worst, 0) > 0.45
      WHEN 'kidney injury' THEN EXISTS (SELECT 1 FROM stay AS s WHERE s.ak = a.ak AND s.kidney_top > 1.5)
      WHEN 'ventilator failure' THEN EXISTS (SELECT 1 FROM stay AS s WHERE s.ak = a.ak AND s.tube_from IS NOT NULL)
      ELSE FALSE
    END
    OR (c.condition = 'chance' AND uniform(sub(a.ak, 'chance code', c.rank), 'here') < c.share)
  UNION ALL
  SELECT
    ak,
    idx,
    n,
    icd_version,
    icd9,
    icd10,
    0
  FROM admission
)
SELECT
  ak,
  CASE WHEN icd_version = 9 THEN icd9 ELSE icd10 END AS icd_code,
  icd_version,
  rank
FROM listed
WHERE
  NOT (n = 0 AND (edge_of(idx, 'codes-none') OR edge_of(idx, 'codes-none-injury')));

CREATE OR REPLACE TEMP TABLE operated AS
SELECT
  a.ak,
  c.rank,
  CASE WHEN a.icd_version = 9 THEN c.icd9 ELSE c.icd10 END AS icd_code,
  a.icd_version,
  a.admittime::DATE + c.rank::INTEGER AS chartdate
FROM admission AS a
INNER JOIN operation AS c
  ON c.kind = a.kind
  OR (c.kind = 'tube' AND EXISTS (SELECT 1 FROM stay AS s WHERE s.ak = a.ak AND s.tube_from IS NOT NULL))
  OR (c.kind = 'line' AND coalesce(a.worst, 0) > 0.45)
WHERE
  a.admittime::DATE + c.rank::INTEGER <= a.dischtime::DATE;
