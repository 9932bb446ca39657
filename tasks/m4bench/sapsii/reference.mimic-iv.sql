-- Simplified Acute Physiology Score II of the first 24 hours in intensive care: one row per ICU stay.
-- Target 'public-code': equal in value to the pinned public concept; see deviations.toml. Read besides raw tables are
-- the concepts gcs and ventilation. Means and sums are taken over exact decimals, so that no result depends on the
-- order of rows.

WITH stay AS (
  -- rule: every-stay
  SELECT
    icu.subject_id,
    icu.hadm_id,
    icu.stay_id,
    -- rule: first-24-hours (open at the start, closed at the end: everything below asks > and <=)
    icu.intime AS day_starts,
    icu.intime + INTERVAL 24 HOUR AS day_ends,
    admission.admission_type,
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
    subject_id,
    stay_id,
    charttime,
    -- rule: heart-rate-items
    avg(CAST(valuenum AS DECIMAL(18, 6))) FILTER (
      WHERE itemid = 220045 AND valuenum > 0 AND valuenum < 300
    ) AS heart_rate,
    -- rule: systolic-items (arterial, cuff and a second line, together)
    avg(CAST(valuenum AS DECIMAL(18, 6))) FILTER (
      WHERE itemid IN (220050, 220179, 225309) AND valuenum > 0 AND valuenum < 400
    ) AS systolic,
    -- rule: temperature-items (each item in its own unit and range; rounded to thousandths, then to hundredths)
    round(CAST(avg(
      CASE
        WHEN itemid = 223761 AND valuenum > 70 AND valuenum < 120
          THEN CAST((valuenum - 32) / 1.8 AS DECIMAL(18, 6))
        WHEN itemid = 223762 AND valuenum > 10 AND valuenum < 50 THEN CAST(valuenum AS DECIMAL(18, 6))
      END
    ) AS DECIMAL(18, 3)), 2) AS temperature
  FROM mimiciv_icu.chartevents
  WHERE stay_id IS NOT NULL AND itemid IN (220045, 220050, 220179, 225309, 223761, 223762)
  GROUP BY subject_id, stay_id, charttime
),

vital AS (
  SELECT
    stay.stay_id,
    min(charted.heart_rate) AS heart_rate_lowest,
    max(charted.heart_rate) AS heart_rate_highest,
    min(charted.systolic) AS systolic_lowest,
    max(charted.systolic) AS systolic_highest,
    max(charted.temperature) AS temperature_highest
  FROM stay
  -- rule: vitals-by-patient (those of another stay in the same 24 hours count too)
  INNER JOIN charted ON stay.subject_id = charted.subject_id
  WHERE charted.charttime > stay.day_starts AND charted.charttime <= stay.day_ends
  GROUP BY stay.stay_id
),

specimen AS (
  -- rule: largest-of-specimen (one row per laboratory specimen)
  SELECT
    specimen_id,
    max(subject_id) AS subject_id,
    max(charttime) AS charttime,
    -- rule: urea-item
    max(valuenum) FILTER (WHERE itemid = 51006 AND valuenum > 0 AND valuenum <= 300) AS urea,
    -- rule: potassium-item (serum; the gas machine's is another item)
    max(valuenum) FILTER (WHERE itemid = 50971 AND valuenum > 0 AND valuenum <= 30) AS potassium,
    -- rule: sodium-item
    max(valuenum) FILTER (WHERE itemid = 50983 AND valuenum > 0 AND valuenum <= 200) AS sodium,
    -- rule: bicarbonate-item
    max(valuenum) FILTER (WHERE itemid = 50882 AND valuenum > 0 AND valuenum <= 10000) AS bicarbonate,
    -- rule: white-cells-item
    max(valuenum) FILTER (WHERE itemid = 51301 AND valuenum > 0) AS white_cells,
    -- rule: bilirubin-item (total)
    max(valuenum) FILTER (WHERE itemid = 50885 AND valuenum > 0) AS bilirubin,
    max(value) FILTER (WHERE itemid = 52033) AS drawn_from,
    max(valuenum) FILTER (WHERE itemid = 50821) AS oxygen,
    -- rule: measured-fraction (percent, or a share of one turned into percent; anything else is none)
    max(
      CASE
        WHEN valuenum > 20 AND valuenum <= 100 THEN valuenum
        WHEN valuenum > 0.2 AND valuenum <= 1.0 THEN valuenum * 100.0
      END
    ) FILTER (WHERE itemid = 50816) AS fraction
  FROM mimiciv_hosp.labevents
  WHERE itemid IN (51006, 50971, 50983, 50882, 51301, 50885, 52033, 50821, 50816)
  GROUP BY specimen_id
),

laboratory AS (
  SELECT
    stay.stay_id,
    max(specimen.urea) AS urea_highest,
    min(specimen.potassium) AS potassium_lowest,
    max(specimen.potassium) AS potassium_highest,
    min(specimen.sodium) AS sodium_lowest,
    max(specimen.sodium) AS sodium_highest,
    min(specimen.bicarbonate) AS bicarbonate_lowest,
    min(specimen.white_cells) AS white_cells_lowest,
    max(specimen.white_cells) AS white_cells_highest,
    max(specimen.bilirubin) AS bilirubin_highest
  FROM stay
  -- rule: laboratory-by-patient
  INNER JOIN specimen ON stay.subject_id = specimen.subject_id
  WHERE specimen.charttime > stay.day_starts AND specimen.charttime <= stay.day_ends
  GROUP BY stay.stay_id
),

gas AS (
  SELECT
    stay.stay_id,
    stay.subject_id,
    specimen.specimen_id,
    specimen.charttime,
    specimen.oxygen,
    specimen.fraction
  FROM stay
  INNER JOIN specimen ON stay.subject_id = specimen.subject_id
  WHERE
    specimen.charttime > stay.day_starts
    AND specimen.charttime <= stay.day_ends
    -- rule: arterial-only (an unlabelled or venous gas is no arterial one)
    AND specimen.drawn_from = 'ART.'
    AND specimen.oxygen IS NOT NULL
),

charted_fraction AS (
  SELECT
    subject_id,
    charttime,
    max(
      CASE
        WHEN valuenum > 0.2 AND valuenum <= 1 THEN valuenum * 100
        WHEN valuenum >= 20 AND valuenum <= 100 THEN valuenum
      END
    ) AS fraction
  FROM mimiciv_icu.chartevents
  -- rule: charted-fraction-item (largest of a moment)
  WHERE itemid = 223835
  GROUP BY subject_id, charttime
),

ratio AS (
  SELECT
    gas.stay_id,
    gas.subject_id,
    gas.charttime,
    -- rule: fraction-order (the specimen's own first, then the latest charted one)
    100 * gas.oxygen / coalesce(any_value(gas.fraction), arg_max(charted.fraction, charted.charttime)) AS value
  FROM gas
  LEFT JOIN charted_fraction AS charted
    ON gas.subject_id = charted.subject_id
    -- rule: four-hours-back (both ends belong to it)
    AND charted.charttime BETWEEN gas.charttime - INTERVAL 4 HOUR AND gas.charttime
    AND charted.fraction IS NOT NULL
  GROUP BY gas.stay_id, gas.subject_id, gas.specimen_id, gas.charttime, gas.oxygen
),

mask AS (
  SELECT
    stay.subject_id,
    -- rule: mask-span (one span per stay, from an hour before its first mask to four hours after its last)
    greatest(min(event.charttime) - INTERVAL 1 HOUR, stay.day_starts) AS starts,
    least(max(event.charttime) + INTERVAL 4 HOUR, stay.day_ends) AS ends
  FROM stay
  INNER JOIN mimiciv_icu.chartevents AS event ON stay.stay_id = event.stay_id
  WHERE
    event.charttime > stay.day_starts
    AND event.charttime <= stay.day_ends
    -- rule: mask-words (in the oxygen device, whatever the case)
    AND event.itemid = 226732
    AND (contains(lower(event.value), 'cpap mask') OR contains(lower(event.value), 'bipap'))
  GROUP BY stay.subject_id, stay.stay_id, stay.day_starts, stay.day_ends
),

breathing AS (
  SELECT
    ratio.stay_id,
    min(ratio.value) AS ratio_lowest
  FROM ratio
  WHERE
    EXISTS (
      SELECT 1
      FROM mimiciv_derived.ventilation AS episode
      WHERE
        episode.stay_id = ratio.stay_id
        -- rule: invasive-only (a ventilated tracheostomy and high flow do not count)
        AND episode.ventilation_status = 'InvasiveVent'
        -- rule: gas-during-ventilation (not at the very start, but at the very end)
        AND ratio.charttime > episode.starttime
        AND ratio.charttime <= episode.endtime
    )
    -- rule: gas-during-mask (the span is the patient's, not the stay's)
    OR EXISTS (
      SELECT 1
      FROM mask
      WHERE mask.subject_id = ratio.subject_id AND ratio.charttime > mask.starts AND ratio.charttime <= mask.ends
    )
  GROUP BY ratio.stay_id
),

consciousness AS (
  SELECT
    stay.stay_id,
    -- rule: lowest-coma-score (a tube counts as 15)
    min(score.gcs) AS lowest
  FROM stay
  INNER JOIN mimiciv_derived.gcs AS score ON stay.stay_id = score.stay_id
  WHERE score.charttime > stay.day_starts AND score.charttime <= stay.day_ends
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
    -- rule: urine-not-scaled (what a short stay gave is not stretched to a day)
    AND output.charttime > stay.day_starts
    AND output.charttime <= stay.day_ends
  GROUP BY stay.stay_id
),

illness AS (
  SELECT
    hadm_id,
    -- rule: aids-codes
    bool_or(
      (icd_version = 9 AND substr(icd_code, 1, 3) BETWEEN '042' AND '044')
      OR (icd_version = 10 AND substr(icd_code, 1, 3) IN ('B20', 'B21', 'B22', 'B24'))
    ) AS aids,
    -- rule: blood-cancer-codes (with the gaps of the public code)
    bool_or(
      (icd_version = 9 AND (
        substr(icd_code, 1, 5) BETWEEN '20000' AND '20238'
        OR substr(icd_code, 1, 5) BETWEEN '20240' AND '20248'
        OR substr(icd_code, 1, 5) BETWEEN '20250' AND '20382'
        OR substr(icd_code, 1, 5) BETWEEN '20400' AND '20522'
        OR substr(icd_code, 1, 5) BETWEEN '20580' AND '20702'
        OR substr(icd_code, 1, 5) BETWEEN '20720' AND '20892'
        OR substr(icd_code, 1, 4) IN ('2386', '2733')
      ))
      OR (icd_version = 10 AND substr(icd_code, 1, 3) BETWEEN 'C81' AND 'C96')
    ) AS blood_cancer,
    -- rule: spread-cancer-codes
    bool_or(
      (icd_version = 9 AND (
        substr(icd_code, 1, 4) BETWEEN '1960' AND '1991'
        OR substr(icd_code, 1, 5) BETWEEN '20970' AND '20975'
        OR substr(icd_code, 1, 5) IN ('20979', '78951')
      ))
      OR (icd_version = 10 AND (
        substr(icd_code, 1, 3) BETWEEN 'C77' AND 'C79' OR substr(icd_code, 1, 4) = 'C800'
      ))
    ) AS spread_cancer
  FROM mimiciv_hosp.diagnoses_icd
  GROUP BY hadm_id
),

service AS (
  SELECT
    hadm_id,
    -- rule: surgical-words (orthopaedics, urology, gynaecology and the ear, nose and throat are not named so)
    contains(lower(curr_service), 'surg') AS surgical,
    -- rule: first-service (of the hospital admission; later transfers do not matter)
    rank() OVER (PARTITION BY hadm_id ORDER BY transfertime NULLS FIRST) AS place
  FROM mimiciv_hosp.services
),

surgery AS (
  -- rule: tied-services (of several at the first moment, one surgical one is enough)
  SELECT
    hadm_id,
    bool_or(surgical) AS surgical
  FROM service
  WHERE place = 1
  GROUP BY hadm_id
),

part AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    -- rule: age-bands
    CASE
      WHEN stay.age < 40 THEN 0
      WHEN stay.age < 60 THEN 7
      WHEN stay.age < 70 THEN 12
      WHEN stay.age < 75 THEN 15
      WHEN stay.age < 80 THEN 16
      WHEN stay.age >= 80 THEN 18
      ELSE 0
    END AS age_score,
    -- rule: heart-rate-bands (in this order)
    CASE
      WHEN vital.heart_rate_lowest < 40 THEN 11
      WHEN vital.heart_rate_highest >= 160 THEN 7
      WHEN vital.heart_rate_highest >= 120 THEN 4
      WHEN vital.heart_rate_lowest < 70 THEN 2
      ELSE 0
    END AS hr_score,
    -- rule: systolic-bands (a low one goes before a high one)
    CASE
      WHEN vital.systolic_lowest < 70 THEN 13
      WHEN vital.systolic_lowest < 100 THEN 5
      WHEN vital.systolic_highest >= 200 THEN 2
      ELSE 0
    END AS sysbp_score,
    -- rule: temperature-bands
    CASE WHEN vital.temperature_highest >= 39.0 THEN 3 ELSE 0 END AS temp_score,
    -- rule: oxygen-ratio-bands (without such a gas 0, with any 6 or more)
    CASE
      WHEN breathing.ratio_lowest < 100 THEN 11
      WHEN breathing.ratio_lowest < 200 THEN 9
      WHEN breathing.ratio_lowest >= 200 THEN 6
      ELSE 0
    END AS pao2fio2_score,
    -- rule: urine-bands
    CASE
      WHEN urine.volume < 500 THEN 11
      WHEN urine.volume < 1000 THEN 4
      ELSE 0
    END AS uo_score,
    -- rule: urea-bands
    CASE
      WHEN laboratory.urea_highest >= 84 THEN 10
      WHEN laboratory.urea_highest >= 28 THEN 6
      ELSE 0
    END AS bun_score,
    -- rule: white-cells-bands
    CASE
      WHEN laboratory.white_cells_lowest < 1 THEN 12
      WHEN laboratory.white_cells_highest >= 20 THEN 3
      ELSE 0
    END AS wbc_score,
    -- rule: potassium-bands
    CASE
      WHEN laboratory.potassium_lowest < 3 THEN 3
      WHEN laboratory.potassium_highest >= 5 THEN 3
      ELSE 0
    END AS potassium_score,
    -- rule: sodium-bands
    CASE
      WHEN laboratory.sodium_lowest < 125 THEN 5
      WHEN laboratory.sodium_highest >= 145 THEN 1
      ELSE 0
    END AS sodium_score,
    -- rule: bicarbonate-bands
    CASE
      WHEN laboratory.bicarbonate_lowest < 15 THEN 6
      WHEN laboratory.bicarbonate_lowest < 20 THEN 3
      ELSE 0
    END AS bicarbonate_score,
    -- rule: bilirubin-bands
    CASE
      WHEN laboratory.bilirubin_highest >= 6 THEN 9
      WHEN laboratory.bilirubin_highest >= 4 THEN 4
      ELSE 0
    END AS bilirubin_score,
    -- rule: coma-bands (a total under 3 is no score and gives nothing)
    CASE
      WHEN consciousness.lowest < 3 THEN 0
      WHEN consciousness.lowest < 6 THEN 26
      WHEN consciousness.lowest < 9 THEN 13
      WHEN consciousness.lowest < 11 THEN 7
      WHEN consciousness.lowest < 14 THEN 5
      ELSE 0
    END AS gcs_score,
    -- rule: heaviest-illness (one only, in this order)
    CASE
      WHEN illness.aids THEN 17
      WHEN illness.blood_cancer THEN 10
      WHEN illness.spread_cancer THEN 9
      ELSE 0
    END AS comorbidity_score,
    -- rule: admission-kind (planned only with that very word; surgery of the same day is not)
    CASE
      WHEN surgery.surgical AND stay.admission_type = 'ELECTIVE' THEN 0
      WHEN surgery.surgical AND stay.admission_type <> 'ELECTIVE' THEN 8
      ELSE 6
    END AS admissiontype_score
    -- rule: missing-is-zero (the ELSE 0 of each: no comparison holds for what was not measured)
  FROM stay
  LEFT JOIN vital ON stay.stay_id = vital.stay_id
  LEFT JOIN laboratory ON stay.stay_id = laboratory.stay_id
  LEFT JOIN breathing ON stay.stay_id = breathing.stay_id
  LEFT JOIN consciousness ON stay.stay_id = consciousness.stay_id
  LEFT JOIN urine ON stay.stay_id = urine.stay_id
  LEFT JOIN illness ON stay.hadm_id = illness.hadm_id
  LEFT JOIN surgery ON stay.hadm_id = surgery.hadm_id
)

SELECT
  subject_id,
  hadm_id,
  stay_id,
  -- rule: total-of-fifteen
  age_score + hr_score + sysbp_score + temp_score + pao2fio2_score + uo_score + bun_score + wbc_score
  + potassium_score + sodium_score + bicarbonate_score + bilirubin_score + gcs_score + comorbidity_score
  + admissiontype_score AS sapsii,
  age_score,
  hr_score,
  sysbp_score,
  temp_score,
  pao2fio2_score,
  uo_score,
  bun_score,
  wbc_score,
  potassium_score,
  sodium_score,
  bicarbonate_score,
  bilirubin_score,
  gcs_score,
  comorbidity_score,
  admissiontype_score
FROM part
