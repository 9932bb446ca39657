"""First-day SOFA and SIRS of eICU-CRD: the references equal their specifications, row by row."""

import random
from collections import defaultdict
from collections.abc import Callable, Sequence

import eicu_from_facts as facts
import eicu_scores_from_spec as spec
import pytest

from workbench.catalog import Content
from workbench.ehr import Connection, connect, published_schema
from workbench.ehr.source_views import open_source
from workbench.records import DataPaths, Source
from workbench.sql import reads

TASKS = {"eicu-sofa": "eicu-sofa-24h", "eicu-sirs": "eicu-sirs-24h"}
STAYS = 400


@pytest.fixture(scope="module")
def listed(content: Content) -> frozenset[str]:
    names = content.operational_spec("eicu-sofa-24h").rsplit("\n\n", 1)[1]
    return frozenset(
        facts.OUTPUT_FOLDER + name
        for name in names.replace(";\n", "; ").replace("\n", " ").strip().split("; ")
    )


def rows(connection: Connection, sql: str) -> list[facts.Row]:
    answer = connection.execute(sql)
    columns = [str(column[0]) for column in answer.description or []]
    return [dict(zip(columns, values, strict=True)) for values in answer.fetchall()]


def compare(connection: Connection, content: Content, family: str, listed: frozenset[str]) -> list[facts.Row]:
    """Hold the reference's rows against the specification's, stay by stay; they are given back."""
    found = rows(connection, content.reference_sql(family, "public-code", "eicu"))
    by_stay = {row["patientunitstayid"]: row for row in found}
    assert len(by_stay) == len(found)
    stays = spec.stays_of(lambda table: rows(connection, f"SELECT * FROM eicu_crd.{table}"))
    expected = {
        row["patientunitstayid"]: row for row in (spec.task_row(family, stay, listed) for stay in stays)
    }
    differing = {
        stay: [
            (name, by_stay[stay][name], value) for name, value in row.items() if by_stay[stay][name] != value
        ]
        for stay, row in expected.items()
        if by_stay[stay] != row
    }
    assert differing == {}
    assert by_stay.keys() == expected.keys()
    return found


def values(found: Sequence[facts.Row], name: str) -> set[int]:
    return {row[name] for row in found}


@pytest.mark.parametrize("family", TASKS)
def test_on_the_synthetic_source(
    content: Content,
    shared_home: DataPaths,
    source_of: Callable[[str], Source],
    listed: frozenset[str],
    family: str,
) -> None:
    with open_source(shared_home, source_of("eicu")) as connection:
        found = compare(connection, content, family, listed)
    assert len(found) == 500
    for column in content.task(TASKS[family]).value_columns[1:]:
        assert values(found, column) == set(range(5 if family == "eicu-sofa" else 2)), column


OFFSETS = [-600, -361, -360, -359, -1, 0, 1, 60, 120, 121, 300, 301, 360, 361, 600, 1439, 1440, 1441, 2000]
NUMBERS = """
0 1 3 5 6 9 10 12 13 14 15 16 20 24.9 25 31.9 32 35.99 36 37 38 38.1 46 46.1 60 61 69 69.9 70 90 90.5 96.7
96.8 98.6 100.4 100.5 102.2 114.8 114.9 225 226 250 251 -1 +9 9. .5
"""
WORDS = ["", " ", " 40 ", "40%", "40 %", "0.4", "room air", "OFF", "9 pts", "1e1", "-", None]
CHARTED = [
    ("Heart Rate", "Heart Rate"), ("Heart Rate", "Value"), ("Respiratory Rate", "Respiratory Rate"),
    ("Temperature", "Temperature (C)"), ("Temperature", "Temperature (F)"), ("Temp", "Temperature (C)"),
    ("Invasive BP", "Invasive BP Mean"), ("Invasive BP", "Invasive BP Systolic"), ("MAP (mmHg)", "Value"),
    ("Arterial Line MAP (mmHg)", "Value"), ("Non-Invasive BP", "Non-Invasive BP Mean"),
    ("Glasgow coma score", "GCS Total"), ("Glasgow coma score", "Eyes"), ("Glasgow coma score", "Motor"),
    ("Glasgow coma score", "Verbal"), ("Score (Glasgow Coma Scale)", "Value"), (None, None),
]  # fmt: skip
CATEGORIES = ["Vital Signs", "Scores", "Other Vital Signs and Infusions", "Other"]
TESTS = {
    "platelets x 1000": [0.0, 19.9, 20.0, 49.9, 50.0, 99.9, 100.0, 149.9, 150.0, 300.0],
    "total bilirubin": [0.0, 1.1, 1.2, 1.9, 2.0, 5.9, 6.0, 11.9, 12.0, 100.0, 100.1],
    "creatinine": [0.0, 1.19, 1.2, 1.99, 2.0, 3.49, 3.5, 4.99, 5.0, 28.28, 28.29],
    "paO2": [14.0, 15.0, 40.0, 60.0, 79.9, 80.0, 120.0, 160.0, 200.0, 720.0, 721.0],
    "FiO2": [0.19, 0.2, 0.4, 1.0, 1.01, 19.9, 20.0, 40.0, 50.0, 100.0, 100.1],
    "paCO2": [4.9, 5.0, 31.9, 32.0, 40.0],
    "WBC x 1000": [0.0, 3.9, 4.0, 8.0, 12.0, 12.1, 100.0, 100.1],
    "-bands": [0.0, 10.0, 10.1, 100.0, 100.1],
    "direct bilirubin": [14.0],
    "WBC's in urine": [40.0],
}
DRUG_NAMES = ["Norepinephrine", "LEVOPHED", "Epinepherine", "EPINEPHrine(Adrenalin)STD", "Dopamine"]
DRUG_NAMES += ["DOBUTamine 500 mg", "Phenylephrine", "Vasopressin"]
UNITS = [
    "mcg/kg/min",
    "mcg/min",
    "mcg/kg/hr",
    "mcg/hr",
    "mg/hr",
    "mg/min",
    "mg/kg/min",
    "ml/hr",
    "MCG/MIN",
    "",
]
DRUG_TEXTS = [f"{name} ({unit})" if unit else name for name in DRUG_NAMES for unit in UNITS]
RATES = ["0", "0.05", "0.1", "0.1001", "0.2", "2", "5", "5.1", "8", "8.1", "15", "15.1", "600", "+4", "-4"]
WEIGHTS = ["29.9", "30", "80", "81", "300", "300.1", "8", "80 kg", "", None]
OUTPUTS = [
    facts.OUTPUT_FOLDER + name
    for name in ("Urine", "Voided Amount", "Foley", "foley pacu", "Urine Output (mL) x", "Urine ")
] + ["Urine", None]


def draw(seed: int) -> dict[str, list[facts.Row]]:
    """Rows by table of made-up stays; a value of every edge, in any combination."""
    chance = random.Random(seed)
    some = chance.choice
    made: dict[str, list[facts.Row]] = defaultdict(list)
    texts = [*NUMBERS.split(), *WORDS]
    for stay in range(1, STAYS + 1):

        def add(table: str, stay: int = stay, **columns: object) -> None:
            made[table].append({"patientunitstayid": stay} | columns)

        add(
            "patient", uniquepid=f"p{stay}", patienthealthsystemstayid=stay + 9,
            admissionweight=some([None, 29.9, 30.0, 80.0, 300.0, 300.1]),
            unitdischargeoffset=some([None, 300, 1439, 1440, 3000]),
        )  # fmt: skip
        favourite = chance.sample(CHARTED, 4)
        for _ in range(some([0, 1, 4, 12])):
            label, name = some(favourite)
            add(
                "nursecharting", nursingchartoffset=some(OFFSETS), nursingchartcelltypecat=some(CATEGORIES),
                nursingchartcelltypevallabel=label, nursingchartcelltypevalname=name,
                nursingchartvalue=some(texts),
            )  # fmt: skip
        for _ in range(some([0, 1, 3])):
            add(
                "vitalperiodic", observationoffset=some(OFFSETS),
                heartrate=some([None, 24, 90, 91, 225, 226]), respiration=some([None, 0, 20, 21, 60, 61]),
                systemicmean=some([None, 0, 1, 69, 70, 250, 251]),
                temperature=some([None, 24.9, 35.9, 36.0, 38.0, 38.1, 46.1]),
            )  # fmt: skip
            add(
                "vitalaperiodic",
                observationoffset=some(OFFSETS),
                noninvasivemean=some([None, 0.0, 69.0, 70.0]),
            )
        tests = chance.sample(sorted(TESTS), 4) + (["paO2", "FiO2"] if stay % 2 else [])
        for _ in range(some([0, 2, 6, 14])):
            test = some(tests)
            add(
                "lab", labname=test, labresult=some([*TESTS[test], None]), labresultoffset=some(OFFSETS),
                labresultrevisedoffset=some([None, 10, 20, 2500]),
            )  # fmt: skip
        for _ in range(some([0, 1, 3])):
            add(
                "respiratorycharting", respchartoffset=some([*OFFSETS, None]), respchartvalue=some(texts),
                respchartvaluelabel=some(["FiO2", "FIO2 (%)", "fio2", "PEEP", None]),
            )  # fmt: skip
        for _ in range(some([0, 0, 1])):
            columns = {
                name: some([None, None, "", " ", "8.0"]) for name in facts.AIRWAY if name != "cuffpressure"
            }
            cuff = some([None, None, 0.0])
            add("respiratorycare", respcarestatusoffset=some([*OFFSETS, None]), cuffpressure=cuff, **columns)
        for _ in range(some([0, 0, 1, 3])):
            add(
                "infusiondrug", infusionoffset=some(OFFSETS), drugname=some(DRUG_TEXTS),
                drugrate=some([*RATES, *WORDS]), patientweight=some(WEIGHTS),
            )  # fmt: skip
        for _ in range(some([0, 0, 1, 3])):
            volume = some([-50.0, 0.0, 0.01, 199.99, 200.0, 300.0, 499.99, 500.0])
            add(
                "intakeoutput",
                intakeoutputoffset=some(OFFSETS),
                cellpath=some(OUTPUTS),
                cellvaluenumeric=volume,
            )
        for _ in range(some([0, 1, 2])):
            add(
                "apacheapsvar",
                intubated=some([-1, 0, 0, 1, None]),
                urine=some([-1.0, 0.0, 150.0, 900.0, None]),
            )
            add("apachepredvar", oobintubday1=some([-1, 0, 0, 0, 1, None]))
    return made


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_on_drawn_rows(content: Content, listed: frozenset[str], seed: int) -> None:
    schema, made = published_schema("eicu"), draw(seed)
    with connect() as connection:
        connection.execute("CREATE SCHEMA eicu_crd")
        for name in ("patient", *spec.TABLES):
            types, given = schema.table(f"eicu_crd.{name}").types, made[name]
            columns = ", ".join(f"{column} {kind}" for column, kind in types.items())
            connection.execute(f"CREATE TABLE eicu_crd.{name} ({columns})")
            unnested = ", ".join(
                f"unnest(${number}::{types[column]}[]) AS {column}"
                for number, column in enumerate(given[0], 1)
            )
            lists = [[row[column] for row in given] for column in given[0]]
            connection.execute(f"INSERT INTO eicu_crd.{name} BY NAME SELECT {unnested}", lists)
        for family in TASKS:
            assert len(compare(connection, content, family, listed)) == STAYS


def test_specification_and_skill_carry_the_list_of_urine_names_of_oasis(
    content: Content, listed: frozenset[str]
) -> None:
    sql, oasis = (content.reference_sql(family, "public-code", "eicu") for family in ("eicu-sofa", "oasis"))
    begin, end = "WITH listed_urine", "), charted AS"
    assert sql[sql.index(begin) : sql.index(end)] == oasis[oasis.index(begin) : oasis.index(end)]
    block = next(part for part in content.skill("eicu-sofa").body.split("\n\n") if "; Actual Urine;" in part)
    names = block.replace(";\n", "; ").replace("\n", " ").strip().split("; ")
    assert {facts.OUTPUT_FOLDER + name for name in names} == listed
    assert len(listed) == 124


@pytest.mark.parametrize("family", TASKS)
def test_the_reference_reads_needed_tables_only(content: Content, family: str) -> None:
    needed = {table.name for table in published_schema("eicu").tables if table.needed}
    assert reads(content.reference_sql(family, "public-code", "eicu")) <= needed
