-- What the instruction alone suggests: a few well-known antibiotics given in the unit, any timed culture near them, and
-- the organ score of whole hours from obvious items with every laboratory value of the last 24 hours.
WITH suspicion AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    given.starttime AS antibiotic_time,
    min(culture.charttime) AS culture_time,
    least(given.starttime, min(culture.charttime)) AS suspected_infection_time
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_hosp.prescriptions AS given
    ON stay.hadm_id = given.hadm_id
    AND given.starttime BETWEEN stay.intime AND stay.outtime
    AND regexp_matches(lower(given.drug), 'vanco|cef|piperacillin|zosyn|meropenem|metronidazole|cipro|levo|azithro|cillin')
  INNER JOIN mimiciv_hosp.microbiologyevents AS culture
    ON stay.subject_id = culture.subject_id
    AND culture.charttime BETWEEN given.starttime - INTERVAL 72 HOUR AND given.starttime + INTERVAL 24 HOUR
  GROUP BY stay.subject_id, stay.hadm_id, stay.stay_id, given.starttime
),

first_suspicion AS (
  SELECT *
  FROM suspicion
  QUALIFY row_number() OVER (PARTITION BY stay_id ORDER BY suspected_infection_time, antibiotic_time) = 1
),

vital AS (
  SELECT
    suspected.stay_id,
    min(event.valuenum) FILTER (WHERE event.itemid = 220052) AS pressure,
    min(event.valuenum) FILTER (WHERE event.itemid = 223900)
    + min(event.valuenum) FILTER (WHERE event.itemid = 223901)
    + min(event.valuenum) FILTER (WHERE event.itemid = 220739) AS coma
  FROM first_suspicion AS suspected
  INNER JOIN mimiciv_icu.chartevents AS event ON suspected.stay_id = event.stay_id
  WHERE event.charttime BETWEEN suspected.suspected_infection_time - INTERVAL 48 HOUR
    AND suspected.suspected_infection_time + INTERVAL 24 HOUR
  GROUP BY suspected.stay_id
),

laboratory AS (
  SELECT
    suspected.stay_id,
    min(event.valuenum) FILTER (WHERE event.itemid = 51265) AS platelets,
    max(event.valuenum) FILTER (WHERE event.itemid = 50885) AS bilirubin,
    max(event.valuenum) FILTER (WHERE event.itemid = 50912) AS creatinine
  FROM first_suspicion AS suspected
  INNER JOIN mimiciv_hosp.labevents AS event ON suspected.hadm_id = event.hadm_id
  WHERE event.charttime BETWEEN suspected.suspected_infection_time - INTERVAL 48 HOUR
    AND suspected.suspected_infection_time + INTERVAL 24 HOUR
  GROUP BY suspected.stay_id
),

drug AS (
  SELECT
    suspected.stay_id,
    max(event.rate) FILTER (WHERE event.itemid IN (221906, 221289)) AS adrenergic
  FROM first_suspicion AS suspected
  INNER JOIN mimiciv_icu.inputevents AS event ON suspected.stay_id = event.stay_id
  WHERE event.starttime BETWEEN suspected.suspected_infection_time - INTERVAL 48 HOUR
    AND suspected.suspected_infection_time + INTERVAL 24 HOUR
  GROUP BY suspected.stay_id
),

component AS (
  SELECT
    suspected.*,
    suspected.suspected_infection_time AS sofa_time,
    0 AS respiration,
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
      WHEN adrenergic > 0.1 THEN 4
      WHEN adrenergic > 0 THEN 3
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
      WHEN creatinine > 5 THEN 4
      WHEN creatinine >= 3.5 THEN 3
      WHEN creatinine >= 2 THEN 2
      WHEN creatinine >= 1.2 THEN 1
      ELSE 0
    END AS renal
  FROM first_suspicion AS suspected
  LEFT JOIN vital ON suspected.stay_id = vital.stay_id
  LEFT JOIN laboratory ON suspected.stay_id = laboratory.stay_id
  LEFT JOIN drug ON suspected.stay_id = drug.stay_id
)

SELECT
  *,
  respiration + coagulation + liver + cardiovascular + cns + renal AS sofa_score,
  1 AS sepsis3
FROM component
WHERE respiration + coagulation + liver + cardiovascular + cns + renal >= 2
