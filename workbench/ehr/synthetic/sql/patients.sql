-- Patients, admissions and ICU stays of one batch, with everything later scripts need to know about them.
-- Identifiers come from the seed and the patient index alone: eight admissions and eight stays have room in each.

CREATE OR REPLACE TEMP TABLE subject AS
WITH placed AS (
  SELECT
    idx,
    k,
    admissions,
    second_place,
    (10000000 + moved(1) + idx + 1)::INTEGER AS subject_id,
    placed_at(idx, 'work-up') AS position,
    CASE WHEN uniform(k, 'gender') < 0.56 THEN 'M' ELSE 'F' END AS gender,
    CASE
      WHEN uniform(k, 'old') < rate('age-over-89') THEN 90 + floor(8 * uniform(k, 'very old'))::INTEGER
      ELSE clip(round(65 + 15.5 * bell(k, 'age')), 18, 89)::INTEGER
    END AS drawn_age,
    edge_of(idx, 'age-exact-decade') AS exact_decade,
    edge_of(idx, 'age-at-band') AS at_band,
    2110 + floor(80 * uniform(k, 'year'))::INTEGER AS anchor_year
  FROM population
  WHERE
    batch = getvariable('batch')
), aged AS (
  SELECT
    placed.*,
    CASE
      WHEN at_band THEN b.age
      WHEN exact_decade THEN pick(k, 'decade', [50, 60, 70, 80])
      ELSE drawn_age
    END::INTEGER AS age
  FROM placed
  LEFT JOIN band_age AS b
    ON b.nth = 1 + turn_in(idx, 'age-at-band', (SELECT count(*) FROM band_age))
)
SELECT
  a.* EXCLUDE (drawn_age, position),
  w.edge AS workup,
  CASE WHEN a.age > 89 THEN 91 ELSE a.age END::SMALLINT AS anchor_age,
  clip(CASE WHEN gender = 'M' THEN 86 ELSE 73 END + 17 * bell(k, 'weight'), 38, 190) AS weight,
  clip(CASE WHEN gender = 'M' THEN 176 ELSE 162 END + 7.3 * bell(k, 'height'), 140, 210) AS height,
  uniform(k, 'hypertension') < 0.25 + 0.004 * age AS hypertension,
  uniform(k, 'diabetes') < 0.12 + 0.002 * age AS diabetes,
  uniform(k, 'kidney disease') < 0.05 + 0.0022 * age AS kidney_disease,
  uniform(k, 'dialysis') < 0.022 AS dialysis,
  uniform(k, 'heart failure') < 0.05 + 0.0022 * age AS heart_failure,
  uniform(k, 'lung disease') < 0.17 AS lung_disease,
  uniform(k, 'liver disease') < 0.09 AS liver_disease,
  uniform(k, 'cancer') < 0.13 AS cancer,
  uniform(k, 'metastases') < 0.05 AS metastases,
  uniform(k, 'aids') < 0.012 AS aids,
  CASE WHEN gender = 'M' THEN 0.95 ELSE 0.78 END
  * exp(0.17 * bell(k, 'creatinine'))
  * CASE
      WHEN uniform(k, 'dialysis') < 0.022 THEN 5.0
      WHEN uniform(k, 'kidney disease') < 0.05 + 0.0022 * age THEN within(k, 'kidney loss', 1.4, 3.0)
      ELSE 1.0
    END AS creatinine,
  76 + 9 * bell(k, 'heart rate') AS heart_rate,
  84 + 7 * bell(k, 'pressure') + CASE WHEN uniform(k, 'hypertension') < 0.25 + 0.004 * age THEN 5 ELSE 0 END
    AS pressure
FROM aged AS a
LEFT JOIN workup_edge AS w
  ON a.position >= w.low AND a.position < w.high;

-- Edges that later stays carry; `host` is the stay's place among its like.
CREATE OR REPLACE TEMP TABLE carried AS
SELECT
  p.idx,
  sub(sub(p.k, 'admission', CASE WHEN e.topic = 'end' THEN 2 ELSE 1 END), 'stay', 0) AS sk,
  CASE WHEN e.topic = 'end' THEN p.third_place ELSE p.second_place END AS host,
  p.coded_place,
  e.edge,
  e.topic
FROM population AS p
INNER JOIN later_edge AS e
  ON CASE WHEN e.topic = 'end' THEN p.third_place ELSE p.second_place END % e.run = e.place
WHERE
  p.batch = getvariable('batch');

CREATE OR REPLACE TEMP TABLE hushed AS
SELECT
  sk,
  list(DISTINCT topic) AS topics
FROM carried
GROUP BY
  sk;

CREATE OR REPLACE TEMP TABLE admitted AS
WITH listed AS (
  SELECT
    s.*,
    n,
    sub(s.k, 'admission', n) AS ak,
    n = 0 AND s.workup IS NOT NULL AS planted
  FROM subject AS s
  CROSS JOIN LATERAL (SELECT unnest(range(s.admissions)) AS n)
), timed AS (
  SELECT
    *,
    icu_stays(ak, n) AS icu,
    (20000000 + moved(8) + 8 * idx + (n * 5 + (bits(k, 'hadm') % 8)::BIGINT) % 8)::INTEGER AS hadm_id,
    CASE
      WHEN (exact_decade OR at_band) AND n = 0 THEN make_timestamp(anchor_year, 1, 1, 0, 0, 0)
      ELSE date_trunc('minute', make_timestamp(anchor_year, 1, 1, 0, 0, 0)
        + to_minutes(floor(1440 * (5 + within(k, 'first day', 0, 320)
          + sum(CASE WHEN n = 0 THEN 0 ELSE within(ak, 'gap', 75, 480) END) OVER (PARTITION BY idx ORDER BY n)
        ))::BIGINT))
    END AS admittime
  FROM listed
)
SELECT
  t.*,
  d.* EXCLUDE (low, high, low_clean, high_clean, surgical, infected),
  d.surgical = 1 AS surgical,
  NOT t.planted AND NOT (t.n = 1 AND t.second_place IS NOT NULL)
    AND (d.infected = 1 OR uniform(t.ak, 'infection') < 0.20) AS infected,
  CASE
    WHEN t.n = 0 AND (edge_of(t.idx, 'service-elective-other') OR edge_of(t.idx, 'service-at-day-end')
      OR edge_of(t.idx, 'service-before-day-end')) THEN 'ELECTIVE'
    WHEN d.admission_type = 'EW EMER.' AND uniform(t.ak, 'type') < 0.10 THEN 'URGENT'
    WHEN d.admission_type = 'EW EMER.' AND uniform(t.ak, 'type') < 0.16 THEN 'DIRECT EMER.'
    WHEN d.admission_type = 'EW EMER.' AND uniform(t.ak, 'type') < 0.26 THEN 'OBSERVATION ADMIT'
    WHEN d.kind = 'elective_surgery' AND uniform(t.ak, 'type') < 0.35 THEN 'SURGICAL SAME DAY ADMISSION'
    ELSE d.admission_type
  END AS admitted_as,
  CASE
    WHEN EXISTS (SELECT 1 FROM carried AS c WHERE c.sk = sub(t.ak, 'stay', 0) AND c.edge LIKE 'kidney-code-n%') THEN 10
    WHEN EXISTS (SELECT 1 FROM carried AS c WHERE c.sk = sub(t.ak, 'stay', 0) AND c.edge LIKE 'kidney-code-%') THEN 9
    WHEN by_icd_9(t.ak) THEN 9
    ELSE 10
  END::SMALLINT AS icd_version
FROM timed AS t
INNER JOIN kind AS d
  ON CASE
    WHEN t.planted THEN uniform(t.ak, 'kind') >= d.low_clean AND uniform(t.ak, 'kind') < d.high_clean
    ELSE uniform(t.ak, 'kind') >= d.low AND uniform(t.ak, 'kind') < d.high
  END;

CREATE OR REPLACE TEMP TABLE stay AS
WITH listed AS (
  SELECT
    a.*,
    j,
    a.n = 0 AND j = 0 AS first,
    sub(a.ak, 'stay', j) AS sk,
    coalesce(h.topics, []) AS topics
  FROM admitted AS a
  CROSS JOIN LATERAL (SELECT unnest(range(a.icu)) AS j)
  LEFT JOIN hushed AS h
    ON sub(a.ak, 'stay', j) = h.sk
), drawn AS (
  SELECT
    *,
    clip(severity + 0.17 * bell(sk, 'severity') - CASE WHEN j > 0 THEN 0.08 ELSE 0 END, 0.04, 1.0) AS ill,
    (first AND edge_of(idx, 'stay-short-oliguria')) AS short,
    len(topics) > 1 OR first AND (edge_of(idx, 'first-day-end') OR edge_of(idx, 'first-day-after') OR edge_of(idx, 'injury-after-two-days')
      OR edge_of(idx, 'injury-at-two-days') OR edge_of(idx, 'crrt-after-two-days') OR edge_of(idx, 'crrt-at-two-days')
      OR edge_of(idx, 'ventilation-from-day-end') OR edge_of(idx, 'ventilation-after-day-end')
      OR edge_of(idx, 'urine-at-day-end') OR edge_of(idx, 'urine-after-day-end')
      OR edge_of(idx, 'vasopressor-at-exact-ends') OR edge_of(idx, 'vasopressor-past-exact-ends')
      OR coalesce(workup LIKE 'sofa-%', FALSE)) AS long,
    len(topics) > 0 OR first AND (edge_of(idx, 'injury-after-two-days') OR edge_of(idx, 'injury-at-two-days')
      OR edge_of(idx, 'crrt-after-two-days') OR edge_of(idx, 'crrt-at-two-days')) AS sound
  FROM listed
), sized AS (
  SELECT
    *,
    CASE
      WHEN short THEN 6.0
      WHEN j = 0 AND icu > 1 AND edge_here(sub(ak, 'stay', 1), 'mask-of-earlier-stay') THEN 20.0
      WHEN list_contains(topics, 'end') THEN 20.0
      ELSE clip(lognormal(sk, 'length', los_hours, 0.72) * (0.70 + 0.80 * ill), CASE WHEN long THEN 64 ELSE 9 END, 470)
    END AS los,
    j = icu - 1 AND n = admissions - 1
    AND uniform(sk, 'death') < 1.3 * p_death * (0.35 + 1.25 * ill) * (0.55 + age / 140.0) AS dies
  FROM drawn
), spaced AS (
  SELECT
    sized.*,
    CASE
      WHEN j > 0 AND edge_here(sk, 'mask-of-earlier-stay') THEN 0.0
      WHEN j > 0 AND edge_here(sk, 'support-of-touching-stay') THEN 0.0
      WHEN j > 0 AND edge_here(sk, 'stay-touching') THEN 0.0
      WHEN j > 0 AND (edge_here(sk, 'stay-overlapping') OR edge_here(sk, 'support-of-overlapping-stay')) THEN -0.5
      WHEN j > 0 THEN within(sk, 'gap', 9, 84)
      WHEN (first AND edge_of(idx, 'icu-before-admission')) THEN -0.4
      WHEN (first AND edge_of(idx, 'icu-ten-minutes-ten')) THEN 610 / 3600.0
      WHEN (first AND edge_of(idx, 'icu-pre-minutes')) THEN m.seconds / 3600.0
      WHEN uniform(sk, 'from ward') < 0.14 THEN lognormal(sk, 'ward', 46, 0.9)
      WHEN surgical AND admission_type <> 'EW EMER.' THEN within(sk, 'operation', 5, 13)
      ELSE lognormal(sk, 'emergency', 2.6, 0.8)
    END AS before
  FROM sized
  LEFT JOIN pre_minute AS m
    ON m.nth = 1 + turn_in(idx, 'icu-pre-minutes', (SELECT count(*) FROM pre_minute))
), placed AS (
  SELECT
    *,
    admittime + to_seconds((sum(round(3600 * before)::BIGINT) OVER earlier)::BIGINT)
    + to_seconds(coalesce(sum(round(3600 * los)::BIGINT) OVER previous, 0)::BIGINT) AS intime
  FROM spaced
  WINDOW
    earlier AS (PARTITION BY ak ORDER BY j),
    previous AS (PARTITION BY ak ORDER BY j ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT
  p.* EXCLUDE (before),
  (30000000 + moved(8) + 8 * idx + ((2 * n + j) * 3 + (bits(k, 'stay id') % 8)::BIGINT) % 8)::INTEGER AS stay_id,
  intime + to_seconds(round(3600 * los)::BIGINT) AS outtime,
  CASE WHEN dies THEN date_trunc('minute', intime + to_seconds(round(3600 * los)::BIGINT - 420)) END AS died,
  least(0.4 * los, within(sk, 'peak', 3, 16)) AS peak,
  within(sk, 'fade', 22, 70) AS fade,
  CASE
    WHEN uniform(sk, 'tube') >= p_tube * (0.55 + 0.9 * ill) THEN NULL
    WHEN uniform(sk, 'tube late') < 0.7 THEN within(sk, 'tube start', -1.5, 0.6)
    ELSE within(sk, 'tube start', 1, 20)
  END AS tube_from,
  lognormal(sk, 'tube hours', tube_hours, 0.6) * (0.6 + 0.7 * ill) AS tube_length,
  uniform(sk, 'tracheostomy') < CASE WHEN p_tube > 0.3 THEN 0.12 ELSE 0.02 END AS tracheostomy,
  uniform(sk, 'mask') < p_mask AS mask,
  pick(sk, 'ventilator', ['Drager', 'Hamilton', 'Drager']) AS ventilator,
  NOT sound AND uniform(sk, 'shock') < p_shock * (0.5 + 0.9 * ill) AS shock,
  CASE
    WHEN sound OR uniform(sk, 'kidney') >= 0.75 * p_kidney * (0.5 + ill) THEN 1.0 + 0.12 * uniform(sk, 'kidney little')
    ELSE 1.3 + 3.4 * ill * power(uniform(sk, 'kidney much'), 1.7)
  END AS kidney_top,
  within(sk, 'kidney start', -20, 22) AS kidney_start,
  uniform(sk, 'catheter') < 0.30 + 0.8 * ill AS catheter,
  uniform(sk, 'arterial line') < 0.18 + 0.55 * ill AS arterial_line,
  (first AND (edge_of(idx, 'stay-without-heart-rate') OR edge_of(idx, 'heart-rate-month-late-only'))) AS silent,
  list_has_any(topics, ['urine', 'end']) OR first AND (edge_of(idx, 'stay-without-weight') OR edge_of(idx, 'weight-two-at-once')
    OR edge_of(idx, 'weight-two-daily-at-once') OR edge_of(idx, 'urine-at-weight-change')
    OR edge_of(idx, 'urine-rate-exact') OR edge_of(idx, 'urine-rate-exact-low')) AS unweighed,
  list_has_any(topics, ['oxygen', 'mode']) OR first AND (edge_of(idx, 'ventilation-before-intime')
    OR edge_of(idx, 'ventilation-gap') OR edge_of(idx, 'ventilation-gap-boundaries')
    OR edge_of(idx, 'ventilation-single-row-end') OR edge_of(idx, 'ventilation-ends-at-intime')
    OR edge_of(idx, 'ventilation-from-day-end') OR edge_of(idx, 'ventilation-after-day-end')
    OR edge_of(idx, 'gas-at-ventilation-ends') OR edge_of(idx, 'cpap-hour-before') OR edge_of(idx, 'cpap-before-the-hour')
    OR edge_of(idx, 'cpap-four-hours-after') OR edge_of(idx, 'cpap-after-four-hours')) AS quiet,
  list_contains(topics, 'coma') OR first AND (edge_of(idx, 'gcs-eyes-missing') OR edge_of(idx, 'gcs-twice-at-once')
    OR edge_of(idx, 'gcs-tied-minimum') OR edge_of(idx, 'gcs-inside-six-hours') OR edge_of(idx, 'gcs-six-hours-apart')
    OR edge_of(idx, 'gcs-tube-six-hours-apart') OR edge_of(idx, 'gcs-tube-inside-six-hours')
    OR edge_of(idx, 'gcs-tube-then-words')) AS speechless,
  first AND edge_of(idx, 'urine-low-hourly') AS little_urine,
  first AND edge_of(idx, 'urine-none-hourly') AS no_urine,
  short OR list_has_any(topics, ['urine', 'end']) OR (first AND (edge_of(idx, 'urine-short-of-six-hours') OR edge_of(idx, 'urine-once-in-twelve-hours')
    OR edge_of(idx, 'urine-low-hourly') OR edge_of(idx, 'urine-none-hourly') OR edge_of(idx, 'urine-at-six-hours')
    OR edge_of(idx, 'urine-after-six-hours') OR edge_of(idx, 'urine-within-five-boundaries')
    OR edge_of(idx, 'urine-over-six-boundaries') OR edge_of(idx, 'urine-at-intime') OR edge_of(idx, 'urine-before-intime')
    OR edge_of(idx, 'urine-at-day-end') OR edge_of(idx, 'urine-after-day-end') OR edge_of(idx, 'urine-rate-exact')
    OR edge_of(idx, 'urine-rate-exact-low') OR edge_of(idx, 'urine-day-total') OR edge_of(idx, 'urine-at-weight-change')
    OR edge_of(idx, 'codes-none-injury') OR edge_of(idx, 'code-stage-5-injury')
    OR edge_of(idx, 'injury-urine-410') OR edge_of(idx, 'injury-urine-409.9'))) AS dry,
  1 + (bits(sk, 'caregiver') % 400)::INTEGER AS carer
FROM placed AS p;

-- A tube ends before discharge from the unit, unless the patient dies or has a tracheostomy.
ALTER TABLE stay ADD COLUMN tube_to DOUBLE;
UPDATE stay SET tube_to = CASE WHEN dies OR tracheostomy THEN los ELSE least(tube_from + tube_length, los - 2) END
WHERE
  tube_from IS NOT NULL;

-- Renal replacement: continuous for severe injury in the very ill, intermittent for long-term dialysis.
ALTER TABLE stay ADD COLUMN crrt_from DOUBLE;
UPDATE stay SET crrt_from = greatest(4, kidney_start + 24)
WHERE
  kidney_top > 2.0 AND ill > 0.5 AND los > kidney_start + 32 AND uniform(sk, 'crrt') < 0.62;

-- Admission as seen from its end.
CREATE OR REPLACE TEMP TABLE admission AS
WITH ended AS (
  SELECT
    a.*,
    s.first_in,
    s.last_out,
    s.died AS died_in_unit,
    s.worst,
    coalesce(s.last_out, hours_after(a.admittime, within(a.ak, 'ward stay', 20, 190))) AS ward_from,
    within(a.ak, 'after', 8, 180) AS after_hours,
    a.n = a.admissions - 1 AND uniform(a.ak, 'ward death') < a.p_death * 0.3 AS dies_on_ward
  FROM admitted AS a
  LEFT JOIN (
    SELECT
      ak,
      min(intime) AS first_in,
      max(outtime) AS last_out,
      max(died) AS died,
      max(ill) AS worst
    FROM stay
    GROUP BY
      ak
  ) AS s
    ON a.ak = s.ak
)
SELECT
  *,
  coalesce(died_in_unit, CASE WHEN dies_on_ward THEN on_minute(hours_after(ward_from, after_hours)) END)
    AS deathtime,
  CASE
    WHEN died_in_unit IS NOT NULL THEN died_in_unit
    WHEN first_in IS NULL THEN on_minute(ward_from)
    ELSE on_minute(hours_after(ward_from, after_hours))
  END AS dischtime,
  admission_location = 'EMERGENCY ROOM' AS by_emergency
FROM ended;
