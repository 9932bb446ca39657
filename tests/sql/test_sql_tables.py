"""Pairs of SQL and what it reads."""

from __future__ import annotations

import logging

import pytest

from workbench.sql import TableReader, parse, tables

READS: list[tuple[str, set[str]]] = [
    ("SELECT * FROM a.b", {"a.b"}),
    ("FROM A.B", {"a.b"}),
    ("TABLE a.b", {"a.b"}),
    ('SELECT * FROM "Mixed"."Case"', {"mixed.case"}),
    ('SELECT * FROM "a.b"', {"a.b"}),
    ("SELECT * FROM ehr.a.b", {"a.b"}),
    ("SELECT * FROM b", {"b"}),
    ("SELECT (SELECT max(x) FROM a.b), EXISTS (FROM c.d)", {"a.b", "c.d"}),
    ("SELECT * FROM a.b x, (SELECT * FROM c.d) y LEFT JOIN e.f USING (k)", {"a.b", "c.d", "e.f"}),
    ("SELECT x.y FROM a.b AS x", {"a.b"}),
    ("SELECT 'FROM a.b' FROM c.d -- FROM e.f", {"c.d"}),
    ("/* FROM a.b */ SELECT 1 FROM c.d", {"c.d"}),
    ("WITH x AS (SELECT * FROM a.b) SELECT * FROM x", {"a.b"}),
    ("WITH x AS (SELECT 1), y AS (SELECT * FROM X) SELECT * FROM y", set()),
    ("WITH x AS (SELECT * FROM x) SELECT * FROM x", {"x"}),
    ("WITH y AS (SELECT * FROM x), x AS (SELECT 1) SELECT * FROM y, x", {"x"}),
    ("WITH RECURSIVE x AS (SELECT 1 UNION ALL SELECT * FROM x) SELECT * FROM x", set()),
    ("WITH x AS (SELECT 1) SELECT * FROM s.x", {"s.x"}),
    ("SELECT * FROM (WITH x AS (SELECT 1) SELECT * FROM x) q, x", {"x"}),
    ("CREATE TABLE a.b AS SELECT * FROM c.d; SELECT * FROM a.b", {"c.d"}),
    ("CREATE TEMP VIEW v AS FROM c.d; SELECT * FROM v", {"c.d"}),
    ("SELECT * FROM v; CREATE VIEW v AS FROM c.d", {"v", "c.d"}),
    ("DROP TABLE IF EXISTS a.b", set()),
    ("INSERT INTO a.b SELECT * FROM c.d", {"c.d"}),
    ("UPDATE a.b SET x = (SELECT 1 FROM c.d)", {"a.b", "c.d"}),
    ("DELETE FROM a.b USING c.d", {"a.b", "c.d"}),
    ("MERGE INTO a.b USING c.d ON true WHEN MATCHED THEN DELETE", {"a.b", "c.d"}),
    ("COPY (SELECT * FROM a.b) TO 'x.csv'", {"a.b"}),
    ("COPY a.b TO 'x.csv'", {"a.b"}),
    ("COPY a.b FROM 'x.csv'", set()),
    ("SUMMARIZE a.b", {"a.b"}),
    ("DESCRIBE a.b", {"a.b"}),
    ("PIVOT a.b ON c USING sum(d)", {"a.b"}),
    ("EXPLAIN ANALYZE SELECT ';', * FROM a.b", {"a.b"}),
    ("EXPLAIN (FORMAT json) SELECT * FROM a.b", {"a.b"}),
    ("EXPLAIN (SELECT * FROM a.b)", {"a.b"}),
    ("USE ehr.mimiciv_derived; SELECT * FROM age", {"mimiciv_derived.age"}),
    ("SET search_path = 'mimiciv_derived'; SELECT * FROM age", {"mimiciv_derived.age"}),
    ("SELECT * FROM query_table('a' || '.' || lower('B'))", {"a.b"}),
    ("SELECT * FROM query('SELECT * FROM ' || concat('a', '.b'))", {"a.b"}),
    ("SELECT * FROM query(replace('FROM x.b', 'x', 'a'))", {"a.b"}),
    ("SET VARIABLE t = 'a.b'; SELECT * FROM query_table(getvariable('t'))", {"a.b"}),
    ("PREPARE p AS SELECT * FROM query_table($1); EXECUTE p('a.b')", {"a.b"}),
    ("PREPARE p AS SELECT * FROM a.b", {"a.b"}),
    ("CALL pragma_table_info('a.b')", {"a.b"}),
    ("SELECT * FROM information_schema.tables WHERE table_name = 'b'", {"information_schema.tables"}),
    ("SELECT * FROM duckdb_tables() WHERE table_name = 'b'", set()),
    ("CREATE MACRO m() AS TABLE SELECT * FROM a.b", {"a.b"}),
    ("ALTER TABLE t RENAME TO u; SELECT * FROM u", set()),
    ("SELECT extract(year FROM x.t) FROM a.b", {"a.b"}),
    ("", set()),
]


@pytest.mark.parametrize(("sql", "expected"), READS)
def test_reads(sql: str, expected: set[str]) -> None:
    used = tables(sql)
    assert (used.reads, used.exact) == (expected, True)


NOT_PARSED: list[tuple[str, set[str]]] = [
    ("SELECT oops oops oops FROM a.b JOIN c.d", {"a.b", "c.d"}),
    ("WITH x AS (SELECT 1) SELEC * FROM x, a.b ((", {"a.b"}),
    ("SELECT * FROM a.b WHERE x = 'open", {"a.b"}),
    ("SELECT 1 FROM a.b; SELECT ( FROM c.d; SELECT 2 FROM e.f", {"a.b", "c.d", "e.f"}),
    ("SELECT " + "(" * 500 + " FROM a.b", {"a.b"}),
    ("SELECT 'FROM x.y' ( FROM a.b -- FROM z.z", {"a.b"}),
]


@pytest.mark.parametrize(("sql", "expected"), NOT_PARSED)
def test_what_does_not_parse_is_read_by_words(sql: str, expected: set[str]) -> None:
    assert tables(sql).reads == expected


def test_reading_by_words_is_said() -> None:
    assert [item.tree is None for item in parse("SELECT 1; SELECT ((; SELECT 2").statements] == [
        False,
        True,
        False,
    ]
    assert not tables("SELECT ((; SELECT 2").exact
    assert not tables("SELECT * FROM query_table(x)").exact


@pytest.mark.parametrize(
    ("sql", "read", "written"),
    [
        ("SELECT * FROM 'x.parquet'", {"x.parquet"}, set()),
        ("FROM read_csv(['a.csv', 'b' || '.csv'], header = true)", {"a.csv", "b.csv"}, set()),
        ("FROM read_parquet('/data/**/*.parquet')", {"/data/**/*.parquet"}, set()),
        ("FROM glob('/*')", {"/*"}, set()),
        ("ATTACH '/srv/x.db' AS x", {"/srv/x.db"}, set()),
        ("COPY t FROM 'in.csv'", {"in.csv"}, set()),
        ("COPY (SELECT 1) TO 'out.csv' (HEADER)", set(), {"out.csv"}),
        (".read other.sql\nSELECT 1", {"other.sql"}, set()),
        (".output out.txt\nSELECT 1", set(), {"out.txt"}),
    ],
)
def test_files(sql: str, read: set[str], written: set[str]) -> None:
    used = tables(sql)
    assert (used.files_read, used.files_written) == (read, written)


def test_creates_changes_and_extensions() -> None:
    used = tables("CREATE TABLE a.b AS SELECT 1; DROP TABLE c.d; INSERT INTO e.f VALUES (1); INSTALL httpfs")
    assert (used.creates, used.changes, used.extensions) == ({"a.b"}, {"c.d", "e.f"}, {"httpfs"})


def test_a_session_keeps_schema_variables_and_own_tables() -> None:
    session = TableReader()
    session.read("USE mimiciv_derived; CREATE TEMP TABLE mine AS SELECT 1")
    assert session.read("SELECT * FROM mine, age").reads == {"mimiciv_derived.age"}


def test_lines_of_statements() -> None:
    assert [item.line for item in parse("SELECT 1;\n\n-- x\nSELECT 2").statements] == [1, 4]


def test_sql_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        tables("LOAD secret_10000032; VACUUM patient_10000032; SELECT ((")
    assert caplog.text == ""
