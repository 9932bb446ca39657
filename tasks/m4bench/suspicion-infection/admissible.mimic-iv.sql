-- Every row that the pinned concept may give for a key. Its row numbers and its choice of a culture leave ties
-- open, so one run of it is one of several possible answers. Read from the concept's own antibiotic table, not
-- from the reference. Columns that are not named here (admission, stay) may change places inside a tie_group.

WITH prescription AS (
  SELECT
    subject_id,
    antibiotic,
    starttime AS antibiotic_time,
    ROW_NUMBER() OVER (
      PARTITION BY subject_id
      ORDER BY starttime ASC NULLS FIRST, stoptime ASC NULLS FIRST, antibiotic ASC NULLS FIRST
    ) AS ab_id,
    DENSE_RANK() OVER (
      ORDER BY
        subject_id ASC NULLS FIRST,
        starttime ASC NULLS FIRST,
        stoptime ASC NULLS FIRST,
        antibiotic ASC NULLS FIRST
    ) AS tie_group
  FROM mimiciv_derived.antibiotic
),

start AS (
  SELECT DISTINCT
    subject_id,
    antibiotic_time
  FROM prescription
),

specimen AS (
  SELECT
    micro_specimen_id,
    MAX(subject_id) AS subject_id,
    CAST(MAX(chartdate) AS DATE) AS day,
    MAX(charttime) AS moment,
    MAX(spec_type_desc) AS kind,
    MAX(IF(org_name <> '' AND org_itemid <> 90856, 1, 0)) AS grew
  FROM mimiciv_hosp.microbiologyevents
  GROUP BY micro_specimen_id
),

earlier AS (
  -- The cultures that may stand for 'culture first', ties included.
  SELECT
    start.subject_id,
    start.antibiotic_time,
    COALESCE(specimen.moment, specimen.day) AS culture_time,
    specimen.kind,
    specimen.grew
  FROM start
  INNER JOIN specimen
    ON start.subject_id = specimen.subject_id
    AND CASE
      WHEN specimen.moment IS NOT NULL
      THEN specimen.moment < start.antibiotic_time
        AND specimen.moment + INTERVAL 72 HOUR >= start.antibiotic_time
      ELSE specimen.day <= date_trunc('day', start.antibiotic_time)
        AND specimen.day + INTERVAL 3 DAY >= date_trunc('day', start.antibiotic_time)
    END
  QUALIFY RANK() OVER (
    PARTITION BY start.subject_id, start.antibiotic_time
    ORDER BY specimen.day ASC NULLS FIRST, specimen.moment ASC NULLS LAST
  ) = 1
),

later AS (
  -- The cultures that may stand for 'antibiotic first', ties included.
  SELECT
    start.subject_id,
    start.antibiotic_time,
    COALESCE(specimen.moment, specimen.day) AS culture_time,
    specimen.kind,
    specimen.grew
  FROM start
  INNER JOIN specimen
    ON start.subject_id = specimen.subject_id
    AND CASE
      WHEN specimen.moment IS NOT NULL
      THEN specimen.moment > start.antibiotic_time
        AND specimen.moment - INTERVAL 24 HOUR <= start.antibiotic_time
      ELSE specimen.day >= date_trunc('day', start.antibiotic_time)
        AND specimen.day - INTERVAL 1 DAY <= date_trunc('day', start.antibiotic_time)
    END
  QUALIFY RANK() OVER (
    PARTITION BY start.subject_id, start.antibiotic_time
    ORDER BY specimen.day ASC NULLS FIRST, specimen.moment ASC NULLS LAST
  ) = 1
)

SELECT DISTINCT
  prescription.subject_id,
  prescription.ab_id,
  prescription.tie_group,
  prescription.antibiotic,
  prescription.antibiotic_time,
  IF(earlier.kind IS NULL AND later.kind IS NULL, 0, 1) AS suspected_infection,
  IF(
    earlier.kind IS NULL AND later.kind IS NULL, NULL, COALESCE(earlier.culture_time, prescription.antibiotic_time)
  ) AS suspected_infection_time,
  COALESCE(earlier.culture_time, later.culture_time) AS culture_time,
  COALESCE(earlier.kind, later.kind) AS specimen,
  COALESCE(earlier.grew, later.grew) AS positive_culture
FROM prescription
LEFT JOIN earlier
  ON prescription.subject_id = earlier.subject_id
  AND prescription.antibiotic_time = earlier.antibiotic_time
LEFT JOIN later
  ON prescription.subject_id = later.subject_id
  AND prescription.antibiotic_time = later.antibiotic_time
