-- Unit stays of one batch: who, where, how ill, and which edges a stay carries (at most one of a topic).

CREATE OR REPLACE TEMP TABLE carried AS
SELECT
  p.idx,
  sub(p.k, 'unit stay', 0) AS sk,
  e.edge,
  e.topic
FROM population AS p
INNER JOIN planted_edge AS e
  ON placed_at(p.idx, e.topic) >= e.low AND placed_at(p.idx, e.topic) < e.high
WHERE
  p.batch = getvariable('batch');

CREATE OR REPLACE TEMP TABLE stay AS
WITH listed AS (
  SELECT
    p.idx,
    p.k,
    n,
    sub(p.k, 'unit stay', n) AS sk,
    141000 + moved_by(2) + p.idx * 2 + n AS patientunitstayid
  FROM population AS p
  CROSS JOIN LATERAL (SELECT unnest(range(p.stays)) AS n)
  WHERE
    p.batch = getvariable('batch')
), given AS (
  SELECT
    c.sk,
    map_from_entries(list({'k': c.field, 'v': coalesce(c.value, '')} ORDER BY c.nth)) AS fields
  FROM (
    -- Where edges of two topics give one field, the one listed first does.
    SELECT
      carried.sk,
      f.field,
      f.value,
      f.nth
    FROM carried
    INNER JOIN planted_field AS f
      ON carried.edge = f.edge
    QUALIFY
      row_number() OVER (PARTITION BY carried.sk, f.field ORDER BY f.nth) = 1
  ) AS c
  GROUP BY
    c.sk
), drawn AS (
  SELECT
    l.*,
    h.* EXCLUDE (nth),
    coalesce(g.fields, map_from_entries([{'k': '', 'v': ''}])) AS fields,
    uniform(l.sk, 'kind') AS kind,
    clip(0.18 + 0.22 * abs(bell(l.sk, 'severity')), 0.05, 1.0) AS severity
  FROM listed AS l
  INNER JOIN hospital_row AS h
    ON h.nth = 1 + (bits(l.k, 'hospital') % (SELECT count(*) FROM hospital_row))::BIGINT
  LEFT JOIN given AS g
    ON l.sk = g.sk
), lasting AS (
  SELECT
    *,
    severity > 0.55 AND uniform(sk, 'dies') < 0.4 AS dies,
    coalesce(
      nullif(fields['unitdischargeoffset'], '')::INTEGER,
      round(60 * clip(lognormal(sk, 'stay', 44.0, 0.65), 4.0, 240.0))::INTEGER
    ) AS unitdischargeoffset,
    kind < 0.16 AS elective_surgery,
    severity > 0.42 AND uniform(sk, 'tube') < 0.75 AS tube
  FROM drawn
)
SELECT
  *,
  CASE
    WHEN map_contains(fields, 'age') THEN nullif(fields['age'], '')
    WHEN uniform(k, 'age') < 0.035 THEN '> 89'
    ELSE round(clip(64 + 15.5 * bell(k, 'years'), 18, 89))::INTEGER::VARCHAR
  END AS age,
  CASE
    WHEN map_contains(fields, 'hospitaladmitoffset') THEN nullif(fields['hospitaladmitoffset'], '')::INTEGER
    WHEN kind < 0.55 THEN -round(lognormal(sk, 'before', 240.0, 0.7))::INTEGER
    WHEN kind < 0.9 THEN -round(lognormal(sk, 'before', 1500.0, 1.1))::INTEGER
    ELSE -round(within(sk, 'before', 0, 20))::INTEGER
  END AS hospitaladmitoffset,
  CASE
    WHEN map_contains(fields, 'unitadmitsource') THEN nullif(fields['unitadmitsource'], '')
    WHEN elective_surgery THEN pick(sk, 'source', ['Operating Room', 'Operating Room', 'Recovery Room', 'Emergency Department'])
    ELSE pick(sk, 'source', ['Emergency Department', 'Emergency Department', 'Floor', 'Direct Admit',
      'Step-Down Unit (SDU)', 'Other Hospital'])
  END AS unitadmitsource,
  CASE
    WHEN map_contains(fields, 'electivesurgery') THEN nullif(fields['electivesurgery'], '')::INTEGER
    WHEN elective_surgery THEN 1
  END AS elective,
  CASE WHEN tube THEN 1.0 ELSE within(sk, 'brain', 0.0, 0.7) END AS brain,
  within(sk, 'peak', 4.0, 22.0) AS peak,
  within(sk, 'fade', 18.0, 60.0) AS fade,
  unitdischargeoffset / 60.0 AS los,
  coalesce(fields['apache'] = 'none', false) AS no_apache
FROM lasting;

CREATE OR REPLACE TEMP TABLE silent AS
SELECT DISTINCT
  sk,
  topic
FROM carried;
