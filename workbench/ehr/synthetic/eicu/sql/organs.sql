-- Laboratory results, infusions and charting of breathing of one batch. A stay that carries an edge of a topic has
-- no ordinary rows of it.
CREATE OR REPLACE TEMP TABLE resulted AS
WITH drawn AS (
  SELECT
    sk,
    patientunitstayid,
    moment + 35 AS moment,
    unnest([
      {topic: '', test: 'sodium', result: round(138 + 3 * bell(ck, 'sodium'))},
      {topic: '', test: 'potassium', result: round(4.1 + 0.5 * bell(ck, 'potassium'), 1)},
      {topic: '', test: 'bicarbonate', result: round(clip(25 - 7 * f + 2 * bell(ck, 'bicarbonate'), 6, 40))},
      {topic: 'creatinine', test: 'creatinine', result: round(clip(0.9 + 2 * f * abs(bell(sk, 'creatinine')), 0.4, 9), 2)},
      {topic: '', test: 'BUN', result: round(clip(17 + 25 * f + 4 * bell(ck, 'urea'), 4, 140))},
      {topic: '', test: 'glucose', result: round(clip(135 + 35 * bell(ck, 'glucose'), 45, 480))},
      {topic: 'bilirubin', test: 'total bilirubin', result: round(clip(0.7 + f * abs(bell(sk, 'bilirubin')), 0.1, 20), 1)},
      {topic: 'white', test: 'WBC x 1000', result: round(clip(9 + 8 * f + 2 * bell(ck, 'white'), 0.5, 60), 1)},
      {topic: 'white', test: '-bands', result: CASE WHEN uniform(ck, 'counted by hand') < 0.1 THEN round(clip(2 + 22 * f + 3 * bell(ck, 'bands'), 0, 60)) END},
      {topic: '', test: 'Hgb', result: round(clip(11.5 - 2 * f + 1.2 * bell(sk, 'haemoglobin'), 5, 18), 1)},
      {topic: 'platelets', test: 'platelets x 1000', result: round(clip(210 - 90 * f + 50 * bell(sk, 'platelets'), 8, 700))}
    ], recursive := TRUE)
  FROM state
  WHERE
    (i * every_minutes) % 720 = 0
), oxygenated AS (
  SELECT
    *,
    clip(round((21 + 60 * f) / 5) * 5, 21, 100) AS percent,
    uniform(sk, 'fraction with the gas') AS habit
  FROM state
  WHERE
    (tube OR f > 0.3) AND i % 8 = 3
), gas AS (
  SELECT
    sk,
    patientunitstayid,
    moment + 20 AS moment,
    unnest([
      {topic: 'gas', test: 'paO2', result: round(clip((430 - 420 * f + 45 * bell(ck, 'oxygen')) * percent / 100, 35, 500))},
      {topic: 'gas', test: 'paCO2', result: round(clip(40 + 6 * bell(ck, 'carbon dioxide'), 18, 90), 1)},
      {topic: 'gas', test: 'pH', result: round(clip(7.4 - 0.15 * f + 0.04 * bell(ck, 'acid'), 6.8, 7.7), 2)},
      {topic: 'gas', test: 'FiO2', result: CASE WHEN habit < 0.4 THEN percent WHEN habit < 0.5 THEN percent / 100 END}
    ], recursive := TRUE)
  FROM oxygenated
), ordinary AS (
  SELECT * FROM drawn
  UNION ALL
  SELECT * FROM gas
)
SELECT
  patientunitstayid,
  moment,
  test,
  result,
  20 AS revised,
  as_text(result) AS words
FROM ordinary AS o
WHERE
  result IS NOT NULL AND NOT EXISTS (SELECT 1 FROM silent AS s WHERE s.sk = o.sk AND s.topic = o.topic)
UNION ALL
SELECT
  s.patientunitstayid,
  p.moment,
  p.test,
  p.result,
  coalesce(p.revised, 20),
  coalesce(p.words, as_text(p.result))
FROM carried AS c
INNER JOIN stay AS s
  ON c.sk = s.sk
INNER JOIN planted_lab AS p
  ON c.edge = p.edge;

CREATE OR REPLACE TEMP TABLE infused AS
SELECT
  patientunitstayid,
  moment,
  'Norepinephrine (mcg/min)' AS name,
  as_text(round(1 + 18 * f)) AS rate,
  as_text(round((1 + 18 * f) * 0.375, 2)) AS pump_rate,
  CASE WHEN NOT edge_here(sk, 'infusion-without-weight') THEN as_text(round(clip(82 + 20 * bell(k, 'weight'), 38, 190), 1)) END
    AS weight
FROM state AS t
WHERE
  severity > 0.45 AND f > 0.3 AND moment >= 0
  AND NOT EXISTS (SELECT 1 FROM silent AS s WHERE s.sk = t.sk AND s.topic = 'drugs')
UNION ALL
SELECT
  s.patientunitstayid,
  p.moment,
  p.name,
  p.rate,
  NULL,
  p.weight::VARCHAR
FROM carried AS c
INNER JOIN stay AS s
  ON c.sk = s.sk
INNER JOIN planted_infusion AS p
  ON c.edge = p.edge;

-- The fraction of inspired oxygen as a hospital writes it: two labels, with and without a sign.
CREATE OR REPLACE TEMP TABLE breathed AS
SELECT
  patientunitstayid,
  moment,
  'respFlowSettings' AS category,
  CASE hospitalid % 3 WHEN 0 THEN 'FIO2 (%)' ELSE 'FiO2' END AS label,
  as_text(clip(round((21 + 60 * f) / 5) * 5, 21, 100)) || CASE WHEN hospitalid % 2 = 0 THEN '%' ELSE '' END AS value
FROM state AS t
WHERE
  (tube OR f > 0.3) AND i % 4 = 2 AND uniform(sk, 'breathing charted') < 0.8
  AND NOT EXISTS (SELECT 1 FROM silent AS s WHERE s.sk = t.sk AND s.topic = 'gas')
UNION ALL
SELECT
  patientunitstayid,
  moment,
  'respFlowPtVentData',
  'Total RR',
  as_text(rr)
FROM state
WHERE
  tube AND i % 4 = 2
UNION ALL
SELECT
  s.patientunitstayid,
  p.moment,
  p.category,
  p.label,
  p.value
FROM carried AS c
INNER JOIN stay AS s
  ON c.sk = s.sk
INNER JOIN planted_breath AS p
  ON c.edge = p.edge;

-- What monitors sent by themselves; stays with planted values have no others.
CREATE OR REPLACE TEMP TABLE monitored AS
WITH planted AS (
  SELECT
    c.sk,
    s.patientunitstayid,
    p.* EXCLUDE (edge, nth)
  FROM carried AS c
  INNER JOIN stay AS s
    ON c.sk = s.sk
  INNER JOIN planted_monitor AS p
    ON c.edge = p.edge
)
SELECT
  patientunitstayid,
  moment,
  i,
  CASE WHEN uniform(sk, 'probe') < 0.1 THEN celsius END AS celsius,
  spo2,
  hr + round(2 * bell(ck, 'monitor')) AS hr,
  rr + round(bell(ck, 'monitor breath')) AS rr,
  CASE WHEN pressure <> 'Non-Invasive BP' THEN map END AS line,
  CASE WHEN i % 2 = 0 THEN map END AS cuff
FROM state AS t
WHERE
  moment >= 0 AND NOT EXISTS (SELECT 1 FROM planted AS p WHERE p.sk = t.sk)
UNION ALL
SELECT
  patientunitstayid,
  moment,
  -1,
  celsius,
  NULL,
  heartrate,
  respiration,
  line,
  cuff
FROM planted;
