-- MELD with sodium (MELD-Na), first day in intensive care: one row per ICU stay.
-- Target 'public-code': equal in value to the pinned public concept. Raw tables only, so that both modes share it.
-- Only extremes are used, so that no result depends on the order of rows.

WITH stay AS (
  -- rule: every-stay (all ICU stays, with or without liver disease, whether anything was measured or not)
  SELECT
    subject_id,
    hadm_id,
    stay_id,
    -- rule: first-day-window (both ends belong to it)
    intime - INTERVAL 6 HOUR AS day_starts,
    intime + INTERVAL 24 HOUR AS day_ends
  FROM mimiciv_icu.icustays
),

specimen AS (
  -- One row per laboratory specimen: its largest value of each item.
  SELECT
    specimen_id,
    max(subject_id) AS subject_id,
    max(charttime) AS charttime,
    -- rule: creatinine-item (serum, above 0, up to 150 mg/dL)
    max(valuenum) FILTER (WHERE itemid = 50912 AND valuenum > 0 AND valuenum <= 150) AS creatinine,
    -- rule: bilirubin-item (total, above 0, without an upper limit)
    max(valuenum) FILTER (WHERE itemid = 50885 AND valuenum > 0) AS bilirubin,
    -- rule: inr-item (any number)
    max(valuenum) FILTER (WHERE itemid = 51237) AS inr,
    -- rule: sodium-item (serum, above 0, up to 200 mEq/L)
    max(valuenum) FILTER (WHERE itemid = 50983 AND valuenum > 0 AND valuenum <= 200) AS sodium
  FROM mimiciv_hosp.labevents
  WHERE itemid IN (50912, 50885, 51237, 50983) AND valuenum IS NOT NULL
  GROUP BY specimen_id
),

laboratory AS (
  -- rule: worst-of-the-day (each on its own; they need not be of one draw)
  SELECT
    stay.stay_id,
    max(specimen.creatinine) AS creatinine_highest,
    max(specimen.bilirubin) AS bilirubin_highest,
    max(specimen.inr) AS inr_highest,
    min(specimen.sodium) AS sodium_lowest
  FROM stay
  -- rule: laboratory-by-patient
  INNER JOIN specimen ON stay.subject_id = specimen.subject_id
  WHERE specimen.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

dialysis_sign AS (
  -- rule: dialysis-charted (settings, volumes, but also access, site and catheter, without any treatment)
  SELECT
    stay_id,
    charttime
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (
      226118, 227357, 225725, 226499, 224154, 225810, 227639, 225183, 227438, 224191, 225806, 225807, 228004,
      228005, 228006, 224144, 224145, 224149, 224150, 224151, 224152, 224153, 224404, 224406, 226457, 225959,
      224135, 224139, 224146, 225323, 225740, 225776, 225951, 225952, 225953, 225954, 225956, 225958, 225961,
      225963, 225965, 225976, 225977, 227124, 227290, 227638, 227640, 227753
    )
    AND value IS NOT NULL

  UNION ALL

  -- rule: dialysis-treatments (by their start: potassium and calcium of a continuous machine, and procedures, among
  -- them placing a catheter and changing a filter)
  SELECT
    stay_id,
    starttime AS charttime
  FROM mimiciv_icu.inputevents
  WHERE itemid IN (227536, 227525) AND amount > 0

  UNION ALL

  SELECT
    stay_id,
    starttime AS charttime
  FROM mimiciv_icu.procedureevents
  WHERE itemid IN (225441, 225802, 225803, 225805, 224270, 225809, 225955, 225436)
    AND value IS NOT NULL
),

dialysis AS (
  SELECT DISTINCT stay.stay_id
  FROM stay
  INNER JOIN dialysis_sign ON stay.stay_id = dialysis_sign.stay_id
  -- rule: dialysis-window (the same first day, both ends; an earlier start that still runs does not count)
  WHERE dialysis_sign.charttime BETWEEN stay.day_starts AND stay.day_ends
),

term AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    0.957 * ln(
      CASE
        -- rule: dialysis-is-four (also without any creatinine)
        WHEN dialysis.stay_id IS NOT NULL THEN 4
        -- rule: creatinine-ceiling
        WHEN laboratory.creatinine_highest > 4 THEN 4
        -- rule: below-one-is-one (each of the three)
        WHEN laboratory.creatinine_highest < 1 THEN 1
        -- rule: missing-is-normal (1, and no term of sodium)
        ELSE coalesce(laboratory.creatinine_highest, 1)
      END
    ) AS creatinine_term,
    0.378 * ln(greatest(coalesce(laboratory.bilirubin_highest, 1), 1)) AS bilirubin_term,
    -- rule: constant-term
    1.120 * ln(greatest(coalesce(laboratory.inr_highest, 1), 1)) + 0.643 AS inr_term,
    -- rule: sodium-limits (137 and above adds nothing, below 125 counts as 125)
    137.0 - least(greatest(coalesce(laboratory.sodium_lowest, 137), 125), 137) AS sodium_lack
  FROM stay
  LEFT JOIN laboratory ON stay.stay_id = laboratory.stay_id
  LEFT JOIN dialysis ON stay.stay_id = dialysis.stay_id
),

initial AS (
  SELECT
    *,
    CASE
      -- rule: forty-at-most (a sum above 4)
      WHEN creatinine_term + bilirubin_term + inr_term > 4 THEN 40.0
      -- rule: initial-rounding (to thousandths, then to tenths, then times ten)
      ELSE round(CAST(creatinine_term + bilirubin_term + inr_term AS DECIMAL(18, 3)), 1) * 10
    END AS meld_initial
  FROM term
)

SELECT
  subject_id,
  hadm_id,
  stay_id,
  CASE
    -- rule: sodium-above-eleven
    WHEN meld_initial > 11
    -- rule: sodium-term (not rounded, and not held at 40 again)
    THEN meld_initial + 1.32 * sodium_lack - 0.033 * meld_initial * sodium_lack
    ELSE meld_initial
  END AS meld
FROM initial
