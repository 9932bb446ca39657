"""Checks of an output that need no reference, as SQL, and a program around them. Only duckdb is needed.

``python check_output.py output.csv [ehr.duckdb]`` says, in counts, what an output lacks.
"""

from __future__ import annotations

import json
import sys
from typing import Any

PLAN = ""
"""JSON in the finished program: keys, columns with types, and the checks of the task's database."""
DATABASE = "/data/ehr.duckdb"

Finding = tuple[str, bool, int, str]
"""Name of the check, whether it holds, how many offend, in words."""


def quoted(name: str) -> str:
    """A SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """A SQL literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int | float):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"


def findings(connection: Any, checks: dict[str, Any], columns: dict[str, str]) -> list[Finding]:
    """Cohort, readable values, ranges and relations over the table ``output`` of ``connection``.

    ``columns`` maps the output's columns to number, time or text. A value that cannot be read is NaN
    in a number column and infinity in a time column.
    """
    found = _cohort(connection, checks)
    for name, kind in columns.items():
        found += _readable(connection, name, kind)
    for entry in checks["ranges"]:
        if entry["column"] in columns:
            found += _range(connection, entry, columns[entry["column"]])
    for entry in checks["relations"]:
        # a text that the condition cannot turn into a number fails in its row, and not the whole check
        held = f"coalesce(TRY(CAST(({entry['sql']}) AS BOOLEAN)), {literal(bool(entry['null_holds']))})"
        offending = _number(connection, f"SELECT count(*) FROM output WHERE NOT {held}")
        found.append(("relation", not offending, offending, entry["says"]))
    return found


def steps(connection: Any, checks: dict[str, Any]) -> list[tuple[str, int, str]]:
    """The intermediate counts: step, number, in words."""
    return [(entry["step"], _number(connection, entry["sql"]), entry["says"]) for entry in checks["counts"]]


def _cohort(connection: Any, checks: dict[str, Any]) -> list[Finding]:
    names = ", ".join(quoted(name) for name in checks["cohort_keys"])
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE cohort AS SELECT DISTINCT {names} FROM ({checks['cohort']})"
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE parents AS SELECT {names}, count(*) AS times FROM output GROUP BY ALL"
    )
    extra = _number(connection, f"SELECT count(*) FROM (SELECT {names} FROM parents EXCEPT FROM cohort)")
    said = f"{', '.join(checks['cohort_keys'])} outside the cohort"
    found: list[Finding] = [("cohort", not extra, extra, said)]
    if checks["cohort_rule"] == "all":
        lacking = _number(
            connection, f"SELECT count(*) FROM (FROM cohort EXCEPT SELECT {names} FROM parents)"
        )
        repeated = _number(connection, "SELECT count(*) FROM parents WHERE times > 1")
        found.append(("cohort", not lacking, lacking, "of the cohort without a row"))
        found.append(("cohort", not repeated, repeated, "of the cohort with more than one row"))
    return found


def _readable(connection: Any, name: str, kind: str) -> list[Finding]:
    test = {"number": f"isnan({quoted(name)})", "time": f"isinf({quoted(name)})"}.get(kind)
    if test is None:
        return []
    offending = _number(connection, f"SELECT count(*) FROM output WHERE {test}")
    return [("type", not offending, offending, f"{name}: no {kind}")]


def _range(connection: Any, entry: dict[str, Any], kind: str) -> list[Finding]:
    name, found = quoted(entry["column"]), []
    if not entry["nulls"]:
        empty = _number(connection, f"SELECT count(*) FROM output WHERE {name} IS NULL")
        found.append(("range", not empty, empty, f"{entry['column']} is empty"))
    outside, read = [], name
    bounds = [bound for bound in (entry["low"], entry["high"]) if bound is not None]
    numbers = bool(bounds) or any(isinstance(value, int | float) for value in entry["values"])
    if numbers and kind != "number":
        # what is no number is outside, whatever the column was declared to be
        read = f"coalesce(TRY_CAST(CAST({name} AS VARCHAR) AS DOUBLE), 'NaN')"
        outside.append(f"isnan({read})")
    if entry["values"]:
        outside.append(f"{read} NOT IN ({', '.join(literal(value) for value in entry['values'])})")
    if entry["low"] is not None:
        outside.append(f"{read} < {entry['low']!r}")
    if entry["high"] is not None:
        outside.append(f"{read} > {entry['high']!r}")
    if outside:
        real = f"NOT isnan({name})" if kind == "number" else f"{name} IS NOT NULL"
        condition = f"{real} AND ({' OR '.join(outside)})"
        offending = _number(connection, f"SELECT count(*) FROM output WHERE {condition}")
        found.append(("range", not offending, offending, f"{entry['column']} outside {_allowed(entry)}"))
    return found


def _allowed(entry: dict[str, Any]) -> str:
    if entry["values"]:
        return ", ".join(str(value) for value in entry["values"])
    low = "-" if entry["low"] is None else f"{entry['low']:g}"
    return f"{low} to {'-' if entry['high'] is None else format(entry['high'], 'g')}"


def _number(connection: Any, sql: str) -> int:
    return int(connection.execute(sql).fetchall()[0][0] or 0)


def _load(connection: Any, plan: dict[str, Any], path: str) -> list[Finding]:
    """The CSV as the table ``output``; what its header, rows and keys lack."""
    connection.execute(
        f"CREATE TEMP TABLE given AS FROM read_csv({literal(path)}, header = true, all_varchar = true, "
        "delim = ',', quote = '\"', escape = '\"', auto_detect = true)"
    )
    there = {str(row[0]) for row in connection.execute("DESCRIBE given").fetchall()}
    missing = [name for name in plan["columns"] if name not in there]
    found: list[Finding] = [
        ("columns", not missing, len(missing), f"missing: {', '.join(missing) or 'none'}")
    ]
    known = {"number": ("DOUBLE", "'NaN'"), "time": ("TIMESTAMP", "'infinity'")}
    picked = []
    for name, kind in plan["columns"].items():
        if name in missing:
            picked.append(f"CAST(NULL AS {known.get(kind, ('VARCHAR',))[0]}) AS {quoted(name)}")
        elif kind in known:
            target, marker = known[kind]
            text = f"nullif({quoted(name)}, '')"
            read = f"CASE WHEN {text} IS NOT NULL THEN coalesce(TRY_CAST({text} AS {target}), {marker}) END"
            picked.append(f"{read} AS {quoted(name)}")
        else:
            picked.append(f"nullif({quoted(name)}, '') AS {quoted(name)}")
    connection.execute(f"CREATE TEMP TABLE output AS SELECT {', '.join(picked)} FROM given")
    keys = ", ".join(quoted(name) for name in plan["keys"])
    rows = _number(connection, "SELECT count(*) FROM output")
    nulls = " OR ".join(f"{quoted(name)} IS NULL" for name in plan["keys"])
    empty = _number(connection, f"SELECT count(*) FROM output WHERE {nulls}")
    unique = _number(connection, f"SELECT count(*) FROM (SELECT DISTINCT {keys} FROM output)")
    return [
        *found,
        ("rows", rows > 0, int(rows == 0), f"{rows} rows"),
        ("keys", not empty, empty, "rows without a key"),
        ("keys", rows == unique, rows - unique, "rows with a repeated key"),
    ]


def main(arguments: list[str]) -> int:
    """0: everything holds; 1: something does not; 2: wrong use."""
    import duckdb

    if not 1 <= len(arguments) <= 2:
        sys.stderr.write(f"usage: python check_output.py OUTPUT.csv [DATABASE, else {DATABASE}]\n")
        return 2
    plan = json.loads(PLAN)
    connection = duckdb.connect(arguments[1] if len(arguments) == 2 else DATABASE, read_only=True)
    try:
        found = _load(connection, plan, arguments[0])
        found += findings(connection, plan["checks"], plan["columns"])
        counted = steps(connection, plan["checks"])
    except duckdb.Error as error:
        kind = type(error).__name__
        sys.stderr.write(
            f"the output cannot be checked ({kind}): is it there, as CSV in UTF-8 with a header?\n"
        )
        return 1
    for check, passed, offending, says in found:
        sys.stdout.write(f"{'ok  ' if passed else 'FAIL'}  {check:<9} {says}: {offending}\n")
    for step, number, says in counted:
        sys.stdout.write(f"count  {step}: {number}{f' ({says})' if says else ''}\n")
    return 0 if all(passed for _, passed, _, _ in found) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
