"""Time to antibiotic: the reference equals what its specification says, on synthetic and on drawn rows."""

import random
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from pathlib import Path

import antibiotic_from_spec as spec
import pytest

from workbench.catalog import Content
from workbench.ehr import Connection, connect, import_source, published_schema
from workbench.ehr.source_views import open_source
from workbench.records import DataPaths, Mode, Source
from workbench.sql import reads

FAMILY, STANDARD, RAW = "time-to-antibiotic", "mimic-time-to-antibiotic", "mimic-time-to-antibiotic-raw"
STATUSES = {"given", "given-before", "ordered-only", "none", "not-recorded", "no-time-zero"}


@pytest.fixture(scope="module")
def lists(content: Content) -> spec.Lists:
    return spec.Lists.of(content.operational_spec(RAW))


def rows(connection: Connection, sql: str) -> list[spec.Row]:
    answer = connection.execute(sql)
    columns = [str(column[0]) for column in answer.description or []]
    return [dict(zip(columns, values, strict=True)) for values in answer.fetchall()]


def schema_of(table: str) -> str:
    return "mimiciv_icu" if table in ("inputevents", "d_items") else "mimiciv_hosp"


def compare(connection: Connection, content: Content, lists: spec.Lists) -> list[spec.Row]:
    """Hold the reference's rows against the specification's; they are given back."""
    found = rows(connection, content.reference_sql(FAMILY, "public-code", "mimic-iv"))
    by_key = {row["hadm_id"]: row for row in found}
    assert len(by_key) == len(found)
    expected = spec.all_rows(
        lambda table: rows(connection, f"SELECT * FROM {schema_of(table)}.{table}"), lists
    )
    assert by_key == expected
    return found


def test_on_the_synthetic_source(
    content: Content, shared_home: DataPaths, synthetic: Source, lists: spec.Lists
) -> None:
    with open_source(shared_home, synthetic) as connection:
        found = compare(connection, content, lists)
    assert len(found) > 200
    for column in content.task(RAW).required_columns:
        assert len({row[column] for row in found}) > 1, f"{column} never varies"
    assert {row["antibiotic_status"] for row in found} == STATUSES - {"not-recorded"}


@pytest.mark.demo
def test_on_the_demo(content: Content, demo_folder: Path, tmp_path: Path, lists: spec.Lists) -> None:
    data = DataPaths(tmp_path / "home")
    source = import_source(data, demo_folder, "demo")
    with open_source(data, source) as connection:
        assert compare(connection, content, lists)


MOMENTS = [0, 1, 29, 30, 59, 60, 61, 179, 180, 181, 600, 1439, 1440, 1441, 4319, 4320, 4321, 6000]
MINUTES = [sign * minute for minute in MOMENTS for sign in (-1, 1)]
SECONDS = [0, 0, 0, 1, 30, -1]
SPECIMENS = [
    "BLOOD CULTURE",
    "BLOOD CULTURE",
    "BLOOD CULTURE - NEONATE",
    "BLOOD CULTURE (POST-MORTEM)",
    "URINE",
]
SPECIMENS += ["blood culture", "BLOOD CULTURE ( MYCO/F LYTIC BOTTLE)"]
DRUGS = [
    "Vancomycin",
    "CefePIME",
    "MetRONIDAZOLE (FLagyl)",
    "Micafungin",
    "Senna",
    "Sulfameth/Trimethoprim",
    "",
]
ROUTES = ["IV", "IV", " iv drip", "PO/NG", "IM", "IVT", "", None]
EVENTS = ["Administered", "Not Given", "Delayed Started", "Confirmed", "administered", "Started", None]
ITEMS = [
    (1, "Vancomycin", "Antibiotics"),
    (2, "Caspofungin", "Antibiotics"),
    (3, "Vancomycin (Trough)", "Labs"),
]


def draw(seed: int, patients: int = 600) -> dict[str, list[spec.Row]]:
    chance = random.Random(seed)
    some = chance.choice
    zero = datetime.fromisoformat("2180-05-01 10:00:00")
    drawn: dict[str, list[spec.Row]] = defaultdict(list)
    drawn["d_items"] = [{"itemid": i, "label": label, "category": kind} for i, label, kind in ITEMS]

    def moment() -> datetime:
        return zero + timedelta(minutes=some(MINUTES), seconds=some(SECONDS))

    for patient in range(1, patients + 1):
        of = {"subject_id": patient}
        for place in range(some([1, 1, 1, 2])):
            admitted = zero + timedelta(minutes=some([-6000, -1500, -60, -1, 0, 30, 3000]))
            drawn["admissions"].append(
                of
                | {
                    "hadm_id": 10 * patient + place,
                    "admittime": admitted,
                    "dischtime": admitted + timedelta(minutes=some([59, 60, 90, 180, 181, 3000, 20000])),
                    "edregtime": some(
                        [None, admitted - timedelta(minutes=45), admitted + timedelta(hours=1)]
                    ),
                }
            )
        for _ in range(some([0, 1, 2, 4])):
            at = moment()
            cancelled = some([True, False, False, False])
            drawn["microbiologyevents"].append(
                of
                | {
                    "micro_specimen_id": 10 * patient + some([1, 2, 3, 4]),
                    "chartdate": at.replace(hour=0, minute=0, second=0),
                    "charttime": some([at, at, None]),
                    "spec_type_desc": some(SPECIMENS),
                    "org_itemid": some([90760, None]) if cancelled else some([None, 80002]),
                    "org_name": some(["CANCELLED", "cancelled"])
                    if cancelled
                    else some([None, "ESCHERICHIA COLI"]),
                }
            )
        for number in range(some([0, 1, 1, 3])):
            poe_id = f"{patient}-{number}"
            drawn["prescriptions"].append(
                of
                | {
                    "poe_id": some([poe_id, poe_id, None]),
                    "starttime": some([moment(), None]),
                    "drug_type": some(["MAIN", "MAIN", "ADDITIVE", "BASE"]),
                    "drug": some(DRUGS),
                    "route": some(ROUTES),
                }
            )
            if some([True, True, False]):
                drawn["poe"].append(of | {"poe_id": poe_id, "ordertime": moment()})
        for _ in range(some([0, 0, 1, 3])):
            drawn["emar"].append(
                of
                | {
                    "poe_id": some([f"{patient + some([0, 0, 0, 1])}-{some([0, 1, 2, 7])}"] * 9 + [None]),
                    "charttime": moment(),
                    "medication": some([*DRUGS, None]),
                    "event_txt": some(EVENTS),
                }
            )
        for _ in range(some([0, 0, 0, 2])):
            at = moment()
            drawn["inputevents"].append(
                of
                | {
                    "starttime": at,
                    "endtime": at + timedelta(minutes=1),
                    "itemid": some([1, 1, 2, 3, 4]),
                    "amount": some([0.0, 0.1, 1.0, None]),
                }
            )
    return drawn


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_on_drawn_rows(content: Content, lists: spec.Lists, seed: int) -> None:
    schema = published_schema("mimic-iv")
    with connect() as connection:
        connection.execute("CREATE SCHEMA mimiciv_hosp; CREATE SCHEMA mimiciv_icu")
        for name, given in draw(seed).items():
            table = f"{schema_of(name)}.{name}"
            types = schema.table(table).types
            connection.execute(
                f"CREATE TABLE {table} ({', '.join(f'{column} {kind}' for column, kind in types.items())})"
            )
            unnested = ", ".join(
                f"unnest(${number}::{types[column]}[]) AS {column}"
                for number, column in enumerate(given[0], 1)
            )
            lists_of = [[row[column] for row in given] for column in given[0]]
            connection.execute(f"INSERT INTO {table} BY NAME SELECT {unnested}", lists_of)
        found = compare(connection, content, lists)
    assert set(Counter(row["antibiotic_status"] for row in found)) == STATUSES


def test_specification_skill_and_reference_list_the_same_names_and_words(
    content: Content, lists: spec.Lists
) -> None:
    sql = content.reference_sql(FAMILY, "public-code", "mimic-iv")
    quoted = {part.split("')")[0] for part in sql[: sql.index("cancelled AS")].split("('")[1:]}
    assert set(lists.fragments) | lists.events == quoted
    assert (len(lists.fragments), len(lists.events)) == (52, 8)
    skill = " ".join(content.skill(FAMILY).body.split())
    assert ", ".join(lists.fragments) in skill
    assert all(event in skill for event in lists.events)


def test_the_two_tasks_share_all_but_what_is_shown(content: Content) -> None:
    standard, raw = content.task(STANDARD), content.task(RAW)
    assert [standard, raw] == content.resolve("time_to_antibiotic")
    assert (standard.mode, raw.mode) == (Mode.STANDARD, Mode.RAW)
    assert standard.scored_columns == raw.scored_columns
    assert standard.reference_concept == raw.reference_concept == ""
    assert content.operational_spec(STANDARD) == content.operational_spec(RAW)
    sql = content.reference_sql(FAMILY, "public-code", "mimic-iv")
    assert reads(sql) <= {table.name for table in published_schema("mimic-iv").tables}
