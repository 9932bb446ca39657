-- Shares as intervals of 0 to 1: kinds of admission, also without the infected ones, and work-up edges.
CREATE OR REPLACE TABLE kind AS
SELECT
  * EXCLUDE (share, nth),
  sum(share) OVER upto / sum(share) OVER () - share / sum(share) OVER () AS low,
  CASE WHEN nth = max(nth) OVER () THEN 1 ELSE sum(share) OVER upto / sum(share) OVER () END AS high,
  (sum(share * (1 - infected)) OVER upto - share * (1 - infected)) / sum(share * (1 - infected)) OVER () AS low_clean,
  sum(share * (1 - infected)) OVER upto / sum(share * (1 - infected)) OVER () AS high_clean
FROM kind_row
WINDOW
  upto AS (ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW);

CREATE OR REPLACE TABLE workup_edge AS
SELECT
  edge,
  coalesce(sum(rate) OVER (ORDER BY nth ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS low,
  sum(rate) OVER (ORDER BY nth) AS high
FROM edge_rate
WHERE
  unit = 'work-up';

-- Edges of later stays: those of a topic take turns, each in one stay of a run.
CREATE OR REPLACE TABLE later_edge AS
SELECT
  edge,
  topic,
  round(1 / rate)::BIGINT AS run,
  row_number() OVER (PARTITION BY topic ORDER BY nth) - 1 AS place
FROM edge_rate
WHERE
  unit = 'later stay';

-- Which patient indices make up the wanted number of ICU stays. A patient has one to four admissions; the
-- first always has an ICU stay. Patients are taken in order of index; the last gap is filled with
-- one-stay patients, so that the number of stays is exact and nobody changes when it grows.
CREATE OR REPLACE TABLE population AS
WITH drawn AS (
  SELECT
    i AS idx,
    hash(hash(getvariable('seed')::BIGINT, 'patient', i::BIGINT)) AS k
  FROM range(getvariable('stays')::BIGINT + 64) AS r(i)
), numbered AS (
  SELECT
    idx,
    k,
    CASE
      WHEN uniform(k, 'admissions') >= rate('patient-several-admissions') THEN 1
      WHEN uniform(k, 'more admissions') < 0.64 THEN 2
      WHEN uniform(k, 'more admissions') < 0.88 THEN 3
      ELSE 4
    END AS admissions
  FROM drawn
), admitted AS (
  SELECT
    idx,
    k,
    admissions,
    n,
    sub(k, 'admission', n) AS ak
  FROM numbered
  CROSS JOIN LATERAL (SELECT unnest(range(admissions)) AS n)
), counted AS (
  SELECT
    idx,
    any_value(k) AS k,
    any_value(admissions) AS admissions,
    sum(icu_stays(ak, n))::BIGINT AS stays,
    coalesce(bool_or(n = 1 AND icu_stays(ak, n) = 1), FALSE) AS second,
    coalesce(bool_or(n = 2 AND icu_stays(ak, n) = 1), FALSE) AS third,
    coalesce(bool_or(n = 1 AND by_icd_9(ak)), FALSE) AS second_by_icd_9
  FROM admitted
  GROUP BY
    idx
), summed AS (
  SELECT
    *,
    sum(stays) OVER (ORDER BY idx) AS upto,
    -- Place among the patients with such a stay; those who come later do not change it.
    CASE WHEN second THEN count(*) FILTER (second) OVER before - 1 END AS second_place,
    CASE WHEN third THEN count(*) FILTER (third) OVER before - 1 END AS third_place,
    CASE WHEN second THEN count(*) FILTER (second) OVER alike - 1 END AS coded_place
  FROM counted
  WINDOW
    before AS (ORDER BY idx),
    alike AS (PARTITION BY second_by_icd_9 ORDER BY idx)
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
  admissions,
  second_place,
  third_place,
  coded_place,
  (row_number() OVER (ORDER BY idx) - 1) // getvariable('batch_size')::BIGINT AS batch
FROM (
  SELECT idx, k, admissions, stays, second_place, third_place, coded_place FROM taken
  UNION ALL
  SELECT idx, k, admissions, stays, second_place, third_place, coded_place FROM filler
  WHERE
    nth <= getvariable('stays') - coalesce((SELECT sum(stays) FROM taken), 0)
);
