-- Ventilation episodes as a careful reader of the instruction alone may write them: modes and devices by their words,
-- the highest class of a moment, episodes from change to change.

WITH charted AS (
  SELECT
    given.stay_id,
    given.charttime,
    CASE
      WHEN lower(given.value) LIKE '%trach%' AND lower(given.value) NOT LIKE '%endotrach%' THEN 1
      WHEN lower(given.value) LIKE '%endotracheal%' THEN 2
      WHEN lower(given.value) LIKE '%niv%' OR lower(given.value) LIKE '%bipap%' OR trim(lower(given.value)) = 'cpap mask' THEN 3
      WHEN lower(item.label) LIKE '%mode%' AND trim(lower(given.value)) <> 'standby' THEN 2
      WHEN lower(given.value) LIKE '%high flow nasal%' THEN 4
      WHEN trim(given.value) = 'None' THEN 6
      WHEN lower(item.label) LIKE '%device%' THEN 5
    END AS class
  FROM mimiciv_icu.chartevents AS given
  INNER JOIN mimiciv_icu.d_items AS item ON given.itemid = item.itemid
  WHERE lower(item.label) IN ('ventilator mode', 'ventilator mode (hamilton)', 'vent mode (hamilton)')
    OR lower(item.label) LIKE 'o2 delivery device%'
),

moment AS (
  SELECT stay_id, charttime, MIN(class) AS class
  FROM charted
  WHERE class IS NOT NULL
  GROUP BY stay_id, charttime
),

changed AS (
  SELECT
    stay_id,
    charttime,
    class,
    LEAD(charttime) OVER in_stay AS next_time,
    CASE WHEN class IS DISTINCT FROM LAG(class) OVER in_stay THEN 1 ELSE 0 END AS new
  FROM moment
  WINDOW in_stay AS (PARTITION BY stay_id ORDER BY charttime)
),

numbered AS (
  SELECT *, SUM(new) OVER (PARTITION BY stay_id ORDER BY charttime) AS episode
  FROM changed
)

SELECT
  stay_id,
  episode AS ventilation_seq,
  MIN(charttime) AS starttime,
  MAX(COALESCE(next_time, charttime)) AS endtime,
  CASE MIN(class)
    WHEN 1 THEN 'Tracheostomy'
    WHEN 2 THEN 'InvasiveVent'
    WHEN 3 THEN 'NonInvasiveVent'
    WHEN 4 THEN 'HFNC'
    WHEN 5 THEN 'SupplementalOxygen'
    ELSE 'None'
  END AS ventilation_status
FROM numbered
GROUP BY stay_id, episode
