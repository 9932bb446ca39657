-- What the instruction alone suggests: the parts by the published bands, on the first 24 hours in the unit, with the
-- obvious items and no plausibility limits, ventilation by any charted mode that day, elective by the kind of
-- admission and any surgical service.
WITH vital AS (
  SELECT
    stay.stay_id,
    min(valuenum) FILTER (WHERE itemid = 220045) AS slowest,
    max(valuenum) FILTER (WHERE itemid = 220045) AS fastest,
    min(valuenum) FILTER (WHERE itemid IN (220050, 220179)) AS lowest_pressure,
    max(valuenum) FILTER (WHERE itemid IN (220050, 220179)) AS highest_pressure,
    max((valuenum - 32) / 1.8) FILTER (WHERE itemid = 223761) AS hottest,
    min(valuenum) FILTER (WHERE itemid = 220739)
    + min(valuenum) FILTER (WHERE itemid = 223900)
    + min(valuenum) FILTER (WHERE itemid = 223901) AS coma,
    max(valuenum) FILTER (WHERE itemid = 223835) AS fraction,
    count(*) FILTER (WHERE itemid = 223849) AS modes
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.chartevents AS event ON stay.stay_id = event.stay_id
  WHERE event.charttime >= stay.intime AND event.charttime < stay.intime + INTERVAL 24 HOUR
  GROUP BY stay.stay_id
),

laboratory AS (
  SELECT
    stay.stay_id,
    max(valuenum) FILTER (WHERE itemid = 51006) AS urea,
    min(valuenum) FILTER (WHERE itemid = 51301) AS fewest,
    max(valuenum) FILTER (WHERE itemid = 51301) AS most,
    min(valuenum) FILTER (WHERE itemid = 50971) AS potassium_low,
    max(valuenum) FILTER (WHERE itemid = 50971) AS potassium_high,
    min(valuenum) FILTER (WHERE itemid = 50983) AS sodium_low,
    max(valuenum) FILTER (WHERE itemid = 50983) AS sodium_high,
    min(valuenum) FILTER (WHERE itemid = 50882) AS bicarbonate,
    max(valuenum) FILTER (WHERE itemid = 50885) AS bilirubin,
    min(valuenum) FILTER (WHERE itemid = 50821) AS oxygen
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

illness AS (
  SELECT
    hadm_id,
    bool_or(icd_code LIKE '042%' OR icd_code LIKE 'B20%') AS aids,
    bool_or(icd_code LIKE '20_%' AND icd_version = 9 OR icd_code LIKE 'C8_%' OR icd_code LIKE 'C9_%') AS blood,
    bool_or(left(icd_code, 3) IN ('196', '197', '198', 'C77', 'C78', 'C79')) AS spread
  FROM mimiciv_hosp.diagnoses_icd
  GROUP BY hadm_id
),

surgery AS (
  SELECT
    hadm_id,
    bool_or(
      curr_service IN ('SURG', 'CSURG', 'NSURG', 'TSURG', 'VSURG', 'PSURG', 'ORTHO', 'GU', 'GYN', 'ENT')
    ) AS surgical
  FROM mimiciv_hosp.services
  GROUP BY hadm_id
),

part AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    CASE
      WHEN anchor_age < 40 THEN 0
      WHEN anchor_age < 60 THEN 7
      WHEN anchor_age < 70 THEN 12
      WHEN anchor_age < 75 THEN 15
      WHEN anchor_age < 80 THEN 16
      ELSE 18
    END AS age_score,
    CASE
      WHEN slowest < 40 THEN 11
      WHEN fastest >= 160 THEN 7
      WHEN fastest >= 120 THEN 4
      WHEN slowest < 70 THEN 2
      ELSE 0
    END AS hr_score,
    CASE
      WHEN lowest_pressure < 70 THEN 13
      WHEN lowest_pressure < 100 THEN 5
      WHEN highest_pressure >= 200 THEN 2
      ELSE 0
    END AS sysbp_score,
    CASE WHEN hottest >= 39 THEN 3 ELSE 0 END AS temp_score,
    CASE
      WHEN modes = 0 OR oxygen IS NULL OR fraction IS NULL THEN 0
      WHEN 100 * oxygen / fraction < 100 THEN 11
      WHEN 100 * oxygen / fraction < 200 THEN 9
      ELSE 6
    END AS pao2fio2_score,
    CASE WHEN volume < 500 THEN 11 WHEN volume < 1000 THEN 4 ELSE 0 END AS uo_score,
    CASE WHEN urea >= 84 THEN 10 WHEN urea >= 28 THEN 6 ELSE 0 END AS bun_score,
    CASE WHEN fewest < 1 THEN 12 WHEN most >= 20 THEN 3 ELSE 0 END AS wbc_score,
    CASE WHEN potassium_low < 3 OR potassium_high >= 5 THEN 3 ELSE 0 END AS potassium_score,
    CASE WHEN sodium_low < 125 THEN 5 WHEN sodium_high >= 145 THEN 1 ELSE 0 END AS sodium_score,
    CASE WHEN bicarbonate < 15 THEN 6 WHEN bicarbonate < 20 THEN 3 ELSE 0 END AS bicarbonate_score,
    CASE WHEN bilirubin >= 6 THEN 9 WHEN bilirubin >= 4 THEN 4 ELSE 0 END AS bilirubin_score,
    CASE
      WHEN coma < 6 THEN 26
      WHEN coma < 9 THEN 13
      WHEN coma < 11 THEN 7
      WHEN coma < 14 THEN 5
      ELSE 0
    END AS gcs_score,
    CASE WHEN aids THEN 17 WHEN blood THEN 10 WHEN spread THEN 9 ELSE 0 END AS comorbidity_score,
    CASE
      WHEN surgical AND admission_type IN ('ELECTIVE', 'SURGICAL SAME DAY ADMISSION') THEN 0
      WHEN surgical THEN 8
      ELSE 6
    END AS admissiontype_score
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_hosp.admissions AS admission ON stay.hadm_id = admission.hadm_id
  INNER JOIN mimiciv_hosp.patients AS patient ON stay.subject_id = patient.subject_id
  LEFT JOIN vital ON stay.stay_id = vital.stay_id
  LEFT JOIN laboratory ON stay.stay_id = laboratory.stay_id
  LEFT JOIN urine ON stay.stay_id = urine.stay_id
  LEFT JOIN illness ON stay.hadm_id = illness.hadm_id
  LEFT JOIN surgery ON stay.hadm_id = surgery.hadm_id
)

SELECT
  *,
  age_score + hr_score + sysbp_score + temp_score + pao2fio2_score + uo_score + bun_score + wbc_score
  + potassium_score + sodium_score + bicarbonate_score + bilirubin_score + gcs_score + comorbidity_score
  + admissiontype_score AS sapsii
FROM part
