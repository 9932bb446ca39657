-- Time to antibiotic: one row per hospital admission with a blood culture. Time zero is the first culture whose minute is
-- known; what ends the clock is a dose that was given, not an order. Target 'public-code': declared rules from public
-- guidelines and measures; there is no pinned concept. Raw tables only, so that both modes share it.

WITH agent(fragment) AS (
  -- rule: antibiotic-names (antibacterials that are given by vein or muscle; antifungals and antivirals are not among them)
  VALUES
    ('amikacin'), ('ampicillin'), ('azithromycin'), ('aztreonam'), ('bactrim'), ('cefazolin'), ('cefepime'),
    ('cefiderocol'), ('cefotaxime'), ('cefotetan'), ('cefoxitin'), ('ceftaroline'), ('ceftazidime'), ('ceftolozane'),
    ('ceftriaxone'), ('cefuroxime'), ('chloramphenicol'), ('ciprofloxacin'), ('clindamycin'), ('colisti'),
    ('dalbavancin'), ('daptomycin'), ('doripenem'), ('doxycycline'), ('eravacycline'), ('ertapenem'),
    ('erythromycin'), ('gentamicin'), ('imipenem'), ('levofloxacin'), ('linezolid'), ('meropenem'),
    ('metronidazole'), ('minocycline'), ('moxifloxacin'), ('nafcillin'), ('omadacycline'), ('oritavancin'),
    ('oxacillin'), ('penicillin g'), ('piperacillin'), ('plazomicin'), ('polymyxin'), ('quinupristin'),
    ('streptomycin'), ('sulfameth'), ('tedizolid'), ('telavancin'), ('ticarcillin'), ('tigecycline'),
    ('tobramycin'), ('vancomycin')
),

antibiotic_name AS (
  -- Every name of a drug, of a charted dose or of an item that holds a fragment, whatever its letters' case.
  SELECT DISTINCT known.name
  FROM (
    SELECT LOWER(drug) AS name FROM mimiciv_hosp.prescriptions
    UNION
    SELECT LOWER(medication) AS name FROM mimiciv_hosp.emar
    UNION
    SELECT LOWER(label) AS name FROM mimiciv_icu.d_items
  ) AS known
  INNER JOIN agent
    ON CONTAINS(known.name, agent.fragment)
),

given_event(event) AS (
  -- rule: given-events (words of the ward's record that say that a dose went in, whole, in part, late or elsewhere)
  VALUES
    ('Administered'), ('Delayed Administered'), ('Partial Administered'), ('Administered in Other Location'),
    ('Administered Bolus from IV Drip'), ('Started'), ('Delayed Started'), ('Started in Other Location')
),

cancelled AS (
  SELECT DISTINCT micro_specimen_id
  FROM mimiciv_hosp.microbiologyevents
  WHERE org_itemid = 90760 OR org_name = 'CANCELLED'
),

culture AS (
  SELECT DISTINCT
    subject_id,
    charttime,
    CAST(chartdate AS DATE) AS chartdate
  FROM mimiciv_hosp.microbiologyevents
  WHERE
    -- rule: blood-culture (any bottle for blood; nothing taken after death)
    spec_type_desc LIKE 'BLOOD CULTURE%'
    AND spec_type_desc NOT LIKE '%MORTEM%'
    -- rule: cancelled-culture (a specimen that the laboratory cancelled says nothing)
    AND micro_specimen_id NOT IN (SELECT micro_specimen_id FROM cancelled)
),

admission AS (
  SELECT
    subject_id,
    hadm_id,
    -- rule: arrival (registration in the emergency department, where it comes before admission)
    LEAST(admittime, COALESCE(edregtime, admittime)) AS arrival,
    COALESCE(dischtime, TIMESTAMP '9999-12-31') AS discharge
  FROM mimiciv_hosp.admissions
),

suspected AS (
  -- One row per admission with a blood culture.
  SELECT
    admission.subject_id,
    admission.hadm_id,
    admission.discharge,
    -- rule: time-zero (the earliest culture whose minute is known; empty where only days are known)
    MIN(culture.charttime) AS time_zero
  FROM admission
  INNER JOIN culture
    ON admission.subject_id = culture.subject_id
    AND (
      -- rule: culture-in-admission (by time and not by number: from arrival to discharge, both ends included)
      (culture.charttime >= admission.arrival AND culture.charttime <= admission.discharge)
      -- rule: date-only-culture (by its day where its minute is not known)
      OR (
        culture.charttime IS NULL
        AND culture.chartdate >= CAST(admission.arrival AS DATE)
        AND culture.chartdate <= CAST(admission.discharge AS DATE)
      )
    )
  GROUP BY admission.subject_id, admission.hadm_id, admission.discharge
),

clock AS (
  SELECT
    *,
    -- rule: look-back-24h (a day before time zero, its end included)
    time_zero - INTERVAL 24 HOUR AS opens,
    LEAST(
      -- rule: look-ahead-72h (three days after time zero, their end included)
      time_zero + INTERVAL 72 HOUR,
      -- rule: until-discharge
      discharge
    ) AS closes
  FROM suspected
  WHERE time_zero IS NOT NULL
),

antibiotic_order AS (
  -- One row per prescription of an antibiotic by vein or muscle.
  SELECT
    prescription.subject_id,
    prescription.poe_id,
    -- rule: order-time (when the prescriber entered the order; where that is not known, the start that was prescribed)
    COALESCE(entered.ordertime, prescription.starttime) AS ordertime
  FROM mimiciv_hosp.prescriptions AS prescription
  LEFT JOIN mimiciv_hosp.poe AS entered
    ON prescription.poe_id = entered.poe_id
    AND prescription.subject_id = entered.subject_id
  WHERE
    LOWER(prescription.drug) IN (SELECT name FROM antibiotic_name)
    -- rule: order-not-diluent
    AND prescription.drug_type <> 'BASE'
    AND (
      -- rule: parenteral-route (by vein, by muscle or into bone)
      UPPER(TRIM(prescription.route)) IN ('IV', 'IV DRIP', 'IV BOLUS', 'IV PUSH', 'IVPB', 'IM', 'IO')
      -- rule: unknown-route (taken for one of these)
      OR prescription.route IS NULL
    )
),

ward_dose AS (
  SELECT
    charted.subject_id,
    -- rule: dose-time (when it was given, neither when it was due nor when it was stored)
    charted.charttime AS dosetime
  FROM mimiciv_hosp.emar AS charted
  INNER JOIN given_event
    ON charted.event_txt = given_event.event
  WHERE
    -- rule: dose-of-order (its order is one of an antibiotic by vein or muscle; the order's name and way decide)
    EXISTS (
      SELECT 1
      FROM antibiotic_order
      WHERE charted.poe_id = antibiotic_order.poe_id AND charted.subject_id = antibiotic_order.subject_id
    )
    -- rule: dose-without-order (where no prescription belongs to it, its own name decides)
    OR (
      LOWER(charted.medication) IN (SELECT name FROM antibiotic_name)
      AND NOT EXISTS (
        SELECT 1
        FROM mimiciv_hosp.prescriptions AS prescription
        WHERE charted.poe_id = prescription.poe_id AND charted.subject_id = prescription.subject_id
      )
    )
),

unit_dose AS (
  SELECT
    infusion.subject_id,
    -- rule: infusion-start (the unit's record gives a beginning and an end)
    infusion.starttime AS dosetime
  FROM mimiciv_icu.inputevents AS infusion
  INNER JOIN mimiciv_icu.d_items AS item
    ON infusion.itemid = item.itemid
  WHERE
    -- rule: infusion-items (the dictionary's antibiotics, as far as their names are on the list)
    item.category = 'Antibiotics'
    AND LOWER(item.label) IN (SELECT name FROM antibiotic_name)
    -- rule: infusion-amount (above 0)
    AND infusion.amount > 0
),

first_order AS (
  SELECT
    clock.hadm_id,
    -- rule: first-order
    MIN(antibiotic_order.ordertime) AS ordertime
  FROM clock
  INNER JOIN antibiotic_order
    ON clock.subject_id = antibiotic_order.subject_id
    AND antibiotic_order.ordertime BETWEEN clock.opens AND clock.closes
  GROUP BY clock.hadm_id
),

first_dose AS (
  SELECT
    clock.hadm_id,
    -- rule: first-dose (of both records)
    MIN(dose.dosetime) AS dosetime
  FROM clock
  INNER JOIN (SELECT * FROM ward_dose UNION ALL SELECT * FROM unit_dose) AS dose
    ON clock.subject_id = dose.subject_id
    AND dose.dosetime BETWEEN clock.opens AND clock.closes
  GROUP BY clock.hadm_id
),

recorded AS (
  -- rule: record-kept (any drug, given or not: else nobody can tell an untreated patient from an unrecorded one)
  SELECT DISTINCT clock.hadm_id
  FROM clock
  INNER JOIN (
    SELECT subject_id, charttime AS moment FROM mimiciv_hosp.emar
    UNION ALL
    SELECT subject_id, starttime AS moment FROM mimiciv_icu.inputevents
  ) AS record
    ON clock.subject_id = record.subject_id
    AND record.moment BETWEEN clock.opens AND clock.closes
),

timed AS (
  SELECT
    suspected.hadm_id,
    suspected.discharge,
    suspected.time_zero,
    first_order.ordertime,
    first_dose.dosetime,
    CASE
      WHEN suspected.time_zero IS NULL THEN 'no-time-zero'
      -- rule: given-before (a dose of the day before time zero: the patient was already treated)
      WHEN first_dose.dosetime < suspected.time_zero THEN 'given-before'
      WHEN first_dose.dosetime IS NOT NULL THEN 'given'
      WHEN recorded.hadm_id IS NULL THEN 'not-recorded'
      -- rule: ordered-only (an order without a dose is no treatment)
      WHEN first_order.ordertime IS NOT NULL THEN 'ordered-only'
      ELSE 'none'
    END AS status
  FROM suspected
  LEFT JOIN first_order
    ON suspected.hadm_id = first_order.hadm_id
  LEFT JOIN first_dose
    ON suspected.hadm_id = first_dose.hadm_id
  LEFT JOIN recorded
    ON suspected.hadm_id = recorded.hadm_id
)

SELECT
  hadm_id,
  time_zero,
  ordertime AS first_order_time,
  dosetime AS first_dose_time,
  -- rule: minutes-elapsed (whole minutes, rounded down, below zero for an order before time zero)
  CAST(FLOOR(DATE_DIFF('second', time_zero, ordertime) / 60.0) AS INTEGER) AS minutes_to_order,
  -- rule: minutes-of-given (only where treatment began at or after time zero)
  CASE
    WHEN status = 'given' THEN CAST(FLOOR(DATE_DIFF('second', time_zero, dosetime) / 60.0) AS INTEGER)
  END AS minutes_to_antibiotic,
  status AS antibiotic_status,
  CASE
    -- rule: within-1h (to the second, the hour's end included; a dose of the day before counts)
    WHEN dosetime <= time_zero + INTERVAL 1 HOUR THEN 1
    -- rule: observed-1h (unknown where the admission ended before the hour did, and without a record)
    WHEN status <> 'not-recorded' AND discharge >= time_zero + INTERVAL 1 HOUR THEN 0
  END AS within_1h,
  CASE
    -- rule: within-3h
    WHEN dosetime <= time_zero + INTERVAL 3 HOUR THEN 1
    -- rule: observed-3h
    WHEN status <> 'not-recorded' AND discharge >= time_zero + INTERVAL 3 HOUR THEN 0
  END AS within_3h
FROM timed
