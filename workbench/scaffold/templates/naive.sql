-- What the instruction alone suggests to somebody in a hurry. It has to get some values right and some wrong.
SELECT
  $key,
  count($value) AS measurements,
  avg($value) AS highest
FROM $table
WHERE $value IS NOT NULL AND $key IS NOT NULL$also_short
GROUP BY $key
