-- chartevents of one batch: what nurses and monitors wrote down at each slot, and weights, heights, dialysis.
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
      {item: 220739, number: CASE WHEN uniform(ck, 'eyes') >= rate('gcs-part-missing') THEN eyes END::DOUBLE,
        word: ['None', 'To Pain', 'To Speech', 'Spontaneously'][eyes], unit: NULL},
      {item: 223900, number: CASE WHEN uniform(ck, 'verbal') >= rate('gcs-part-missing') THEN verbal END::DOUBLE,
        word: CASE WHEN tube AND NOT trach THEN 'No Response-ETT'
          ELSE ['No Response', 'Incomprehensible sounds', 'Inappropriate Words', 'Confused', 'Oriented'][verbal]
        END, unit: NULL},
      {item: 223901, number: CASE WHEN uniform(ck, 'motor') >= rate('gcs-part-missing') THEN motor END::DOUBLE,
        word: ['No response', 'Abnormal extension', 'Abnormal Flexion', 'Flex-withdraws', 'Localizes Pain',
          'Obeys Commands'][motor], unit: NULL},
      {item: 228096, number: CASE WHEN tube OR brain > 0.3 THEN CASE WHEN sedated THEN -4 + (bits(ck, 'rass') % 3)::INTEGER
        ELSE (bits(ck, 'rass') % 3)::INTEGER - 1 END END::DOUBLE, word: NULL, unit: NULL},
      {item: 226732, number: NULL, word: CASE WHEN NOT quiet AND uniform(ck, 'device') < 0.93 THEN device END, unit: NULL},
      {item: 223834, number: CASE WHEN NOT quiet AND (device <> 'None' OR uniform(ck, 'flow') < 0.8) THEN
        CASE WHEN uniform(ck, 'flow gap') >= rate('device-without-flow') THEN flow END END,
        word: NULL, unit: 'L/min'},
      {item: 220048, number: NULL, word: pick(sub(sk, 'rhythm', floor(t / 20)::BIGINT), 'rhythm', ['SR (Sinus Rhythm)',
        'SR (Sinus Rhythm)', 'ST (Sinus Tachycardia) ', 'AF (Atrial Fibrillation)', 'SB (Sinus Bradycardia)']), unit: NULL},
      {item: 224650, number: NULL, word: pick(ck, 'ectopy', ['None', 'None', 'None', 'PVCs', 'PACs']), unit: NULL},
      {item: 224651, number: NULL, word: CASE WHEN uniform(ck, 'ectopy') >= 0.6 THEN pick(ck, 'often', ['Rare', 'Occasional',
        'Frequent']) END, unit: NULL},
      {item: 226479, number: NULL, word: CASE WHEN uniform(ck, 'second ectopy') < 0.06 THEN 'PACs' END, unit: NULL},
      {item: 226480, number: NULL, word: CASE WHEN uniform(ck, 'second ectopy') < 0.06 THEN 'Rare' END, unit: NULL},
      {item: 224642, number: NULL, word: pick(sk, 'site', ['Oral', 'Oral', 'Axillary', 'Blood', 'Rectal']), unit: NULL},
      {item: 223781, number: NULL, word: pick(ck, 'pain', ['No', 'No', 'Yes']), unit: NULL},
      {item: 223791, number: CASE WHEN NOT tube THEN floor(7 * uniform(ck, 'pain') * uniform(ck, 'how much')) END,
        word: NULL, unit: NULL},
      {item: 224093, number: NULL, word: pick(ck, 'position', ['Left Side', 'Right Side', 'Supine', 'HOB Up > 30']), unit: NULL},
      {item: 223985, number: NULL, word: pick(ck, 'pattern', ['Regular', 'Regular', 'Irregular']), unit: NULL},
      {item: 223990, number: NULL, word: CASE WHEN wheeze > 0.3 THEN 'Labored' ELSE 'Normal' END, unit: NULL},
      {item: 223907, number: NULL, word: pick(ck, 'pupil', ['2 mm', '3 mm', '3 mm', '4 mm']), unit: NULL},
      {item: 224733, number: NULL, word: pick(ck, 'pupil', ['2 mm', '3 mm', '3 mm', '4 mm']), unit: NULL},
      {item: 227121, number: NULL, word: CASE WHEN dulled > 0.6 THEN 'Sluggish' ELSE 'Brisk' END, unit: NULL},
      {item: 227288, number: NULL, word: CASE WHEN dulled > 0.6 THEN 'Sluggish' ELSE 'Brisk' END, unit: NULL},
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
      {item: 224087, number: NULL, word: 'Hill-Rom'},
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

-- Ventilator: settings and modes while tubed, and masks driven by a ventilator.
INSERT INTO charted
WITH breathing AS (
  SELECT
    *,
    f < 0.18 OR uniform(sub(sk, 'weaning', floor(t / 6)::BIGINT), 'weaning') < 0.25 AS spontaneous,
    ventilator = 'Hamilton' AS hamilton,
    (50 + 0.91 * (height - 152.4)) * 6.6 + 30 * drift(sk, 'volume', t, 9) AS volume
  FROM state
  WHERE
    (tube OR niv) AND NOT quiet AND (round_4h OR uniform(ck, 'vent seen') < 0.10)
), listed AS (
  SELECT
    sk,
    carer,
    charttime,
    ck,
    unnest([
      {item: 223848, number: NULL, word: CASE WHEN uniform(ck, '223848') < 0.5 THEN ventilator END, unit: NULL},
      {item: 223849, number: NULL, word: CASE WHEN tube AND NOT hamilton AND uniform(ck, 'mode') < 0.9 THEN
        CASE WHEN spontaneous THEN 'CPAP/PSV' ELSE pick(sk, 'mode', ['CMV/ASSIST/AutoFlow', 'CMV/ASSIST', 'PRVC/AC',
          'MMV/PSV/AutoFlow', 'SIMV/PSV', 'PRES/AC']) END END, unit: NULL},
      {item: 229314, number: NULL, word: CASE
        WHEN tube AND hamilton AND uniform(ck, 'mode') < 0.9 THEN
          CASE WHEN spontaneous THEN 'SPONT' ELSE pick(sk, 'mode', ['APV (cmv)', 'ASV', '(S) CMV', 'P-CMV', 'APV (simv)']) END
        WHEN niv AND hamilton AND uniform(ck, 'mode') < 0.7 THEN pick(sk, 'mask mode', ['NIV', 'NIV-ST', 'DuoPaP'])
        END, unit: NULL},
      {item: 224688, number: CASE WHEN tube AND NOT spontaneous THEN round(rr - 1) END, word: NULL, unit: 'insp/min'},
      {item: 224689, number: CASE WHEN tube THEN CASE WHEN spontaneous THEN rr ELSE 0 END END, word: NULL, unit: 'insp/min'},
      {item: 224690, number: CASE WHEN tube THEN rr END, word: NULL, unit: 'insp/min'},
      {item: 224684, number: CASE WHEN tube AND NOT spontaneous THEN round(volume / 10) * 10 END, word: NULL, unit: 'mL'},
      {item: 224685, number: CASE WHEN tube THEN round(volume + 12 * bell(ck, 'volume')) END, word: NULL, unit: 'mL'},
      {item: 224686, number: CASE WHEN tube AND spontaneous THEN round(volume + 30 * bell(ck, 'own volume')) END,
        word: NULL, unit: 'mL'},
      {item: 224687, number: CASE WHEN tube THEN round(volume * rr / 1000, 1) END, word: NULL, unit: 'L/min'},
      {item: 224691, number: CASE WHEN tube AND uniform(ck, '224691') < 0.2 THEN 60 END::DOUBLE, word: NULL, unit: 'L/min'},
      {item: 224695, number: CASE WHEN tube THEN round(16 + 14 * wheeze + peep * 0.6) END, word: NULL, unit: 'cmH2O'},
      {item: 224696, number: CASE WHEN tube AND NOT spontaneous AND uniform(ck, '224696') < 0.6
        THEN round(13 + 13 * wheeze + peep * 0.5) END, word: NULL, unit: 'cmH2O'},
      {item: 224697, number: CASE WHEN tube THEN round(7 + peep * 0.6) END, word: NULL, unit: 'cmH2O'},
      {item: 220339, number: peep, word: NULL, unit: 'cmH2O'},
      {item: 224700, number: CASE WHEN tube AND uniform(ck, '224700') < 0.3 THEN peep + (bits(ck, 'auto') % 2)::INTEGER
        END, word: NULL, unit: 'cmH2O'},
      {item: 224701, number: CASE WHEN tube AND spontaneous THEN 5 + 5 * (bits(ck, 'support') % 2)::INTEGER END::DOUBLE,
        word: NULL, unit: 'cmH2O'},
      {item: 223835, number: CASE WHEN uniform(ck, 'fraction') < rate('fio2-charted-fraction') THEN oxygen ELSE fio2 END,
        word: NULL, unit: NULL},
      {item: 227582, number: CASE WHEN niv AND uniform(ck, '227582') < 0.3 THEN round(4 + 8 * wheeze) END, word: NULL,
        unit: 'L/min'},
      {item: 223837, number: NULL, word: CASE WHEN tube AND round_12h THEN '7.5 mm' END, unit: NULL}
    ], recursive := TRUE)
  FROM breathing
)
SELECT
  sk,
  carer,
  charttime,
  item,
  coalesce(word, as_text(number)),
  number,
  unit,
  3 + (bits(ck, 'therapist') % 60)::INTEGER
FROM listed
WHERE
  coalesce(number::VARCHAR, word) IS NOT NULL;

-- Charted oxygen fraction of those on high flow.
INSERT INTO charted
SELECT
  sk,
  carer,
  charttime,
  223835,
  as_text(fio2),
  fio2,
  NULL,
  4
FROM state
WHERE
  round_4h AND NOT quiet AND device IN ('High flow nasal cannula', 'Venti mask ', 'High flow neb') AND uniform(ck, 'fio2') < 0.8;

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

-- Continuous renal replacement, hourly; the system clots or is stopped now and then.
INSERT INTO charted
WITH running AS (
  SELECT
    *,
    round(180 + 20 * drift(sk, 'pump', t, 6)) AS blood
  FROM state
  WHERE
    crrt_from IS NOT NULL AND t >= crrt_from AND NOT extra AND uniform(sub(sk, 'filter', floor(t / 10)::BIGINT), 'off') > 0.12
), listed AS (
  SELECT
    sk,
    carer,
    charttime,
    ck,
    unnest([
      {item: 227290, number: NULL, word: CASE WHEN uniform(ck, 'crrt mode') < 0.9 THEN pick(sk, 'crrt', ['CVVHDF', 'CVVHDF',
        'CVVHD', 'CVVH', 'SCUF']) END},
      {item: 224146, number: NULL, word: pick(ck, 'system', ['Active', 'Active', 'Active', 'Active', 'Clots Present',
        'No Clot Present', 'Clots Increasing', 'Clotted', 'New Filter', 'Recirculating'])},
      {item: 224144, number: blood, word: NULL},
      {item: 224149, number: round(-60 + 12 * bell(ck, 'access')), word: NULL},
      {item: 224150, number: round(140 + 20 * bell(ck, 'filter')), word: NULL},
      {item: 224151, number: round(40 + 15 * bell(ck, 'effluent')), word: NULL},
      {item: 224152, number: round(70 + 12 * bell(ck, 'return')), word: NULL},
      {item: 224153, number: 1500.0, word: NULL},
      {item: 224154, number: 1000.0, word: NULL},
      {item: 224191, number: round(60 + 90 * uniform(ck, 'removal')), word: NULL},
      {item: 225183, number: CASE WHEN round_12h THEN -100.0 END, word: NULL},
      {item: 226457, number: round(2500 + 300 * bell(ck, 'ultrafiltrate')), word: NULL},
      {item: 228004, number: 170.0, word: NULL},
      {item: 228005, number: 1200.0, word: NULL},
      {item: 228006, number: 200.0, word: NULL},
      {item: 224145, number: CASE WHEN uniform(sk, 'heparin') < 0.2 THEN 500.0 END, word: NULL},
      {item: 225958, number: NULL, word: CASE WHEN uniform(sk, 'heparin') < 0.2 AND round_12h THEN '100' END},
      {item: 225976, number: NULL, word: CASE WHEN round_12h THEN 'Prismasate K2' END},
      {item: 225977, number: NULL, word: CASE WHEN round_12h THEN 'Prismasate K4' END}
    ], recursive := TRUE)
  FROM running
)
SELECT
  sk,
  carer,
  charttime,
  item,
  coalesce(word, as_text(number)),
  number,
  NULL,
  6
FROM listed
WHERE
  coalesce(number::VARCHAR, word) IS NOT NULL;

-- Intermittent dialysis of long-term patients, and access sites.
INSERT INTO charted
SELECT
  sk,
  carer,
  charttime,
  unnest([226499, 224135, 225954]),
  unnest([as_text(round(1500 + 800 * uniform(sk, 'fluid off'))), 'Left upper arm', 'AV fistula']),
  unnest([round(1500 + 800 * uniform(sk, 'fluid off')), NULL, NULL]),
  unnest(['mL', NULL, NULL]),
  20
FROM slot
WHERE
  dialysis AND h = 26;
