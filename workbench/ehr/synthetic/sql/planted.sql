-- Edges planted row by row from the lists planted_*.csv: in the first unit stay or the
-- first admission of a patient, in the stay before a second one, and in later stays that are kept for them.

CREATE OR REPLACE TEMP TABLE planted_in AS
SELECT
  s.sk,
  s.ak,
  s.idx,
  s.carer,
  s.weight,
  s.icd_version,
  e.edge,
  unnest([
    {anchor: 'in', base: on_minute(s.intime)}, {anchor: 'out', base: on_minute(s.outtime)},
    {anchor: 'admit', base: s.admittime}, {anchor: 'exact', base: s.intime},
    {anchor: 'hour', base: date_trunc('hour', s.intime)}, {anchor: 'leave', base: s.outtime}], recursive := TRUE),
  hours_after(s.intime, s.los) AS last
FROM stay AS s
INNER JOIN (
  SELECT
    f.sk,
    r.edge
  FROM stay AS f
  INNER JOIN edge_rate AS r
    ON r.unit = 'stay' AND one_of_run(f.idx, r.edge, round(1 / r.rate)::BIGINT)
  WHERE
    f.first
  UNION ALL
  -- In the stay before a second one that carries the edge.
  SELECT
    f.sk,
    r.edge
  FROM stay AS f
  INNER JOIN stay AS g
    ON f.ak = g.ak AND f.j + 1 = g.j
  INNER JOIN edge_rate AS r
    ON r.unit = 'second stay' AND edge_here(g.sk, r.edge)
  UNION ALL
  SELECT
    sk,
    edge
  FROM carried
) AS e
  ON s.sk = e.sk;

-- What would hide a planted value goes first: other creatinines of patients whose creatinine is planted, all of the
-- admission where none was measured, and the first day's vital signs, scores and laboratory values where each
-- stands at a cut-off.
DELETE FROM measured_lab
WHERE
  item = 50912 AND tk IN (
    SELECT
      s.tk
    FROM specimen AS s
    INNER JOIN planted_in AS p
      ON s.idx = p.idx
    WHERE
      p.anchor = 'in'
      AND (
        ((p.edge = 'creatinine-none' OR p.edge LIKE 'creatinine-only-%') AND s.hadm_id = (SELECT a.hadm_id FROM admission AS a WHERE a.ak = p.ak))
        OR (
          p.edge <> 'creatinine-none' AND (p.edge LIKE 'creatinine-%' OR p.edge LIKE 'injury-%')
          AND s.charttime BETWEEN p.base - INTERVAL 16 DAY AND p.base + INTERVAL 5 DAY
        )
      ));

CREATE OR REPLACE TEMP TABLE banded AS
SELECT
  p.sk,
  p.idx,
  p.carer,
  p.ak,
  p.base,
  turn_in(p.idx, p.edge, (SELECT max(turn) + 1 FROM planted_band)) AS turn
FROM planted_in AS p
WHERE
  p.edge = 'band-values' AND p.anchor = 'in';

DELETE FROM measured_lab
WHERE
  item IN (50912, 51006, 50983, 50971, 50882, 50862, 50885, 50931, 51221, 51301, 51265, 51144, 51237, 50821, 50816, 50801,
    50818, 50820, 52033)
  AND tk IN (
    SELECT
      s.tk
    FROM specimen AS s
    INNER JOIN banded AS p
      ON s.idx = p.idx AND s.charttime BETWEEN p.base - INTERVAL 7 HOUR AND p.base + INTERVAL 25 HOUR);

DELETE FROM charted
USING banded AS p
WHERE
  charted.sk = p.sk AND charted.charttime <= p.base + INTERVAL 25 HOUR
  AND charted.itemid IN (220045, 220052, 220181, 225312, 220050, 220179, 225309, 220210, 224690, 223761, 223762, 225664,
    220621, 226537, 220739, 223900, 223901);

INSERT INTO charted
SELECT
  p.sk,
  p.carer,
  p.base + to_minutes(c.minutes::BIGINT),
  c.itemid,
  coalesce(c.word, as_text(c.number)),
  c.number,
  c.unit,
  c.itemid % 40
FROM planted_in AS p
INNER JOIN planted_chart AS c
  ON p.edge = c.edge AND p.anchor = c.anchor
WHERE
  p.anchor IN ('out', 'leave') OR c.edge = 'chart-year-off' OR p.base + to_minutes(c.minutes::BIGINT) <= p.last;

INSERT INTO charted
SELECT
  p.sk,
  p.carer,
  p.base + to_minutes(c.minutes::BIGINT),
  c.itemid,
  coalesce(c.word, as_text(c.number)),
  c.number,
  c.unit,
  c.itemid % 40
FROM banded AS p
INNER JOIN planted_band AS c
  ON p.turn = c.turn AND c.kind = 'chart';

INSERT INTO output
SELECT
  p.sk,
  p.base + to_minutes(300),
  226560,
  c.value
FROM planted_in AS p
INNER JOIN urine_total AS c
  ON c.nth = 1 + turn_in(p.idx, p.edge, (SELECT count(*) FROM urine_total))
WHERE
  p.edge = 'urine-day-total' AND p.anchor = 'in';

INSERT INTO output
SELECT
  p.sk,
  p.base + to_minutes(c.minutes::BIGINT),
  c.itemid,
  c.value
FROM planted_in AS p
INNER JOIN planted_output AS c
  ON p.edge = c.edge AND p.anchor = c.anchor
WHERE
  p.anchor IN ('out', 'leave') OR p.base + to_minutes(c.minutes::BIGINT) <= p.last;

INSERT INTO infusion
SELECT
  p.sk,
  p.base + to_minutes(c.minutes::BIGINT),
  p.base + to_minutes((c.minutes + c.minutes_long)::BIGINT),
  c.itemid,
  c.amount,
  c.amountuom,
  c.rate,
  c.rateuom,
  900000000 + c.nth,
  CASE WHEN c.rate IS NULL THEN '08-Antibiotics (IV)' ELSE '01-Drips' END,
  c.status,
  coalesce(c.weight, round(p.weight, 1))
FROM planted_in AS p
INNER JOIN planted_infusion AS c
  ON p.edge = c.edge AND p.anchor = c.anchor;

-- A score of two and more from the first hour on, around which cultures are placed.
INSERT INTO infusion
SELECT
  sk,
  date_trunc('hour', intime) + to_minutes(30),
  date_trunc('hour', intime) + to_hours(62),
  221906,
  60,
  'mg',
  0.3,
  'mcg/kg/min',
  910000000,
  '01-Drips',
  'FinishedRunning',
  round(weight, 1)
FROM stay
WHERE
  first AND workup LIKE 'sofa-%';

INSERT INTO procedure_done
SELECT
  p.sk,
  c.itemid,
  p.base + to_minutes(c.minutes::BIGINT),
  p.base + to_minutes((c.minutes + c.minutes_long)::BIGINT),
  NULL
FROM planted_in AS p
INNER JOIN planted_procedure AS c
  ON p.edge = c.edge AND p.anchor = c.anchor;

INSERT INTO specimen
SELECT DISTINCT
  hash(hash(p.sk, c.edge), c.specimen) AS tk,
  a.idx,
  a.subject_id,
  CASE WHEN c.note = 'none' THEN NULL ELSE a.hadm_id END,
  p.base + to_minutes(c.minutes::BIGINT),
  p.base + to_minutes(c.minutes::BIGINT + 48),
  'STAT'
FROM planted_in AS p
INNER JOIN planted_lab AS c
  ON p.edge = c.edge AND p.anchor = c.anchor
INNER JOIN admission AS a
  ON p.ak = a.ak;

INSERT INTO measured_lab
SELECT
  hash(hash(p.sk, c.edge), c.specimen),
  c.itemid,
  c.number,
  c.word
FROM planted_in AS p
INNER JOIN planted_lab AS c
  ON p.edge = c.edge AND p.anchor = c.anchor;

INSERT INTO specimen
SELECT DISTINCT
  hash(hash(p.sk, 'band-values'), c.specimen) AS tk,
  a.idx,
  a.subject_id,
  a.hadm_id,
  p.base + to_minutes(c.minutes::BIGINT),
  p.base + to_minutes(c.minutes::BIGINT + 48),
  'STAT'
FROM banded AS p
INNER JOIN planted_band AS c
  ON p.turn = c.turn AND c.kind = 'lab'
INNER JOIN admission AS a
  ON p.ak = a.ak;

INSERT INTO measured_lab
SELECT
  hash(hash(p.sk, 'band-values'), c.specimen),
  c.itemid,
  c.number,
  c.word
FROM banded AS p
INNER JOIN planted_band AS c
  ON p.turn = c.turn AND c.kind = 'lab';

-- Three codes from the list of boundaries, a third of the list apart.
INSERT INTO coded
WITH listed AS (
  SELECT
    icd_code,
    icd_version,
    nth,
    row_number() OVER (PARTITION BY icd_version ORDER BY nth) - 1 AS turn,
    count(*) OVER (PARTITION BY icd_version) AS turns
  FROM boundary_code
)
SELECT
  a.ak,
  c.icd_code,
  c.icd_version,
  80 + c.nth
FROM admission AS a
INNER JOIN listed AS c
  ON a.icd_version = c.icd_version
  AND (c.turn - turn_in(a.idx, 'code-boundary', c.turns) + c.turns) % c.turns IN (0, c.turns // 3, c.turns // 3 * 2)
WHERE
  a.n = 0 AND edge_of(a.idx, 'code-boundary')
  AND NOT (edge_of(a.idx, 'codes-none') OR edge_of(a.idx, 'codes-none-injury'));

INSERT INTO coded
SELECT
  ak,
  CASE WHEN icd_version = 9 THEN '5855' ELSE 'N185' END,
  icd_version,
  59
FROM admission
WHERE
  n = 0 AND edge_of(idx, 'code-stage-5-injury')
  AND NOT (edge_of(idx, 'codes-none') OR edge_of(idx, 'codes-none-injury'));

INSERT INTO coded
SELECT
  a.ak,
  c.icd_code,
  c.icd_version,
  60 + c.nth
FROM admission AS a
INNER JOIN planted_code AS c
  ON a.icd_version = c.icd_version AND a.n = 0 AND edge_of(a.idx, c.edge)
WHERE
  NOT (edge_of(a.idx, 'codes-none') OR edge_of(a.idx, 'codes-none-injury'));
