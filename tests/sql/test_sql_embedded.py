"""SQL found inside other text, with its line."""

from __future__ import annotations

import pytest

from workbench.patterns import command_layers, file_layers
from workbench.sql import embedded_sql, looks_like_sql, similarity

IN_COMMANDS = [
    ("duckdb x.db -c 'SELECT 1 FROM a.b'", [(1, {"a.b"})]),
    ("duckdb -json x.db 'SELECT 1 FROM a.b' ", [(1, {"a.b"})]),
    ("ls\nduckdb x <<SQL\nSELECT 1\nFROM a.b;\nSQL", [(3, {"a.b"})]),
    ("sqlite3 x.db 'select * from t'", [(1, {"t"})]),
    ("python3 -c \"import duckdb; duckdb.sql('FROM a.b')\"", [(1, {"a.b"})]),
    ("python3 <<'E'\nq = '''SELECT *\nFROM a.b'''\nE", [(2, {"a.b"})]),
    ("./tool --quiet 'SELECT x FROM a.b'", [(1, {"a.b"})]),
    ("echo 'SELECT x FROM a.b'", []),
    ("git commit -m 'SELECT x FROM a.b'", []),
    ("grep 'FROM a.b' x", []),
    ("python3 -c \"print('With a skill we select rows from here')\"", []),
]


@pytest.mark.parametrize(("command", "expected"), IN_COMMANDS)
def test_in_commands(command: str, expected: list[tuple[int, set[str]]]) -> None:
    found = embedded_sql(command_layers(command).layers).snippets
    assert [(item.line, item.use.reads) for item in found] == expected


@pytest.mark.parametrize(
    "command", ["duckdb d < q.sql", "duckdb d -c '.read q.sql'", "bash run.sh", ". ./run.sh"]
)
def test_files_written_before_are_read_where_they_run(command: str) -> None:
    files = {"/workspace/q.sql": "SELECT * FROM a.b", "/workspace/run.sh": "duckdb d < q.sql"}
    found = embedded_sql(command_layers(command, files=files).layers).snippets
    assert {name for item in found if item.executed for name in item.use.reads} == {"a.b"}


@pytest.mark.parametrize("name", ["x.sql", "X.SQL", "x.sql.bak", ".x/y.SQL"])
def test_suffixes_in_any_case(name: str) -> None:
    assert [item.use.reads for item in embedded_sql(file_layers(name, "FROM a.b").layers).snippets] == [
        {"a.b"}
    ]


def test_own_names_of_python_code() -> None:
    code = "b = con.sql('SELECT 1').df()\ncon.register('c', b)\ncon.sql('SELECT * FROM b, c')"
    found = embedded_sql(file_layers("x.py", code).layers).snippets
    assert {"b", "c"} <= found[-1].own


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1", True),
        ("-- why\n(SELECT a FROM b)", True),
        ("FROM mimiciv_hosp.patients", True),
        ("LEFT JOIN a.b USING (k)", True),
        ("With a skill, one derives better values", False),
        ("Update the file and show what changed", False),
        ("from the tables we see", False),
        ("select", False),
        ("", False),
    ],
)
def test_looks_like_sql(text: str, expected: bool) -> None:
    assert looks_like_sql(text) is expected


QUERY = """
WITH drugs AS (
  SELECT subject_id, starttime FROM mimiciv_hosp.prescriptions WHERE drug ILIKE '%cillin%'
), cultures AS (
  SELECT subject_id, MAX(charttime) AS t FROM mimiciv_hosp.microbiologyevents GROUP BY subject_id
)
SELECT d.subject_id, c.t
FROM drugs d
LEFT JOIN cultures c ON d.subject_id = c.subject_id AND d.starttime > c.t
"""


def test_likeness_ignores_names_literals_layout_and_case() -> None:
    renamed = QUERY.replace("drugs", "abx").replace("cultures", "me").replace("cillin", "mycin")
    assert similarity(QUERY, QUERY) == 1.0
    assert similarity(QUERY, renamed.replace("\n", " ").upper()) == 1.0
    assert similarity(f"CREATE TABLE x AS {QUERY}", f"COPY ({QUERY}) TO 'y.csv'") == 1.0


def test_likeness_falls_with_structure() -> None:
    other = "SELECT stay_id, AVG(valuenum) FROM mimiciv_icu.chartevents WHERE itemid = 1 GROUP BY stay_id"
    assert similarity(QUERY, other) < 0.6
    assert similarity(QUERY, other) == similarity(other, QUERY)
    assert similarity(QUERY, "") == 0.0
    assert 0 <= similarity(QUERY, "SELECT ((( not sql") < 0.5
