-- The pinned concept with the number of the episode within the stay.
SELECT
  stay_id,
  ROW_NUMBER() OVER (PARTITION BY stay_id ORDER BY starttime) AS ventilation_seq,
  starttime,
  endtime,
  ventilation_status
FROM mimiciv_derived.ventilation
