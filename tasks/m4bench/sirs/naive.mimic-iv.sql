-- What the instruction alone suggests: the four criteria on the first 24 hours from admission to the unit, with
-- the obvious items, no plausibility limits and any blood gas.
WITH vital AS (
  SELECT
    stay.stay_id,
    max(event.valuenum) FILTER (WHERE event.itemid = 220045) AS heart_rate,
    max(event.valuenum) FILTER (WHERE event.itemid = 220210) AS breathing_rate,
    min(event.valuenum) FILTER (WHERE event.itemid = 223762) AS coldest,
    max(event.valuenum) FILTER (WHERE event.itemid = 223762) AS hottest
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.chartevents AS event ON stay.stay_id = event.stay_id
  WHERE event.charttime >= stay.intime AND event.charttime < stay.intime + INTERVAL 24 HOUR
  GROUP BY stay.stay_id
),

laboratory AS (
  SELECT
    stay.stay_id,
    min(event.valuenum) FILTER (WHERE event.itemid = 51301) AS fewest,
    max(event.valuenum) FILTER (WHERE event.itemid = 51301) AS most,
    min(event.valuenum) FILTER (WHERE event.itemid = 50818) AS carbon_dioxide
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_hosp.labevents AS event ON stay.hadm_id = event.hadm_id
  WHERE event.charttime >= stay.intime AND event.charttime < stay.intime + INTERVAL 24 HOUR
  GROUP BY stay.stay_id
),

criterion AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    CASE WHEN coldest < 36 OR hottest > 38 THEN 1 ELSE 0 END AS temp_score,
    CASE WHEN heart_rate > 90 THEN 1 ELSE 0 END AS heart_rate_score,
    CASE WHEN breathing_rate > 20 OR carbon_dioxide < 32 THEN 1 ELSE 0 END AS resp_score,
    CASE WHEN fewest < 4 OR most > 12 THEN 1 ELSE 0 END AS wbc_score
  FROM mimiciv_icu.icustays AS stay
  LEFT JOIN vital ON stay.stay_id = vital.stay_id
  LEFT JOIN laboratory ON stay.stay_id = laboratory.stay_id
)

SELECT
  *,
  temp_score + heart_rate_score + resp_score + wbc_score AS sirs
FROM criterion
