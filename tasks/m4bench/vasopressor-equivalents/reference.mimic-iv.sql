-- Norepinephrine-equivalent dose: one row per ICU stay and interval in which no vasoactive order begins or ends.
-- Target 'public-code': equal in value to the pinned public concept, whose several rows of one interval are taken
-- together by their largest dose. Raw tables only, so that both modes share it. Nothing is summed over rows, so no
-- order of rows shows in a dose.

WITH infusion AS (
  SELECT
    stay_id,
    starttime,
    endtime,
    itemid,
    CASE
      -- rule: norepinephrine-per-mg (mg/kg/min times 1000, but for a recorded patient weight of 1 as it stands)
      WHEN itemid = 221906 AND rateuom = 'mg/kg/min' AND patientweight = 1 THEN rate
      WHEN itemid = 221906 AND rateuom = 'mg/kg/min' THEN rate * 1000.0
      -- rule: phenylephrine-per-minute (mcg/min by the weight recorded with the order)
      WHEN itemid = 221749 AND rateuom = 'mcg/min' THEN rate / patientweight
      -- rule: vasopressin-per-minute (units/min times 60, to units/hour)
      WHEN itemid = 222315 AND rateuom = 'units/min' THEN rate * 60.0
      -- rule: rate-as-charted (epinephrine and dopamine in any unit; no cap; rate 0 is a rate; any order status)
      ELSE rate
    END AS rate
  FROM mimiciv_icu.inputevents
  WHERE itemid IN (
    -- rule: five-agents (norepinephrine, epinephrine, phenylephrine, dopamine, vasopressin)
    221906, 221289, 221749, 221662, 222315,
    -- rule: cutting-agents (dobutamine and milrinone have no dose here, but their times cut intervals)
    221653, 221986
  )
),

boundary AS (
  -- rule: boundaries (every start and every end of the seven, once)
  SELECT stay_id, starttime AS moment FROM infusion WHERE starttime IS NOT NULL
  UNION
  SELECT stay_id, endtime AS moment FROM infusion WHERE endtime IS NOT NULL
),

span AS (
  -- rule: interval-to-next-boundary
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
    -- rule: overlap-largest (of several orders of one agent over an interval the largest rate; they are not added)
    MAX(infusion.rate) FILTER (infusion.itemid = 221906) AS norepinephrine,
    MAX(infusion.rate) FILTER (infusion.itemid = 221289) AS epinephrine,
    MAX(infusion.rate) FILTER (infusion.itemid = 221749) AS phenylephrine,
    MAX(infusion.rate) FILTER (infusion.itemid = 221662) AS dopamine,
    MAX(infusion.rate) FILTER (infusion.itemid = 222315) AS vasopressin
  FROM span
  -- rule: order-covers-interval (from at or before its start to at or after its end)
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
  -- rule: dose-rounding (the decimal type keeps three places)
  TRY_CAST(
    -- rule: missing-agent-adds-nothing
    COALESCE(norepinephrine, 0)
    + COALESCE(epinephrine, 0)
    -- rule: phenylephrine-tenth
    + COALESCE(phenylephrine / 10, 0)
    -- rule: dopamine-hundredth
    + COALESCE(dopamine / 100, 0)
    -- rule: vasopressin-factor (2.5 per unit/min, from units/hour)
    + COALESCE(vasopressin * 2.5 / 60, 0)
    AS DECIMAL(18, 3)
  ) AS norepinephrine_equivalent_dose
FROM given
WHERE
  -- rule: some-agent-given (a rate of one of the five; dobutamine or milrinone alone, or a bolus without a rate, is
  -- no row)
  COALESCE(norepinephrine, epinephrine, phenylephrine, dopamine, vasopressin) IS NOT NULL
