-- Ventilation: episodes of one kind of breathing support, numbered within the ICU stay. Target 'public-code': equal
-- in value to the pinned public concept, whose rows get the number. Raw tables only, so that both modes share it.

WITH mode AS (
  -- One row per patient and moment with a charted ventilator mode.
  SELECT
    subject_id,
    MAX(stay_id) AS stay_id,
    charttime,
    -- rule: one-mode-a-moment (of several the alphabetically last, separately for each kind of ventilator; the text as
    -- it is written)
    MAX(value) FILTER (itemid = 223849) AS mode,
    MAX(value) FILTER (itemid = 229314) AS mode_hamilton
  FROM mimiciv_icu.chartevents
  -- rule: mode-items (mode, and mode of Hamilton ventilators)
  WHERE itemid IN (223849, 229314) AND value IS NOT NULL AND stay_id IS NOT NULL
  GROUP BY subject_id, charttime
),

flow AS (
  -- rule: flow-items (any charted oxygen flow; its amount is not used)
  SELECT
    subject_id,
    charttime,
    MAX(stay_id) AS stay_id
  FROM mimiciv_icu.chartevents
  WHERE itemid IN (223834, 227582, 227287) AND value IS NOT NULL
  GROUP BY subject_id, charttime
),

charted_device AS (
  SELECT
    subject_id,
    charttime,
    MAX(stay_id) AS stay_id,
    -- rule: first-device-only (of several devices of a moment the alphabetically first, byte by byte; a device row
    -- without a value comes before every name)
    CASE WHEN COUNT(*) = COUNT(value) THEN MIN(value) END AS device
  FROM mimiciv_icu.chartevents
  -- rule: device-item
  WHERE itemid = 226732
  GROUP BY subject_id, charttime
),

device AS (
  -- rule: device-needs-flow (a device counts only if an oxygen flow was charted for the patient at the same moment)
  SELECT
    COALESCE(flow.stay_id, charted_device.stay_id) AS stay_id,
    charted_device.charttime,
    charted_device.device
  FROM charted_device
  INNER JOIN flow
    ON charted_device.subject_id = flow.subject_id
    AND charted_device.charttime = flow.charttime
),

charting AS (
  -- rule: mode-and-device-together (what is charted in a stay at one moment is judged as one)
  SELECT
    COALESCE(mode.stay_id, device.stay_id) AS stay_id,
    COALESCE(mode.charttime, device.charttime) AS charttime,
    mode.mode,
    mode.mode_hamilton,
    device.device
  FROM mode
  FULL JOIN device
    ON mode.stay_id = device.stay_id
    AND mode.charttime = device.charttime
),

classified AS (
  SELECT
    stay_id,
    charttime,
    -- rule: class-precedence (in the order written here)
    CASE
      -- rule: tracheostomy-devices (before any mode)
      WHEN device IN ('Tracheostomy tube', 'Trach mask ') THEN 'Tracheostomy'
      -- rule: endotracheal-tube
      WHEN device = 'Endotracheal tube' THEN 'InvasiveVent'
      -- rule: invasive-modes
      WHEN mode IN (
        '(S) CMV', 'APRV', 'APRV/Biphasic+ApnPress', 'APRV/Biphasic+ApnVol', 'APV (cmv)', 'Ambient',
        'Apnea Ventilation', 'CMV', 'CMV/ASSIST', 'CMV/ASSIST/AutoFlow', 'CMV/AutoFlow', 'CPAP/PPS', 'CPAP/PSV',
        'CPAP/PSV+Apn TCPL', 'CPAP/PSV+ApnPres', 'CPAP/PSV+ApnVol', 'MMV', 'MMV/AutoFlow', 'MMV/PSV',
        'MMV/PSV/AutoFlow', 'P-CMV', 'PCV+', 'PCV+/PSV', 'PCV+Assist', 'PRES/AC', 'PRVC/AC', 'PRVC/SIMV',
        'PSV/SBT', 'SIMV', 'SIMV/AutoFlow', 'SIMV/PRES', 'SIMV/PSV', 'SIMV/PSV/AutoFlow', 'SIMV/VOL',
        'SYNCHRON MASTER', 'SYNCHRON SLAVE', 'VOL/AC'
      ) THEN 'InvasiveVent'
      -- rule: invasive-hamilton-modes
      WHEN mode_hamilton IN (
        'APRV', 'APV (cmv)', 'Ambient', '(S) CMV', 'P-CMV', 'SIMV', 'APV (simv)', 'P-SIMV', 'VS', 'ASV'
      ) THEN 'InvasiveVent'
      -- rule: non-invasive-devices (the trailing blank belongs to the name)
      WHEN device IN ('Bipap mask ', 'CPAP mask ') THEN 'NonInvasiveVent'
      -- rule: non-invasive-hamilton-modes
      WHEN mode_hamilton IN ('DuoPaP', 'NIV', 'NIV-ST') THEN 'NonInvasiveVent'
      -- rule: high-flow-device
      WHEN device = 'High flow nasal cannula' THEN 'HFNC'
      -- rule: oxygen-devices
      WHEN device IN (
        'Non-rebreather', 'Face tent', 'Aerosol-cool', 'Venti mask ', 'Medium conc mask ', 'Ultrasonic neb',
        'Vapomist', 'Oxymizer', 'High flow neb', 'Nasal cannula'
      ) THEN 'SupplementalOxygen'
      -- rule: no-device (charted as none: a class of its own)
      WHEN device = 'None' THEN 'None'
    END AS status
  FROM charting
),

neighbours AS (
  SELECT
    stay_id,
    charttime,
    status,
    LAG(status) OVER in_stay AS status_before,
    LEAD(charttime) OVER in_stay AS next_time,
    LAG(charttime) OVER (PARTITION BY stay_id, status ORDER BY charttime) AS same_status_before
  FROM classified
  -- rule: unclassified-is-ignored (what has no class neither ends nor prolongs an episode)
  WHERE status IS NOT NULL
  WINDOW in_stay AS (PARTITION BY stay_id ORDER BY charttime)
),

numbered AS (
  SELECT
    stay_id,
    charttime,
    status,
    next_time,
    SUM(
      CASE
        WHEN status_before IS NULL THEN 1
        -- rule: new-after-change
        WHEN status_before <> status THEN 1
        -- rule: new-after-gap (14 hours of elapsed time since the last charting of the same class)
        WHEN charttime - same_status_before >= INTERVAL 14 HOUR THEN 1
        ELSE 0
      END
    ) OVER (PARTITION BY stay_id ORDER BY charttime) AS episode
  FROM neighbours
),

episode AS (
  SELECT
    stay_id,
    MIN(charttime) AS starttime,
    -- rule: end-at-next-charting (of any class, if less than 14 hours later; else at the last charting)
    MAX(CASE WHEN next_time - charttime < INTERVAL 14 HOUR THEN next_time ELSE charttime END) AS endtime,
    MAX(status) AS ventilation_status
  FROM numbered
  GROUP BY stay_id, episode
  -- rule: single-charting-dropped (it still divides its neighbours)
  HAVING MIN(charttime) <> MAX(charttime)
)

SELECT
  stay_id,
  -- rule: number-in-stay (from 1 by start, over the episodes that remain)
  ROW_NUMBER() OVER (PARTITION BY stay_id ORDER BY starttime) AS ventilation_seq,
  starttime,
  endtime,
  ventilation_status
FROM episode
