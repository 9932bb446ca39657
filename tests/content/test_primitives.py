"""The macros that agents may get: each gives what its comment says, on a database that is read-only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.ehr import Connection, connect
from workbench.ehr.connect import literal
from workbench.records import ContentPaths

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "workbench" / "ehr" / "synthetic" / "lists"
EIGHT, NINE = "TIMESTAMP '2180-05-01 08:00:00'", "TIMESTAMP '2180-05-01 09:00:00'"


def macros(database: str) -> str:
    return ContentPaths(ROOT).primitives(database).read_text(encoding="utf-8")


@pytest.fixture(params=["mimic-iv", "eicu"])
def database(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def engine(database: str, tmp_path: Path) -> Iterator[Connection]:
    """As an agent has it: a file that is only read, temporary things beside it."""
    with connect(tmp_path / "ehr.duckdb") as made:
        made.execute("CREATE TABLE there AS SELECT 1 AS one")
    with connect(tmp_path / "ehr.duckdb", read_only=True) as connection:
        connection.execute(macros(database))
        yield connection


def value(engine: Connection, sql: str) -> Any:
    return engine.execute(f"SELECT {sql}").fetchall()[0][0]


def test_every_macro_says_what_it_does_and_is_tried(database: str) -> None:
    names = re.findall(
        r"^(--.*)\nCREATE OR REPLACE TEMP MACRO (\w+)|TEMP MACRO (\w+)", macros(database), re.M
    )
    tried = Path(__file__).read_text(encoding="utf-8")
    untold = {"celsius_of", "kilograms_of"}
    for comment, told, other in names:
        assert comment or other in untold, other
        assert f"{told or other}(" in tried


def test_units(engine: Connection, database: str) -> None:
    """The least percentage counts where the references of the database count it."""
    assert value(engine, "celsius_of(98.6)") == pytest.approx(37)
    assert value(engine, "kilograms_of(220.462262)") == pytest.approx(100)
    asked = "[oxygen_percent(x) FOR x IN [0.2, 0.21, 1, 1.5, 20, 21, 100, 101]]"
    least = 20 if database == "eicu" else None
    assert value(engine, asked) == [least, 21, 100, None, least, 21, 100, None]
    assert value(engine, "[number_of(x) FOR x IN [' 12.5 ', '1e2', 'ERROR', '']]") == [12.5, 100, None, None]


def test_latest_at(engine: Connection) -> None:
    engine.execute("CREATE TEMP TABLE moments AS FROM (VALUES (1, 10), (1, 8), (2, 8)) AS t (id, moment)")
    engine.execute(
        "CREATE TEMP TABLE events AS FROM (VALUES (1, 9, 5), (1, 10, 6), (2, 9, 7)) AS t (id, moment, value)"
    )
    found = engine.execute("FROM latest_at('moments', 'events') ORDER BY ALL").fetchall()
    assert found == [(1, 8, None, None), (1, 10, 10, 6), (2, 8, None, None)]


def test_extremes_in(engine: Connection) -> None:
    engine.execute(
        "CREATE TEMP TABLE windows AS FROM (VALUES (1, 0, 10), (1, 20, 30), (2, 0, 1))"
        " AS t (id, starts, ends)"
    )
    engine.execute(
        "CREATE TEMP TABLE events AS FROM (VALUES (1, 0, 5), (1, 10, 3), (1, 11, 9), (1, 30, NULL))"
        " AS t (id, moment, value)"
    )
    found = engine.execute("FROM extremes_in('windows', 'events') ORDER BY id, starts").fetchall()
    assert found == [(1, 0, 10, 3, 5, 2), (1, 20, 30, None, None, 0), (2, 0, 1, None, None, 0)]


@pytest.mark.parametrize("database", ["mimic-iv"], indirect=True)
class TestMimic:
    """Moments with a date."""

    def test_hours(self, engine: Connection) -> None:
        late, early = "TIMESTAMP '2180-05-01 11:01:00'", "TIMESTAMP '2180-05-01 10:59:00'"
        assert value(engine, f"elapsed_hours({early}, {late})") == pytest.approx(2 / 60)
        assert value(engine, f"crossed_hours({early}, {late})") == 1
        assert value(engine, f"elapsed_hours({late}, {early})") == pytest.approx(-2 / 60)

    def test_windows(self, engine: Connection) -> None:
        assert value(engine, f"within_hours({EIGHT}, {NINE}, 1, 0)")
        assert not value(engine, f"within_hours({EIGHT} - INTERVAL 1 SECOND, {NINE}, 1, 0)")
        assert value(engine, f"within_hours({NINE}, {EIGHT}, 0, 1)")
        assert not value(engine, f"within_hours({NINE} + INTERVAL 1 MICROSECOND, {EIGHT}, 0, 1)")
        assert value(engine, f"within_hours({EIGHT} - INTERVAL 30 MINUTE, {EIGHT}, 0.5, 0)")
        assert not value(engine, f"after_start_within_hours({EIGHT}, {NINE}, 1, 0)")
        assert value(engine, f"after_start_within_hours({EIGHT} + INTERVAL 1 SECOND, {NINE}, 1, 0)")
        assert value(engine, f"after_start_within_hours({NINE}, {EIGHT}, 0, 1)")
        assert value(engine, f"within_hours(NULL, {EIGHT}, 0, 1)") is None

    def test_latest_within(self, engine: Connection) -> None:
        engine.execute(f"CREATE TEMP TABLE moments AS SELECT 1 AS id, {NINE} AS moment")
        engine.execute(f"CREATE TEMP TABLE events AS SELECT 1 AS id, {EIGHT} AS moment, 5 AS value")
        found = [
            engine.execute(f"SELECT value FROM latest_within('moments', 'events', {hours})").fetchall()
            for hours in (1, 0.99)
        ]
        assert found == [[(5,)], [(None,)]]

    def test_joined_spans(self, engine: Connection) -> None:
        rows = [(1, 0, 2), (1, 1, 5), (1, 3, 4), (1, 6, 7), (1, 9, 10), (2, 9, 10)]
        values = ", ".join(
            f"({key}, {EIGHT} + INTERVAL {a} HOUR, {EIGHT} + INTERVAL {b} HOUR)" for key, a, b in rows
        )
        engine.execute(f"CREATE TEMP TABLE spans AS FROM (VALUES {values}) AS t (id, starts, ends)")
        found = engine.execute(
            f"SELECT id, elapsed_hours({EIGHT}, starts), elapsed_hours({EIGHT}, ends), spans "
            "FROM joined_spans('spans', 1) ORDER BY ALL"
        ).fetchall()
        assert found == [(1, 0, 7, 4), (1, 9, 10, 1), (2, 9, 10, 1)]

    def test_rates(self, engine: Connection) -> None:
        units = {
            "mcg/kg/min": 60, "mg/kg/min": 60_000, "mcg/kg/hour": 1, "mg/kg/hour": 1000,
            "mcg/min": 0.75, "mg/min": 750, "mcg/hour": 0.0125, "mg/hour": 12.5,
        }  # fmt: skip
        for unit, wanted in units.items():
            assert value(engine, f"micrograms_per_kg_min(60.0, '{unit}', 80.0)") == pytest.approx(wanted)
        assert value(engine, "micrograms_per_kg_min(60.0, 'units/hour', 80.0)") is None
        assert value(engine, "micrograms_per_kg_min(60.0, 'mcg/min', 0)") is None

    def test_items_are_those_of_the_dictionaries(self, engine: Connection) -> None:
        known = [literal(str(LISTS / f"{name}.csv")) for name in ("d_items", "d_labitems")]
        lacking = engine.execute(
            f"SELECT quantity FROM items_of('%') WHERE itemid NOT IN (SELECT itemid FROM {known[0]}) "
            f"AND itemid NOT IN (SELECT itemid FROM {known[1]})"
        ).fetchall()
        assert lacking == []
        wrong = engine.execute(
            f"SELECT item.itemid FROM items_of('%') AS item JOIN {known[0]} AS known USING (itemid) "
            "WHERE item.source_table <> known.linksto"
        ).fetchall()
        assert wrong == []
        found = engine.execute("SELECT itemid FROM items_of('mean pressure%') ORDER BY ALL").fetchall()
        assert found == [(220052,), (220181,), (225312,)]
        assert value(engine, "(SELECT count(*) = count(DISTINCT itemid) FROM items_of('%'))")


@pytest.mark.parametrize("database", ["eicu"], indirect=True)
class TestEicu:
    """Minutes from admission to the unit."""

    def test_hours(self, engine: Connection) -> None:
        assert value(engine, "offset_hours(-30, 60)") == 1.5
        inside = "[within_hours(x, 6, 24) FOR x IN [-361, -360, 0, 1440, 1441]]"
        assert value(engine, inside) == [False, True, True, True, False]

    def test_years(self, engine: Connection) -> None:
        assert value(engine, "[years_of(x) FOR x IN ['71', ' 71 ', '> 89', '>89', '', 'x']]") == [
            71, 71, 90, 90, None, None,
        ]  # fmt: skip
