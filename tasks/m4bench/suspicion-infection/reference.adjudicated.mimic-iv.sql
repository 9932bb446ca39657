-- Suspicion of infection: one row per antibiotic prescription, paired with the culture that goes with it.
-- Target 'adjudicated', a draft: what Seymour 2016 (JAMA 315:762-774) says where the public code departs from it. An
-- infection is suspected when an oral or parenteral antibiotic and a body fluid culture come together, the antibiotic
-- within 72 h after the culture or the culture within 24 h after the antibiotic; it began with the earlier of the two.
--
-- Choices, each open to the reviewers:
--   rows       those of the public code and their numbers, so that keys stay comparable; agents and orders without a
--              route that it has no row for have none here
--   route      oral, by tube or parenteral; other routes have a row that is not suspected
--   culture    of a fluid of the body; no screens, serology, antigens, amplification tests, cytogenetics, swabs, tips
--   minute     an antibiotic and a culture of one moment belong together, and count as culture first
--   day only   a culture without a time belongs to the antibiotic if some minute of its day would; on the antibiotic's own
--              day the order is not known: suspicion is dated to the antibiotic, not to midnight before it
--   positive   a named organism, with or without an item; not an entry for 'negative' or 'cancelled'
--   tie        of cultures of one moment a positive one, then the lowest specimen number
--   cancelled  a culture that was taken and cancelled still shows suspicion
--   duration   none asked for: the source has none

WITH agent(fragment) AS (
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

prescription AS (
  -- One row per prescription and ICU stay whose interval holds its start.
  SELECT
    given.subject_id,
    given.hadm_id,
    icu.stay_id,
    given.drug AS antibiotic,
    -- rule: therapeutic-route (by mouth or tube, or into vein, muscle, bone, spinal fluid or abdomen)
    upper(given.route) IN (
      'PO', 'PO/NG', 'PO/OG', 'PO/IV', 'IV/PO', 'ORAL', 'NG', 'OG', 'DHT', 'J TUBE', 'G TUBE', 'IV', 'IV DRIP', 'IV BOLUS',
      'IVPB', 'IVPCA', 'IM', 'SC', 'IO', 'IT', 'IP'
    ) AS therapeutic,
    given.starttime AS start_time,
    given.stoptime AS stop_time,
    CAST(given.starttime AS DATE) AS start_date
  FROM mimiciv_hosp.prescriptions AS given
  -- rule: pair-qualifies (drug and route qualify as a pair, whatever the drug type of the row at hand)
  INNER JOIN preparation
    ON given.drug = preparation.drug
    AND given.route = preparation.route
  -- rule: stay-holds-start (from intime inclusive to outtime exclusive, same admission)
  LEFT JOIN mimiciv_icu.icustays AS icu
    ON given.hadm_id = icu.hadm_id
    AND given.starttime >= icu.intime
    AND given.starttime < icu.outtime
),

antibiotic AS (
  -- One row per output row.
  SELECT
    *,
    -- rule: ab-id-order (a missing time comes first; names byte by byte; the last two only settle ties)
    ROW_NUMBER() OVER (
      PARTITION BY subject_id
      ORDER BY
        start_time ASC NULLS FIRST,
        stop_time ASC NULLS FIRST,
        antibiotic ASC NULLS FIRST,
        hadm_id ASC NULLS FIRST,
        stay_id ASC NULLS FIRST
    ) AS ab_id
  FROM prescription
),

fluid(word) AS (
  -- rule: body-fluid (a kind of specimen counts when it contains one of these words)
  VALUES
    ('BLOOD CULTURE'), ('URINE'), ('CSF'), ('SPINAL FLUID'), ('SPUTUM'), ('LAVAGE'), ('MINI-BAL'), ('ASPIRATE'),
    ('WASHING'), ('FLUID'), ('BILE'), ('ABSCESS'), ('STOOL'), ('BONE MARROW')
),

no_culture(word) AS (
  -- rule: culture-not-screen (nor where kind or test contains one of these)
  VALUES
    ('SCREEN'), ('SEROLOGY'), ('ANTIBODY'), ('ANTIGEN'), ('PCR'), ('AMPLIFICATION'), ('VIRAL LOAD'), ('TOXIN'),
    ('CYTOGENETIC'), ('CHROMOSOME'), ('POST-MORTEM')
),

culture AS (
  -- One row per specimen of a body fluid with at least one test that is a culture.
  SELECT
    micro_specimen_id,
    MAX(subject_id) AS subject_id,
    CAST(MAX(chartdate) AS DATE) AS chart_date,
    MAX(charttime) AS chart_time,
    MAX(spec_type_desc) AS specimen,
    -- rule: culture-positive (a named organism; 90856 says that nothing grew, 90760 that the test was cancelled)
    MAX(
      CASE
        WHEN upper(org_name) NOT IN ('', 'CANCELLED', 'NEGATIVE') AND COALESCE(org_itemid, 0) NOT IN (90856, 90760)
        THEN 1
        ELSE 0
      END
    ) AS positive
  FROM mimiciv_hosp.microbiologyevents
  WHERE EXISTS (SELECT 1 FROM fluid WHERE contains(upper(spec_type_desc), word))
    AND NOT EXISTS (
      SELECT 1
      FROM no_culture
      WHERE contains(upper(concat_ws(' ', spec_type_desc, test_name)), word)
    )
  GROUP BY micro_specimen_id
),

pairing AS (
  -- One row per prescription and culture that lie close enough, with which of them came first.
  SELECT
    antibiotic.subject_id,
    antibiotic.ab_id,
    culture.* EXCLUDE (subject_id),
    culture.chart_time AS culture_time,
    FALSE AS order_unknown,
    -- rule: equal-minute (the same moment is culture first)
    antibiotic.start_time >= culture.chart_time AS culture_first,
    antibiotic.start_time < culture.chart_time AS antibiotic_first
  FROM antibiotic
  INNER JOIN culture
    ON antibiotic.subject_id = culture.subject_id
    AND antibiotic.therapeutic
    -- rule: culture-first-window (up to 72 h after the culture, inclusive)
    AND antibiotic.start_time <= culture.chart_time + INTERVAL 72 HOUR
    -- rule: antibiotic-first-window (up to 24 h before the culture, inclusive)
    AND antibiotic.start_time >= culture.chart_time - INTERVAL 24 HOUR

  UNION ALL

  SELECT
    antibiotic.subject_id,
    antibiotic.ab_id,
    culture.* EXCLUDE (subject_id),
    -- rule: date-only-time (a culture without a time stands at the start of its day)
    CAST(culture.chart_date AS TIMESTAMP) AS culture_time,
    antibiotic.start_date = culture.chart_date AS order_unknown,
    -- rule: date-only-same-day (the same day is culture first, with the order unknown)
    antibiotic.start_date >= culture.chart_date AS culture_first,
    antibiotic.start_date < culture.chart_date AS antibiotic_first
  FROM antibiotic
  INNER JOIN culture
    ON antibiotic.subject_id = culture.subject_id
    AND antibiotic.therapeutic
    AND culture.chart_time IS NULL
    -- rule: date-only-culture-first-window (calendar days, three after the culture's)
    AND antibiotic.start_date <= culture.chart_date + INTERVAL 3 DAY
    -- rule: date-only-antibiotic-first-window (one before it)
    AND antibiotic.start_date >= culture.chart_date - INTERVAL 1 DAY
),

ranked AS (
  SELECT
    *,
    -- rule: earliest-culture (by day; in a day the timed ones in order, then those without a time)
    -- rule: tied-cultures (a positive one, then the lowest specimen number)
    ROW_NUMBER() OVER (
      PARTITION BY subject_id, ab_id, culture_first
      ORDER BY chart_date ASC NULLS FIRST, chart_time ASC NULLS LAST, positive DESC, micro_specimen_id ASC
    ) AS place_culture_first,
    ROW_NUMBER() OVER (
      PARTITION BY subject_id, ab_id, antibiotic_first
      ORDER BY chart_date ASC NULLS FIRST, chart_time ASC NULLS LAST, positive DESC, micro_specimen_id ASC
    ) AS place_antibiotic_first
  FROM pairing
)

SELECT
  antibiotic.subject_id,
  antibiotic.ab_id,
  antibiotic.stay_id,
  antibiotic.hadm_id,
  antibiotic.antibiotic,
  antibiotic.start_time AS antibiotic_time,
  -- rule: suspected-flag
  CASE WHEN COALESCE(before.specimen, after.specimen) IS NULL THEN 0 ELSE 1 END AS suspected_infection,
  -- rule: suspicion-time (the culture's if it came first, else, or where the order is not known, the antibiotic's)
  CASE
    WHEN COALESCE(before.specimen, after.specimen) IS NOT NULL
    THEN COALESCE(CASE WHEN NOT before.order_unknown THEN before.culture_time END, antibiotic.start_time)
  END AS suspected_infection_time,
  -- rule: culture-first-precedence
  COALESCE(before.culture_time, after.culture_time) AS culture_time,
  COALESCE(before.specimen, after.specimen) AS specimen,
  COALESCE(before.positive, after.positive) AS positive_culture
FROM antibiotic
LEFT JOIN ranked AS before
  ON antibiotic.subject_id = before.subject_id
  AND antibiotic.ab_id = before.ab_id
  AND before.culture_first
  AND before.place_culture_first = 1
LEFT JOIN ranked AS after
  ON antibiotic.subject_id = after.subject_id
  AND antibiotic.ab_id = after.ab_id
  AND after.antibiotic_first
  AND after.place_antibiotic_first = 1
