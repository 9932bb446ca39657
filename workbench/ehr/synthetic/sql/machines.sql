-- Machines: ventilators and dialysis, as charted.

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
      {item: 224691, number: CASE WHEN tube AND uniform(ck, '224691') < 0.2 THEN 50 + 10 * (bits(ck, 'flow rate') % 3)::INTEGER END::DOUBLE, word: NULL, unit: 'L/min'},
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
      {item: 224153, number: 1500.0 + 200 * (bits(sk, '224153') % 4)::BIGINT, word: NULL},
      {item: 224154, number: 1000.0 + 250 * (bits(sk, '224154') % 4)::BIGINT, word: NULL},
      {item: 224191, number: round(60 + 90 * uniform(ck, 'removal')), word: NULL},
      {item: 225183, number: CASE WHEN round_12h THEN -50.0 * (bits(ck, 'goal') % 4)::BIGINT END, word: NULL},
      {item: 226457, number: round(2500 + 300 * bell(ck, 'ultrafiltrate')), word: NULL},
      {item: 228004, number: 170.0 + 10 * (bits(sk, '228004') % 4)::BIGINT, word: NULL},
      {item: 228005, number: 1200.0 + 100 * (bits(sk, '228005') % 4)::BIGINT, word: NULL},
      {item: 228006, number: 200.0 + 50 * (bits(sk, '228006') % 4)::BIGINT, word: NULL},
      {item: 224145, number: CASE WHEN uniform(sk, 'heparin') < 0.2 THEN 400.0 + 100 * (bits(sk, 'units') % 4)::BIGINT END, word: NULL},
      {item: 225958, number: NULL, word: CASE WHEN uniform(sk, 'heparin') < 0.2 AND round_12h THEN pick(sk, 'strength', ['100', '1000']) END},
      {item: 225976, number: NULL, word: CASE WHEN round_12h THEN pick(ck, 'replacement', ['Prismasate K2', 'Prismasate K4']) END},
      {item: 225977, number: NULL, word: CASE WHEN round_12h THEN pick(ck, 'dialysate', ['Prismasate K4', 'Normocarb']) END}
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
