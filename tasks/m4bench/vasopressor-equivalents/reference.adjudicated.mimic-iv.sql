-- Norepinephrine-equivalent dose. Target 'adjudicated', a draft that clinicians have not yet decided on: the source's
-- formula (Goradia 2021) where the public code leaves a part of it out or reads a unit wrongly. Same intervals, so that
-- the targets can be compared row by row; the agents that are added here cut intervals, too.
-- Left to be decided: upper limits of rates; orders of one agent side by side (the largest here); whether the recorded
-- norepinephrine is base or salt, which the data do not say.

WITH infusion AS (
  SELECT
    stay_id,
    starttime,
    endtime,
    CASE
      WHEN itemid = 221906 THEN 'norepinephrine'
      WHEN itemid = 221289 THEN 'epinephrine'
      -- rule: concentrated-phenylephrine (the three entries of other concentrations are the same drug)
      WHEN itemid IN (221749, 229630, 229631, 229632) THEN 'phenylephrine'
      WHEN itemid = 221662 THEN 'dopamine'
      WHEN itemid = 222315 THEN 'vasopressin'
      -- rule: angiotensin
      WHEN itemid IN (229709, 229764) THEN 'angiotensin'
      ELSE 'inotrope'
    END AS agent,
    CASE
      -- rule: norepinephrine-per-mg
      WHEN rateuom = 'mg/kg/min' AND patientweight = 1 THEN rate
      WHEN rateuom = 'mg/kg/min' THEN rate * 1000.0
      -- rule: per-minute-by-weight (any agent)
      WHEN rateuom = 'mcg/min' THEN rate / patientweight
      -- rule: angiotensin-in-nanograms
      WHEN rateuom = 'ng/kg/min' THEN rate / 1000.0
      -- rule: vasopressin-per-minute
      WHEN itemid = 222315 AND rateuom = 'units/min' THEN rate * 60.0
      ELSE rate
    END AS rate
  FROM mimiciv_icu.inputevents
  WHERE itemid IN (
      221906, 221289, 221749, 229630, 229631, 229632, 221662, 222315, 229709, 229764, 221653, 221986
    )
    -- rule: rewritten-orders-left-out
    AND statusdescription IS DISTINCT FROM 'Rewritten'
    AND starttime < endtime
),

boundary AS (
  SELECT stay_id, starttime AS moment FROM infusion
  UNION
  SELECT stay_id, endtime AS moment FROM infusion
),

span AS (
  SELECT
    stay_id,
    moment AS starttime,
    LEAD(moment) OVER (PARTITION BY stay_id ORDER BY moment) AS endtime
  FROM boundary
),

given AS (
  SELECT
    span.stay_id,
    span.starttime,
    span.endtime,
    MAX(infusion.rate) FILTER (infusion.agent = 'norepinephrine') AS norepinephrine,
    MAX(infusion.rate) FILTER (infusion.agent = 'epinephrine') AS epinephrine,
    MAX(infusion.rate) FILTER (infusion.agent = 'phenylephrine') AS phenylephrine,
    MAX(infusion.rate) FILTER (infusion.agent = 'dopamine') AS dopamine,
    MAX(infusion.rate) FILTER (infusion.agent = 'vasopressin') AS vasopressin,
    MAX(infusion.rate) FILTER (infusion.agent = 'angiotensin') AS angiotensin
  FROM span
  INNER JOIN infusion
    ON span.stay_id = infusion.stay_id
    AND span.starttime >= infusion.starttime
    AND span.endtime <= infusion.endtime
  GROUP BY span.stay_id, span.starttime, span.endtime
)

SELECT
  stay_id,
  starttime,
  endtime,
  TRY_CAST(
    COALESCE(norepinephrine, 0)
    + COALESCE(epinephrine, 0)
    + COALESCE(phenylephrine / 10, 0)
    + COALESCE(dopamine / 100, 0)
    + COALESCE(vasopressin * 2.5 / 60, 0)
    -- rule: angiotensin-factor (10 per mcg/kg/min)
    + COALESCE(angiotensin * 10, 0)
    -- rule: four-decimals
    AS DECIMAL(18, 4)
  ) AS norepinephrine_equivalent_dose
FROM given
WHERE COALESCE(norepinephrine, epinephrine, phenylephrine, dopamine, vasopressin, angiotensin) IS NOT NULL
