-- Respiratory care and the APACHE values of one batch. A stay that carries an airway edge has no other sign of
-- ventilation.
CREATE OR REPLACE TEMP TABLE airway AS
SELECT
  t.sk,
  t.patientunitstayid,
  t.moment,
  CASE WHEN uniform(t.sk, 'tracheostomy') < 0.06 THEN 'Tracheostomy' ELSE 'Oral ETT' END AS airwaytype,
  CASE WHEN uniform(t.sk, 'size') < 0.8 THEN pick(t.sk, 'size of tube', ['7.0', '7.5', '8.0']) END AS airwaysize,
  CASE WHEN uniform(t.sk, 'place') < 0.6 THEN pick(t.sk, 'lip', ['22 cm at lip', '23 cm at lip', '24 cm at teeth']) END AS airwayposition,
  CASE WHEN uniform(t.ck, 'cuff') < 0.3 THEN round(22 + 4 * uniform(t.ck, 'cuff pressure')) END AS cuffpressure,
  CASE WHEN uniform(t.sk, 'apnea') < 0.2 THEN '500' END AS setapneatv
FROM state AS t
WHERE
  t.tube AND t.i >= 0 AND t.i % 12 = 1 AND uniform(t.sk, 'respiratory care') < t.airway_share
  AND NOT EXISTS (SELECT 1 FROM silent AS s WHERE s.sk = t.sk AND s.topic = 'airway')
UNION ALL
SELECT
  c.sk,
  s.patientunitstayid,
  p.moment,
  p.airwaytype,
  p.airwaysize::VARCHAR,
  p.airwayposition,
  p.cuffpressure,
  p.setapneatv::VARCHAR
FROM carried AS c
INNER JOIN stay AS s
  ON c.sk = s.sk
INNER JOIN planted_airway AS p
  ON c.edge = p.edge;

CREATE OR REPLACE TEMP TABLE apache AS
WITH worst AS (
  SELECT
    sk,
    max(f) AS f,
    max(hr) AS hr,
    min(map) AS map,
    max(rr) AS rr,
    min(celsius) AS celsius,
    min(eyes) AS eyes,
    min(verbal) AS verbal,
    min(motor) AS motor
  FROM state
  WHERE
    moment BETWEEN 0 AND 1440
  GROUP BY
    sk
), urine AS (
  SELECT
    sk,
    sum(volume) AS volume
  FROM fluid
  WHERE
    moment > 0 AND moment <= 1440 AND path LIKE '%|Output (ml)|%' AND lower(path) NOT LIKE '%intake%'
  GROUP BY
    sk
)
SELECT
  s.*,
  s.no_apache AS without,
  w.* EXCLUDE (sk, f),
  w.f AS worst,
  CASE
    WHEN map_contains(fields, 'urine') THEN fields['urine']::DOUBLE
    WHEN edge_here(s.sk, 'apache-minus-one') OR q.sk IS NOT NULL THEN -1
    ELSE coalesce(u.volume, -1)
  END AS apache_urine,
  CASE
    WHEN map_contains(fields, 'intubated') THEN fields['intubated']::INTEGER
    WHEN tube AND v.sk IS NULL THEN 1 ELSE 0
  END AS intubated,
  CASE
    WHEN map_contains(fields, 'oobintubday1') THEN fields['oobintubday1']::INTEGER
    WHEN tube AND v.sk IS NULL THEN 1 ELSE 0
  END AS oobintub,
  CASE
    WHEN map_contains(fields, 'vent') THEN fields['vent']::INTEGER
    WHEN tube AND v.sk IS NULL THEN 1 ELSE 0
  END AS vent_flag,
  CASE
    WHEN map_contains(fields, 'oobventday1') THEN fields['oobventday1']::INTEGER
    WHEN tube AND v.sk IS NULL THEN 1 ELSE 0
  END AS oobvent
FROM stay AS s
INNER JOIN worst AS w
  ON s.sk = w.sk
LEFT JOIN urine AS u
  ON s.sk = u.sk
LEFT JOIN silent AS q
  ON s.sk = q.sk AND q.topic = 'urine'
LEFT JOIN silent AS v
  ON s.sk = v.sk AND v.topic = 'airway'
WHERE
  NOT s.no_apache
  AND (s.apache = 1 OR EXISTS (SELECT 1 FROM silent AS c WHERE c.sk = s.sk AND c.topic IN ('airway', 'admission', 'urine')));
