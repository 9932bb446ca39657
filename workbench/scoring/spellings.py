"""SQL macros that read the spellings of a value. The usual spelling is tried first; only others pay for more.

A value that is there but cannot be read becomes NaN (numbers) or infinity (times), which equal nothing.
``tried`` is the engine's own cast of the text, given as a column so that it is computed once.
"""

from __future__ import annotations

NUMBER_SHAPE = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
MOMENT_SHAPE = (
    r"^\s*(\d{4}-\d{1,2}-\d{1,2})"
    r"(?:[Tt ]\s*(\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)"
    r"\s*([Zz]|UTC|GMT|[+-]\d{2}(?::?[0-5]\d)?)?)?\s*$"
)

MACROS = (
    # the engine reads 1_000 as 1000 and +-5 as -5; looking for these signs costs less than a pattern
    """
    CREATE TEMP MACRO odd(t) AS contains(t, '_') OR contains(t, '+-')
    """,
    """
    CREATE TEMP MACRO double_of(t) AS CASE WHEN NOT odd(t) THEN TRY_CAST(t AS DOUBLE) END
    """,
    """
    CREATE TEMP MACRO single_of(t) AS CASE WHEN NOT odd(t) THEN TRY_CAST(t AS FLOAT) END
    """,
    f"""
    CREATE TEMP MACRO other_whole(t) AS
    CASE
      WHEN regexp_matches(t, '{NUMBER_SHAPE}')
        AND TRY_CAST(t AS DECIMAL(38, 18)) = trunc(TRY_CAST(t AS DECIMAL(38, 18)))
      THEN TRY_CAST(trunc(TRY_CAST(t AS DECIMAL(38, 18))) AS HUGEINT)
    END
    """,
    # not through the engine's cast to whole numbers, which rounds 1.5 and reads 0x10
    """
    CREATE TEMP MACRO whole(t, tried) AS
    CASE
      WHEN abs(tried) < 1e15 AND tried = trunc(tried)
      THEN TRY_CAST(tried AS BIGINT)
      ELSE TRY_CAST(other_whole(t) AS BIGINT)
    END
    """,
    """
    CREATE TEMP MACRO huge_whole(t) AS
    CASE
      WHEN CAST(TRY_CAST(t AS HUGEINT) AS VARCHAR) = t
      THEN TRY_CAST(t AS HUGEINT)
      ELSE other_whole(t)
    END
    """,
    """
    CREATE TEMP MACRO number(t) AS
    coalesce(double_of(t), CASE WHEN t IS NOT NULL THEN CAST('NaN' AS DOUBLE) END)
    """,
    """
    CREATE TEMP MACRO single_number(t) AS
    coalesce(CAST(single_of(t) AS DOUBLE), CASE WHEN t IS NOT NULL THEN CAST('NaN' AS DOUBLE) END)
    """,
    """
    CREATE TEMP MACRO flag(t) AS
    coalesce(
      double_of(t),
      CASE
        WHEN t IS NULL THEN NULL
        WHEN lower(trim(t)) IN ('true', 't') THEN 1.0
        WHEN lower(trim(t)) IN ('false', 'f') THEN 0.0
        ELSE CAST('NaN' AS DOUBLE)
      END
    )
    """,
    """
    CREATE TEMP MACRO zone_minutes(zone) AS
    CASE
      WHEN left(zone, 1) NOT IN ('+', '-') THEN 0
      WHEN TRY_CAST(substr(zone, 2, 2) AS INTEGER) > 18 THEN NULL
      ELSE CASE left(zone, 1) WHEN '-' THEN -1 ELSE 1 END
        * (TRY_CAST(substr(zone, 2, 2) AS INTEGER) * 60
           + CASE WHEN length(zone) > 3 THEN TRY_CAST(right(zone, 2) AS INTEGER) ELSE 0 END)
    END
    """,
    """
    CREATE TEMP MACRO moment_of(parts) AS
    TRY_CAST(parts.day || ' ' || coalesce(nullif(parts.clock, ''), '00:00:00') AS TIMESTAMP)
    - to_minutes(zone_minutes(parts.zone))
    """,
    # the engine's own cast to TIMESTAMP drops an offset without converting, so it is given none; written as
    # CASE, since the optimizer would compute parts of a coalesce for every row
    f"""
    CREATE TEMP MACRO tried_moment(t, tried) AS
    CASE
      WHEN tried IS NOT NULL AND t LIKE '____-__-_____:__:__'
      THEN tried
      ELSE moment_of(regexp_extract(t, '{MOMENT_SHAPE}', ['day', 'clock', 'zone']))
    END
    """,
    """
    CREATE TEMP MACRO moment(t) AS tried_moment(t, TRY_CAST(t AS TIMESTAMP))
    """,
    """
    CREATE TEMP MACRO moment_or_marker(t) AS
    coalesce(moment(t), CASE WHEN t IS NOT NULL THEN CAST('infinity' AS TIMESTAMP) END)
    """,
)
