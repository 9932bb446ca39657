-- What a careful reader of the instruction alone may write: whatever is called urine or foley, the admission weight as
-- it stands, looks back of exactly 6, 12 and 24 hours.
WITH urine AS (
  SELECT
    patientunitstayid,
    intakeoutputoffset AS chartoffset,
    sum(cellvaluenumeric) AS volume
  FROM eicu_crd.intakeoutput
  WHERE
    cellpath ILIKE '%output (ml)%' AND (cellpath ILIKE '%urine%' OR cellpath ILIKE '%foley%')
  GROUP BY
    patientunitstayid, intakeoutputoffset
), collection AS (
  SELECT
    *,
    chartoffset - coalesce(lag(chartoffset) OVER (PARTITION BY patientunitstayid ORDER BY chartoffset), 0) AS gap
  FROM urine
), looking_back AS (
  SELECT
    *,
    sum(volume) OVER six AS volume_6,
    sum(volume) OVER twelve AS volume_12,
    sum(volume) OVER day AS volume_24,
    sum(gap) OVER six AS minutes_6,
    sum(gap) OVER twelve AS minutes_12,
    sum(gap) OVER day AS minutes_24
  FROM collection
  WINDOW
    six AS (PARTITION BY patientunitstayid ORDER BY chartoffset RANGE BETWEEN 360 PRECEDING AND CURRENT ROW),
    twelve AS (PARTITION BY patientunitstayid ORDER BY chartoffset RANGE BETWEEN 720 PRECEDING AND CURRENT ROW),
    day AS (PARTITION BY patientunitstayid ORDER BY chartoffset RANGE BETWEEN 1440 PRECEDING AND CURRENT ROW)
)
SELECT
  back.patientunitstayid,
  back.chartoffset,
  stay.admissionweight AS weight,
  back.volume AS uo,
  back.volume_6 AS urineoutput_6hr,
  back.volume_12 AS urineoutput_12hr,
  back.volume_24 AS urineoutput_24hr,
  CASE WHEN minutes_6 >= 360 THEN volume_6 / nullif(stay.admissionweight, 0) / (minutes_6 / 60.0) END AS uo_mlkghr_6hr,
  CASE WHEN minutes_12 >= 720 THEN volume_12 / nullif(stay.admissionweight, 0) / (minutes_12 / 60.0) END AS uo_mlkghr_12hr,
  CASE WHEN minutes_24 >= 1440 THEN volume_24 / nullif(stay.admissionweight, 0) / (minutes_24 / 60.0) END AS uo_mlkghr_24hr,
  back.minutes_6 AS uo_minutes_6hr,
  back.minutes_12 AS uo_minutes_12hr,
  back.minutes_24 AS uo_minutes_24hr
FROM looking_back AS back
INNER JOIN eicu_crd.patient AS stay
  ON back.patientunitstayid = stay.patientunitstayid
