-- What the monitors would show, at each slot of charting: the hospital's interval, at odd minutes.
CREATE OR REPLACE TEMP TABLE state AS
WITH slots AS (
  SELECT
    s.*,
    i,
    sub(s.sk, 'slot', i) AS ck
  FROM stay AS s
  CROSS JOIN LATERAL (
    SELECT unnest(range(
      -CASE WHEN uniform(s.sk, 'charted before') < 0.25 THEN 3 ELSE 0 END,
      1 + least(s.unitdischargeoffset, 4320) // s.every_minutes
    )) AS i
  )
), timed AS (
  SELECT
    *,
    (i * every_minutes + floor(uniform(ck, 'minute') * least(every_minutes, 30)))::INTEGER AS moment
  FROM slots
), ill AS (
  SELECT
    *,
    course(moment / 60.0, severity, peak, fade, los, dies) AS f
  FROM timed
)
SELECT
  *,
  round(clip(74 + 46 * f + 7 * drift(sk, 'heart', moment / 60.0, 5) + 3 * bell(ck, 'heart'), 28, 210)) AS hr,
  round(clip(15 + 13 * f + 2.6 * bell(ck, 'breath'), 4, 55)) AS rr,
  round(clip(89 - 36 * f + 6 * drift(sk, 'pressure', moment / 60.0, 5) + 3 * bell(ck, 'pressure'), 22, 170)) AS map,
  round(clip(36.8 + 1.5 * f * bell(sk, 'fever') + 0.3 * bell(ck, 'fever'), 32, 41.5), 1) AS celsius,
  round(clip(98 - 7 * f + 1.2 * bell(ck, 'saturation'), 60, 100)) AS spo2,
  round(clip(4 - 3.2 * brain * f * 1.3 + 0.35 * bell(ck, 'eyes'), 1, 4))::INTEGER AS eyes,
  CASE WHEN tube AND f > 0.2 THEN 1
    ELSE round(clip(5 - 4.2 * brain * f * 1.3 + 0.35 * bell(ck, 'verbal'), 1, 5))::INTEGER END AS verbal,
  round(clip(6 - 4.5 * brain * f * 1.3 + 0.35 * bell(ck, 'motor'), 1, 6))::INTEGER AS motor
FROM ill;
