-- What the instruction alone suggests: the parts as one remembers the published bands, on the first 24 hours in the unit,
-- with the obvious items, the worst oxygen pressure of any gas, and whichever of two extremes scores more.
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
    min(valuenum) FILTER (WHERE itemid = 220739) AS eyes,
    min(valuenum) FILTER (WHERE itemid = 223900) AS verbal,
    min(valuenum) FILTER (WHERE itemid = 223901) AS motor
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.chartevents AS event ON stay.stay_id = event.stay_id
  WHERE event.charttime >= stay.intime AND event.charttime < stay.intime + INTERVAL 24 HOUR
  GROUP BY stay.stay_id
),

laboratory AS (
  SELECT
    stay.stay_id,
    min(valuenum) FILTER (WHERE itemid = 51221) AS thinnest,
    max(valuenum) FILTER (WHERE itemid = 51221) AS thickest,
    min(valuenum) FILTER (WHERE itemid = 51301) AS fewest,
    max(valuenum) FILTER (WHERE itemid = 51301) AS most,
    max(valuenum) FILTER (WHERE itemid = 50912) AS creatinine,
    max(valuenum) FILTER (WHERE itemid = 51006) AS urea,
    min(valuenum) FILTER (WHERE itemid = 50983) AS least_sodium,
    max(valuenum) FILTER (WHERE itemid = 50983) AS most_sodium,
    min(valuenum) FILTER (WHERE itemid = 50862) AS albumin,
    max(valuenum) FILTER (WHERE itemid = 50885) AS bilirubin,
    min(valuenum) FILTER (WHERE itemid = 50931) AS least_glucose,
    max(valuenum) FILTER (WHERE itemid = 50931) AS most_glucose,
    min(valuenum) FILTER (WHERE itemid = 50821) AS oxygen,
    min(valuenum) FILTER (WHERE itemid = 50820) AS acidity,
    min(valuenum) FILTER (WHERE itemid = 50818) AS carbon_dioxide
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_hosp.labevents AS event ON stay.hadm_id = event.hadm_id
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
      WHEN fastest >= 155 THEN 17
      WHEN fastest >= 140 THEN 13
      WHEN slowest < 40 THEN 8
      WHEN fastest >= 120 THEN 7
      WHEN fastest >= 110 OR slowest < 50 THEN 5
      WHEN fastest >= 100 THEN 1
      ELSE 0
    END AS hr_score,
    CASE
      WHEN lowest_pressure < 40 THEN 23
      WHEN lowest_pressure < 60 THEN 15
      WHEN highest_pressure >= 140 THEN 10
      WHEN highest_pressure >= 130 THEN 9
      WHEN lowest_pressure < 70 OR highest_pressure >= 120 THEN 7
      WHEN lowest_pressure < 80 THEN 6
      WHEN highest_pressure >= 100 THEN 4
      ELSE 0
    END AS mbp_score,
    CASE
      WHEN coldest < 33 THEN 20
      WHEN coldest < 33.5 THEN 16
      WHEN coldest < 34 THEN 13
      WHEN coldest < 35 THEN 8
      WHEN hottest >= 40 THEN 4
      WHEN coldest < 36 THEN 2
      ELSE 0
    END AS temp_score,
    CASE
      WHEN fastest_breathing >= 50 THEN 18
      WHEN slowest_breathing < 6 THEN 17
      WHEN fastest_breathing >= 40 THEN 11
      WHEN fastest_breathing >= 35 THEN 9
      WHEN slowest_breathing < 12 THEN 8
      WHEN slowest_breathing < 14 THEN 7
      WHEN fastest_breathing >= 25 THEN 6
      ELSE 0
    END AS resp_rate_score,
    CASE WHEN oxygen < 50 THEN 15 WHEN oxygen < 70 THEN 5 WHEN oxygen < 80 THEN 2 ELSE 0 END AS pao2_aado2_score,
    CASE WHEN thinnest < 41 OR thickest >= 50 THEN 3 ELSE 0 END AS hematocrit_score,
    CASE
      WHEN fewest < 1 THEN 19
      WHEN fewest < 3 OR most >= 25 THEN 5
      WHEN most >= 20 THEN 1
      ELSE 0
    END AS wbc_score,
    CASE
      WHEN creatinine >= 1.5 AND volume < 410 THEN 10
      WHEN creatinine >= 1.95 THEN 7
      WHEN creatinine >= 1.5 THEN 4
      WHEN creatinine < 0.5 THEN 3
      ELSE 0
    END AS creatinine_score,
    CASE
      WHEN volume < 400 THEN 15
      WHEN volume < 600 THEN 8
      WHEN volume < 900 THEN 7
      WHEN volume < 1500 THEN 5
      WHEN volume < 2000 THEN 4
      WHEN volume >= 4000 THEN 1
      ELSE 0
    END AS uo_score,
    CASE
      WHEN urea >= 80 THEN 12
      WHEN urea >= 40 THEN 11
      WHEN urea >= 20 THEN 7
      WHEN urea >= 17 THEN 2
      ELSE 0
    END AS bun_score,
    CASE
      WHEN most_sodium >= 155 THEN 4
      WHEN least_sodium < 120 THEN 3
      WHEN least_sodium < 135 THEN 2
      ELSE 0
    END AS sodium_score,
    CASE WHEN albumin < 2 THEN 11 WHEN albumin < 2.5 THEN 6 WHEN albumin >= 4.5 THEN 4 ELSE 0 END AS albumin_score,
    CASE
      WHEN bilirubin >= 8 THEN 16
      WHEN bilirubin >= 5 THEN 8
      WHEN bilirubin >= 3 THEN 6
      WHEN bilirubin >= 2 THEN 5
      ELSE 0
    END AS bilirubin_score,
    CASE
      WHEN least_glucose < 40 THEN 8
      WHEN least_glucose < 60 THEN 9
      WHEN most_glucose >= 350 THEN 5
      WHEN most_glucose >= 200 THEN 3
      ELSE 0
    END AS glucose_score,
    CASE
      WHEN acidity < 7.2 THEN CASE WHEN carbon_dioxide < 50 THEN 12 ELSE 4 END
      WHEN acidity < 7.3 THEN CASE WHEN carbon_dioxide < 30 THEN 9 WHEN carbon_dioxide < 40 THEN 6 ELSE 3 END
      WHEN acidity < 7.45 THEN CASE WHEN carbon_dioxide < 30 THEN 5 ELSE 0 END
      WHEN acidity >= 7.45 THEN CASE WHEN carbon_dioxide < 40 THEN 3 ELSE 12 END
      ELSE 0
    END AS acidbase_score,
    CASE
      WHEN eyes = 1 AND verbal = 1 THEN CASE WHEN motor <= 2 THEN 48 WHEN motor <= 4 THEN 33 ELSE 16 END
      WHEN verbal <= 3 THEN CASE WHEN motor <= 2 THEN 29 WHEN motor <= 4 THEN 24 WHEN motor = 5 THEN 13 ELSE 10 END
      WHEN verbal = 4 THEN CASE WHEN motor <= 4 THEN 13 WHEN motor = 5 THEN 8 ELSE 3 END
      WHEN motor < 6 THEN 3
      ELSE 0
    END AS gcs_score
  FROM mimiciv_icu.icustays AS stay
  LEFT JOIN vital ON stay.stay_id = vital.stay_id
  LEFT JOIN laboratory ON stay.stay_id = laboratory.stay_id
  LEFT JOIN urine ON stay.stay_id = urine.stay_id
)

SELECT
  *,
  hr_score + mbp_score + temp_score + resp_rate_score + pao2_aado2_score + hematocrit_score + wbc_score
  + creatinine_score + uo_score + bun_score + sodium_score + albumin_score + bilirubin_score + glucose_score
  + acidbase_score + gcs_score AS apsiii
FROM part
