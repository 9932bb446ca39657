-- chartevents of one batch: what monitors and nurses wrote down at each slot, and weights and heights.
-- A list of (item, number, text, unit) a moment; entries without number and text were not charted.

CREATE OR REPLACE TEMP TABLE charted (
  sk UBIGINT, carer INTEGER, charttime TIMESTAMP, itemid INTEGER, value VARCHAR, valuenum DOUBLE, valueuom VARCHAR,
  delay INTEGER
);

-- Monitor: heart, breathing, oxygen, pressure. A cuff where there is no arterial line, and both now and then.
INSERT INTO charted
WITH measured AS (
  SELECT
    *,
    round(map + pulse_pressure * 0.64) AS systolic,
    round(map - pulse_pressure * 0.34) AS diastolic,
    arterial_line AND uniform(ck, 'line read') < 0.95 AS by_line,
    NOT arterial_line OR uniform(ck, 'cuff too') < rate('pressure-arterial-and-cuff') AS by_cuff,
    round(3 * bell(ck, 'cuff')) AS cuff_error
  FROM state
), listed AS (
  SELECT
    sk,
    carer,
    charttime,
    ck,
    unnest([
      {item: 220045, number: CASE WHEN NOT silent AND uniform(ck, '220045') < 0.97 THEN hr END, unit: 'bpm'},
      {item: 220210, number: CASE WHEN uniform(ck, '220210') < 0.96 THEN rr END, unit: 'insp/min'},
      {item: 220277, number: CASE WHEN uniform(ck, '220277') < 0.95 THEN spo2 END, unit: '%'},
      {item: 220050, number: CASE WHEN by_line THEN systolic END, unit: 'mmHg'},
      {item: 220051, number: CASE WHEN by_line THEN diastolic END, unit: 'mmHg'},
      {item: 220052, number: CASE WHEN by_line THEN round(map) END, unit: 'mmHg'},
      {item: 220179, number: CASE WHEN by_cuff THEN systolic + cuff_error END, unit: 'mmHg'},
      {item: 220180, number: CASE WHEN by_cuff THEN diastolic + cuff_error END, unit: 'mmHg'},
      {item: 220181, number: CASE WHEN by_cuff THEN round(map) + cuff_error END, unit: 'mmHg'},
      {item: 223761, number: CASE WHEN round_4h AND uniform(sk, 'celsius') >= 0.15 AND uniform(ck, 'temp') < 0.92
        THEN round(celsius * 1.8 + 32, 1) END, unit: '°F'},
      {item: 223762, number: CASE WHEN round_4h AND uniform(sk, 'celsius') < 0.15 AND uniform(ck, 'temp') < 0.92
        THEN round(celsius, 1) END, unit: '°C'},
      {item: 225664, number: CASE WHEN (round_4h AND uniform(ck, '225664') < 0.5) OR (sugar > 100 AND f > 0.1)
        THEN sugar_now END, unit: NULL},
      {item: 220074, number: CASE WHEN shock AND arterial_line AND uniform(ck, '220074') < 0.5
        THEN round(9 + 4 * f + 2 * bell(ck, 'cvp')) END, unit: 'mmHg'},
      {item: 220765, number: CASE WHEN brain > 0.35 AND ill > 0.45 AND tube AND uniform(sk, 'icp') < 0.6
        THEN round(11 + 13 * f + 2.5 * bell(ck, 'icp')) END, unit: 'mmHg'}
    ], recursive := TRUE)
  FROM measured
)
SELECT
  sk,
  carer,
  charttime,
  item,
  as_text(number),
  number,
  unit,
  (bits(ck, 'monitor') % 22)::INTEGER
FROM listed
WHERE
  number IS NOT NULL;

-- Beside the monitor every hour: rhythm, turning, comfort.
INSERT INTO charted
WITH listed AS (
  SELECT
    sk,
    carer,
    charttime,
    ck,
    unnest([
      {item: 220048, word: pick(sub(sk, 'rhythm', floor(t / 20)::BIGINT), 'rhythm', ['SR (Sinus Rhythm)', 'SR (Sinus Rhythm)',
        'ST (Sinus Tachycardia) ', 'AF (Atrial Fibrillation)', 'SB (Sinus Bradycardia)'])},
      {item: 224650, word: pick(ck, 'ectopy', ['None', 'None', 'None', 'PVCs', 'PACs'])},
      {item: 224651, word: CASE WHEN uniform(ck, 'ectopy') >= 0.6 THEN pick(ck, 'often', ['Rare', 'Occasional', 'Frequent']) END},
      {item: 226479, word: CASE WHEN uniform(ck, 'second ectopy') < 0.02 THEN pick(ck, 'second', ['PACs', 'PVCs']) END},
      {item: 226480, word: CASE WHEN uniform(ck, 'second ectopy') < 0.02 THEN pick(ck, 'how often', ['Rare', 'Occasional']) END},
      {item: 224093, word: CASE WHEN h % 2 = 0 THEN pick(ck, 'position', ['Left Side', 'Right Side', 'Supine', 'HOB Up > 30']) END},
      {item: 223781, word: CASE WHEN h % 2 = 1 THEN pick(ck, 'pain', ['No', 'No', 'Yes']) END},
      {item: 227969, word: 'Call light within reach'},
      {item: 227969, word: CASE WHEN uniform(ck, 'safety') < 0.7 THEN pick(ck, 'measure', ['Bed locked in low position',
        'Side rails up']) END},
      {item: 224080, word: CASE WHEN h % 2 = 0 THEN pick(ck, 'head', ['30 Degrees', '30 Degrees', '45 Degrees']) END},
      {item: 224082, word: CASE WHEN h % 2 = 0 THEN pick(ck, 'turn', ['Self', 'Side to Back', 'Back to Side']) END},
      {item: 224086, word: CASE WHEN h % 2 = 1 THEN CASE WHEN tube THEN 'Bedrest' ELSE pick(ck, 'activity', ['Bedrest', 'Chair',
        'Commode']) END END},
      {item: 223792, word: CASE WHEN h % 4 = 1 THEN pick(ck, 'relief', ['Positioning', 'Medication', 'Rest']) END},
      {item: 223795, word: CASE WHEN h % 4 = 1 THEN CASE WHEN tube THEN 'Non-verbal cues' ELSE 'Numeric Pain Scale' END END},
      {item: 224087, word: CASE WHEN h % 8 = 3 THEN 'Hill-Rom' END},
      {item: 220046, word: CASE WHEN h % 8 = 1 THEN '120' END},
      {item: 220047, word: CASE WHEN h % 8 = 1 THEN '50' END},
      {item: 223751, word: CASE WHEN h % 8 = 1 THEN '160' END},
      {item: 223752, word: CASE WHEN h % 8 = 1 THEN '90' END},
      {item: 223769, word: CASE WHEN h % 8 = 1 THEN '100' END},
      {item: 223770, word: CASE WHEN h % 8 = 1 THEN '90' END},
      {item: 224161, word: CASE WHEN h % 8 = 1 THEN '30' END},
      {item: 224162, word: CASE WHEN h % 8 = 1 THEN '8' END}
    ], recursive := TRUE)
  FROM state
  WHERE
    NOT extra
)
SELECT
  sk,
  carer,
  charttime,
  item,
  word,
  try_cast(word AS DOUBLE),
  NULL,
  2 + (bits(ck, 'beside') % 40)::INTEGER
FROM listed
WHERE
  word IS NOT NULL;

-- Nursing round every four hours: consciousness, pain, skin, and the oxygen device with its flow.
INSERT INTO charted
WITH seen AS (
  SELECT
    *,
    CASE WHEN sedated THEN least(awareness, 8) ELSE awareness END AS total
  FROM state
  WHERE
    round_4h
), parts AS (
  SELECT
    *,
    CASE
      WHEN total <= 4 THEN 1 WHEN total <= 7 THEN 2 WHEN total <= 11 THEN 3 ELSE 4
    END AS eyes,
    CASE
      WHEN total <= 3 THEN 1 WHEN total <= 5 THEN 2 WHEN total <= 7 THEN 4 WHEN total <= 10 THEN 5 ELSE 6
    END AS motor
  FROM seen
), spoken AS (
  SELECT
    *,
    CASE WHEN tube AND NOT trach THEN 1 ELSE clip(total - eyes - motor, 1, 5) END::INTEGER AS verbal,
    CASE
      WHEN device = 'None' OR device = 'Endotracheal tube' OR device = 'Tracheostomy tube' THEN 0
      WHEN device = 'High flow nasal cannula' THEN round(35 + 25 * wheeze)
      WHEN device IN ('Non-rebreather', 'Bipap mask ', 'CPAP mask ') THEN 15
      ELSE round(2 + 8 * wheeze)
    END AS flow
  FROM parts
), listed AS (
  SELECT
    sk,
    carer,
    charttime,
    ck,
    unnest([
      {item: 220739, number: CASE WHEN NOT speechless AND uniform(ck, 'eyes') >= rate('gcs-part-missing') THEN eyes END::DOUBLE,
        word: ['None', 'To Pain', 'To Speech', 'Spontaneously'][eyes], unit: NULL},
      {item: 223900, number: CASE WHEN NOT speechless AND uniform(ck, 'verbal') >= rate('gcs-part-missing') THEN verbal END::DOUBLE,
        word: CASE WHEN tube AND NOT trach THEN 'No Response-ETT'
          ELSE ['No Response', 'Incomprehensible sounds', 'Inappropriate Words', 'Confused', 'Oriented'][verbal]
        END, unit: NULL},
      {item: 223901, number: CASE WHEN NOT speechless AND uniform(ck, 'motor') >= rate('gcs-part-missing') THEN motor END::DOUBLE,
        word: ['No response', 'Abnormal extension', 'Abnormal Flexion', 'Flex-withdraws', 'Localizes Pain',
          'Obeys Commands'][motor], unit: NULL},
      {item: 228096, number: CASE WHEN tube OR brain > 0.3 THEN CASE WHEN sedated THEN -4 + (bits(ck, 'rass') % 3)::INTEGER
        ELSE (bits(ck, 'rass') % 3)::INTEGER - 1 END END::DOUBLE, word: NULL, unit: NULL},
      {item: 226732, number: NULL, word: CASE WHEN NOT quiet AND uniform(ck, 'device') < 0.93 THEN device END, unit: NULL},
      {item: 223834, number: CASE WHEN NOT quiet AND (device <> 'None' OR uniform(ck, 'flow') < 0.8) THEN
        CASE WHEN uniform(ck, 'flow gap') >= rate('device-without-flow') THEN flow END END,
        word: NULL, unit: 'L/min'},
      {item: 224642, number: NULL, word: pick(sk, 'site', ['Oral', 'Oral', 'Axillary', 'Blood', 'Rectal']), unit: NULL},
      {item: 223791, number: CASE WHEN NOT tube THEN floor(7 * uniform(ck, 'pain') * uniform(ck, 'how much')) END,
        word: NULL, unit: NULL},
      {item: 223985, number: NULL, word: pick(ck, 'pattern', ['Regular', 'Regular', 'Irregular']), unit: NULL},
      {item: 223990, number: NULL, word: CASE WHEN wheeze > 0.3 THEN 'Labored' ELSE 'Normal' END, unit: NULL},
      {item: 223907, number: NULL, word: pick(ck, 'pupil', ['2 mm', '3 mm', '3 mm', '4 mm']), unit: NULL},
      {item: 224733, number: NULL, word: pick(ck, 'pupil', ['2 mm', '3 mm', '3 mm', '4 mm']), unit: NULL},
      {item: 227121, number: NULL, word: CASE WHEN dulled > 0.6 THEN 'Sluggish' ELSE 'Brisk' END, unit: NULL},
      {item: 227288, number: NULL, word: CASE WHEN dulled > 0.6 THEN 'Sluggish' ELSE 'Brisk' END, unit: NULL},
      {item: 223986, number: NULL, word: pick(sub(ck, 'lung', 1), 'sound', ['Clear', 'Clear', 'Rhonchi', 'Diminished']), unit: NULL},
      {item: 223987, number: NULL, word: pick(sub(ck, 'lung', 2), 'sound', ['Clear', 'Diminished', 'Crackles']), unit: NULL},
      {item: 223988, number: NULL, word: pick(sub(ck, 'lung', 3), 'sound', ['Clear', 'Clear', 'Rhonchi', 'Diminished']), unit: NULL},
      {item: 223989, number: NULL, word: pick(sub(ck, 'lung', 4), 'sound', ['Clear', 'Diminished', 'Crackles']), unit: NULL},
      {item: 223934, number: NULL, word: pick(sk, 'pulses', ['Easily Palpable', 'Weak Palpable', 'Doppler']), unit: NULL},
      {item: 223943, number: NULL, word: pick(sk, 'pulses', ['Easily Palpable', 'Weak Palpable', 'Doppler']), unit: NULL},
      {item: 223935, number: NULL, word: pick(sk, 'pulses', ['Easily Palpable', 'Weak Palpable', 'Doppler']), unit: NULL},
      {item: 223947, number: NULL, word: pick(sk, 'pulses', ['Easily Palpable', 'Weak Palpable', 'Doppler']), unit: NULL},
      {item: 228412, number: greatest(0, motor - 1), word: NULL, unit: NULL},
      {item: 228409, number: greatest(0, motor - 1), word: NULL, unit: NULL},
      {item: 228411, number: greatest(0, motor - 1), word: NULL, unit: NULL},
      {item: 228410, number: greatest(0, motor - 1), word: NULL, unit: NULL},
      {item: 224003, number: NULL, word: pick(ck, 'belly', ['Soft', 'Soft', 'Distended', 'Obese']), unit: NULL},
      {item: 224004, number: NULL, word: pick(ck, 'bowel', ['Present', 'Present', 'Hypoactive', 'Absent']), unit: NULL},
      {item: 224016, number: NULL, word: pick(ck, 'urine', ['Yellow', 'Yellow', 'Amber', 'Light Yellow']), unit: NULL},
      {item: 224876, number: NULL, word: pick(ck, 'clear', ['Clear', 'Clear', 'Cloudy']), unit: NULL},
      {item: 224026, number: NULL, word: pick(sk, 'skin', ['Intact', 'Intact', 'Impaired']), unit: NULL},
      {item: 224027, number: NULL, word: CASE WHEN shock AND f > 0.4 THEN 'Cool' ELSE 'Warm' END, unit: NULL},
      {item: 224028, number: NULL, word: pick(ck, 'colour', ['Normal for Race', 'Normal for Race', 'Pale']), unit: NULL},
      {item: 226168, number: NULL, word: CASE WHEN tube THEN '1' END, unit: NULL}
    ], recursive := TRUE)
  FROM spoken
)
SELECT
  sk,
  carer,
  charttime,
  item,
  coalesce(word, as_text(number)),
  number,
  unit,
  5 + (bits(ck, 'nurse') % 90)::INTEGER
FROM listed
WHERE
  coalesce(number::VARCHAR, word) IS NOT NULL AND NOT (item IN (220739, 223900, 223901) AND number IS NULL);

-- Twice a day: pressure sores' scale, bed.
INSERT INTO charted
WITH listed AS (
  SELECT
    sk,
    carer,
    charttime,
    ck,
    unnest([
      {item: 224054, number: CASE WHEN dulled > 0.4 THEN 2 ELSE 3 + (bits(ck, '54') % 2)::INTEGER END, word: NULL},
      {item: 224055, number: 3 + (bits(ck, '55') % 2)::INTEGER, word: NULL},
      {item: 224056, number: 1 + (bits(ck, '56') % 2)::INTEGER, word: NULL},
      {item: 224057, number: CASE WHEN tube THEN 2 ELSE 3 END, word: NULL},
      {item: 224058, number: 2 + (bits(ck, '58') % 2)::INTEGER, word: NULL},
      {item: 224059, number: 2, word: NULL},
      {item: 224031, number: NULL, word: pick(ck, 'edema', ['Lower Extremities', 'Generalized', 'None'])}
    ], recursive := TRUE)
  FROM state
  WHERE
    round_12h
)
SELECT
  sk,
  carer,
  charttime,
  item,
  coalesce(word, as_text(number::DOUBLE)),
  number::DOUBLE,
  NULL,
  5 + (bits(ck, 'nurse') % 90)::INTEGER
FROM listed;

-- Weight and height.
INSERT INTO charted
WITH weighed AS (
  SELECT
    sk,
    carer,
    intime,
    h,
    los,
    weight + 0.9 * h / 24.0 * ill + 0.6 * bell(sub(sk, 'scale', h), 'error') AS kilograms
  FROM stay
  CROSS JOIN LATERAL (SELECT unnest(range(0, los::BIGINT + 24, 24)) AS h)
  WHERE
    NOT unweighed
)
SELECT
  sk,
  carer,
  on_minute(intime) + to_minutes(5 + (bits(sk, 'weighed') % 170)::BIGINT),
  226512,
  as_text(round(kilograms, 1)),
  round(kilograms, 1),
  'kg',
  10
FROM weighed
WHERE
  h = 0 AND uniform(sk, 'admission weight') >= rate('weight-daily-only')
UNION ALL
SELECT
  sk,
  carer,
  date_trunc('day', intime) + to_hours(h + 5) + to_minutes((bits(sub(sk, 'scale', h), 'minute') % 60)::BIGINT),
  224639,
  as_text(round(kilograms, 1)),
  round(kilograms, 1),
  'kg',
  10
FROM weighed
WHERE
  h > 0 AND h < los AND uniform(sub(sk, 'scale', h), 'daily') < 0.6;

INSERT INTO charted
SELECT
  sk,
  carer,
  on_minute(intime) + to_minutes(20 + (bits(sk, 'measured') % 100)::BIGINT) AS charttime,
  unnest([226707, 226730]) AS item,
  as_text(unnest([round(height / 2.54), round(height)])),
  unnest([round(height / 2.54), round(height)]),
  unnest(['Inch', 'cm']),
  10
FROM stay
WHERE
  uniform(sk, 'height') < 0.72 AND NOT short;
