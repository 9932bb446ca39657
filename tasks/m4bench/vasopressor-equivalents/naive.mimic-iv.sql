-- Norepinephrine-equivalent dose as a careful reader of the instruction alone may write it: agents by their label,
-- intervals between changes of these five, vasopressin brought to minutes where charted by the hour, orders of one agent
-- that run side by side added up.

WITH infusion AS (
  SELECT
    given.stay_id,
    given.starttime,
    given.endtime,
    CASE lower(item.label)
      WHEN 'norepinephrine' THEN given.rate
      WHEN 'epinephrine' THEN given.rate
      WHEN 'phenylephrine' THEN given.rate / 10
      WHEN 'dopamine' THEN given.rate / 100
      WHEN 'vasopressin' THEN 2.5 * CASE WHEN given.rateuom = 'units/hour' THEN given.rate / 60 ELSE given.rate END
    END AS equivalent
  FROM mimiciv_icu.inputevents AS given
  INNER JOIN mimiciv_icu.d_items AS item ON given.itemid = item.itemid
  WHERE lower(item.label) IN ('norepinephrine', 'epinephrine', 'phenylephrine', 'dopamine', 'vasopressin')
    AND given.rate > 0
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
)

SELECT
  span.stay_id,
  span.starttime,
  span.endtime,
  ROUND(SUM(infusion.equivalent), 4) AS norepinephrine_equivalent_dose
FROM span
INNER JOIN infusion
  ON span.stay_id = infusion.stay_id
  AND span.starttime >= infusion.starttime
  AND span.starttime < infusion.endtime
WHERE span.endtime IS NOT NULL
GROUP BY span.stay_id, span.starttime, span.endtime
