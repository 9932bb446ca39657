-- What goes out and what goes in: outputevents, inputevents, ingredientevents and procedureevents of one batch.

CREATE OR REPLACE TEMP TABLE output (
  sk UBIGINT, charttime TIMESTAMP, itemid INTEGER, value DOUBLE
);

-- Urine: hourly through a catheter; otherwise every few hours, as it comes.
INSERT INTO output
WITH flowing AS (
  SELECT
    *,
    CASE
      WHEN dialysis THEN 0.12
      ELSE 1.15 * exp(0.35 * drift(sk, 'urine', t, 8)) / (1 + 2.4 * (kidney(t + 8, kidney_top, kidney_start) - 1))
        * (1 - CASE WHEN shock THEN 0.62 ELSE 0.25 END * f)
    END * weight AS per_hour,
    pick(sk, 'way', [226559, 226559, 226559, 226559, 226559, 226559, 226563, 226584, 226564, 226565, 226557, 226558]) AS way
  FROM slot
  WHERE
    NOT extra AND NOT dry AND h > 0
)
SELECT
  sk,
  charttime,
  CASE WHEN uniform(sk, 'usual way') < 0.95 THEN 226559 ELSE way END,
  round(greatest(0, per_hour * (1 + 0.30 * bell(ck, 'volume'))) / 5) * 5
FROM flowing
WHERE
  catheter AND uniform(ck, 'emptied') < 0.93
UNION ALL
SELECT
  sk,
  charttime,
  pick(sk, 'void', [226560, 226560, 226560, 226560, 226561, 226567]),
  round(greatest(10, per_hour * within(ck, 'hours held', 2.5, 6.5) * (1 + 0.2 * bell(ck, 'volume'))) / 25) * 25
FROM flowing
WHERE
  NOT catheter AND uniform(ck, 'voids') < 0.22;

-- Oliguria and anuria, charted every hour for a day.
INSERT INTO output
SELECT
  sk,
  date_trunc('hour', intime) + to_hours(h),
  226559,
  CASE WHEN little_urine THEN round(0.2 * weight) ELSE 0 END
FROM stay
CROSS JOIN (SELECT unnest(range(1, 27)) AS h)
WHERE
  (little_urine OR no_urine) AND NOT short;

-- Operating room and recovery urine, drains, stomach, stool.
INSERT INTO output
SELECT
  sk,
  on_minute(intime) + to_minutes(8),
  unnest([226627, 226631]),
  unnest([round(150 + 500 * uniform(sk, 'or urine')), round(50 + 150 * uniform(sk, 'pacu urine'))])
FROM stay
WHERE
  surgical AND j = 0 AND uniform(sk, 'or charted') < 0.5
UNION ALL
SELECT
  sk,
  charttime,
  CASE WHEN kind = 'cardiac_surgery' THEN 226588 ELSE 226575 END,
  round(20 + 120 * f * uniform(ck, 'drain'))
FROM slot
WHERE
  NOT extra AND h % 4 = 1 AND (kind = 'cardiac_surgery' OR (tube_from IS NOT NULL AND t < tube_to))
UNION ALL
SELECT
  sk,
  charttime,
  226579,
  round(100 + 250 * uniform(ck, 'stool'))
FROM slot
WHERE
  round_12h AND uniform(ck, 'stool charted') < 0.3;

CREATE OR REPLACE TEMP TABLE infusion (
  sk UBIGINT, starttime TIMESTAMP, endtime TIMESTAMP, itemid INTEGER, amount DOUBLE, amountuom VARCHAR, rate DOUBLE,
  rateuom VARCHAR, course INTEGER, category VARCHAR, status VARCHAR, patientweight DOUBLE
);

-- Vasoactive drugs: while the shock is above a threshold, in pieces of two hours with their own rate.
INSERT INTO infusion
WITH agent AS (
  SELECT
    *
  FROM (VALUES
    ('norepinephrine', 221906, 0.30, 0.62, 'mcg/kg/min', 0.06, 'mg'),
    ('phenylephrine', 221749, 0.34, 2.2, 'mcg/kg/min', 0.06, 'mg'),
    ('vasopressin', 222315, 0.50, 1.2, 'units/hour', 0.06, 'units'),
    ('epinephrine', 221289, 0.46, 0.24, 'mcg/kg/min', 0.06, 'mg'),
    ('dopamine', 221662, 0.36, 18.0, 'mcg/kg/min', 0.06, 'mg'),
    ('dobutamine', 221653, 0.34, 9.0, 'mcg/kg/min', 0.06, 'mg'),
    ('milrinone', 221986, 0.28, 0.7, 'mcg/kg/min', 0.06, 'mg')
  ) AS v(agent, itemid, threshold, gain, unit, step, amount_unit)
), chosen AS (
  SELECT
    s.*,
    a.*
  FROM stay AS s
  INNER JOIN agent AS a
    ON CASE a.agent
      WHEN 'norepinephrine' THEN uniform(s.sk, 'first agent') < 0.80
      WHEN 'phenylephrine' THEN uniform(s.sk, 'first agent') >= 0.72
      WHEN 'vasopressin' THEN uniform(s.sk, 'second agent') < 0.55
      WHEN 'epinephrine' THEN uniform(s.sk, 'third agent') < CASE WHEN s.kind IN ('cardiac_surgery', 'cardiac_arrest') THEN 0.45 ELSE 0.12 END
      WHEN 'dopamine' THEN uniform(s.sk, 'dopamine') < 0.10
      WHEN 'dobutamine' THEN uniform(s.sk, 'inotrope') < CASE WHEN s.heart > 0.5 THEN 0.12 ELSE 0.02 END
      ELSE uniform(s.sk, 'inotrope') >= 0.82 AND s.heart > 0.5
    END
  WHERE
    s.shock
), pieces AS (
  SELECT
    *,
    sub(sk, agent, piece) AS pk,
    course(2 * piece + 1, ill, peak, fade, los, dies) AS f
  FROM chosen
  CROSS JOIN LATERAL (SELECT unnest(range(0, (los / 2)::BIGINT)) AS piece)
)
SELECT
  sk,
  on_minute(intime) + to_hours(2 * piece) + to_minutes(CASE WHEN piece = 0 THEN 12 ELSE 0 END),
  least(on_minute(intime) + to_hours(2 * piece + 2), outtime),
  itemid,
  round(greatest(step, gain * (f - threshold + 0.08) * (1 + 0.15 * bell(pk, 'rate'))) * weight * 0.12, 6),
  amount_unit,
  round(CASE WHEN agent = 'vasopressin' THEN 1.2 + 1.2 * (bits(sk, 'vasopressin') % 2)::BIGINT
    ELSE greatest(0.01, gain * (f - threshold + 0.08) * (1 + 0.15 * bell(pk, 'rate'))) END, 6),
  unit,
  itemid,
  '01-Drips',
  CASE WHEN uniform(pk, 'change') < 0.6 THEN 'ChangeDose/Rate' ELSE 'FinishedRunning' END,
  round(weight, 1)
FROM pieces
WHERE
  f > threshold AND 2 * piece + 0.3 < los;

-- Sedation, relaxation, maintenance, insulin, blood, replacement for continuous dialysis.
INSERT INTO infusion
WITH pieces AS (
  SELECT
    *,
    sub(sk, 'drip', piece) AS pk,
    4 * piece + 2 AS mid,
    course(4 * piece + 2, ill, peak, fade, los, dies) AS f
  FROM stay
  CROSS JOIN LATERAL (SELECT unnest(range(0, (los / 4)::BIGINT)) AS piece)
), listed AS (
  SELECT
    *,
    unnest([
      {item: 222168, wanted: tube_from IS NOT NULL AND mid BETWEEN tube_from AND tube_to AND uniform(sk, 'propofol') < 0.7,
        amount: 600.0, amount_unit: 'mg', speed: round(12 + 45 * f, 4), speed_unit: 'mcg/kg/min', drip: TRUE},
      {item: 221744, wanted: tube_from IS NOT NULL AND mid BETWEEN tube_from AND tube_to AND uniform(sk, 'fentanyl') < 0.7,
        amount: 300.0, amount_unit: 'mcg', speed: round(50 + 100 * f, 4), speed_unit: 'mcg/hour', drip: TRUE},
      {item: CASE WHEN uniform(sk, 'relaxant') < 0.7 THEN 221555 ELSE 222062 END,
        wanted: tube_from IS NOT NULL AND mid BETWEEN tube_from AND tube_to AND lung > 0.4 AND f > 0.55,
        amount: round(30 + 20 * f, 2), amount_unit: 'mg', speed: round(0.1 + 0.1 * f, 4), speed_unit: 'mg/kg/hour', drip: TRUE},
      {item: 225158, wanted: uniform(pk, 'saline') < 0.30 + 0.5 * f, amount: round(200 + 800 * f), amount_unit: 'ml',
        speed: round(75 + 150 * f, 4), speed_unit: 'mL/hour', drip: FALSE},
      {item: 220949, wanted: uniform(pk, 'dextrose') < 0.25, amount: 80.0, amount_unit: 'ml', speed: 20.0, speed_unit: 'mL/hour',
        drip: FALSE},
      {item: 223258, wanted: sugar > 30 AND f > 0.2, amount: round(8 + 10 * f, 2), amount_unit: 'units', speed: round(2 + 4 * f, 4),
        speed_unit: 'units/hour', drip: TRUE},
      {item: 225168, wanted: bleed > 0.3 AND f > 0.25 AND uniform(pk, 'blood') < 0.25, amount: 350.0, amount_unit: 'ml', speed: NULL,
        speed_unit: NULL, drip: FALSE},
      {item: 227536, wanted: crrt_from IS NOT NULL AND mid > crrt_from, amount: round(6 + 3 * uniform(pk, 'potassium'), 2),
        amount_unit: 'mEq', speed: 2.0, speed_unit: 'mEq./hour', drip: TRUE},
      {item: 227525, wanted: crrt_from IS NOT NULL AND mid > crrt_from, amount: 6.4, amount_unit: 'grams', speed: 1.6,
        speed_unit: 'grams/hour', drip: TRUE}
    ], recursive := TRUE)
  FROM pieces
)
SELECT
  sk,
  on_minute(intime) + to_hours(4 * piece) + to_minutes((bits(pk, 'minute') % 30)::BIGINT),
  least(on_minute(intime) + to_hours(4 * piece + 4), outtime),
  item,
  amount,
  amount_unit,
  speed,
  speed_unit,
  item,
  CASE WHEN drip THEN '01-Drips' ELSE '02-Fluids (Crystalloids)' END,
  CASE WHEN uniform(pk, 'finished') < 0.7 THEN 'FinishedRunning' ELSE 'ChangeDose/Rate' END,
  round(weight, 1)
FROM listed
WHERE
  wanted AND 4 * piece + 0.6 < los;

-- Lines, ventilation, dialysis and other procedures.
CREATE OR REPLACE TEMP TABLE procedure_done AS
WITH listed AS (
  SELECT
    *,
    unnest([
      {item: 225752, from_h: 0.3, to_h: los - 0.5, wanted: arterial_line, place: pick(sk, 'artery', ['Left Radial', 'Right Radial',
        'Left Femoral', 'Left Brachial.'])},
      {item: CASE WHEN uniform(sk, 'central kind') < 0.7 THEN 224263 ELSE 224264 END, from_h: 1.0, to_h: los - 0.5,
        wanted: ill > 0.45 AND uniform(sk, 'central') < 0.8, place: pick(sk, 'vein', ['Right IJ', 'Left IJ', 'Right Femoral.', 'Right Antecub'])},
      {item: pick(sk, 'other line', [224267, 224268, 224560, 224272, 225204, 225315]), from_h: 0.2, to_h: los * 0.7,
        wanted: heart > 0.5 AND uniform(sk, 'other') < 0.25, place: 'Right IJ'},
      {item: 226124, from_h: 2.0, to_h: los * 0.8, wanted: brain > 0.35 AND ill > 0.45 AND tube_from IS NOT NULL
        AND uniform(sk, 'icp') < 0.6, place: NULL},
      {item: 224275, from_h: 0.1, to_h: los, wanted: uniform(sk, 'cannula') < 0.7, place: 'Left Antecub'},
      {item: 225792, from_h: greatest(0, tube_from), to_h: tube_to, wanted: tube_from IS NOT NULL, place: NULL},
      {item: 225794, from_h: 0.5, to_h: los * 0.4, wanted: mask AND tube_from IS NULL, place: NULL},
      {item: 224270, from_h: crrt_from - 1, to_h: los, wanted: crrt_from IS NOT NULL, place: 'Right IJ'},
      {item: pick(sk, 'crrt way', [225802, 225809, 225803, 225955]), from_h: crrt_from, to_h: least(los, crrt_from + 60),
        wanted: crrt_from IS NOT NULL, place: NULL},
      {item: 225436, from_h: crrt_from + 20, to_h: crrt_from + 20.02, wanted: crrt_from IS NOT NULL AND los > crrt_from + 21, place: NULL},
      {item: 225441, from_h: 22.0, to_h: 25.5, wanted: dialysis AND los > 27, place: NULL},
      {item: 225401, from_h: 1.5, to_h: 1.517, wanted: infected, place: NULL},
      {item: 225459, from_h: 0.8, to_h: 0.817, wanted: uniform(sk, 'x-ray') < 0.8, place: NULL}
    ], recursive := TRUE)
  FROM stay
)
SELECT
  sk,
  item AS itemid,
  on_minute(hours_after(intime, from_h)) AS starttime,
  on_minute(hours_after(intime, to_h)) AS endtime,
  place
FROM listed
WHERE
  wanted AND to_h > from_h AND from_h < los;
