-- Sequential organ failure assessment of the first day by its own definition (Vincent and colleagues 1996). Target
-- 'adjudicated', a draft for clinicians to decide on. Same grain and items as the public code, so that the targets can
-- be compared row by row; a component is empty where it was not measured.
-- Left to be decided: whether high flow oxygen or an occupied tracheostomy is ventilatory support; whether a total over
-- measured components only should be given; irrigant as output; arterial against cuff pressure.

WITH stay AS (
  SELECT
    subject_id,
    hadm_id,
    stay_id,
    intime,
    outtime,
    intime - INTERVAL 6 HOUR AS day_starts,
    intime + INTERVAL 24 HOUR AS day_ends
  FROM mimiciv_icu.icustays
),

specimen AS (
  SELECT
    specimen_id,
    max(subject_id) AS subject_id,
    max(charttime) AS charttime,
    max(valuenum) FILTER (WHERE itemid = 51265 AND valuenum > 0) AS platelets,
    max(valuenum) FILTER (WHERE itemid = 50885 AND valuenum > 0) AS bilirubin,
    max(valuenum) FILTER (WHERE itemid = 50912 AND valuenum > 0 AND valuenum <= 150) AS creatinine,
    max(value) FILTER (WHERE itemid = 52033) AS drawn_from,
    max(valuenum) FILTER (WHERE itemid = 50821) AS oxygen,
    max(
      CASE
        WHEN valuenum > 20 AND valuenum <= 100 THEN valuenum
        WHEN valuenum > 0.2 AND valuenum <= 1.0 THEN valuenum * 100.0
      END
    ) FILTER (WHERE itemid = 50816) AS fio2
  FROM mimiciv_hosp.labevents
  WHERE itemid IN (51265, 50885, 50912, 50821, 50816, 52033)
  GROUP BY specimen_id
),

laboratory AS (
  SELECT
    stay.stay_id,
    min(specimen.platelets) AS platelets_lowest,
    max(specimen.bilirubin) AS bilirubin_highest,
    max(specimen.creatinine) AS creatinine_highest
  FROM stay
  INNER JOIN specimen ON stay.subject_id = specimen.subject_id
  WHERE specimen.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

charted_fio2 AS (
  SELECT
    subject_id,
    charttime,
    max(
      CASE
        WHEN valuenum > 0.2 AND valuenum <= 1 THEN valuenum * 100
        WHEN valuenum >= 20 AND valuenum <= 100 THEN valuenum
      END
    ) AS fio2
  FROM mimiciv_icu.chartevents
  WHERE itemid = 223835
  GROUP BY subject_id, charttime
  HAVING fio2 IS NOT NULL
),

gas AS (
  SELECT
    specimen.subject_id,
    specimen.charttime,
    100 * specimen.oxygen / coalesce(
      specimen.fio2,
      CASE WHEN charted_fio2.charttime >= specimen.charttime - INTERVAL 4 HOUR THEN charted_fio2.fio2 END
    ) AS ratio
  FROM specimen
  ASOF LEFT JOIN charted_fio2
    ON specimen.subject_id = charted_fio2.subject_id
    AND specimen.charttime >= charted_fio2.charttime
  -- rule: arterial-only
  WHERE specimen.drawn_from = 'ART.'
    AND specimen.oxygen IS NOT NULL
),

oxygenation AS (
  SELECT
    stay.stay_id,
    min(gas.ratio) AS ratio_lowest,
    -- rule: any-ventilatory-support (by tube or by mask)
    min(gas.ratio) FILTER (WHERE support.stay_id IS NOT NULL) AS ratio_supported
  FROM stay
  INNER JOIN gas
    ON stay.subject_id = gas.subject_id
    AND gas.charttime BETWEEN stay.day_starts AND stay.day_ends
  LEFT JOIN mimiciv_derived.ventilation AS support
    ON stay.stay_id = support.stay_id
    AND gas.charttime BETWEEN support.starttime AND support.endtime
    AND support.ventilation_status IN ('InvasiveVent', 'NonInvasiveVent')
  GROUP BY stay.stay_id
),

circulation AS (
  SELECT
    stay.stay_id,
    min(charted.pressure) AS pressure_lowest
  FROM stay
  INNER JOIN (
    SELECT
      stay_id,
      charttime,
      avg(CAST(valuenum AS DECIMAL(18, 6))) AS pressure
    FROM mimiciv_icu.chartevents
    WHERE itemid IN (220052, 220181, 225312)
      AND valuenum > 0 AND valuenum < 300
    GROUP BY stay_id, charttime
  ) AS charted ON stay.stay_id = charted.stay_id
  WHERE charted.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

infusion AS (
  SELECT
    stay_id,
    starttime,
    endtime,
    itemid,
    CASE
      WHEN itemid = 221906 AND rateuom = 'mg/kg/min' AND patientweight IS DISTINCT FROM 1 THEN rate * 1000.0
      ELSE rate
    END AS rate
  FROM mimiciv_icu.inputevents
  WHERE itemid IN (221906, 221289, 221662, 221653)
    -- rule: drug-above-zero
    AND rate > 0
),

drug AS (
  SELECT
    stay.stay_id,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221906) AS norepinephrine,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221289) AS epinephrine,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221662) AS dopamine,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221653) AS dobutamine
  FROM stay
  INNER JOIN infusion ON stay.stay_id = infusion.stay_id
  -- rule: drug-runs-in-window (an hour or more of the order lies in the window, whenever it began)
  WHERE least(infusion.endtime, stay.day_ends) - greatest(infusion.starttime, stay.day_starts) >= INTERVAL 1 HOUR
  GROUP BY stay.stay_id
),

examination AS (
  -- rule: testable-coma (all three responses charted at a moment, and no tube in the way of words)
  SELECT
    stay_id,
    charttime,
    max(valuenum) FILTER (WHERE itemid = 223901)
    + max(valuenum) FILTER (WHERE itemid = 223900)
    + max(valuenum) FILTER (WHERE itemid = 220739) AS coma
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (223900, 223901, 220739)
  GROUP BY stay_id, charttime
  HAVING count(*) FILTER (WHERE itemid = 223900 AND value = 'No Response-ETT') = 0
),

consciousness AS (
  SELECT
    stay.stay_id,
    min(examination.coma) AS coma_lowest
  FROM stay
  INNER JOIN examination ON stay.stay_id = examination.stay_id
  WHERE examination.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

urine AS (
  SELECT
    stay.stay_id,
    sum(
      CAST(
        CASE WHEN event.itemid = 227488 AND event.value > 0 THEN -event.value ELSE event.value END
        AS DECIMAL(18, 6)
      )
    ) AS volume
  FROM stay
  INNER JOIN mimiciv_icu.outputevents AS event ON stay.stay_id = event.stay_id
  WHERE event.itemid IN (
      226559, 226560, 226561, 226584, 226563, 226564, 226565, 226567, 226557, 226558, 227488, 227489
    )
    AND event.charttime BETWEEN stay.intime AND stay.day_ends
    -- rule: urine-of-a-day (the bands are volumes of a day; a shorter stay has none)
    AND stay.outtime >= stay.day_ends
  GROUP BY stay.stay_id
),

component AS (
  -- rule: unmeasured-is-unknown
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    -- rule: ratio-bands (a ratio of 200 and more counts under support as it does without)
    CASE
      WHEN oxygenation.ratio_lowest IS NULL THEN NULL
      WHEN oxygenation.ratio_supported < 100 THEN 4
      WHEN oxygenation.ratio_supported < 200 THEN 3
      WHEN oxygenation.ratio_lowest < 300 THEN 2
      WHEN oxygenation.ratio_lowest < 400 THEN 1
      ELSE 0
    END AS respiration,
    CASE
      WHEN laboratory.platelets_lowest IS NULL THEN NULL
      WHEN laboratory.platelets_lowest < 20 THEN 4
      WHEN laboratory.platelets_lowest < 50 THEN 3
      WHEN laboratory.platelets_lowest < 100 THEN 2
      WHEN laboratory.platelets_lowest < 150 THEN 1
      ELSE 0
    END AS coagulation,
    -- rule: liver-above-twelve (12.0 itself is no 4)
    CASE
      WHEN laboratory.bilirubin_highest IS NULL THEN NULL
      WHEN laboratory.bilirubin_highest > 12.0 THEN 4
      WHEN laboratory.bilirubin_highest >= 6.0 THEN 3
      WHEN laboratory.bilirubin_highest >= 2.0 THEN 2
      WHEN laboratory.bilirubin_highest >= 1.2 THEN 1
      ELSE 0
    END AS liver,
    CASE
      WHEN drug.dopamine > 15 OR drug.epinephrine > 0.1 OR drug.norepinephrine > 0.1 THEN 4
      WHEN drug.dopamine > 5 OR drug.epinephrine > 0 OR drug.norepinephrine > 0 THEN 3
      WHEN drug.dopamine > 0 OR drug.dobutamine > 0 THEN 2
      WHEN circulation.pressure_lowest < 70 THEN 1
      WHEN circulation.pressure_lowest IS NOT NULL THEN 0
    END AS cardiovascular,
    CASE
      WHEN consciousness.coma_lowest IS NULL THEN NULL
      WHEN consciousness.coma_lowest < 6 THEN 4
      WHEN consciousness.coma_lowest < 10 THEN 3
      WHEN consciousness.coma_lowest < 13 THEN 2
      WHEN consciousness.coma_lowest < 15 THEN 1
      ELSE 0
    END AS cns,
    -- rule: creatinine-above-five (5.0 itself is no 4)
    CASE
      WHEN laboratory.creatinine_highest > 5.0 OR urine.volume < 200 THEN 4
      WHEN laboratory.creatinine_highest >= 3.5 OR urine.volume < 500 THEN 3
      WHEN laboratory.creatinine_highest >= 2.0 THEN 2
      WHEN laboratory.creatinine_highest >= 1.2 THEN 1
      WHEN laboratory.creatinine_highest IS NOT NULL OR urine.volume IS NOT NULL THEN 0
    END AS renal
  FROM stay
  LEFT JOIN laboratory ON stay.stay_id = laboratory.stay_id
  LEFT JOIN oxygenation ON stay.stay_id = oxygenation.stay_id
  LEFT JOIN circulation ON stay.stay_id = circulation.stay_id
  LEFT JOIN drug ON stay.stay_id = drug.stay_id
  LEFT JOIN consciousness ON stay.stay_id = consciousness.stay_id
  LEFT JOIN urine ON stay.stay_id = urine.stay_id
)

SELECT
  subject_id,
  hadm_id,
  stay_id,
  CASE
    WHEN coalesce(respiration, coagulation, liver, cardiovascular, cns, renal) IS NOT NULL
    THEN coalesce(respiration, 0) + coalesce(coagulation, 0) + coalesce(liver, 0)
      + coalesce(cardiovascular, 0) + coalesce(cns, 0) + coalesce(renal, 0)
  END AS sofa,
  respiration,
  coagulation,
  liver,
  cardiovascular,
  cns,
  renal
FROM component
