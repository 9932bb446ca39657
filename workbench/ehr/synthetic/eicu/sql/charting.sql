-- nursecharting and physicalexam of one batch, by the hospital's habits. `topic` says which planted edges leave
-- these rows out.
CREATE OR REPLACE TEMP TABLE nursing (
  sk UBIGINT, patientunitstayid INTEGER, moment INTEGER, category VARCHAR, label VARCHAR, name VARCHAR, value VARCHAR,
  delay INTEGER
);

INSERT INTO nursing
WITH listed AS (
  SELECT
    sk,
    patientunitstayid,
    moment,
    ck,
    unnest([
      {topic: 'heart', category: 'Vital Signs', label: heart, name: CASE heart WHEN 'Heart Rate' THEN 'Heart Rate' ELSE 'Value' END,
        value: CASE WHEN edge_here(sub(ck, 'heart', 1), 'charting-words') THEN pick(ck, 'words', ['paced', as_text(hr) || ' bpm', 'see note'])
          ELSE as_text(hr) END},
      {topic: 'breathing', category: 'Vital Signs', label: 'Respiratory Rate', name: 'Respiratory Rate',
        value: CASE WHEN edge_here(sub(ck, 'breathing', 1), 'charting-words') THEN 'vent' ELSE as_text(rr) END},
      {topic: '', category: 'Vital Signs', label: 'O2 Saturation', name: 'O2 Saturation', value: as_text(spo2)},
      {topic: 'pressure', category: 'Vital Signs', label: pressure,
        name: CASE WHEN pressure LIKE '%Invasive BP' THEN pressure || ' Mean' ELSE 'Value' END, value: as_text(map)},
      {topic: '', category: 'Vital Signs', label: CASE WHEN pressure LIKE '%Invasive BP' THEN pressure ELSE 'Non-Invasive BP' END,
        name: CASE WHEN pressure LIKE '%Invasive BP' THEN pressure ELSE 'Non-Invasive BP' END || ' Systolic',
        value: as_text(map + 34)},
      {topic: '', category: 'Vital Signs', label: CASE WHEN pressure LIKE '%Invasive BP' THEN pressure ELSE 'Non-Invasive BP' END,
        name: CASE WHEN pressure LIKE '%Invasive BP' THEN pressure ELSE 'Non-Invasive BP' END || ' Diastolic',
        value: as_text(map - 17)},
      {topic: 'pressure', category: 'Vital Signs', label: 'Non-Invasive BP', name: 'Non-Invasive BP Mean',
        value: CASE WHEN pressure <> 'Non-Invasive BP' AND uniform(ck, 'cuff') < 0.2 THEN as_text(map + round(4 * bell(ck, 'cuff error'))) END},
      {topic: 'temperature', category: 'Vital Signs', label: 'Temperature', name: 'Temperature (C)',
        value: CASE WHEN i % 4 <> 0 OR temperature = 'fahrenheit' THEN NULL
          WHEN temperature = 'swapped' THEN as_text(round(celsius * 1.8 + 32, 1)) ELSE as_text(celsius) END},
      {topic: 'temperature', category: 'Vital Signs', label: 'Temperature', name: 'Temperature (F)',
        value: CASE WHEN i % 4 = 0 AND temperature <> 'celsius' THEN
          CASE temperature WHEN 'swapped' THEN as_text(celsius) ELSE as_text(round(celsius * 1.8 + 32, 1)) END END},
      {topic: '', category: 'Scores', label: 'Pain Score/Goal', name: 'Pain Score', value: CASE WHEN i % 4 = 1 THEN
        as_text(floor(uniform(ck, 'pain') * 8)) END},
      {topic: '', category: 'Other Vital Signs and Infusions', label: 'O2 L/%', name: 'O2 L/%', value: CASE WHEN i % 4 = 2 THEN
        as_text(2 + floor(8 * f)) END}
    ], recursive := TRUE)
  FROM state
)
SELECT
  l.sk,
  patientunitstayid,
  moment,
  category,
  label,
  name,
  value,
  (bits(ck, 'entry') % 40)::INTEGER
FROM listed AS l
WHERE
  value IS NOT NULL AND NOT EXISTS (SELECT 1 FROM silent AS s WHERE s.sk = l.sk AND s.topic = l.topic);

-- Coma scale every fourth slot.
INSERT INTO nursing
WITH listed AS (
  SELECT
    sk,
    patientunitstayid,
    moment,
    ck,
    unnest([
      {style: ['both', 'total'], label: 'Glasgow coma score', name: 'GCS Total', value: as_text(eyes + verbal + motor)},
      {style: ['both', 'parts'], label: 'Glasgow coma score', name: 'Eyes', value: as_text(eyes)},
      {style: ['both', 'parts'], label: 'Glasgow coma score', name: 'Verbal', value: as_text(verbal)},
      {style: ['both', 'parts'], label: 'Glasgow coma score', name: 'Motor', value: as_text(motor)},
      {style: ['score'], label: 'Score (Glasgow Coma Scale)', name: 'Value', value: as_text(eyes + verbal + motor)},
      {style: ['words'], label: 'Glasgow coma score', name: 'GCS Total', value: CASE WHEN tube AND f > 0.2
        THEN 'Trached or intubated' ELSE as_text(eyes + verbal + motor) END},
      {style: ['words'], label: 'Glasgow coma score', name: 'Motor', value: as_text(motor)}
    ], recursive := TRUE),
    coma
  FROM state AS t
  WHERE
    i % 4 = 0 AND uniform(ck, 'coma') < 0.93
    AND NOT EXISTS (SELECT 1 FROM silent AS s WHERE s.sk = t.sk AND s.topic = 'gcs')
)
SELECT
  sk,
  patientunitstayid,
  moment,
  CASE label WHEN 'Glasgow coma score' THEN 'Scores' ELSE 'Other Vital Signs and Infusions' END,
  label,
  name,
  value,
  (bits(ck, 'entry') % 40)::INTEGER
FROM listed
WHERE
  list_contains(style, coma);

-- What carried edges add, and rows charted twice or a minute later by another nurse.
INSERT INTO nursing
SELECT
  c.sk,
  s.patientunitstayid,
  p.moment,
  p.category,
  p.label,
  p.name,
  p.value,
  5
FROM carried AS c
INNER JOIN stay AS s
  ON c.sk = s.sk
INNER JOIN planted_nursing AS p
  ON c.edge = p.edge;

INSERT INTO nursing
SELECT
  sk,
  patientunitstayid,
  moment + later,
  category,
  label,
  name,
  CASE WHEN later = 0 OR label = 'Temperature' THEN value ELSE as_text(value::DOUBLE + 1) END,
  delay + 3
FROM (
  SELECT
    *,
    CASE
      WHEN edge_here(hash(hash(sk, label, name), moment), 'charting-row-twice') THEN 0
      WHEN TRY_CAST(value AS DOUBLE) IS NOT NULL AND edge_here(hash(hash(sk, name, label), moment), 'charting-a-minute-later') THEN 1
    END AS later
  FROM nursing
  WHERE
    category = 'Vital Signs'
    AND NOT EXISTS (
      SELECT 1 FROM carried AS c INNER JOIN planted_nursing AS p ON c.edge = p.edge
      WHERE
        c.sk = nursing.sk AND p.label = nursing.label
    )
)
WHERE
  later IS NOT NULL;

-- A stay that nobody charted, whatever else it carries.
DELETE FROM nursing
WHERE
  edge_here(sk, 'charting-none');

CREATE OR REPLACE TEMP TABLE examined AS
SELECT
  sk,
  patientunitstayid,
  moment,
  'notes/Progress Notes/Physical Exam/Physical Exam/Neurologic/GCS/' || as_text(eyes + verbal + motor) AS path,
  as_text(eyes + verbal + motor) AS value
FROM state AS t
WHERE
  i IN (1, 24) AND uniform(sk, 'examined') < exam_share
  AND NOT EXISTS (SELECT 1 FROM silent AS s WHERE s.sk = t.sk AND s.topic = 'gcs')
UNION ALL
SELECT
  sk,
  patientunitstayid,
  moment,
  'notes/Progress Notes/Physical Exam/Physical Exam Obtain Options/Performed - Structured',
  'Performed - Structured'
FROM state
WHERE
  i IN (1, 24)
UNION ALL
SELECT
  c.sk,
  s.patientunitstayid,
  p.moment,
  p.path,
  p.value
FROM carried AS c
INNER JOIN stay AS s
  ON c.sk = s.sk
INNER JOIN planted_exam AS p
  ON c.edge = p.edge;
