-- Edges planted row by row from the lists planted_*.csv: in the first unit stay or the
-- first admission of a patient.

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
    {anchor: 'admit', base: s.admittime}], recursive := TRUE),
  hours_after(s.intime, s.los) AS last
FROM stay AS s
INNER JOIN edge_rate AS e
  ON one_of_run(s.idx, e.edge, round(1 / e.rate)::BIGINT)
WHERE
  e.unit = 'stay' AND s.first;

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
  p.anchor = 'out' OR c.edge = 'chart-year-off' OR p.base + to_minutes(c.minutes::BIGINT) <= p.last;

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
  p.anchor = 'out' OR p.base + to_minutes(c.minutes::BIGINT) <= p.last;

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
  NOT edge_of(a.idx, 'codes-none');
