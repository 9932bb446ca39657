-- Oxford Acute Severity of Illness Score of the first day in intensive care: one row per ICU stay.
-- Target 'public-code': equal in value to the pinned public concept; see deviations.toml. Read besides raw tables are the
-- concepts gcs and ventilation. Means and sums are taken over exact decimals, so that no result depends on the order
-- of rows.

WITH stay AS (
  -- rule: every-stay
  SELECT
    icu.subject_id,
    icu.hadm_id,
    icu.stay_id,
    icu.intime,
    -- rule: first-day-window (both ends belong to it)
    icu.intime - INTERVAL 6 HOUR AS day_starts,
    icu.intime + INTERVAL 24 HOUR AS day_ends,
    admission.admission_type,
    date_diff('microsecond', admission.admittime, icu.intime) / 60000000.0 AS minutes_before,
    -- rule: age-at-admission (in years and their parts; over 89 are 91 at the anchor)
    patient.anchor_age + date_diff(
      'microsecond', make_timestamp(patient.anchor_year, 1, 1, 0, 0, 0), admission.admittime
    ) / 31556908800000.0 AS age
  FROM mimiciv_icu.icustays AS icu
  INNER JOIN mimiciv_hosp.admissions AS admission ON icu.hadm_id = admission.hadm_id
  INNER JOIN mimiciv_hosp.patients AS patient ON icu.subject_id = patient.subject_id
),

charted AS (
  -- rule: same-moment-mean (values of one stay and moment are averaged)
  SELECT
    stay_id,
    charttime,
    -- rule: heart-rate-items
    avg(CAST(valuenum AS DECIMAL(18, 6))) FILTER (
      WHERE itemid = 220045 AND valuenum > 0 AND valuenum < 300
    ) AS heart_rate,
    -- rule: pressure-items (arterial, cuff and a second line, together)
    avg(CAST(valuenum AS DECIMAL(18, 6))) FILTER (
      WHERE itemid IN (220052, 220181, 225312) AND valuenum > 0 AND valuenum < 300
    ) AS pressure,
    -- rule: breathing-items (the monitor's rate and the ventilator's total, together)
    avg(CAST(valuenum AS DECIMAL(18, 6))) FILTER (
      WHERE itemid IN (220210, 224690) AND valuenum > 0 AND valuenum < 70
    ) AS breathing_rate,
    -- rule: temperature-items (each item in its own unit and range; rounded to thousandths, then to hundredths)
    round(CAST(avg(
      CASE
        WHEN itemid = 223761 AND valuenum > 70 AND valuenum < 120
          THEN CAST((valuenum - 32) / 1.8 AS DECIMAL(18, 6))
        WHEN itemid = 223762 AND valuenum > 10 AND valuenum < 50 THEN CAST(valuenum AS DECIMAL(18, 6))
      END
    ) AS DECIMAL(18, 3)), 2) AS temperature
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (220045, 220052, 220181, 225312, 220210, 224690, 223761, 223762)
  GROUP BY stay_id, charttime
),

vital AS (
  SELECT
    stay.stay_id,
    min(charted.heart_rate) AS heart_rate_lowest,
    max(charted.heart_rate) AS heart_rate_highest,
    min(charted.pressure) AS pressure_lowest,
    max(charted.pressure) AS pressure_highest,
    min(charted.breathing_rate) AS breathing_lowest,
    max(charted.breathing_rate) AS breathing_highest,
    min(charted.temperature) AS temperature_lowest,
    max(charted.temperature) AS temperature_highest
  FROM stay
  INNER JOIN charted ON stay.stay_id = charted.stay_id
  WHERE charted.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

consciousness AS (
  SELECT
    stay.stay_id,
    -- rule: lowest-coma-score (a tube counts as 15)
    min(score.gcs) AS lowest
  FROM stay
  INNER JOIN mimiciv_derived.gcs AS score ON stay.stay_id = score.stay_id
  WHERE score.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

urine AS (
  SELECT
    stay.stay_id,
    sum(CAST(
      -- rule: irrigant-sign (what was put in is taken away)
      CASE WHEN output.itemid = 227488 AND output.value > 0 THEN -output.value ELSE output.value END
      AS DECIMAL(18, 6)
    )) AS volume
  FROM stay
  INNER JOIN mimiciv_icu.outputevents AS output ON stay.stay_id = output.stay_id
  WHERE
    -- rule: urine-items
    output.itemid IN (
      226559, 226560, 226561, 226584, 226563, 226564, 226565, 226567, 226557, 226558, 227488, 227489
    )
    -- rule: urine-window (from the start of the stay, not before it)
    AND output.charttime BETWEEN stay.intime AND stay.day_ends
  GROUP BY stay.stay_id
),

ventilated AS (
  SELECT DISTINCT stay.stay_id
  FROM stay
  INNER JOIN mimiciv_derived.ventilation AS episode ON stay.stay_id = episode.stay_id
  WHERE
    -- rule: invasive-only (a ventilated tracheostomy, masks and high flow do not count)
    episode.ventilation_status = 'InvasiveVent'
    -- rule: ventilated-on-the-day (the episode touches the 24 hours from the start of the stay)
    AND episode.starttime <= stay.day_ends
    AND episode.endtime >= stay.intime
),

surgical AS (
  SELECT DISTINCT stay.stay_id
  FROM stay
  INNER JOIN mimiciv_hosp.services AS service ON stay.hadm_id = service.hadm_id
  WHERE
    -- rule: surgical-service (any service that names surgery, or orthopaedics)
    (contains(lower(service.curr_service), 'surg') OR service.curr_service = 'ORTHO')
    -- rule: service-before-day-ends (the end itself does not count)
    AND service.transfertime < stay.day_ends
),

part AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    -- rule: pre-icu-bands (minutes; an admission after the start of the stay counts as none before)
    CASE
      WHEN stay.minutes_before IS NULL THEN 0
      WHEN stay.minutes_before < 10.2 THEN 5
      WHEN stay.minutes_before < 297 THEN 3
      WHEN stay.minutes_before < 1440 THEN 0
      WHEN stay.minutes_before < 18708 THEN 2
      ELSE 1
    END AS preiculos_score,
    -- rule: age-bands (between 89 and 90 years nothing fits)
    CASE
      WHEN stay.age < 24 THEN 0
      WHEN stay.age <= 53 THEN 3
      WHEN stay.age <= 77 THEN 6
      WHEN stay.age <= 89 THEN 9
      WHEN stay.age >= 90 THEN 7
      ELSE 0
    END AS age_score,
    -- rule: coma-bands
    CASE
      WHEN consciousness.lowest <= 7 THEN 10
      WHEN consciousness.lowest < 14 THEN 4
      WHEN consciousness.lowest = 14 THEN 3
      ELSE 0
    END AS gcs_score,
    -- rule: heart-rate-bands (between 106 and 107 nothing fits)
    CASE
      WHEN vital.heart_rate_highest > 125 THEN 6
      WHEN vital.heart_rate_lowest < 33 THEN 4
      WHEN vital.heart_rate_highest >= 107 THEN 3
      WHEN vital.heart_rate_highest >= 89 AND vital.heart_rate_highest <= 106 THEN 1
      ELSE 0
    END AS heart_rate_score,
    -- rule: pressure-bands
    CASE
      WHEN vital.pressure_lowest < 20.65 THEN 4
      WHEN vital.pressure_lowest < 51 THEN 3
      WHEN vital.pressure_highest > 143.44 THEN 3
      WHEN vital.pressure_lowest < 61.33 THEN 2
      ELSE 0
    END AS mbp_score,
    -- rule: breathing-bands
    CASE
      WHEN vital.breathing_lowest < 6 THEN 10
      WHEN vital.breathing_highest > 44 THEN 9
      WHEN vital.breathing_highest > 30 THEN 6
      WHEN vital.breathing_highest > 22 THEN 1
      WHEN vital.breathing_lowest < 13 THEN 1
      ELSE 0
    END AS resp_rate_score,
    -- rule: temperature-bands
    CASE
      WHEN vital.temperature_highest > 39.88 THEN 6
      WHEN vital.temperature_lowest BETWEEN 33.22 AND 35.93 THEN 4
      WHEN vital.temperature_highest BETWEEN 33.22 AND 35.93 THEN 4
      WHEN vital.temperature_lowest < 33.22 THEN 3
      WHEN vital.temperature_lowest > 35.93 AND vital.temperature_lowest <= 36.39 THEN 2
      WHEN vital.temperature_highest BETWEEN 36.89 AND 39.88 THEN 2
      ELSE 0
    END AS temp_score,
    -- rule: urine-bands (hundredths between two bands fit none)
    CASE
      WHEN urine.volume < 671.09 THEN 10
      WHEN urine.volume > 6896.80 THEN 8
      WHEN urine.volume <= 1426.99 THEN 5
      WHEN urine.volume >= 1427.00 AND urine.volume <= 2544.14 THEN 1
      ELSE 0
    END AS urineoutput_score,
    -- rule: ventilation-points
    CASE WHEN ventilated.stay_id IS NULL THEN 0 ELSE 9 END AS mechvent_score,
    -- rule: elective-points (elective only with that very word; an unknown kind of admission scores nothing)
    CASE
      WHEN stay.admission_type IS NULL THEN 0
      WHEN stay.admission_type = 'ELECTIVE' AND surgical.stay_id IS NOT NULL THEN 0
      ELSE 6
    END AS electivesurgery_score
    -- rule: missing-is-zero (the ELSE 0 of each: no comparison holds for what was not measured)
  FROM stay
  LEFT JOIN vital ON stay.stay_id = vital.stay_id
  LEFT JOIN consciousness ON stay.stay_id = consciousness.stay_id
  LEFT JOIN urine ON stay.stay_id = urine.stay_id
  LEFT JOIN ventilated ON stay.stay_id = ventilated.stay_id
  LEFT JOIN surgical ON stay.stay_id = surgical.stay_id
)

SELECT
  subject_id,
  hadm_id,
  stay_id,
  -- rule: total-of-ten
  preiculos_score + age_score + gcs_score + heart_rate_score + mbp_score + resp_rate_score + temp_score
  + urineoutput_score + mechvent_score + electivesurgery_score AS oasis,
  preiculos_score,
  age_score,
  gcs_score,
  heart_rate_score,
  mbp_score,
  resp_rate_score,
  temp_score,
  urineoutput_score,
  mechvent_score,
  electivesurgery_score
FROM part
