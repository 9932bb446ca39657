-- What the instruction alone suggests: the parts by the published bands as one remembers them, on the first 24
-- hours in the unit, with the obvious items, ventilation by a charted mode, elective by the kind of admission.
WITH vital AS (
  SELECT
    stay.stay_id,
    min(valuenum) FILTER (WHERE itemid = 220045) AS slowest,
    max(valuenum) FILTER (WHERE itemid = 220045) AS fastest,
    min(valuenum) FILTER (WHERE itemid IN (220052, 220181)) AS lowest_pressure,
    max(valuenum) FILTER (WHERE itemid IN (220052, 220181)) AS highest_pressure,
    min(valuenum) FILTER (WHERE itemid = 220210) AS slowest_breathing,
    max(valuenum) FILTER (WHERE itemid = 220210) AS fastest_breathing,
    min((valuenum - 32) / 1.8) FILTER (WHERE itemid = 223761) AS coldest,
    max((valuenum - 32) / 1.8) FILTER (WHERE itemid = 223761) AS hottest,
    min(valuenum) FILTER (WHERE itemid = 220739)
    + min(valuenum) FILTER (WHERE itemid = 223900)
    + min(valuenum) FILTER (WHERE itemid = 223901) AS coma,
    count(*) FILTER (WHERE itemid = 223849) AS modes
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.chartevents AS event ON stay.stay_id = event.stay_id
  WHERE event.charttime >= stay.intime AND event.charttime < stay.intime + INTERVAL 24 HOUR
  GROUP BY stay.stay_id
),

urine AS (
  SELECT
    stay.stay_id,
    sum(value) AS volume
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.outputevents AS output ON stay.stay_id = output.stay_id
  WHERE
    output.charttime >= stay.intime
    AND output.charttime < stay.intime + INTERVAL 24 HOUR
    AND itemid IN (226559, 226560)
  GROUP BY stay.stay_id
),

part AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    CASE
      WHEN date_diff('minute', admittime, intime) < 10.2 THEN 5
      WHEN date_diff('minute', admittime, intime) < 297 THEN 3
      WHEN date_diff('minute', admittime, intime) < 1440 THEN 0
      WHEN date_diff('minute', admittime, intime) < 18708 THEN 2
      ELSE 1
    END AS preiculos_score,
    CASE
      WHEN anchor_age < 24 THEN 0
      WHEN anchor_age <= 53 THEN 3
      WHEN anchor_age <= 77 THEN 6
      WHEN anchor_age <= 89 THEN 9
      ELSE 7
    END AS age_score,
    CASE WHEN coma <= 7 THEN 10 WHEN coma <= 13 THEN 4 WHEN coma = 14 THEN 3 ELSE 0 END AS gcs_score,
    CASE
      WHEN fastest > 125 THEN 6
      WHEN slowest < 33 THEN 4
      WHEN fastest > 106 THEN 3
      WHEN fastest > 88 THEN 1
      ELSE 0
    END AS heart_rate_score,
    CASE
      WHEN lowest_pressure < 20.65 THEN 4
      WHEN lowest_pressure < 51 OR highest_pressure > 143.44 THEN 3
      WHEN lowest_pressure < 61.33 THEN 2
      ELSE 0
    END AS mbp_score,
    CASE
      WHEN slowest_breathing < 6 THEN 10
      WHEN fastest_breathing > 44 THEN 9
      WHEN fastest_breathing > 30 THEN 6
      WHEN fastest_breathing > 22 OR slowest_breathing < 13 THEN 1
      ELSE 0
    END AS resp_rate_score,
    CASE
      WHEN hottest > 39.88 THEN 6
      WHEN coldest < 33.22 THEN 3
      WHEN coldest < 35.93 THEN 4
      WHEN coldest < 36.39 OR hottest > 36.89 THEN 2
      ELSE 0
    END AS temp_score,
    CASE
      WHEN volume < 671 THEN 10
      WHEN volume > 6896 THEN 8
      WHEN volume < 1427 THEN 5
      WHEN volume < 2544 THEN 1
      ELSE 0
    END AS urineoutput_score,
    CASE WHEN modes > 0 THEN 9 ELSE 0 END AS mechvent_score,
    CASE WHEN admission_type = 'ELECTIVE' THEN 0 ELSE 6 END AS electivesurgery_score
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_hosp.admissions AS admission ON stay.hadm_id = admission.hadm_id
  INNER JOIN mimiciv_hosp.patients AS patient ON stay.subject_id = patient.subject_id
  LEFT JOIN vital ON stay.stay_id = vital.stay_id
  LEFT JOIN urine ON stay.stay_id = urine.stay_id
)

SELECT
  *,
  preiculos_score + age_score + gcs_score + heart_rate_score + mbp_score + resp_rate_score + temp_score
  + urineoutput_score + mechvent_score + electivesurgery_score AS oasis
FROM part
