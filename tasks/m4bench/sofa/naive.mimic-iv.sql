-- What the instruction alone suggests: the published bands on the first 24 hours from admission to the unit, with the
-- obvious items, any gas with its own inspired oxygen, any charted ventilator mode as support, no units checked.
WITH vital AS (
  SELECT
    stay.stay_id,
    min(event.valuenum) FILTER (WHERE event.itemid = 220052) AS pressure,
    count(*) FILTER (WHERE event.itemid = 223849) > 0 AS ventilated,
    min(event.valuenum) FILTER (WHERE event.itemid = 223900)
    + min(event.valuenum) FILTER (WHERE event.itemid = 223901)
    + min(event.valuenum) FILTER (WHERE event.itemid = 220739) AS coma
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.chartevents AS event ON stay.stay_id = event.stay_id
  WHERE event.charttime >= stay.intime AND event.charttime < stay.intime + INTERVAL 24 HOUR
  GROUP BY stay.stay_id
),

laboratory AS (
  SELECT
    stay.stay_id,
    min(event.valuenum) FILTER (WHERE event.itemid = 51265) AS platelets,
    max(event.valuenum) FILTER (WHERE event.itemid = 50885) AS bilirubin,
    max(event.valuenum) FILTER (WHERE event.itemid = 50912) AS creatinine,
    100 * min(event.valuenum) FILTER (WHERE event.itemid = 50821)
    / max(event.valuenum) FILTER (WHERE event.itemid = 50816 AND event.valuenum > 20) AS ratio
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_hosp.labevents AS event ON stay.hadm_id = event.hadm_id
  WHERE event.charttime >= stay.intime AND event.charttime < stay.intime + INTERVAL 24 HOUR
  GROUP BY stay.stay_id
),

drug AS (
  SELECT
    stay.stay_id,
    max(event.rate) FILTER (WHERE event.itemid IN (221906, 221289)) AS adrenergic,
    max(event.rate) FILTER (WHERE event.itemid = 221662) AS dopamine,
    max(event.rate) FILTER (WHERE event.itemid = 221653) AS dobutamine
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.inputevents AS event ON stay.stay_id = event.stay_id
  WHERE event.starttime < stay.intime + INTERVAL 24 HOUR AND event.endtime > stay.intime
  GROUP BY stay.stay_id
),

urine AS (
  SELECT
    stay.stay_id,
    sum(event.value) AS volume
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.outputevents AS event ON stay.stay_id = event.stay_id
  WHERE event.itemid IN (226559, 226560)
    AND event.charttime >= stay.intime AND event.charttime < stay.intime + INTERVAL 24 HOUR
  GROUP BY stay.stay_id
),

component AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    CASE
      WHEN ventilated AND ratio < 100 THEN 4
      WHEN ventilated AND ratio < 200 THEN 3
      WHEN ratio < 300 THEN 2
      WHEN ratio < 400 THEN 1
      ELSE 0
    END AS respiration,
    CASE
      WHEN platelets < 20 THEN 4
      WHEN platelets < 50 THEN 3
      WHEN platelets < 100 THEN 2
      WHEN platelets < 150 THEN 1
      ELSE 0
    END AS coagulation,
    CASE
      WHEN bilirubin > 12 THEN 4
      WHEN bilirubin >= 6 THEN 3
      WHEN bilirubin >= 2 THEN 2
      WHEN bilirubin >= 1.2 THEN 1
      ELSE 0
    END AS liver,
    CASE
      WHEN dopamine > 15 OR adrenergic > 0.1 THEN 4
      WHEN dopamine > 5 OR adrenergic > 0 THEN 3
      WHEN dopamine > 0 OR dobutamine > 0 THEN 2
      WHEN pressure < 70 THEN 1
      ELSE 0
    END AS cardiovascular,
    CASE
      WHEN coma < 6 THEN 4
      WHEN coma < 10 THEN 3
      WHEN coma < 13 THEN 2
      WHEN coma < 15 THEN 1
      ELSE 0
    END AS cns,
    CASE
      WHEN creatinine > 5 OR volume < 200 THEN 4
      WHEN creatinine >= 3.5 OR volume < 500 THEN 3
      WHEN creatinine >= 2 THEN 2
      WHEN creatinine >= 1.2 THEN 1
      ELSE 0
    END AS renal
  FROM mimiciv_icu.icustays AS stay
  LEFT JOIN vital ON stay.stay_id = vital.stay_id
  LEFT JOIN laboratory ON stay.stay_id = laboratory.stay_id
  LEFT JOIN drug ON stay.stay_id = drug.stay_id
  LEFT JOIN urine ON stay.stay_id = urine.stay_id
)

SELECT
  *,
  respiration + coagulation + liver + cardiovascular + cns + renal AS sofa
FROM component
