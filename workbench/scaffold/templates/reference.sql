-- $title: one row per $key.
-- Target 'public-code': the declared derivation, raw tables only. Each rule has a comment with its name, the same as in
-- family.toml.

WITH accepted AS (
  -- One row per value that counts.
  SELECT
    $key_sql,
    $value_sql AS amount
  FROM $table_sql
  -- rule: values-there (a row without a value, or without a $key, does not count)
  WHERE $value_sql IS NOT NULL
    AND $key_sql IS NOT NULL$also
)

SELECT
  $key_sql,
  -- rule: number-of-values
  count(*) AS measurements,
  -- rule: largest-value
  max(amount) AS highest
FROM accepted
-- rule: one-row-a-key
GROUP BY $key_sql
