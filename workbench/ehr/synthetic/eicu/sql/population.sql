-- By how much a seed moves the identifiers of stays and patients; seed 1 moves none. Neighbouring seeds lie further apart
-- than one source reaches, and every seed stays within seven digits.
CREATE OR REPLACE MACRO moved_by(each) AS
  ((getvariable('seed')::BIGINT - 1 + 9500000 // each) * 104729 % (9500000 // each)) * each;

-- First identifier of a unit stay's rows. Rows keep those of seed 1: moved, they would need more than 32 bits.
CREATE OR REPLACE MACRO rows_from(patientunitstayid, room) AS (patientunitstayid - moved_by(2)) * room;

-- Which part of a topic's circle each planted edge takes.
CREATE OR REPLACE TABLE planted_edge AS
SELECT
  id AS edge,
  topic,
  coalesce(sum(rate) OVER (PARTITION BY topic ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS low,
  sum(rate) OVER (PARTITION BY topic ORDER BY nth) AS high
FROM edge_row
WHERE
  topic IS NOT NULL;

-- Patients in order of index until the wanted number of unit stays is there; one has one or two. The last gap is
-- filled with one-stay patients, so that the number is exact and nobody changes when it grows.
CREATE OR REPLACE TABLE population AS
WITH drawn AS (
  SELECT
    i AS idx,
    hash(hash(getvariable('seed')::BIGINT, 'unit patient', i::BIGINT)) AS k
  FROM range(getvariable('stays')::BIGINT + 64) AS r(i)
), counted AS (
  SELECT
    idx,
    k,
    CASE WHEN uniform(k, 'unit stays') < 0.12 THEN 2 ELSE 1 END AS stays
  FROM drawn
), summed AS (
  SELECT
    *,
    sum(stays) OVER (ORDER BY idx) AS upto
  FROM counted
), taken AS (
  SELECT
    *
  FROM summed
  WHERE
    upto <= getvariable('stays') AND upto - stays < getvariable('stays')
), filler AS (
  SELECT
    *,
    row_number() OVER (ORDER BY idx) AS nth
  FROM summed
  WHERE
    stays = 1 AND idx > coalesce((SELECT max(idx) FROM taken), -1)
)
SELECT
  idx,
  k,
  stays,
  (row_number() OVER (ORDER BY idx) - 1) // getvariable('batch_size')::BIGINT AS batch
FROM (
  SELECT idx, k, stays FROM taken
  UNION ALL
  SELECT idx, k, stays FROM filler
  WHERE
    nth <= getvariable('stays') - coalesce((SELECT sum(stays) FROM taken), 0)
);
