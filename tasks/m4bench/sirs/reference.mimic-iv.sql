-- Systemic inflammatory response syndrome, first day in intensive care: one row per ICU stay.
-- Target 'public-code': equal in value to the pinned public concept; see deviations.toml. Raw tables only. Means
-- are taken over exact decimals, so that no result depends on the order of rows.

WITH stay AS (
  -- rule: every-stay (all ICU stays, whether anything was measured or not)
  SELECT
    subject_id,
    hadm_id,
    stay_id,
    -- rule: first-day-window (both ends belong to it)
    intime - INTERVAL 6 HOUR AS day_starts,
    intime + INTERVAL 24 HOUR AS day_ends
  FROM mimiciv_icu.icustays
),

charted AS (
  -- One row per stay and charted moment: values of one moment are averaged.
  SELECT
    stay_id,
    charttime,
    -- rule: heart-rate-items
    avg(CAST(valuenum AS DECIMAL(18, 6))) FILTER (
      WHERE itemid = 220045 AND valuenum > 0 AND valuenum < 300
    ) AS heart_rate,
    -- rule: breathing-items (the monitor's rate and the ventilator's total, together)
    avg(CAST(valuenum AS DECIMAL(18, 6))) FILTER (
      WHERE itemid IN (220210, 224690) AND valuenum > 0 AND valuenum < 70
    ) AS breathing_rate,
    -- rule: temperature-items (each item in its own unit and range, the rest is dropped; rounded to thousandths,
    -- then to hundredths)
    round(CAST(avg(
      CASE
        WHEN itemid = 223761 AND valuenum > 70 AND valuenum < 120
          THEN CAST((valuenum - 32) / 1.8 AS DECIMAL(18, 6))
        WHEN itemid = 223762 AND valuenum > 10 AND valuenum < 50 THEN CAST(valuenum AS DECIMAL(18, 6))
      END
    ) AS DECIMAL(18, 3)), 2) AS temperature
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (220045, 220210, 224690, 223761, 223762)
  -- rule: same-moment-mean
  GROUP BY stay_id, charttime
),

vital AS (
  SELECT
    stay.stay_id,
    max(charted.heart_rate) AS heart_rate_highest,
    max(charted.breathing_rate) AS breathing_rate_highest,
    min(charted.temperature) AS temperature_lowest,
    max(charted.temperature) AS temperature_highest
  FROM stay
  INNER JOIN charted ON stay.stay_id = charted.stay_id
  WHERE charted.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

specimen AS (
  -- One row per laboratory specimen. Laboratory values belong to a patient, not to a stay.
  SELECT
    specimen_id,
    max(subject_id) AS subject_id,
    max(charttime) AS charttime,
    -- rule: white-cells-item
    max(valuenum) FILTER (WHERE itemid = 51301 AND valuenum > 0) AS white_cells,
    -- rule: bands-item (percent; immature granulocytes are another item and do not count)
    max(valuenum) FILTER (WHERE itemid = 51144 AND valuenum >= 0) AS bands,
    -- rule: carbon-dioxide-item
    max(valuenum) FILTER (WHERE itemid = 50818) AS carbon_dioxide,
    max(value) FILTER (WHERE itemid = 52033) AS drawn_from,
    max(valuenum) FILTER (WHERE itemid = 50821) AS oxygen
  FROM mimiciv_hosp.labevents
  WHERE itemid IN (51301, 51144, 50818, 50821, 52033)
  GROUP BY specimen_id
),

laboratory AS (
  SELECT
    stay.stay_id,
    min(specimen.white_cells) AS white_cells_lowest,
    max(specimen.white_cells) AS white_cells_highest,
    max(specimen.bands) AS bands_highest,
    min(specimen.carbon_dioxide) FILTER (
      -- rule: arterial-only (an unlabelled or venous gas is no arterial one)
      WHERE specimen.drawn_from = 'ART.'
      -- rule: gas-with-oxygen (a specimen without an oxygen pressure is no blood gas)
      AND specimen.oxygen IS NOT NULL
    ) AS carbon_dioxide_lowest
  FROM stay
  -- rule: laboratory-by-patient
  INNER JOIN specimen ON stay.subject_id = specimen.subject_id
  WHERE specimen.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

criterion AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    -- rule: temperature-criterion (below 36.0 or above 38.0)
    CASE
      WHEN vital.temperature_lowest < 36.0 OR vital.temperature_highest > 38.0 THEN 1
      ELSE 0
    END AS temp_score,
    -- rule: heart-rate-criterion (above 90)
    CASE WHEN vital.heart_rate_highest > 90 THEN 1 ELSE 0 END AS heart_rate_score,
    -- rule: breathing-criterion (above 20 breaths, or carbon dioxide below 32)
    CASE
      WHEN vital.breathing_rate_highest > 20 OR laboratory.carbon_dioxide_lowest < 32 THEN 1
      ELSE 0
    END AS resp_score,
    -- rule: white-cells-criterion (below 4, above 12, or bands above 10 percent)
    CASE
      WHEN laboratory.white_cells_lowest < 4 OR laboratory.white_cells_highest > 12
        OR laboratory.bands_highest > 10 THEN 1
      ELSE 0
    END AS wbc_score
    -- rule: missing-is-normal (a criterion without any value is not met: the ELSE 0 of each)
  FROM stay
  LEFT JOIN vital ON stay.stay_id = vital.stay_id
  LEFT JOIN laboratory ON stay.stay_id = laboratory.stay_id
)

SELECT
  subject_id,
  hadm_id,
  stay_id,
  -- rule: total-of-four (the criteria need not be met at one time)
  temp_score + heart_rate_score + resp_score + wbc_score AS sirs,
  temp_score,
  heart_rate_score,
  resp_score,
  wbc_score
FROM criterion
