-- The pinned concept in the task's grain: the worst of each stage charted from intime to 48 hours later, 0 if there is
-- none.
SELECT
  stay.subject_id,
  stay.hadm_id,
  stay.stay_id,
  coalesce(max(stages.aki_stage), 0) AS aki_stage,
  coalesce(max(stages.aki_stage_creat), 0) AS aki_stage_creat,
  coalesce(max(stages.aki_stage_uo), 0) AS aki_stage_uo,
  coalesce(max(stages.aki_stage_crrt), 0) AS aki_stage_crrt
FROM mimiciv_icu.icustays AS stay
LEFT JOIN mimiciv_derived.kdigo_stages AS stages
  ON stay.stay_id = stages.stay_id
  AND stages.charttime BETWEEN stay.intime AND stay.intime + INTERVAL 48 HOUR
GROUP BY stay.subject_id, stay.hadm_id, stay.stay_id
