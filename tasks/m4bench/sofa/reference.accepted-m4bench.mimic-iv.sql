-- Sequential organ failure assessment of the first day in intensive care: one row per ICU stay.
-- Target 'accepted-m4bench': the published benchmark's own reading. It differs from 'public-code' in two rules: only
-- a gas labelled arterial counts, and epinephrine or norepinephrine at a rate of 0 is none.

WITH stay AS (
  -- rule: every-stay (all ICU stays, whether anything was measured or not)
  SELECT
    subject_id,
    hadm_id,
    stay_id,
    intime,
    -- rule: first-day-window (both ends belong to it)
    intime - INTERVAL 6 HOUR AS day_starts,
    intime + INTERVAL 24 HOUR AS day_ends
  FROM mimiciv_icu.icustays
),

specimen AS (
  -- One row per laboratory specimen. Laboratory values belong to a patient, not to a stay.
  SELECT
    specimen_id,
    max(subject_id) AS subject_id,
    max(charttime) AS charttime,
    -- rule: platelets-item
    max(valuenum) FILTER (WHERE itemid = 51265 AND valuenum > 0) AS platelets,
    -- rule: bilirubin-item (total)
    max(valuenum) FILTER (WHERE itemid = 50885 AND valuenum > 0) AS bilirubin,
    -- rule: creatinine-item (up to 150)
    max(valuenum) FILTER (WHERE itemid = 50912 AND valuenum > 0 AND valuenum <= 150) AS creatinine,
    max(value) FILTER (WHERE itemid = 52033) AS drawn_from,
    -- rule: oxygen-item
    max(valuenum) FILTER (WHERE itemid = 50821) AS oxygen,
    -- rule: fio2-of-gas (percent above 20 to 100, or a fraction above 0.2 to 1; anything else is none)
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
  -- rule: laboratory-by-patient
  INNER JOIN specimen ON stay.subject_id = specimen.subject_id
  WHERE specimen.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

charted_fio2 AS (
  -- One row per patient and moment.
  SELECT
    subject_id,
    charttime,
    -- rule: fio2-charted-range (percent from 20 to 100, or a fraction above 0.2 to 1)
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
      -- rule: fio2-charted (without one of its own, the latest charted one of the four hours up to the gas)
      CASE WHEN charted_fio2.charttime >= specimen.charttime - INTERVAL 4 HOUR THEN charted_fio2.fio2 END
    ) AS ratio
  FROM specimen
  ASOF LEFT JOIN charted_fio2
    ON specimen.subject_id = charted_fio2.subject_id
    AND specimen.charttime >= charted_fio2.charttime
  WHERE specimen.oxygen IS NOT NULL
    -- rule: arterial-only
    AND specimen.drawn_from = 'ART.'
),

oxygenation AS (
  -- rule: ratios-apart (the worst ratio under support and the worst without)
  SELECT
    stay.stay_id,
    min(gas.ratio) FILTER (WHERE support.stay_id IS NOT NULL) AS ratio_supported,
    min(gas.ratio) FILTER (WHERE support.stay_id IS NULL) AS ratio_unsupported
  FROM stay
  INNER JOIN gas
    ON stay.subject_id = gas.subject_id
    AND gas.charttime BETWEEN stay.day_starts AND stay.day_ends
  LEFT JOIN mimiciv_derived.ventilation AS support
    ON stay.stay_id = support.stay_id
    -- rule: support-at-the-gas (an episode that holds the gas, both ends included)
    AND gas.charttime BETWEEN support.starttime AND support.endtime
    -- rule: support-is-invasive (no mask, no high flow, no tracheostomy)
    AND support.ventilation_status = 'InvasiveVent'
  GROUP BY stay.stay_id
),

charted_pressure AS (
  SELECT
    stay_id,
    charttime,
    -- rule: pressure-items (arterial line, second line and cuff are one quantity)
    -- rule: same-moment-mean
    avg(CAST(valuenum AS DECIMAL(18, 6))) AS pressure
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (220052, 220181, 225312)
    AND valuenum > 0 AND valuenum < 300
  GROUP BY stay_id, charttime
),

circulation AS (
  SELECT
    stay.stay_id,
    min(charted_pressure.pressure) AS pressure_lowest
  FROM stay
  INNER JOIN charted_pressure ON stay.stay_id = charted_pressure.stay_id
  WHERE charted_pressure.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

infusion AS (
  SELECT
    stay_id,
    starttime,
    itemid,
    CASE
      -- rule: norepinephrine-per-mg (mg/kg/min times 1000, but for a recorded patient weight of 1 as it stands)
      WHEN itemid = 221906 AND rateuom = 'mg/kg/min' AND patientweight = 1 THEN rate
      WHEN itemid = 221906 AND rateuom = 'mg/kg/min' THEN rate * 1000.0
      ELSE rate
    END AS rate
  FROM mimiciv_icu.inputevents
  -- rule: drug-items (norepinephrine, epinephrine, dopamine, dobutamine)
  WHERE itemid IN (221906, 221289, 221662, 221653)
),

drug AS (
  -- rule: drug-highest-rate (however short, whatever else ran)
  SELECT
    stay.stay_id,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221906) AS norepinephrine,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221289) AS epinephrine,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221662) AS dopamine,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221653) AS dobutamine
  FROM stay
  INNER JOIN infusion ON stay.stay_id = infusion.stay_id
  -- rule: drug-starts-in-window (an infusion that began earlier and runs on does not count)
  WHERE infusion.starttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

consciousness AS (
  SELECT
    stay.stay_id,
    -- rule: coma-lowest (total by moment, with the coma scale's own rules for tubes and missing responses)
    min(coma.gcs) AS coma_lowest
  FROM stay
  INNER JOIN mimiciv_derived.gcs AS coma ON stay.stay_id = coma.stay_id
  WHERE coma.charttime BETWEEN stay.day_starts AND stay.day_ends
  GROUP BY stay.stay_id
),

urine AS (
  SELECT
    stay.stay_id,
    sum(
      CAST(
        -- rule: irrigant-sign (irrigant that went in counts against the output)
        CASE WHEN event.itemid = 227488 AND event.value > 0 THEN -event.value ELSE event.value END
        AS DECIMAL(18, 6)
      )
    ) AS volume
  FROM stay
  INNER JOIN mimiciv_icu.outputevents AS event ON stay.stay_id = event.stay_id
  WHERE
    -- rule: urine-items (catheter, void, condom, ileoconduit, suprapubic, nephrostomies, straight catheter, stents,
    -- irrigant in, irrigant and urine out; nothing from operating or recovery room)
    event.itemid IN (
      226559, 226560, 226561, 226584, 226563, 226564, 226565, 226567, 226557, 226558, 227488, 227489
    )
    -- rule: urine-window (from intime on, both ends included; a short stay is not scaled up)
    AND event.charttime BETWEEN stay.intime AND stay.day_ends
  GROUP BY stay.stay_id
),

component AS (
  -- rule: missing-is-normal (a component is 0 where nothing that it needs was measured: its ELSE 0)
  SELECT
    stay.subject_id,
    stay.hadm_id,
    stay.stay_id,
    -- rule: respiration-bands (3 and 4 only under support; supported ratios of 200 and more give nothing)
    CASE
      WHEN oxygenation.ratio_supported < 100 THEN 4
      WHEN oxygenation.ratio_supported < 200 THEN 3
      WHEN oxygenation.ratio_unsupported < 300 THEN 2
      WHEN oxygenation.ratio_unsupported < 400 THEN 1
      ELSE 0
    END AS respiration,
    -- rule: coagulation-bands
    CASE
      WHEN laboratory.platelets_lowest < 20 THEN 4
      WHEN laboratory.platelets_lowest < 50 THEN 3
      WHEN laboratory.platelets_lowest < 100 THEN 2
      WHEN laboratory.platelets_lowest < 150 THEN 1
      ELSE 0
    END AS coagulation,
    -- rule: liver-bands
    CASE
      WHEN laboratory.bilirubin_highest >= 12.0 THEN 4
      WHEN laboratory.bilirubin_highest >= 6.0 THEN 3
      WHEN laboratory.bilirubin_highest >= 2.0 THEN 2
      WHEN laboratory.bilirubin_highest >= 1.2 THEN 1
      ELSE 0
    END AS liver,
    CASE
      -- rule: drug-bands
      WHEN drug.dopamine > 15 OR drug.epinephrine > 0.1 OR drug.norepinephrine > 0.1 THEN 4
      -- rule: drug-above-zero
      WHEN drug.dopamine > 5 OR drug.epinephrine > 0 OR drug.norepinephrine > 0 THEN 3
      WHEN drug.dopamine > 0 OR drug.dobutamine > 0 THEN 2
      -- rule: pressure-band
      WHEN circulation.pressure_lowest < 70 THEN 1
      ELSE 0
    END AS cardiovascular,
    -- rule: consciousness-bands
    CASE
      WHEN consciousness.coma_lowest < 6 THEN 4
      WHEN consciousness.coma_lowest < 10 THEN 3
      WHEN consciousness.coma_lowest < 13 THEN 2
      WHEN consciousness.coma_lowest < 15 THEN 1
      ELSE 0
    END AS cns,
    -- rule: renal-bands (creatinine or urine, whichever gives more)
    CASE
      WHEN laboratory.creatinine_highest >= 5.0 OR urine.volume < 200 THEN 4
      WHEN laboratory.creatinine_highest >= 3.5 OR urine.volume < 500 THEN 3
      WHEN laboratory.creatinine_highest >= 2.0 THEN 2
      WHEN laboratory.creatinine_highest >= 1.2 THEN 1
      ELSE 0
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
  -- rule: total-of-six (each is the worst of the day; they need not coincide)
  respiration + coagulation + liver + cardiovascular + cns + renal AS sofa,
  respiration,
  coagulation,
  liver,
  cardiovascular,
  cns,
  renal
FROM component
