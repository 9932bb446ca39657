-- What the instruction alone suggests to somebody in a hurry. It has to get some values right and some wrong.
SELECT
  $key_sql,
  count($value_sql) AS measurements,
  avg($value_sql) AS highest
FROM $table_sql
WHERE $value_sql IS NOT NULL AND $key_sql IS NOT NULL$also_short
GROUP BY $key_sql
