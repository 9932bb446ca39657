-- The pinned concept in the task's grain: two orders of one agent over an interval give it two rows; the larger dose
-- stands for them.
SELECT
  stay_id,
  starttime,
  endtime,
  MAX(norepinephrine_equivalent_dose) AS norepinephrine_equivalent_dose
FROM mimiciv_derived.norepinephrine_equivalent_dose
GROUP BY stay_id, starttime, endtime
