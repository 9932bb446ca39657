"""The references of eICU-CRD on drawn rows: labels, values and times at every edge, in any combination."""

import random
from collections import defaultdict
from collections.abc import Iterator

import eicu_from_facts as facts
import pytest

from workbench.catalog import Content
from workbench.ehr import Connection, connect, published_schema

STAYS = 300
NUMBERS = """
0 1 2 3 4 5 6 7 8 9 10 12 12.5 13 13.5 14 15 16 20.64 20.65 22 22.5 23 24 25 30 31 32.9 33 33.21 33.22 35.93
35.935 35.94 36.39 36.395 36.4 36.88 36.885 36.89 39.88 39.9 44 44.5 45 46 46.1 50.99 50.995 51 60 61 61.32
61.325 61.33 88 88.5 89 98.6 106 106.5 107 125 125.5 143.44 143.45 225 226 250 251 -1 +9 9. .5 9.0
"""
WORDS = ["", " ", " 9 ", "-", ".", "1e1", "nan", "inf", "9 pts", "8/15", "0x9", "Trached or intubated", None]
VALUES = [*NUMBERS.split(), *WORDS]
OFFSETS = [-400, -361, -360, -359, -1, 0, 1, 2, 60, 61, 700, 1439, 1440, 1441, 2000]
LABELS = [
    ("Glasgow coma score", "GCS Total"),
    ("Glasgow coma score", "Motor"),
    ("Glasgow coma score", "Verbal"),
    ("Glasgow coma score", "Eyes"),
    ("Score (Glasgow Coma Scale)", "Value"),
    ("Glasgow coma score", "Value"),
    ("Score (Glasgow Coma Scale)", "GCS Total"),
    ("Heart Rate", "Heart Rate"),
    ("Heart Rate", "Value"),
    ("Respiratory Rate", "Respiratory Rate"),
    ("Temperature", "Temperature (C)"),
    ("Temperature", "Temperature (F)"),
    ("Invasive BP", "Invasive BP Mean"),
    ("Invasive BP", "Invasive BP Systolic"),
    ("MAP (mmHg)", "Value"),
    ("Arterial Line MAP (mmHg)", "Value"),
    ("Non-Invasive BP", "Non-Invasive BP Mean"),
    (None, None),
]
CATEGORIES = ["Scores", "Vital Signs", "Other Vital Signs and Infusions", "Other"]
OUT = facts.OUTPUT_FOLDER
OUTPUTS = (
    """
Urine|urine|Urine |Voided Amount|Foley|FOLEY first|foley pacu|foley cath|Foley OR|a foley
Output (mL) Urinary Catheter|Output Urethral Catheter|output Urethral Catheter|Output External Urethral x
Urine Output (mL)|Urine Output(mL)|Straight  Cath|Straight Cath
Straight Cath'd|Urinary Catheter Output: Urethral
""".strip()
    .replace("\n", "|")
    .split("|")
)
CELLPATHS = [*(OUT + name for name in OUTPUTS), OUT.replace("Output", "Intake") + "Urine", "Urine", None]
VOLUMES = [-200.0, 0.0, 0.01, 335.5, 670.99, 671.0, 1426.99, 1427.0, 2543.995, 6896.0]
EXAMS = [facts.EXAM_FOLDER + tail for tail in ("", "3", "15", "15T", "scored", "%", "__")] + ["notes/other"]


def draw(seed: int) -> dict[str, list[facts.Row]]:
    chance = random.Random(seed)
    some = chance.choice
    rows: dict[str, list[facts.Row]] = defaultdict(list)
    for stay in range(1, STAYS + 1):
        of = {"patientunitstayid": stay}
        rows["patient"].append(
            of
            | {
                "uniquepid": f"p{stay}",
                "patienthealthsystemstayid": 10 + stay,
                "age": some(
                    ["0", "23", "24", "53", "54", "77", "78", "89", "90", "> 89", ">89", "", "x", None]
                ),
                "hospitaladmitoffset": some(
                    [30, 0, -10, -11, -296, -297, -1440, -1441, -18708, -18709, None]
                ),
                "unitadmitsource": some(["Emergency Department", "emergency department", "Floor", "", None]),
            }
        )
        favourite = chance.sample(LABELS, 4)
        for _ in range(chance.choice([0, 1, 3, 12])):
            label, name = some(favourite)
            rows["nursecharting"].append(
                of
                | {
                    "nursingchartoffset": some(OFFSETS),
                    "nursingchartcelltypecat": some(CATEGORIES),
                    "nursingchartcelltypevallabel": label,
                    "nursingchartcelltypevalname": name,
                    "nursingchartvalue": some(VALUES),
                }
            )
        for _ in range(some([0, 0, 1, 2])):
            rows["physicalexam"].append(
                of
                | {
                    "physicalexamoffset": some(OFFSETS),
                    "physicalexampath": some(EXAMS),
                    "physicalexamvalue": some(VALUES),
                }
            )
        for _ in range(some([0, 0, 1, 3])):
            rows["intakeoutput"].append(
                of
                | {
                    "intakeoutputoffset": some(OFFSETS),
                    "cellpath": some(CELLPATHS),
                    "cellvaluenumeric": some(VOLUMES),
                }
            )
        for _ in range(some([0, 1, 1, 2])):
            rows["apacheapsvar"].append(
                of | {"intubated": some([-1, 0, 0, 1, None]), "urine": some([-1.0, 0.0, 670.9, 2544.0, None])}
            )
        for _ in range(some([0, 1, 1, 2])):
            rows["apachepredvar"].append(
                of | {"oobintubday1": some([-1, 0, 0, 1, None]), "electivesurgery": some([-1, 0, 1, None])}
            )
        for _ in range(some([0, 0, 1])):
            texts = {
                name: some([None, None, "", " ", "8.0"])
                for name in ("airwaytype", "airwaysize", "airwayposition", "setapneatv")
            }
            rows["respiratorycare"].append(
                of
                | texts
                | {"respcarestatusoffset": some(OFFSETS), "cuffpressure": some([None, None, None, 0.0, 25.0])}
            )
    return rows


@pytest.fixture(params=[1, 2, 3, 4])
def drawn(request: pytest.FixtureRequest) -> Iterator[tuple[Connection, dict[str, list[facts.Row]]]]:
    rows = draw(request.param)
    schema = published_schema("eicu")
    with connect() as connection:
        connection.execute("CREATE SCHEMA eicu_crd")
        for name, given in rows.items():
            types = schema.table(f"eicu_crd.{name}").types
            columns = ", ".join(f"{column} {kind}" for column, kind in types.items())
            connection.execute(f"CREATE TABLE eicu_crd.{name} ({columns})")
            unnested = ", ".join(
                f"unnest(${number}::{types[column]}[]) AS {column}"
                for number, column in enumerate(given[0], 1)
            )
            lists = [[row[column] for row in given] for column in given[0]]
            connection.execute(f"INSERT INTO eicu_crd.{name} BY NAME SELECT {unnested}", lists)
        yield connection, rows


@pytest.mark.parametrize("family", ["gcs", "oasis"])
def test_the_reference_equals_the_implementation_by_stay(
    content: Content, drawn: tuple[Connection, dict[str, list[facts.Row]]], family: str
) -> None:
    connection, rows = drawn
    spec = content.operational_spec("eicu-oasis")
    names = spec.rsplit("\n\n", 1)[1].replace(";\n", "; ").replace("\n", " ").strip().split("; ")
    listed = frozenset(OUT + name for name in names)
    answer = connection.execute(content.reference_sql(family, "public-code", "eicu"))
    columns = [str(column[0]) for column in answer.description or []]
    found = [dict(zip(columns, values, strict=True)) for values in answer.fetchall()]
    expected = [facts.task_row(family, stay, listed) for stay in facts.stays_of(lambda table: rows[table])]
    assert sorted(found, key=lambda row: row["patientunitstayid"]) == expected
