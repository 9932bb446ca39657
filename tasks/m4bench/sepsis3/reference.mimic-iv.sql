-- Sepsis-3: one row per ICU stay in which an infection was suspected while organs failed.
-- Target 'public-code': equal in value to the pinned public concept; see deviations.toml. Reads raw tables and three
-- derived ones that hold no score: the unit's hours, coma scores by moment and ventilation episodes. Means and sums
-- are taken over exact decimals, so that no result depends on the order of rows. An hour ends on a full hour; its
-- values are those after its start up to its end, so each value is given the full hour at or after it.

WITH hour AS (
  -- rule: unit-hours (from the first charted heart rate on, not from intime; a stay without one has no hours)
  SELECT
    clock.stay_id,
    stay.subject_id,
    stay.hadm_id,
    clock.hr,
    clock.endtime
  FROM mimiciv_derived.icustay_hourly AS clock
  INNER JOIN mimiciv_icu.icustays AS stay ON clock.stay_id = stay.stay_id
),

specimen AS (
  SELECT
    specimen_id,
    max(subject_id) AS subject_id,
    max(hadm_id) AS hadm_id,
    max(charttime) AS charttime,
    time_bucket(INTERVAL 1 HOUR, max(charttime) + INTERVAL 3599999999 MICROSECOND) AS hour_ends,
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
    hadm_id,
    hour_ends,
    min(platelets) AS platelets_lowest,
    max(bilirubin) AS bilirubin_highest,
    max(creatinine) AS creatinine_highest
  FROM specimen
  -- rule: laboratory-by-admission (a value without an admission is lost here)
  WHERE hadm_id IS NOT NULL
  GROUP BY hadm_id, hour_ends
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
    specimen.hour_ends,
    100 * specimen.oxygen / coalesce(
      specimen.fio2,
      -- rule: fio2-charted (without one of its own, the latest charted one of the four hours up to the gas)
      CASE WHEN charted_fio2.charttime >= specimen.charttime - INTERVAL 4 HOUR THEN charted_fio2.fio2 END
    ) AS ratio
  FROM specimen
  ASOF LEFT JOIN charted_fio2
    ON specimen.subject_id = charted_fio2.subject_id
    AND specimen.charttime >= charted_fio2.charttime
  -- rule: arterial-only (an unlabelled or venous gas is no arterial one)
  WHERE specimen.drawn_from = 'ART.'
    AND specimen.oxygen IS NOT NULL
),

oxygenation AS (
  -- rule: gas-by-patient
  SELECT
    stay.stay_id,
    gas.hour_ends,
    min(gas.ratio) FILTER (WHERE support.stay_id IS NOT NULL) AS ratio_supported,
    min(gas.ratio) FILTER (WHERE support.stay_id IS NULL) AS ratio_unsupported
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN gas ON stay.subject_id = gas.subject_id
  LEFT JOIN mimiciv_derived.ventilation AS support
    ON stay.stay_id = support.stay_id
    -- rule: support-at-the-gas (an episode that holds the gas, both ends included)
    AND gas.charttime BETWEEN support.starttime AND support.endtime
    -- rule: support-is-invasive (no mask, no high flow, no tracheostomy)
    AND support.ventilation_status = 'InvasiveVent'
  GROUP BY stay.stay_id, gas.hour_ends
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
    stay_id,
    time_bucket(INTERVAL 1 HOUR, charttime + INTERVAL 3599999999 MICROSECOND) AS hour_ends,
    min(pressure) AS pressure_lowest
  FROM charted_pressure
  GROUP BY stay_id, hour_ends
),

infusion AS (
  SELECT
    stay_id,
    starttime,
    endtime,
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
  SELECT
    hour.stay_id,
    hour.endtime AS hour_ends,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221906) AS norepinephrine,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221289) AS epinephrine,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221662) AS dopamine,
    max(infusion.rate) FILTER (WHERE infusion.itemid = 221653) AS dobutamine
  FROM hour
  -- rule: drug-at-the-hour (an order that runs at the end of the hour; one that begins there does not, one that ends does)
  INNER JOIN infusion
    ON hour.stay_id = infusion.stay_id
    AND hour.endtime > infusion.starttime
    AND hour.endtime <= infusion.endtime
  GROUP BY hour.stay_id, hour.endtime
),

consciousness AS (
  SELECT
    stay_id,
    time_bucket(INTERVAL 1 HOUR, charttime + INTERVAL 3599999999 MICROSECOND) AS hour_ends,
    -- rule: coma-lowest (total by moment, with the coma scale's own rules for tubes and missing responses)
    min(gcs) AS coma_lowest
  FROM mimiciv_derived.gcs
  GROUP BY stay_id, hour_ends
),

output AS (
  SELECT
    stay_id,
    charttime,
    sum(
      CAST(
        -- rule: irrigant-sign (irrigant that went in counts against the output)
        CASE WHEN itemid = 227488 AND value > 0 THEN -value ELSE value END
        AS DECIMAL(18, 6)
      )
    ) AS volume
  FROM mimiciv_icu.outputevents
  WHERE
    -- rule: urine-items (catheter, void, condom, ileoconduit, suprapubic, nephrostomies, straight catheter, stents,
    -- irrigant in, irrigant and urine out; nothing from operating or recovery room)
    itemid IN (
      226559, 226560, 226561, 226584, 226563, 226564, 226565, 226567, 226557, 226558, 227488, 227489
    )
    AND charttime IS NOT NULL
  GROUP BY stay_id, charttime
),

clock_start AS (
  SELECT
    stay.stay_id,
    min(beat.charttime) AS started
  FROM mimiciv_icu.icustays AS stay
  INNER JOIN mimiciv_icu.chartevents AS beat
    ON stay.stay_id = beat.stay_id
    AND beat.itemid = 220045
    AND beat.charttime > stay.intime - INTERVAL 1 MONTH
    AND beat.charttime < stay.outtime + INTERVAL 1 MONTH
  GROUP BY stay.stay_id
),

collection AS (
  -- Each output with the microseconds it was collected over.
  SELECT
    output.stay_id,
    output.charttime,
    output.volume,
    -- rule: urine-gap (since the output before; the first since the stay's first heart rate)
    date_diff(
      'microseconds',
      coalesce(
        lag(output.charttime) OVER (PARTITION BY output.stay_id ORDER BY output.charttime), clock_start.started
      ),
      output.charttime
    ) AS gap
  FROM output
  INNER JOIN clock_start ON output.stay_id = clock_start.stay_id
),

looking_back AS (
  SELECT
    stay_id,
    charttime,
    CAST(sum(volume) OVER day AS DOUBLE) AS volume,
    -- rule: urine-time-rounding (to three places, then to two)
    CAST(round(CAST(sum(gap) OVER day / 3600000000.0 AS DECIMAL(18, 3)), 2) AS DOUBLE) AS hours
  FROM collection
  WINDOW
    -- rule: urine-look-back (the outputs of the 23 hours up to and including this one)
    day AS (PARTITION BY stay_id ORDER BY charttime RANGE BETWEEN INTERVAL 23 HOUR PRECEDING AND CURRENT ROW)
),

urine AS (
  SELECT
    stay_id,
    time_bucket(INTERVAL 1 HOUR, charttime + INTERVAL 3599999999 MICROSECOND) AS hour_ends,
    -- rule: urine-scaled (to a day)
    max(volume / hours * 24) AS volume
  FROM looking_back
  -- rule: urine-about-a-day (only where the look back collected over 22 to 30 hours)
  WHERE hours BETWEEN 22 AND 30
  GROUP BY stay_id, hour_ends
),

component AS (
  -- rule: missing-is-normal (a component is 0 where nothing that it needs was measured: its ELSE 0)
  SELECT
    hour.subject_id,
    hour.hadm_id,
    hour.stay_id,
    hour.hr,
    hour.endtime,
    -- rule: respiration-bands (3 and 4 only under support)
    CASE
      WHEN oxygenation.ratio_supported < 100 THEN 4
      WHEN oxygenation.ratio_supported < 200 THEN 3
      WHEN oxygenation.ratio_unsupported < 300 OR oxygenation.ratio_supported < 300 THEN 2
      WHEN oxygenation.ratio_unsupported < 400 OR oxygenation.ratio_supported < 400 THEN 1
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
      -- rule: drug-rate-zero (a recorded rate of 0 is a rate)
      WHEN drug.dopamine > 5 OR drug.epinephrine <= 0.1 OR drug.norepinephrine <= 0.1 THEN 3
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
  FROM hour
  LEFT JOIN laboratory ON hour.hadm_id = laboratory.hadm_id AND hour.endtime = laboratory.hour_ends
  LEFT JOIN oxygenation ON hour.stay_id = oxygenation.stay_id AND hour.endtime = oxygenation.hour_ends
  LEFT JOIN circulation ON hour.stay_id = circulation.stay_id AND hour.endtime = circulation.hour_ends
  LEFT JOIN drug ON hour.stay_id = drug.stay_id AND hour.endtime = drug.hour_ends
  LEFT JOIN consciousness ON hour.stay_id = consciousness.stay_id AND hour.endtime = consciousness.hour_ends
  LEFT JOIN urine ON hour.stay_id = urine.stay_id AND hour.endtime = urine.hour_ends
),

rolling AS (
  SELECT
    subject_id,
    hadm_id,
    stay_id,
    hr,
    endtime,
    max(respiration) OVER day AS respiration,
    max(coagulation) OVER day AS coagulation,
    max(liver) OVER day AS liver,
    max(cardiovascular) OVER day AS cardiovascular,
    max(cns) OVER day AS cns,
    max(renal) OVER day AS renal
  FROM component
  WINDOW
    -- rule: worst-of-24-hours (this hour and the 23 before it, also those before the unit)
    day AS (PARTITION BY stay_id ORDER BY hr ROWS BETWEEN 23 PRECEDING AND CURRENT ROW)
),

failing AS (
  SELECT
    *,
    respiration + coagulation + liver + cardiovascular + cns + renal AS sofa_score
  FROM rolling
  -- rule: hours-in-the-unit (hour 0 ends at the first full hour at or after the first heart rate)
  WHERE hr >= 0
    -- rule: two-points (in all; what was there before is taken to be 0)
    AND sofa_score >= 2
),

agent(fragment) AS (
  -- rule: antibiotic-names (a name counts when it contains a fragment, in any case)
  VALUES
    ('adoxa'), ('ala-tet'), ('alodox'), ('amikacin'), ('amikin'), ('amoxicill'), ('amphotericin'),
    ('ampicillin'), ('ancef'), ('anidulafungin'), ('augmentin'), ('avelox'), ('avidoxy'), ('axetil'),
    ('azactam'), ('azithromycin'), ('aztreonam'), ('bactocill'), ('bactrim'), ('bactroban'), ('bethkis'),
    ('biaxin'), ('bicillin l-a'), ('cayston'), ('cedax'), ('cefaclor'), ('cefadroxil'), ('cefazolin'),
    ('cefdinir'), ('cefditoren'), ('cefepime'), ('cefotan'), ('cefotaxime'), ('cefotetan'), ('cefoxitin'),
    ('cefpirome'), ('cefpodoxime'), ('cefprozil'), ('ceftaroline'), ('ceftazidime'), ('ceftibuten'),
    ('ceftin'), ('ceftriaxone'), ('cefuroxime'), ('cephalexin'), ('cephalothin'), ('cephapririn'),
    ('chloramphenicol'), ('cipro'), ('claforan'), ('clarithromycin'), ('clavulanate'), ('cleocin'),
    ('clindamycin'), ('cubicin'), ('dirithromycin'), ('doryx'), ('doxycy'), ('duricef'), ('dynacin'),
    ('ery-tab'), ('eryc'), ('eryped'), ('erythrocin'), ('erythromycin'), ('factive'), ('flagyl'),
    ('fortaz'), ('furadantin'), ('garamycin'), ('gentamicin'), ('kanamycin'), ('keflex'), ('kefzol'),
    ('ketek'), ('levaquin'), ('lincocin'), ('linezolid'), ('macrobid'), ('macrodantin'), ('maxipime'),
    ('mefoxin'), ('meropenem'), ('methicillin'), ('metronidazole'), ('minocin'), ('minocycline'),
    ('monodox'), ('monurol'), ('morgidox'), ('moxatag'), ('moxifloxacin'), ('mupirocin'), ('myrac'),
    ('nafcillin'), ('neomycin'), ('nicazel doxy 30'), ('nitrofurantoin'), ('norfloxacin'), ('noroxin'),
    ('ocudox'), ('ofloxacin'), ('omnicef'), ('oracea'), ('oraxyl'), ('oxacillin'), ('panixine'),
    ('pc pen vk'), ('pce dispertab'), ('pediazole'), ('penicillin'), ('periostat'), ('pfizerpen'),
    ('piperacillin'), ('primsol'), ('proquin'), ('raniclor'), ('rifadin'), ('rifampin'), ('rocephin'),
    ('septra'), ('smz-tmp'), ('solodyn'), ('spectracef'), ('streptomycin'), ('sulfadiazine'),
    ('sulfamethoxazole'), ('sulfatrim'), ('sulfisoxazole'), ('suprax'), ('synercid'), ('tazicef'),
    ('tazobactam'), ('tetracycline'), ('timentin'), ('tobramycin'), ('trimethoprim'), ('unasyn'),
    ('vancocin'), ('vancomycin'), ('vantin'), ('vibativ'), ('vibra-tabs'), ('vibramycin'), ('zinacef'),
    ('zithromax'), ('zosyn'), ('zyvox')
),

preparation AS (
  -- One row per drug and route that counts as a systemic antibiotic.
  SELECT DISTINCT
    drug,
    route
  FROM mimiciv_hosp.prescriptions
  WHERE EXISTS (SELECT 1 FROM agent WHERE contains(lower(drug), fragment))
    -- rule: drug-type-base (diluents do not qualify a preparation)
    AND drug_type <> 'BASE'
    -- rule: route-codes (eye, ear and topical; case matters; a missing route is lost here)
    AND route NOT IN ('OU', 'OS', 'OD', 'AU', 'AS', 'AD', 'TP')
    -- rule: route-ear-eye
    AND NOT contains(lower(route), 'ear')
    AND NOT contains(lower(route), 'eye')
    -- rule: preparation-words
    AND NOT contains(lower(drug), 'cream')
    AND NOT contains(lower(drug), 'desensitization')
    AND NOT contains(lower(drug), 'ophth oint')
    AND NOT contains(lower(drug), 'gel')
),

antibiotic AS (
  SELECT DISTINCT
    given.subject_id,
    stay.stay_id,
    given.starttime AS start_time,
    CAST(given.starttime AS DATE) AS start_date
  FROM mimiciv_hosp.prescriptions AS given
  -- rule: pair-qualifies (drug and route qualify as a pair, whatever the drug type of the row at hand)
  INNER JOIN preparation
    ON given.drug = preparation.drug
    AND given.route = preparation.route
  -- rule: stay-holds-start (from intime inclusive to outtime exclusive, same admission; others start no suspicion)
  INNER JOIN mimiciv_icu.icustays AS stay
    ON given.hadm_id = stay.hadm_id
    AND given.starttime >= stay.intime
    AND given.starttime < stay.outtime
),

culture AS (
  -- rule: specimen-is-culture (one row per specimen of any kind, over all its tests and organisms)
  SELECT
    micro_specimen_id,
    max(subject_id) AS subject_id,
    CAST(max(chartdate) AS DATE) AS chart_date,
    max(charttime) AS chart_time
  FROM mimiciv_hosp.microbiologyevents
  GROUP BY micro_specimen_id
),

pairing AS (
  -- One row per antibiotic and culture that lie close enough, with which of them came first.
  SELECT
    antibiotic.subject_id,
    antibiotic.stay_id,
    antibiotic.start_time,
    culture.chart_date,
    culture.chart_time,
    culture.chart_time AS culture_time,
    -- rule: equal-minute (the same moment is neither)
    antibiotic.start_time > culture.chart_time AS culture_first,
    antibiotic.start_time < culture.chart_time AS antibiotic_first
  FROM antibiotic
  INNER JOIN culture
    ON antibiotic.subject_id = culture.subject_id
    -- rule: culture-first-window (up to 72 h after the culture, inclusive)
    AND antibiotic.start_time <= culture.chart_time + INTERVAL 72 HOUR
    -- rule: antibiotic-first-window (up to 24 h before the culture, inclusive)
    AND antibiotic.start_time >= culture.chart_time - INTERVAL 24 HOUR

  UNION ALL

  SELECT
    antibiotic.subject_id,
    antibiotic.stay_id,
    antibiotic.start_time,
    culture.chart_date,
    culture.chart_time,
    -- rule: date-only-time (a culture without a time stands at the start of its day)
    CAST(culture.chart_date AS TIMESTAMP) AS culture_time,
    -- rule: date-only-same-day (the same day is both)
    antibiotic.start_date >= culture.chart_date AS culture_first,
    antibiotic.start_date <= culture.chart_date AS antibiotic_first
  FROM antibiotic
  INNER JOIN culture
    ON antibiotic.subject_id = culture.subject_id
    AND culture.chart_time IS NULL
    -- rule: date-only-culture-first-window (calendar days, three after the culture's)
    AND antibiotic.start_date <= culture.chart_date + INTERVAL 3 DAY
    -- rule: date-only-antibiotic-first-window (one before it)
    AND antibiotic.start_date >= culture.chart_date - INTERVAL 1 DAY
),

paired AS (
  SELECT
    stay_id,
    start_time,
    -- rule: earliest-culture (by day; in a day the timed ones in order, then those without a time)
    arg_min(culture_time, (chart_date, coalesce(chart_time, CAST('infinity' AS TIMESTAMP))))
    FILTER (WHERE culture_first) AS culture_before,
    arg_min(culture_time, (chart_date, coalesce(chart_time, CAST('infinity' AS TIMESTAMP))))
    FILTER (WHERE antibiotic_first) AS culture_after
  FROM pairing
  WHERE culture_first OR antibiotic_first
  GROUP BY stay_id, start_time
),

suspicion AS (
  SELECT
    stay_id,
    start_time AS antibiotic_time,
    -- rule: culture-first-precedence
    coalesce(culture_before, culture_after) AS culture_time,
    -- rule: suspicion-time (the culture's if it came first, else the antibiotic's)
    coalesce(culture_before, start_time) AS suspected_infection_time
  FROM paired
),

onset AS (
  SELECT
    failing.*,
    suspicion.antibiotic_time,
    suspicion.culture_time,
    suspicion.suspected_infection_time,
    -- rule: first-suspicion-first (earliest suspicion, antibiotic, culture, then the earliest hour)
    row_number() OVER (
      PARTITION BY failing.stay_id
      ORDER BY
        suspicion.suspected_infection_time ASC,
        suspicion.antibiotic_time ASC,
        suspicion.culture_time ASC,
        failing.endtime ASC
    ) AS place
  FROM suspicion
  INNER JOIN failing
    ON suspicion.stay_id = failing.stay_id
    -- rule: failing-before-suspicion (up to 48 h before, inclusive)
    AND failing.endtime >= suspicion.suspected_infection_time - INTERVAL 48 HOUR
    -- rule: failing-after-suspicion (up to 24 h after, inclusive)
    AND failing.endtime <= suspicion.suspected_infection_time + INTERVAL 24 HOUR
)

-- rule: one-row-a-case (stays that do not meet it have no row)
SELECT
  subject_id,
  hadm_id,
  stay_id,
  antibiotic_time,
  culture_time,
  suspected_infection_time,
  -- rule: onset-time (end of the hour, which may lie before the suspicion)
  endtime AS sofa_time,
  sofa_score,
  respiration,
  coagulation,
  liver,
  cardiovascular,
  cns,
  renal,
  1 AS sepsis3
FROM onset
WHERE place = 1
