-- Prescriptions with their identifiers, and what was given of them (emar). The number of a prescription says
-- nothing about its time.
CREATE OR REPLACE TEMP TABLE ordered AS
WITH owned AS (
  SELECT
    p.* EXCLUDE (rank),
    p.rank,
    a.idx,
    a.subject_id,
    CASE WHEN p.other_admission THEN coalesce(o.hadm_id, a.hadm_id) ELSE a.hadm_id END AS hadm_id,
    a.admittime,
    row_number() OVER (PARTITION BY a.idx ORDER BY hash(hash(p.ak, p.rank), p.drug), p.ak, p.rank, p.drug) AS nth
  FROM prescribed AS p
  INNER JOIN admission AS a
    ON p.ak = a.ak
  LEFT JOIN admission AS o
    ON a.idx = o.idx AND o.n = 1
)
SELECT
  *,
  (idx * 1000 + nth)::INTEGER AS pharmacy_id,
  subject_id || '-' || nth AS poe_id,
  coalesce(starttime, stoptime, admittime) - INTERVAL 20 MINUTE AS entered,
  'P' || lpad((hash(ak, nth) % 500)::VARCHAR, 5, '0') AS provider
FROM owned;

CREATE OR REPLACE TEMP TABLE administered AS
WITH doses AS (
  SELECT
    o.*,
    hash(hash(o.ak, o.nth), d) AS gk,
    o.starttime + to_minutes((d * 1440 / o.per_day)::BIGINT) AS scheduletime
  FROM ordered AS o
  CROSS JOIN (SELECT unnest(range(10)) AS d)
  WHERE
    o.per_day IS NOT NULL AND o.drug_type = 'MAIN'
), given AS (
  SELECT
    *,
    scheduletime + to_minutes((bits(gk, 'late') % 50)::BIGINT - 10) AS charttime
  FROM doses
  WHERE
    scheduletime < stoptime
)
SELECT
  *,
  row_number() OVER (PARTITION BY idx ORDER BY charttime, nth, gk) AS emar_seq,
  subject_id || '-' || row_number() OVER (PARTITION BY idx ORDER BY charttime, nth, gk) AS emar_id,
  pick(gk, 'event', ['Administered', 'Administered', 'Administered', 'Administered', 'Administered', 'Not Given', 'Delayed Administered'])
    AS event_txt
FROM given;
