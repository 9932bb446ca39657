-- labevents of one batch. A draw is a moment; its tubes (panels) are specimens; a specimen has several items.

CREATE OR REPLACE TEMP TABLE draw AS
WITH unit_draws AS (
  -- In the unit: every morning, at arrival, and every eight hours or so in the very ill.
  SELECT
    s.ak,
    s.sk,
    'unit' AS place,
    h,
    sub(s.sk, 'draw', h) AS dk,
    CASE
      WHEN h = 0 THEN on_minute(s.intime) + to_minutes((bits(s.sk, 'arrival labs') % 75)::BIGINT)
      ELSE date_trunc('hour', s.intime) + to_hours(h) + to_minutes((bits(sub(s.sk, 'draw', h), 'minute') % 60)::BIGINT)
    END AS charttime,
    course(h, s.ill, s.peak, s.fade, s.los, s.dies) AS f
  FROM stay AS s
  CROSS JOIN LATERAL (SELECT unnest(range(0, ceil(s.los)::BIGINT, 2)) AS h)
), ward_draws AS (
  -- On the ward: every morning at about five.
  SELECT
    a.ak,
    NULL::UBIGINT AS sk,
    'ward' AS place,
    d AS h,
    sub(a.ak, 'ward draw', d) AS dk,
    CASE
      WHEN d = 0 THEN on_minute(hours_after(a.admittime, within(a.ak, 'first draw', -2, 0.9)))
      ELSE date_trunc('day', a.admittime) + to_days(d) + to_minutes(270 + (bits(sub(a.ak, 'ward draw', d), 'minute') % 90)::BIGINT)
    END AS charttime,
    0.0 AS f
  FROM admission AS a
  CROSS JOIN LATERAL (SELECT unnest(range(0, 1 + date_diff('day', a.admittime, a.dischtime)::INTEGER)) AS d)
), visits AS (
  -- Outpatient: months and days before and after, without admission.
  SELECT
    a.ak,
    NULL::UBIGINT AS sk,
    'clinic' AS place,
    v AS h,
    sub(a.ak, 'visit', v) AS dk,
    on_minute(hours_after(a.admittime, CASE v
      WHEN 0 THEN -24 * within(a.ak, 'visit 0', 120, 230)
      WHEN 1 THEN -24 * within(a.ak, 'visit 1', 9, 60)
      ELSE 24 * within(a.ak, 'visit 2', 42, 70)
    END)) AS charttime,
    0.0 AS f
  FROM admission AS a
  CROSS JOIN (SELECT unnest([0, 1, 2]) AS v)
  WHERE
    uniform(sub(a.ak, 'visit', v), 'came') < 0.42 AND NOT (v = 2 AND a.deathtime IS NOT NULL)
)
SELECT
  *
FROM unit_draws
WHERE
  h = 0 OR (h + bits(sk, 'lab round')) % 24 < 2 OR uniform(dk, 'extra') < CASE WHEN f > 0.4 THEN 0.34 ELSE 0.07 END
UNION ALL
SELECT
  *
FROM ward_draws AS w
WHERE
  w.h = 0 OR NOT EXISTS (
    SELECT
      1
    FROM stay AS s
    WHERE
      s.ak = w.ak AND w.charttime BETWEEN s.intime AND s.outtime)
UNION ALL
SELECT
  *
FROM visits;

-- The patient at each draw: values follow the nearest stay of the admission, or the healthy baseline.
CREATE OR REPLACE TEMP TABLE drawn AS
WITH placed AS (
  SELECT
    d.dk,
    d.place,
    d.charttime,
    a.ak,
    a.idx,
    a.k,
    a.subject_id,
    a.hadm_id,
    a.kind,
    a.brain, a.lung, a.heart, a.fever, a.bleed, a.liver, a.marrow, a.sugar, a.diabetes, a.creatinine, a.dialysis,
    a.liver_disease,
    a.gender,
    s.sk,
    s.los,
    s.ill,
    s.peak,
    s.fade,
    s.dies,
    s.shock,
    s.arterial_line,
    s.tube_from,
    s.tube_to,
    s.kidney_top,
    s.kidney_start,
    CASE WHEN d.place = 'clinic' THEN NULL ELSE hours_between(s.intime, d.charttime) END AS t
  FROM draw AS d
  INNER JOIN admission AS a
    ON d.ak = a.ak
  LEFT JOIN stay AS s
    ON s.ak = d.ak AND (d.sk = s.sk OR (d.sk IS NULL AND s.j = 0))
  WHERE
    d.charttime < coalesce(a.deathtime, TIMESTAMP '2300-01-01') AND (d.place = 'clinic' OR d.charttime <= a.dischtime)
), felt AS (
  SELECT
    *,
    coalesce(course(t, ill, peak, fade, los, dies), 0.06) AS f,
    coalesce(kidney(t, kidney_top, kidney_start), 1.0) AS injury,
    coalesce(tube_from IS NOT NULL AND t BETWEEN tube_from AND tube_to, FALSE) AS tube
  FROM placed
)
SELECT
  *,
  clip(creatinine * injury * (1 + 0.045 * bell(dk, 'cr')), 0.2, 14) AS cr,
  clip(3.4 - 1.2 * f + 0.35 * bell(k, 'albumin'), 1.3, 5.0) AS alb,
  clip(25.5 - 9 * f * (0.3 + heart) - 2.2 * (injury - 1) - CASE WHEN sugar > 100 THEN 12 * f ELSE 0 END + 1.6 * bell(dk, 'hco3'),
    4, 42) AS hco3,
  clip(139 + 3.4 * bell(k, 'na') + 2.2 * bell(dk, 'na') - 9 * f * liver, 112, 165) AS na,
  clip(4.1 + 0.35 * bell(dk, 'k') + 0.35 * (injury - 1), 2.2, 8.0) AS kalium,
  clip(12.6 - 4.4 * bleed * f - 1.6 * f + 1.2 * bell(k, 'hb') + 0.4 * bell(dk, 'hb'), 4.2, 18.0) AS hb,
  clip((225 + 55 * bell(k, 'plt')) * (1 - 0.55 * f) * (1 - 0.96 * marrow * (0.55 + 0.45 * f)) * (1 - 0.25 * liver),
    4, 900) AS plt,
  clip((8.2 + 1.8 * bell(k, 'wbc')) * (1 + greatest(0, fever) * 0.75 * f) * (1 - 0.97 * CASE WHEN marrow > 0.9 THEN marrow ELSE 0
    END) + 1.1 * bell(dk, 'wbc'), 0.1, 70) AS wbc,
  clip((0.55 * exp(0.35 * bell(k, 'bili'))) * (1 + 48 * liver * f * f + 1.5 * f) + CASE WHEN liver_disease THEN 1.1 ELSE 0 END,
    0.1, 38) AS bili,
  clip(1.08 + 1.9 * liver * f + 0.35 * f + CASE WHEN liver_disease THEN 0.35 ELSE 0 END
    + CASE WHEN uniform(k, 'warfarin') < 0.08 THEN 1.3 ELSE 0 END + 0.05 * bell(dk, 'inr'), 0.8, 11) AS inr,
  clip(1.1 + 7.5 * f * f * (0.25 + heart) + 0.3 * bell(dk, 'lactate'), 0.4, 19) AS lac,
  clip(112 + sugar * f * 0.85 + CASE WHEN diabetes THEN 48 ELSE 0 END + 20 * bell(dk, 'glucose'), 34, 900) AS glu,
  f * lung AS wheeze
FROM felt;

-- Tubes of each draw: one specimen each.
CREATE OR REPLACE TEMP TABLE tube AS
WITH listed AS (
  SELECT
    *,
    unnest([
      {panel: 'chemistry', wanted: TRUE},
      {panel: 'count', wanted: uniform(dk, 'count') < 0.88},
      {panel: 'differential', wanted: uniform(dk, 'differential') < CASE WHEN place = 'clinic' THEN 0.6 ELSE 0.24 END},
      {panel: 'coagulation', wanted: uniform(dk, 'coagulation') < CASE WHEN place = 'unit' THEN 0.55 ELSE 0.30 END},
      {panel: 'liver', wanted: uniform(dk, 'liver') < CASE WHEN liver > 0.1 THEN 0.70 ELSE 0.33 END},
      {panel: 'heart', wanted: uniform(dk, 'heart') < CASE WHEN kind IN ('myocardial_infarction', 'heart_failure',
        'cardiac_arrest') THEN 0.60 ELSE 0.10 END},
      {panel: 'inflammation', wanted: uniform(dk, 'inflammation') < 0.08},
      {panel: 'gas', wanted: place = 'unit' AND uniform(dk, 'gas') < CASE WHEN tube OR arterial_line THEN 0.85
        WHEN f > 0.35 THEN 0.45 ELSE 0.08 END},
      {panel: 'second gas', wanted: place = 'unit' AND tube AND uniform(dk, 'second gas') < 0.55},
      {panel: 'point of care', wanted: place = 'unit' AND uniform(dk, 'point of care') < rate('lab-point-of-care-twin')},
      {panel: 'repeat', wanted: uniform(dk, 'repeat') < rate('lab-same-time-two-specimens')}
    ], recursive := TRUE)
  FROM drawn
)
SELECT
  *,
  hash(hash(dk, panel)) AS tk,
  CASE WHEN panel = 'second gas' THEN charttime + to_minutes(95 + (bits(dk, 'later') % 60)::BIGINT) ELSE charttime END AS taken,
  CASE
    WHEN panel NOT IN ('gas', 'second gas') THEN NULL
    WHEN arterial_line OR uniform(dk, 'artery') < 0.4 THEN 'ART.'
    ELSE 'VEN.'
  END AS gas_kind
FROM listed
WHERE
  wanted;

CREATE OR REPLACE TEMP TABLE measured_lab AS
WITH chemistry AS (
  SELECT
    tk,
    unnest([
      {item: 50912, number: round(cr, 1)},
      {item: 51006, number: round(clip(15 * power(cr, 0.8) + 22 * f * bleed + 8 * f, 3, 190))},
      {item: 50983, number: round(na)},
      {item: 50971, number: round(kalium, 1)},
      {item: 50902, number: round(na - hco3 - 11 - 3 * f - 1.2 * bell(dk, 'ag'))},
      {item: 50882, number: round(hco3)},
      {item: 50868, number: round(clip(11 + 3 * f + lac * 0.9 + CASE WHEN sugar > 100 THEN 11 * f ELSE 0 END, 4, 44))},
      {item: 50931, number: round(glu)},
      {item: 50893, number: CASE WHEN uniform(dk, 'ca') < 0.85 THEN round(8.9 - 1.0 * f + 0.4 * bell(dk, 'ca'), 1) END},
      {item: 50960, number: CASE WHEN uniform(dk, 'mg') < 0.85 THEN round(2.0 + 0.25 * bell(dk, 'mg'), 1) END},
      {item: 50970, number: CASE WHEN uniform(dk, 'p') < 0.85 THEN round(3.4 + 0.5 * (injury - 1) + 0.5 * bell(dk, 'p'), 1) END},
      {item: 50862, number: CASE WHEN uniform(dk, 'albumin') < 0.28 THEN round(alb, 1) END},
      {item: 50976, number: CASE WHEN uniform(dk, 'protein') < 0.06 THEN round(alb + 2.7, 1) END},
      {item: 50930, number: CASE WHEN uniform(dk, 'protein') < 0.06 THEN round(2.7 + 0.3 * bell(dk, 'globulin'), 1) END},
      {item: 51009, number: CASE WHEN place = 'unit' AND fever > 1 AND uniform(dk, 'level') < 0.10
        THEN round(15 + 4 * bell(dk, 'level'), 1) END}
    ], recursive := TRUE)
  FROM tube
  WHERE
    panel = 'chemistry'
), counts AS (
  SELECT
    tk,
    unnest([
      {item: 51221, number: round(hb * 3.02, 1)},
      {item: 51222, number: round(hb, 1)},
      {item: 51248, number: round(30 + 1.6 * bell(k, 'mch'), 1)},
      {item: 51249, number: round(33 + 0.9 * bell(k, 'mchc'), 1)},
      {item: 51250, number: round(90 + 5 * bell(k, 'mcv'))},
      {item: 51265, number: round(plt)},
      {item: 51277, number: round(14.6 + 1.6 * abs(bell(k, 'rdw')), 1)},
      {item: 51279, number: round(hb / 3.05, 2)},
      {item: 51301, number: round(wbc, 1)},
      {item: 52159, number: CASE WHEN uniform(k, 'sd') < 0.5 THEN round(49 + 4 * bell(k, 'rdwsd'), 1) END}
    ], recursive := TRUE)
  FROM tube
  WHERE
    panel = 'count'
), differentials AS (
  SELECT
    tk,
    unnest([
      {item: 51301, number: round(wbc, 1)},
      {item: 51256, number: round(clip(66 + 20 * f + 5 * bell(dk, 'neutrophils'), 8, 96), 1)},
      {item: 51244, number: round(clip(20 - 13 * f + 4 * bell(dk, 'lymphocytes'), 1, 60), 1)},
      {item: 51254, number: round(clip(7 + 2 * bell(dk, 'monocytes'), 0, 20), 1)},
      {item: 51200, number: round(clip(1.6 + bell(dk, 'eosinophils'), 0, 9), 1)},
      {item: 51146, number: round(clip(0.4 + 0.2 * bell(dk, 'basophils'), 0, 2), 1)},
      {item: 51144, number: CASE WHEN uniform(dk, 'bands') < 0.35 THEN round(clip(14 * f * greatest(0, fever) / 1.5
        + 2 * bell(dk, 'band count'), 0, 40)) END},
      {item: 51143, number: CASE WHEN uniform(dk, 'bands') < 0.35 THEN (bits(dk, 'atypical') % 3)::DOUBLE END},
      {item: 51251, number: CASE WHEN uniform(dk, 'bands') < 0.35 THEN (bits(dk, 'meta') % 3)::DOUBLE END},
      {item: 52135, number: CASE WHEN uniform(dk, 'bands') >= 0.35 THEN round(0.4 + 2.4 * f, 1) END},
      {item: 52075, number: CASE WHEN uniform(dk, 'absolute') < 0.6 THEN round(wbc * 0.7, 2) END},
      {item: 51133, number: CASE WHEN uniform(dk, 'absolute') < 0.6 THEN round(wbc * 0.16, 2) END},
      {item: 52073, number: CASE WHEN uniform(dk, 'absolute') < 0.6 THEN round(wbc * 0.015, 2) END},
      {item: 52074, number: CASE WHEN uniform(dk, 'absolute') < 0.6 THEN round(wbc * 0.07, 2) END},
      {item: 52069, number: CASE WHEN uniform(dk, 'absolute') < 0.6 THEN round(wbc * 0.004, 2) END},
      {item: 51257, number: CASE WHEN uniform(dk, 'nucleated') < 0.1 THEN (bits(dk, 'nucleated count') % 4)::DOUBLE END}
    ], recursive := TRUE)
  FROM tube
  WHERE
    panel = 'differential'
), coagulation AS (
  SELECT
    tk,
    unnest([
      {item: 51237, number: round(inr, 1)},
      {item: 51274, number: round(inr * 11.6, 1)},
      {item: 51275, number: round(clip(30 + 9 * (inr - 1) + 8 * f + 4 * bell(dk, 'ptt'), 19, 150), 1)},
      {item: 51214, number: CASE WHEN uniform(dk, 'fibrinogen') < 0.2 THEN round(clip(330 + 140 * f - 240 * liver * f
        + 60 * bell(dk, 'fibrinogen'), 40, 900)) END},
      {item: 51196, number: CASE WHEN uniform(dk, 'dimer') < 0.06 THEN round(400 + 5000 * f) END},
      {item: 51297, number: CASE WHEN uniform(dk, 'thrombin') < 0.04 THEN round(15 + 3 * f, 1) END}
    ], recursive := TRUE)
  FROM tube
  WHERE
    panel = 'coagulation'
), livers AS (
  SELECT
    tk,
    unnest([
      {item: 50885, number: round(bili, 1)},
      {item: 50861, number: round(clip(24 * exp(0.4 * bell(dk, 'alt')) * (1 + 40 * liver * f + 5 * f), 5, 9000))},
      {item: 50878, number: round(clip(28 * exp(0.4 * bell(dk, 'alt')) * (1 + 46 * liver * f + 6 * f), 6, 12000))},
      {item: 50863, number: round(clip(82 * exp(0.3 * bell(dk, 'alp')) * (1 + liver), 25, 900))},
      {item: 50954, number: CASE WHEN uniform(dk, 'ldh') < 0.6 THEN round(220 + 500 * f * (1 + liver)) END},
      {item: 50883, number: CASE WHEN uniform(dk, 'direct') < 0.15 THEN round(bili * 0.55, 1) END},
      {item: 50884, number: CASE WHEN uniform(dk, 'direct') < 0.15 THEN round(bili * 0.45, 1) END},
      {item: 50867, number: CASE WHEN uniform(dk, 'amylase') < 0.08 THEN round(70 + 40 * f) END},
      {item: 50927, number: CASE WHEN uniform(dk, 'ggt') < 0.05 THEN round(60 + 120 * liver) END}
    ], recursive := TRUE)
  FROM tube
  WHERE
    panel = 'liver'
), hearts AS (
  SELECT
    tk,
    unnest([
      {item: 51003, number: round(clip(0.02 + CASE WHEN kind IN ('myocardial_infarction', 'cardiac_arrest') THEN 3.5 ELSE 0.15 END
        * f * (1 + 0.3 * bell(dk, 'troponin')), 0.01, 25), 2)},
      {item: 50911, number: CASE WHEN uniform(dk, 'mb') < 0.7 THEN round(3 + CASE WHEN kind = 'myocardial_infarction' THEN 90
        ELSE 4 END * f) END},
      {item: 50910, number: CASE WHEN uniform(dk, 'mb') < 0.7 THEN round(110 + 900 * f) END},
      {item: 50963, number: CASE WHEN uniform(dk, 'bnp') < 0.35 THEN round(400 + 9000 * f * heart) END}
    ], recursive := TRUE)
  FROM tube
  WHERE
    panel = 'heart'
), others AS (
  SELECT
    tk,
    unnest(CASE panel
      WHEN 'inflammation' THEN [{item: 50889, number: round(clip(8 + 150 * f * greatest(0.2, fever), 0.3, 400), 1)}]
      WHEN 'point of care' THEN [
        {item: 52502, number: round(cr + 0.1, 1)}, {item: 52525, number: round(glu + 4)}, {item: 52566, number: round(kalium + 0.1, 1)},
        {item: 52579, number: round(na - 1)}, {item: 52603, number: round(15 * power(cr, 0.8) + 2)},
        {item: 52456, number: round(alb, 1)}]
      ELSE [
        {item: 50912, number: round(cr + 0.1, 1)}, {item: 50983, number: round(na + 1)}, {item: 50971, number: round(kalium + 0.2, 1)}]
    END, recursive := TRUE)
  FROM tube
  WHERE
    panel IN ('inflammation', 'point of care', 'repeat')
), breathed AS (
  SELECT
    *,
    CASE WHEN tube THEN round(clip(36 + 75 * wheeze + 6 * bell(dk, 'gas fio2'), 30, 100) / 5) * 5 ELSE 21 END AS fio2,
    clip(CASE WHEN gas_kind = 'VEN.' THEN 47 ELSE 40 END + 13 * wheeze - CASE WHEN sugar > 100 THEN 14 * f ELSE 4 * f END
      + 3.5 * bell(tk, 'co2'), 14, 120) AS pco2,
    clip(CASE WHEN gas_kind = 'VEN.' THEN 38 ELSE CASE WHEN tube THEN 165 ELSE 98 END END
      * exp(-1.05 * wheeze + 0.20 * bell(tk, 'o2')), 22, 520) AS po2
  FROM tube
  WHERE
    panel IN ('gas', 'second gas')
), gases AS (
  SELECT
    tk,
    unnest([
      {item: 50821, number: round(po2)},
      {item: 50818, number: round(pco2)},
      {item: 50820, number: round(clip(7.39 - 0.006 * (pco2 - 40) + 0.013 * (hco3 - 25), 6.8, 7.65), 2)},
      {item: 50802, number: round(hco3 - 25 - 0.2 * (pco2 - 40))},
      {item: 50804, number: round(hco3 + 1.2)},
      {item: 50803, number: CASE WHEN uniform(tk, 'bicarbonate') < 0.2 THEN round(hco3) END},
      {item: 50813, number: CASE WHEN uniform(tk, 'lactate') < 0.75 THEN round(lac, 1) END},
      {item: 50816, number: CASE WHEN tube AND uniform(tk, 'fio2') < 0.45 THEN
        CASE WHEN uniform(tk, 'fraction') < rate('fio2-lab-fraction') THEN fio2 / 100.0 ELSE fio2 END END},
      {item: 50801, number: CASE WHEN tube AND fio2 >= 50 AND uniform(tk, 'gradient') < 0.6
        THEN round(greatest(5, fio2 / 100 * 713 - pco2 / 0.8 - po2)) END},
      {item: 50819, number: CASE WHEN tube AND uniform(tk, 'peep') < 0.4 THEN round(5 + 8 * wheeze) END},
      {item: 50817, number: CASE WHEN uniform(tk, 'saturation') < 0.25 THEN round(CASE WHEN gas_kind = 'VEN.' THEN 68 ELSE 97 END
        - 4 * wheeze) END},
      {item: 50825, number: CASE WHEN uniform(tk, 'temperature') < 0.3 THEN round(36.8 + fever * f * 0.7, 1) END},
      {item: 50808, number: CASE WHEN uniform(tk, 'calcium') < 0.5 THEN round(1.13 + 0.06 * bell(tk, 'calcium'), 2) END},
      {item: 50809, number: CASE WHEN uniform(tk, 'whole blood') < 0.4 THEN round(glu) END},
      {item: 50822, number: CASE WHEN uniform(tk, 'whole blood') < 0.4 THEN round(kalium, 1) END},
      {item: 50824, number: CASE WHEN uniform(tk, 'whole blood') < 0.3 THEN round(na) END},
      {item: 50806, number: CASE WHEN uniform(tk, 'whole blood') < 0.3 THEN round(na - hco3 - 12) END},
      {item: 50811, number: CASE WHEN uniform(tk, 'whole blood') < 0.3 THEN round(hb, 1) END},
      {item: 50810, number: CASE WHEN uniform(tk, 'whole blood') < 0.3 THEN round(hb * 3) END},
      {item: 50805, number: CASE WHEN uniform(tk, 'oximetry') < 0.05 THEN 1.0 + (bits(tk, 'carbon') % 3)::BIGINT END},
      {item: 50814, number: CASE WHEN uniform(tk, 'oximetry') < 0.05 THEN 0.0 + (bits(tk, 'met') % 2)::BIGINT END}
    ], recursive := TRUE)
  FROM breathed
)
SELECT tk, item::INTEGER AS item, number, NULL AS word FROM chemistry
UNION ALL
SELECT tk, item, number, NULL FROM counts
UNION ALL
SELECT tk, item, number, NULL FROM differentials
UNION ALL
SELECT tk, item, number, NULL FROM coagulation
UNION ALL
SELECT tk, item, number, NULL FROM livers
UNION ALL
SELECT tk, item, number, NULL FROM hearts
UNION ALL
SELECT tk, item, number, NULL FROM others
UNION ALL
SELECT tk, item, number, NULL FROM gases
UNION ALL
SELECT
  tk,
  52033,
  NULL,
  gas_kind
FROM tube
WHERE
  panel IN ('gas', 'second gas') AND uniform(tk, 'labelled') >= rate('gas-unlabelled');

-- Specimens with their place in the patient's sequence, before identifiers are given.
CREATE OR REPLACE TEMP TABLE specimen AS
SELECT
  t.tk,
  t.idx,
  t.subject_id,
  CASE WHEN t.place = 'clinic' OR uniform(t.tk, 'admission lost') < rate('lab-without-admission') THEN NULL ELSE t.hadm_id END
    AS hadm_id,
  t.taken AS charttime,
  t.taken + to_minutes(25 + (bits(t.tk, 'turnaround') % 120)::BIGINT) AS storetime,
  CASE WHEN t.place = 'clinic' THEN NULL WHEN uniform(t.tk, 'stat') < 0.4 THEN 'STAT' ELSE 'ROUTINE' END AS priority
FROM tube AS t;
