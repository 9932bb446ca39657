-- The moments at which a stay is charted, and the patient's state at each: the hidden truth that charts,
-- labs and infusions read. One row a slot; roughly hourly, at odd minutes, with gaps, denser when unstable.

CREATE OR REPLACE TEMP TABLE slot AS
WITH hourly AS (
  SELECT
    s.*,
    h,
    sub(s.sk, 'slot', h) AS ck,
    date_trunc('hour', s.intime) + to_hours(h) + to_minutes(
      CASE
        WHEN h = 0 THEN least(59, minute(s.intime) + 1 + (bits(s.sk, 'first minute') % 12)::BIGINT)
        WHEN uniform(sub(s.sk, 'slot', h), 'odd') < 0.72 THEN 0
        ELSE (bits(sub(s.sk, 'slot', h), 'minute') % 30)::BIGINT
      END) AS charttime
  FROM stay AS s
  CROSS JOIN LATERAL (SELECT unnest(range(ceil(s.los)::BIGINT + 1)) AS h)
  WHERE
    h = 0 OR uniform(sub(s.sk, 'slot', h), 'gap') > 0.025
), dense AS (
  SELECT
    * REPLACE (
      charttime + to_minutes(31 - minute(charttime) + (bits(ck, 'extra minute') % 28)::BIGINT) AS charttime,
      bits(ck, 'extra') AS ck)
  FROM hourly
  WHERE
    h > 0 AND uniform(ck, 'dense') < ill * 0.45
)
SELECT
  *,
  h = 0 OR (h + bits(sk, 'round')) % 4 = 0 AS round_4h,
  (h + bits(sk, 'round')) % 12 = 2 AS round_12h,
  hours_between(intime, charttime) AS t,
  course(hours_between(intime, charttime), ill, peak, fade, los, dies) AS f,
  FALSE AS extra
FROM hourly
WHERE
  charttime < outtime AND charttime <= coalesce(died, outtime)
UNION ALL
SELECT
  *,
  FALSE,
  FALSE,
  hours_between(intime, charttime),
  course(hours_between(intime, charttime), ill, peak, fade, los, dies),
  TRUE
FROM dense
WHERE
  charttime < outtime AND charttime <= coalesce(died, outtime);

CREATE OR REPLACE TEMP TABLE state AS
WITH supported AS (
  SELECT
    *,
    tube_from IS NOT NULL AND t >= tube_from AND t <= tube_to AS tube,
    tracheostomy AND tube_from IS NOT NULL AND t > tube_from + 60 AS trach,
    mask AND tube_from IS NULL AND f > 0.16 AND (floor(t / 8)::BIGINT + bits(sk, 'mask turn')) % 3 < 2 AS niv,
    f * lung AS wheeze,
    f * brain AS dulled
  FROM slot
), devised AS (
  SELECT
    *,
    CASE
      WHEN tube AND trach THEN 'Tracheostomy tube'
      WHEN tube THEN 'Endotracheal tube'
      WHEN niv THEN CASE WHEN uniform(sk, 'mask kind') < 0.7 THEN 'Bipap mask ' ELSE 'CPAP mask ' END
      WHEN trach THEN 'Trach mask '
      WHEN tube_to IS NOT NULL AND t > tube_to AND t < tube_to + 20 AND lung > 0.4 THEN 'High flow nasal cannula'
      WHEN wheeze > 0.30 THEN pick(sk, 'much oxygen', ['High flow nasal cannula', 'Non-rebreather', 'Venti mask ',
        'Medium conc mask ', 'High flow neb'])
      WHEN wheeze > 0.06 OR t < 6 THEN pick(sk, 'oxygen', ['Nasal cannula', 'Nasal cannula', 'Nasal cannula',
        'Face tent', 'Aerosol-cool', 'Oxymizer'])
      ELSE 'None'
    END AS device,
    round(clip(CASE WHEN tube THEN 36 + 75 * wheeze + 6 * drift(sk, 'fio2', t, 8) ELSE 30 + 70 * wheeze END, 21, 100)
      / 5) * 5 AS fio2
  FROM supported
)
SELECT
  *,
  fio2 / 100.0 AS oxygen,
  round(clip(heart_rate + 42 * f * (0.4 + heart) + 4 * fever * f + 7 * drift(sk, 'hr', t, 5) + 3.2 * bell(ck, 'hr'),
    28, 205)) AS hr,
  clip(pressure - CASE WHEN shock THEN 23 ELSE 9 END * f + 7 * drift(sk, 'map', t, 4) + 3.5 * bell(ck, 'map'), 32, 150)
    AS map,
  clip(42 + 14 * drift(sk, 'pulse', t, 10) - 12 * f * heart, 18, 90) AS pulse_pressure,
  round(clip(CASE WHEN tube THEN 15 + 5 * f ELSE 16 + 11 * f * (0.35 + lung) END + 2.4 * drift(sk, 'rr', t, 4)
    + 1.8 * bell(ck, 'rr'), 5, 56)) AS rr,
  round(clip(97.6 - CASE WHEN tube THEN 3 ELSE 7 END * wheeze + 1.1 * drift(sk, 'spo2', t, 5) + 0.9 * bell(ck, 'spo2'),
    62, 100)) AS spo2,
  36.85 + fever * f * 0.75 + 0.36 * drift(sk, 'temp', t, 9) + 0.12 * bell(ck, 'temp')
    - CASE WHEN ill > 0.78 AND uniform(sk, 'cold') < 0.4 THEN 2.2 * f ELSE 0 END AS celsius,
  round(clip(118 + sugar * f * 0.85 + CASE WHEN diabetes THEN 45 ELSE 0 END + 26 * drift(sk, 'sugar', t, 7)
    + 12 * bell(ck, 'sugar'), 31, 780)) AS sugar_now,
  round(clip(5 + 9 * wheeze + 1.2 * drift(sk, 'peep', t, 12), 5, 20)) AS peep,
  tube AND NOT trach AND uniform(sub(sk, 'sedation', floor(t / 6)::BIGINT), 'deep') < 0.25 + 0.6 * f AS sedated,
  round(clip(15.2 - 13.5 * dulled + 0.45 * drift(sk, 'gcs', t, 9), 3, 15))::INTEGER AS awareness
FROM devised;
