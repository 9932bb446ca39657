-- Intake and output of one batch: urine by the hospital's names, drips, drains.
CREATE OR REPLACE TEMP TABLE fluid AS
WITH slots AS (
  SELECT
    *,
    CASE WHEN tube OR f > 0.35 THEN 1 ELSE 4 END AS hours
  FROM state
), urine_slots AS (
  SELECT
    sk,
    patientunitstayid,
    moment,
    ck,
    round(clip((72 * (1 - 1.1 * f) + 14 * bell(ck, 'urine')) * greatest(hours, every_minutes / 60.0), 0, 1200) / 5) * 5 AS volume,
    urine
  FROM slots
  WHERE
    i * every_minutes % (hours * 60) = 0
)
SELECT
  sk,
  patientunitstayid,
  moment,
  'flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|' || urine AS path,
  volume
FROM urine_slots AS u
WHERE
  NOT EXISTS (SELECT 1 FROM silent AS s WHERE s.sk = u.sk AND s.topic = 'urine')
UNION ALL
SELECT
  sk,
  patientunitstayid,
  moment,
  'flowsheet|Flowsheet Cell Labels|I&O|Intake (ml)|' || pick(ck, 'drip', ['NS 1000ml', 'LR 1000ml', 'P.O.', 'norepinephrine']),
  round(40 + 120 * uniform(ck, 'volume in'))
FROM state
WHERE
  i % 4 = 0
UNION ALL
SELECT
  sk,
  patientunitstayid,
  moment,
  'flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|' || pick(sk, 'drain', ['Stool', 'Chest Tube', 'Nasogastric', 'JP Drain']),
  round(20 + 60 * uniform(ck, 'volume out'))
FROM state
WHERE
  i % 8 = 0 AND uniform(sk, 'drains') < 0.5
UNION ALL
SELECT
  c.sk,
  s.patientunitstayid,
  p.moment,
  p.path,
  p.volume
FROM carried AS c
INNER JOIN stay AS s
  ON c.sk = s.sk
INNER JOIN planted_output AS p
  ON c.edge = p.edge;
