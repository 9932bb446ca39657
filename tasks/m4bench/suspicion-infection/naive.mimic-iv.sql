-- Suspicion of infection as a careful reader of the instruction alone may write it: antibiotics by well-known names and
-- endings, systemic routes, cultures of any kind, the nearest culture in each window, a day-only culture at midnight.

WITH given AS (
  SELECT
    subject_id,
    hadm_id,
    drug,
    starttime,
    stoptime
  FROM mimiciv_hosp.prescriptions
  WHERE regexp_matches(
      lower(drug),
      'cillin|cef|ceph|penem|mycin|micin|floxacin|cipro|cycline|vancomycin|metronidazole|sulfameth|linezolid|aztreonam|'
      || 'daptomycin|nitrofurantoin|amikacin|colisti|polymyxin|clavulan|bactam|rifa|trimethoprim'
    )
    AND COALESCE(upper(route), '') NOT IN ('TP', 'OU', 'OS', 'OD', 'AU', 'AS', 'AD', 'EX')
    AND NOT regexp_matches(lower(COALESCE(route, '')), ' ear| eye')
),

antibiotic AS (
  SELECT
    given.*,
    icu.stay_id,
    ROW_NUMBER() OVER (PARTITION BY given.subject_id ORDER BY starttime, stoptime, drug) AS ab_id
  FROM given
  LEFT JOIN mimiciv_icu.icustays AS icu
    ON given.hadm_id = icu.hadm_id AND given.starttime BETWEEN icu.intime AND icu.outtime
),

culture AS (
  SELECT
    micro_specimen_id,
    ANY_VALUE(subject_id) AS subject_id,
    COALESCE(MIN(charttime), MIN(chartdate)) AS culture_time,
    MIN(spec_type_desc) AS specimen,
    MAX(CASE WHEN org_name IS NOT NULL THEN 1 ELSE 0 END) AS positive
  FROM mimiciv_hosp.microbiologyevents
  GROUP BY micro_specimen_id
),

paired AS (
  SELECT
    antibiotic.subject_id,
    antibiotic.ab_id,
    culture.culture_time,
    culture.specimen,
    culture.positive
  FROM antibiotic
  INNER JOIN culture
    ON antibiotic.subject_id = culture.subject_id
    AND antibiotic.starttime BETWEEN culture.culture_time - INTERVAL 24 HOUR AND culture.culture_time + INTERVAL 72 HOUR
  QUALIFY ROW_NUMBER() OVER (
    PARTITION BY antibiotic.subject_id, antibiotic.ab_id
    ORDER BY abs(epoch(antibiotic.starttime - culture.culture_time)), micro_specimen_id
  ) = 1
)

SELECT
  antibiotic.subject_id,
  antibiotic.ab_id,
  antibiotic.stay_id,
  antibiotic.hadm_id,
  antibiotic.drug AS antibiotic,
  antibiotic.starttime AS antibiotic_time,
  CASE WHEN paired.culture_time IS NULL THEN 0 ELSE 1 END AS suspected_infection,
  CASE WHEN paired.culture_time IS NOT NULL THEN LEAST(paired.culture_time, antibiotic.starttime) END
    AS suspected_infection_time,
  paired.culture_time,
  paired.specimen,
  paired.positive AS positive_culture
FROM antibiotic
LEFT JOIN paired
  ON antibiotic.subject_id = paired.subject_id AND antibiotic.ab_id = paired.ab_id
