-- What the instruction alone suggests: the formula on the first 24 hours after admission to the unit, laboratory values
-- of the admission, dialysis as a procedure, the score rounded and held between 6 and 40.
WITH laboratory AS (
  SELECT
    stay.stay_id,
    max(event.valuenum) FILTER (WHERE event.itemid = 50912) AS creatinine,
    max(event.valuenum) FILTER (WHERE event.itemid = 50885) AS bilirubin,
    max(event.valuenum) FILTER (WHERE event.itemid = 51237) AS inr,
    min(event.valuenum) FILTER (WHERE event.itemid = 50983) AS sodium
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_hosp.labevents AS event ON stay.hadm_id = event.hadm_id
  WHERE event.charttime >= stay.intime AND event.charttime < stay.intime + INTERVAL 24 HOUR
  GROUP BY stay.stay_id
),

dialysis AS (
  SELECT DISTINCT stay.stay_id
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.procedureevents AS event ON stay.stay_id = event.stay_id
  INNER JOIN mimiciv_icu.d_items AS item ON event.itemid = item.itemid
  WHERE (item.label ILIKE '%dialysis%' OR item.label ILIKE '%CRRT%') AND item.label NOT ILIKE '%catheter%'
    AND event.starttime >= stay.intime AND event.starttime < stay.intime + INTERVAL 24 HOUR
),

initial AS (
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    10 * (
      0.957 * ln(
        CASE
          WHEN dialysis.stay_id IS NOT NULL THEN 4
          ELSE least(greatest(coalesce(laboratory.creatinine, 1), 1), 4)
        END
      )
      + 0.378 * ln(greatest(coalesce(laboratory.bilirubin, 1), 1))
      + 1.120 * ln(greatest(coalesce(laboratory.inr, 1), 1))
      + 0.643
    ) AS initial,
    137 - least(greatest(coalesce(laboratory.sodium, 137), 125), 137) AS lack
  FROM mimiciv_icu.icustays AS stay
  LEFT JOIN laboratory ON stay.stay_id = laboratory.stay_id
  LEFT JOIN dialysis ON stay.stay_id = dialysis.stay_id
)

SELECT
  subject_id,
  hadm_id,
  stay_id,
  round(
    least(
      greatest(CASE WHEN initial > 11 THEN initial + 1.32 * lack - 0.033 * initial * lack ELSE initial END, 6), 40
    )
  ) AS meld
FROM initial
