-- What later stays with edges have besides the rows of planted.sql.

-- Clocks start at a heart rate; later stays keep one, in the middle of the normal range.
INSERT INTO charted
SELECT
  sk,
  carer,
  on_minute(intime) + to_minutes(5),
  220045,
  '75',
  75,
  'bpm',
  5
FROM stay
WHERE
  list_contains(topics, 'vital');

-- Turns over a list: the stay's place says which.
CREATE OR REPLACE TEMP TABLE taking_turn AS
SELECT
  p.sk,
  p.carer,
  p.weight,
  p.base + to_minutes(t.minutes::BIGINT) AS moment,
  t.*
FROM carried AS c
INNER JOIN planted_in AS p
  ON c.sk = p.sk AND c.edge = p.edge
INNER JOIN planted_turn AS t
  ON c.edge = t.edge AND p.anchor = t.anchor
  AND c.host % (SELECT max(u.turn) + 1 FROM planted_turn AS u WHERE u.edge = c.edge) = t.turn;

INSERT INTO charted
SELECT
  sk,
  carer,
  moment,
  itemid,
  coalesce(word, as_text(number)),
  number,
  NULL,
  itemid % 40
FROM taking_turn
WHERE
  kind = 'chart';

INSERT INTO infusion
SELECT
  sk,
  moment,
  moment + INTERVAL 2 HOUR,
  itemid,
  number,
  'mEq',
  2,
  'mEq./hour',
  920000000 + nth,
  '01-Drips',
  'FinishedRunning',
  round(weight, 1)
FROM taking_turn
WHERE
  kind = 'input';

INSERT INTO procedure_done
SELECT
  sk,
  itemid,
  moment,
  moment + INTERVAL 3 HOUR,
  NULL
FROM taking_turn
WHERE
  kind = 'procedure';

INSERT INTO coded
SELECT
  ak,
  CASE WHEN icd_version = 9 THEN '5859' ELSE 'N189' END,
  icd_version,
  58
FROM planted_in
WHERE
  anchor = 'in' AND edge LIKE 'creatinine-only-%';

-- The planted code is the only one of late kidney disease.
DELETE FROM coded
USING planted_in AS p
WHERE
  coded.ak = p.ak AND p.anchor = 'in' AND p.edge LIKE 'kidney-code-%'
  AND regexp_matches(coded.icd_code, '^(585[456]|N18[456])');

INSERT INTO coded
SELECT
  ak,
  upper(replace(edge, 'kidney-code-', '')),
  icd_version,
  57
FROM planted_in
WHERE
  anchor = 'in' AND edge LIKE 'kidney-code-%';

-- Listed codes in turn, of the version that the admission is coded in.
INSERT INTO coded
WITH listed AS (
  SELECT
    icd_code,
    icd_version,
    nth,
    row_number() OVER (PARTITION BY icd_version ORDER BY nth) - 1 AS turn
  FROM later_code
)
SELECT
  s.ak,
  l.icd_code,
  l.icd_version,
  300 + l.nth
FROM carried AS c
INNER JOIN stay AS s
  ON c.sk = s.sk
INNER JOIN listed AS l
  ON s.icd_version = l.icd_version AND l.turn % 24 = c.coded_place % 24
WHERE
  c.edge = 'code-listed';
