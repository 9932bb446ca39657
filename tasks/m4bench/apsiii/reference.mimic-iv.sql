-- Acute Physiology Score III of the first day in intensive care: one row per ICU stay.
-- Target 'public-code': equal in value to the pinned public concept; see deviations.toml. Read besides raw tables are the
-- concepts gcs and ventilation. Means and sums are taken over exact decimals, so that no result depends on the order
-- of rows.

WITH stay AS (
  -- rule: every-stay
  SELECT
    subject_id,
    hadm_id,
    stay_id,
    intime,
    outtime,
    -- rule: first-day-window (both ends belong to it)
    intime - INTERVAL 6 HOUR AS day_starts,
    intime + INTERVAL 24 HOUR AS day_ends
  FROM mimiciv_icu.icustays
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
    -- rule: temperature-items (each item in its own unit and range, wherever it was taken; rounded to thousandths, then
    -- to hundredths)
    round(CAST(avg(
      CASE
        WHEN itemid = 223761 AND valuenum > 70 AND valuenum < 120
          THEN CAST((valuenum - 32) / 1.8 AS DECIMAL(18, 6))
        WHEN itemid = 223762 AND valuenum > 10 AND valuenum < 50 THEN CAST(valuenum AS DECIMAL(18, 6))
      END
    ) AS DECIMAL(18, 3)), 2) AS temperature,
    -- rule: bedside-glucose-items (no upper limit)
    avg(CAST(valuenum AS DECIMAL(18, 6))) FILTER (
      WHERE itemid IN (225664, 220621, 226537) AND valuenum > 0
    ) AS glucose
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (220045, 220052, 220181, 225312, 220210, 224690, 223761, 223762, 225664, 220621, 226537)
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
    max(charted.temperature) AS temperature_highest,
    min(charted.glucose) AS glucose_lowest,
    max(charted.glucose) AS glucose_highest
  FROM stay
  INNER JOIN charted ON stay.stay_id = charted.stay_id
  WHERE charted.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

specimen AS (
  -- rule: largest-of-specimen (one row per laboratory specimen)
  SELECT
    specimen_id,
    max(subject_id) AS subject_id,
    max(hadm_id) AS hadm_id,
    max(charttime) AS charttime,
    -- rule: hematocrit-item
    max(valuenum) FILTER (WHERE itemid = 51221 AND valuenum > 0) AS hematocrit,
    -- rule: white-cells-item
    max(valuenum) FILTER (WHERE itemid = 51301 AND valuenum > 0) AS white_cells,
    -- rule: creatinine-item
    max(valuenum) FILTER (WHERE itemid = 50912 AND valuenum > 0 AND valuenum <= 150) AS creatinine,
    -- rule: urea-item
    max(valuenum) FILTER (WHERE itemid = 51006 AND valuenum > 0 AND valuenum <= 300) AS urea,
    -- rule: sodium-item
    max(valuenum) FILTER (WHERE itemid = 50983 AND valuenum > 0 AND valuenum <= 200) AS sodium,
    -- rule: albumin-item
    max(valuenum) FILTER (WHERE itemid = 50862 AND valuenum > 0 AND valuenum <= 10) AS albumin,
    -- rule: bilirubin-item (total)
    max(valuenum) FILTER (WHERE itemid = 50885 AND valuenum > 0) AS bilirubin,
    -- rule: laboratory-glucose-item
    max(valuenum) FILTER (WHERE itemid = 50931 AND valuenum > 0 AND valuenum <= 10000) AS glucose,
    max(value) FILTER (WHERE itemid = 52033) AS drawn_from,
    max(valuenum) FILTER (WHERE itemid = 50821) AS oxygen,
    max(valuenum) FILTER (WHERE itemid = 50818) AS carbon_dioxide,
    max(valuenum) FILTER (WHERE itemid = 50820) AS acidity,
    -- rule: gradient-item (as the laboratory reports it; never computed)
    max(valuenum) FILTER (WHERE itemid = 50801) AS gradient,
    -- rule: measured-fraction (percent, or a share of one turned into percent; anything else is none)
    max(
      CASE
        WHEN valuenum > 20 AND valuenum <= 100 THEN valuenum
        WHEN valuenum > 0.2 AND valuenum <= 1.0 THEN valuenum * 100.0
      END
    ) FILTER (WHERE itemid = 50816) AS fraction
  FROM mimiciv_hosp.labevents
  WHERE itemid IN (
    51221, 51301, 50912, 51006, 50983, 50862, 50885, 50931, 52033, 50821, 50818, 50820, 50801, 50816
  )
  GROUP BY specimen_id
),

laboratory AS (
  SELECT
    stay.stay_id,
    min(specimen.hematocrit) AS hematocrit_lowest,
    max(specimen.hematocrit) AS hematocrit_highest,
    min(specimen.white_cells) AS white_cells_lowest,
    max(specimen.white_cells) AS white_cells_highest,
    min(specimen.creatinine) AS creatinine_lowest,
    max(specimen.creatinine) AS creatinine_highest,
    max(specimen.urea) AS urea_highest,
    min(specimen.sodium) AS sodium_lowest,
    max(specimen.sodium) AS sodium_highest,
    min(specimen.albumin) AS albumin_lowest,
    max(specimen.albumin) AS albumin_highest,
    max(specimen.bilirubin) AS bilirubin_highest,
    min(specimen.glucose) AS glucose_lowest,
    max(specimen.glucose) AS glucose_highest
  FROM stay
  -- rule: laboratory-by-patient
  INNER JOIN specimen ON stay.subject_id = specimen.subject_id
  WHERE specimen.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

gas AS (
  SELECT
    stay.stay_id,
    specimen.*
  FROM stay
  -- rule: gas-by-admission (a gas without a hospital admission is lost)
  INNER JOIN specimen ON stay.hadm_id = specimen.hadm_id
  WHERE
    -- rule: gas-of-the-whole-stay (from its start to before its end, not of the first day alone)
    specimen.charttime >= stay.intime
    AND specimen.charttime < stay.outtime
    -- rule: arterial-only (an unlabelled or venous gas is no arterial one)
    AND specimen.drawn_from = 'ART.'
    -- rule: gas-with-oxygen (a specimen without an oxygen pressure is no blood gas)
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

gas_fraction AS (
  SELECT
    gas.stay_id,
    gas.specimen_id,
    -- rule: fraction-order (the specimen's own first, then the latest charted one)
    coalesce(any_value(gas.fraction), arg_max(charted.fraction, charted.charttime)) AS fraction
  FROM gas
  LEFT JOIN charted_fraction AS charted
    ON gas.subject_id = charted.subject_id
    -- rule: four-hours-back (both ends belong to it)
    AND charted.charttime BETWEEN gas.charttime - INTERVAL 4 HOUR AND gas.charttime
    AND charted.fraction IS NOT NULL
  GROUP BY gas.stay_id, gas.specimen_id
),

invasive AS (
  SELECT
    stay_id,
    starttime,
    endtime
  FROM mimiciv_derived.ventilation
  -- rule: invasive-only (a ventilated tracheostomy, masks and high flow do not count)
  WHERE ventilation_status = 'InvasiveVent'
),

gas_judged AS (
  SELECT
    gas.stay_id,
    gas.oxygen,
    gas.gradient,
    gas_fraction.fraction,
    EXISTS (
      SELECT 1
      FROM invasive
      -- rule: gas-during-ventilation (both ends of the episode belong to it)
      WHERE invasive.stay_id = gas.stay_id AND gas.charttime BETWEEN invasive.starttime AND invasive.endtime
    ) AS ventilated,
    -- rule: acid-base-bands (acidity and carbon dioxide of one gas)
    CASE
      WHEN gas.acidity IS NULL OR gas.carbon_dioxide IS NULL THEN NULL
      WHEN gas.acidity < 7.20 THEN CASE WHEN gas.carbon_dioxide < 50 THEN 12 ELSE 4 END
      WHEN gas.acidity < 7.30 THEN
        CASE
          WHEN gas.carbon_dioxide < 30 THEN 9
          WHEN gas.carbon_dioxide < 40 THEN 6
          WHEN gas.carbon_dioxide < 50 THEN 3
          ELSE 2
        END
      WHEN gas.acidity < 7.45 THEN
        CASE
          WHEN gas.carbon_dioxide < 30 AND gas.acidity < 7.35 THEN 9
          WHEN gas.carbon_dioxide < 30 THEN 5
          WHEN gas.carbon_dioxide < 45 THEN 0
          ELSE 1
        END
      WHEN gas.acidity < 7.50 THEN
        CASE
          WHEN gas.carbon_dioxide < 30 THEN 5
          WHEN gas.carbon_dioxide < 35 THEN 0
          WHEN gas.carbon_dioxide < 45 THEN 2
          ELSE 12
        END
      WHEN gas.acidity >= 7.60 AND gas.carbon_dioxide < 25 THEN 0
      WHEN gas.carbon_dioxide < 40 THEN 3
      ELSE 12
    END AS acid_base
  FROM gas
  INNER JOIN gas_fraction ON gas.stay_id = gas_fraction.stay_id AND gas.specimen_id = gas_fraction.specimen_id
),

breathing AS (
  SELECT
    stay_id,
    -- rule: highest-oxygen (the best, not the worst, of the gases without ventilation)
    max(oxygen) FILTER (
      -- rule: oxygen-under-fifty (an unknown fraction is room air)
      WHERE NOT ventilated AND coalesce(fraction, 21) < 50
    ) AS oxygen,
    -- rule: gradient-from-fifty (an unknown fraction does not count)
    max(gradient) FILTER (WHERE ventilated AND fraction >= 50) AS gradient,
    -- rule: worst-gas
    max(acid_base) AS acid_base
  FROM gas_judged
  GROUP BY stay_id
),

consciousness AS (
  SELECT
    stay.stay_id,
    -- rule: lowest-coma-score (with the responses that belong to it)
    arg_min(
      struct_pack(
        eyes := score.gcs_eyes, verbal := score.gcs_verbal, motor := score.gcs_motor, tube := score.gcs_unable
      ),
      -- rule: tied-coma-scores (the earliest of the lowest)
      (score.gcs, score.charttime)
    ) AS worst
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

kidney_disease AS (
  SELECT
    hadm_id,
    -- rule: late-kidney-disease-codes (chronic disease of stage 4, 5 or on dialysis)
    bool_or(
      (icd_version = 9 AND substr(icd_code, 1, 4) IN ('5854', '5855', '5856'))
      OR (icd_version = 10 AND substr(icd_code, 1, 4) IN ('N184', 'N185', 'N186'))
    ) AS late
  FROM mimiciv_hosp.diagnoses_icd
  GROUP BY hadm_id
),

extreme AS (
  -- Two rows per stay: its lowest values and its highest.
  SELECT
    stay.stay_id,
    EXISTS (
      SELECT 1
      FROM invasive
      WHERE
        invasive.stay_id = stay.stay_id
        -- rule: ventilated-on-the-day (the episode touches the 24 hours from the start of the stay)
        AND invasive.starttime <= stay.day_ends
        AND invasive.endtime >= stay.intime
    ) AS ventilated,
    unnest([vital.heart_rate_lowest, vital.heart_rate_highest]) AS heart_rate,
    unnest([vital.pressure_lowest, vital.pressure_highest]) AS pressure,
    unnest([vital.temperature_lowest, vital.temperature_highest]) AS temperature,
    unnest([vital.breathing_lowest, vital.breathing_highest]) AS breathing_rate,
    unnest([laboratory.hematocrit_lowest, laboratory.hematocrit_highest]) AS hematocrit,
    unnest([laboratory.white_cells_lowest, laboratory.white_cells_highest]) AS white_cells,
    unnest([laboratory.creatinine_lowest, laboratory.creatinine_highest]) AS creatinine,
    unnest([laboratory.sodium_lowest, laboratory.sodium_highest]) AS sodium,
    unnest([laboratory.albumin_lowest, laboratory.albumin_highest]) AS albumin,
    -- rule: both-glucoses (laboratory and bedside are one quantity)
    unnest([
      least(laboratory.glucose_lowest, vital.glucose_lowest),
      greatest(laboratory.glucose_highest, vital.glucose_highest)
    ]) AS glucose
  FROM stay
  LEFT JOIN vital ON stay.stay_id = vital.stay_id
  LEFT JOIN laboratory ON stay.stay_id = laboratory.stay_id
),

point AS (
  -- What each of the two values would score. A missing value has no points.
  SELECT
    *,
    -- rule: heart-rate-bands
    CASE
      WHEN heart_rate < 40 THEN 8
      WHEN heart_rate < 50 THEN 5
      WHEN heart_rate < 100 THEN 0
      WHEN heart_rate < 110 THEN 1
      WHEN heart_rate < 120 THEN 5
      WHEN heart_rate < 140 THEN 7
      WHEN heart_rate < 155 THEN 13
      WHEN heart_rate >= 155 THEN 17
    END AS heart_rate_points,
    -- rule: pressure-bands
    CASE
      WHEN pressure < 40 THEN 23
      WHEN pressure < 60 THEN 15
      WHEN pressure < 70 THEN 7
      WHEN pressure < 80 THEN 6
      WHEN pressure < 100 THEN 0
      WHEN pressure < 120 THEN 4
      WHEN pressure < 130 THEN 7
      WHEN pressure < 140 THEN 9
      WHEN pressure >= 140 THEN 10
    END AS pressure_points,
    -- rule: temperature-bands (nothing is added for the armpit)
    CASE
      WHEN temperature < 33.0 THEN 20
      WHEN temperature < 33.5 THEN 16
      WHEN temperature < 34.0 THEN 13
      WHEN temperature < 35.0 THEN 8
      WHEN temperature < 36.0 THEN 2
      WHEN temperature < 40.0 THEN 0
      WHEN temperature >= 40.0 THEN 4
    END AS temperature_points,
    CASE
      -- rule: slow-breathing-ventilated (however slow, on a day with ventilation)
      WHEN ventilated AND breathing_rate < 14 THEN 0
      -- rule: breathing-bands
      WHEN breathing_rate < 6 THEN 17
      WHEN breathing_rate < 12 THEN 8
      WHEN breathing_rate < 14 THEN 7
      WHEN breathing_rate < 25 THEN 0
      WHEN breathing_rate < 35 THEN 6
      WHEN breathing_rate < 40 THEN 9
      WHEN breathing_rate < 50 THEN 11
      WHEN breathing_rate >= 50 THEN 18
    END AS breathing_points,
    -- rule: hematocrit-bands
    CASE
      WHEN hematocrit < 41.0 THEN 3
      WHEN hematocrit < 50.0 THEN 0
      WHEN hematocrit >= 50.0 THEN 3
    END AS hematocrit_points,
    -- rule: white-cells-bands
    CASE
      WHEN white_cells < 1.0 THEN 19
      WHEN white_cells < 3.0 THEN 5
      WHEN white_cells < 20.0 THEN 0
      WHEN white_cells < 25.0 THEN 1
      WHEN white_cells >= 25.0 THEN 5
    END AS white_cells_points,
    -- rule: creatinine-bands (without acute injury)
    CASE
      WHEN creatinine < 0.5 THEN 3
      WHEN creatinine < 1.5 THEN 0
      WHEN creatinine < 1.95 THEN 4
      WHEN creatinine >= 1.95 THEN 7
    END AS creatinine_points,
    -- rule: sodium-bands
    CASE
      WHEN sodium < 120 THEN 3
      WHEN sodium < 135 THEN 2
      WHEN sodium < 155 THEN 0
      WHEN sodium >= 155 THEN 4
    END AS sodium_points,
    -- rule: albumin-bands
    CASE
      WHEN albumin < 2.0 THEN 11
      WHEN albumin < 2.5 THEN 6
      WHEN albumin < 4.5 THEN 0
      WHEN albumin >= 4.5 THEN 4
    END AS albumin_points,
    -- rule: glucose-bands
    CASE
      WHEN glucose < 40 THEN 8
      WHEN glucose < 60 THEN 9
      WHEN glucose < 200 THEN 0
      WHEN glucose < 350 THEN 3
      WHEN glucose >= 350 THEN 5
    END AS glucose_points
  FROM extreme
),

worst AS (
  SELECT
    stay_id,
    -- rule: furthest-from-normal (which of the two counts is said by the distance, not by the points; at one distance the
    -- larger points)
    arg_max(heart_rate_points, (abs(heart_rate - 75), heart_rate_points)) AS heart_rate,
    arg_max(pressure_points, (abs(pressure - 90), pressure_points)) AS pressure,
    arg_max(temperature_points, (abs(temperature - 38), temperature_points)) AS temperature,
    arg_max(breathing_points, (abs(breathing_rate - 19), breathing_points)) AS breathing_rate,
    arg_max(hematocrit_points, (abs(hematocrit - 45.5), hematocrit_points)) AS hematocrit,
    arg_max(white_cells_points, (abs(white_cells - 11.5), white_cells_points)) AS white_cells,
    arg_max(creatinine_points, (abs(creatinine - 1), creatinine_points)) AS creatinine,
    arg_max(sodium_points, (abs(sodium - 145.5), sodium_points)) AS sodium,
    arg_max(albumin_points, (abs(albumin - 3.5), albumin_points)) AS albumin,
    arg_max(glucose_points, (abs(glucose - 130), glucose_points)) AS glucose
  FROM point
  GROUP BY stay_id
),

part AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    -- rule: missing-is-zero
    coalesce(worst.heart_rate, 0) AS hr_score,
    coalesce(worst.pressure, 0) AS mbp_score,
    coalesce(worst.temperature, 0) AS temp_score,
    coalesce(worst.breathing_rate, 0) AS resp_rate_score,
    -- rule: oxygen-before-gradient
    CASE
      -- rule: oxygen-bands
      WHEN breathing.oxygen < 50 THEN 15
      WHEN breathing.oxygen < 70 THEN 5
      WHEN breathing.oxygen < 80 THEN 2
      WHEN breathing.oxygen >= 80 THEN 0
      -- rule: gradient-bands
      WHEN breathing.gradient < 100 THEN 0
      WHEN breathing.gradient < 250 THEN 7
      WHEN breathing.gradient < 350 THEN 9
      WHEN breathing.gradient < 500 THEN 11
      WHEN breathing.gradient >= 500 THEN 14
      ELSE 0
    END AS pao2_aado2_score,
    coalesce(worst.hematocrit, 0) AS hematocrit_score,
    coalesce(worst.white_cells, 0) AS wbc_score,
    CASE
      -- rule: acute-kidney-injury (little urine, high creatinine, and coded diagnoses of which none is late kidney disease;
      -- an admission without any coded diagnosis has no acute injury)
      WHEN laboratory.creatinine_highest >= 1.5 AND urine.volume < 410 AND NOT kidney_disease.late THEN 10
      ELSE coalesce(worst.creatinine, 0)
    END AS creatinine_score,
    -- rule: urine-bands
    CASE
      WHEN urine.volume < 400 THEN 15
      WHEN urine.volume < 600 THEN 8
      WHEN urine.volume < 900 THEN 7
      WHEN urine.volume < 1500 THEN 5
      WHEN urine.volume < 2000 THEN 4
      WHEN urine.volume >= 4000 THEN 1
      ELSE 0
    END AS uo_score,
    -- rule: urea-bands (of the highest)
    CASE
      WHEN laboratory.urea_highest < 17 THEN 0
      WHEN laboratory.urea_highest < 20 THEN 2
      WHEN laboratory.urea_highest < 40 THEN 7
      WHEN laboratory.urea_highest < 80 THEN 11
      WHEN laboratory.urea_highest >= 80 THEN 12
      ELSE 0
    END AS bun_score,
    coalesce(worst.sodium, 0) AS sodium_score,
    coalesce(worst.albumin, 0) AS albumin_score,
    -- rule: bilirubin-bands (of the highest)
    CASE
      WHEN laboratory.bilirubin_highest < 2 THEN 0
      WHEN laboratory.bilirubin_highest < 3 THEN 5
      WHEN laboratory.bilirubin_highest < 5 THEN 6
      WHEN laboratory.bilirubin_highest < 8 THEN 8
      WHEN laboratory.bilirubin_highest >= 8 THEN 16
      ELSE 0
    END AS bilirubin_score,
    coalesce(worst.glucose, 0) AS glucose_score,
    coalesce(breathing.acid_base, 0) AS acidbase_score,
    CASE
      -- rule: tube-no-points
      WHEN consciousness.worst.tube = 1 THEN 0
      -- rule: coma-bands (eyes closed, then open; a response that is missing, or a pair outside the table, gives nothing)
      WHEN consciousness.worst.eyes = 1 THEN
        CASE
          WHEN consciousness.worst.verbal = 1 AND consciousness.worst.motor IN (1, 2) THEN 48
          WHEN consciousness.worst.verbal = 1 AND consciousness.worst.motor IN (3, 4) THEN 33
          WHEN consciousness.worst.verbal = 1 AND consciousness.worst.motor IN (5, 6) THEN 16
          WHEN consciousness.worst.verbal IN (2, 3) AND consciousness.worst.motor IN (1, 2) THEN 29
          WHEN consciousness.worst.verbal IN (2, 3) AND consciousness.worst.motor IN (3, 4) THEN 24
          ELSE 0
        END
      WHEN consciousness.worst.eyes > 1 THEN
        CASE
          WHEN consciousness.worst.verbal = 1 AND consciousness.worst.motor IN (5, 6) THEN 15
          WHEN consciousness.worst.verbal IN (1, 2, 3) AND consciousness.worst.motor IN (1, 2) THEN 29
          WHEN consciousness.worst.verbal IN (1, 2, 3) AND consciousness.worst.motor IN (3, 4) THEN 24
          WHEN consciousness.worst.verbal IN (2, 3) AND consciousness.worst.motor = 5 THEN 13
          WHEN consciousness.worst.verbal IN (2, 3) AND consciousness.worst.motor = 6 THEN 10
          WHEN consciousness.worst.verbal = 4 AND consciousness.worst.motor IN (1, 2, 3, 4) THEN 13
          WHEN consciousness.worst.verbal = 4 AND consciousness.worst.motor = 5 THEN 8
          WHEN consciousness.worst.verbal = 4 AND consciousness.worst.motor = 6 THEN 3
          WHEN consciousness.worst.verbal = 5 AND consciousness.worst.motor IN (1, 2, 3, 4, 5) THEN 3
          ELSE 0
        END
      ELSE 0
    END AS gcs_score
  FROM stay
  LEFT JOIN worst ON stay.stay_id = worst.stay_id
  LEFT JOIN laboratory ON stay.stay_id = laboratory.stay_id
  LEFT JOIN breathing ON stay.stay_id = breathing.stay_id
  LEFT JOIN consciousness ON stay.stay_id = consciousness.stay_id
  LEFT JOIN urine ON stay.stay_id = urine.stay_id
  LEFT JOIN kidney_disease ON stay.hadm_id = kidney_disease.hadm_id
)

SELECT
  subject_id,
  hadm_id,
  stay_id,
  -- rule: total-of-sixteen
  hr_score + mbp_score + temp_score + resp_rate_score + pao2_aado2_score + hematocrit_score + wbc_score
  + creatinine_score + uo_score + bun_score + sodium_score + albumin_score + bilirubin_score + glucose_score
  + acidbase_score + gcs_score AS apsiii,
  hr_score,
  mbp_score,
  temp_score,
  resp_rate_score,
  pao2_aado2_score,
  hematocrit_score,
  wbc_score,
  creatinine_score,
  uo_score,
  bun_score,
  sodium_score,
  albumin_score,
  bilirubin_score,
  glucose_score,
  acidbase_score,
  gcs_score
FROM part
