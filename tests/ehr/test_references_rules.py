"""Suspicion of infection on rows made by hand. That each of its rules matters: tests/content."""

from collections.abc import Iterator

import pytest

from workbench.catalog import Content
from workbench.ehr import Connection, connect, published_schema

FAMILY = "suspicion-infection"

DAY = "2180-05-"
PRESCRIPTIONS = [
    # subject, start, stop, type, drug, route
    (1, "01 12:00", "02 12:00", "MAIN", "Vancomycin", "IV"),
    (1, "01 12:00", "02 12:00", "MAIN", "vancomycin oral liquid", "PO"),
    (1, "01 12:00", "02 12:00", "MAIN", "cefazolin", "IV"),
    (1, "01 12:00", "02 12:00", "MAIN", "CefazoLIN", "IV"),
    (1, "01 12:00", None, "MAIN", "Meropenem", "IV"),
    (1, "01 12:00", "01 18:00", "MAIN", "Meropenem", "IV"),
    (1, None, "03 12:00", "MAIN", "CefePIME", "IV"),
    (2, "01 12:00", "02 12:00", "BASE", "Ampicillin Sodium", "IV"),
    (2, "01 12:00", "02 12:00", "BASE", "Vancomycin", "IV"),
    (2, "01 12:00", "02 12:00", "MAIN", "Mupirocin", "NU"),
    (2, "01 12:00", "02 12:00", "MAIN", "Neomycin-Polymyxin-Bacitracin", "TP"),
    (2, "01 12:00", "02 12:00", "MAIN", "Ofloxacin", "OU"),
    (2, "01 12:00", "02 12:00", "MAIN", "Ofloxacin", "AS"),
    (2, "01 12:00", "02 12:00", "MAIN", "Ofloxacin", "LEFT EAR"),
    (2, "01 12:00", "02 12:00", "MAIN", "Ofloxacin", "Both Eyes"),
    (2, "01 12:00", "02 12:00", "MAIN", "Metronidazole Cream", "VG"),
    (2, "01 12:00", "02 12:00", "MAIN", "Penicillin Desensitization", "IV"),
    (2, "01 12:00", "02 12:00", "MAIN", "Erythromycin Ophth Oint", "NU"),
    (2, "01 12:00", "02 12:00", "MAIN", "MetroNIDAZOLE Gel", "VG"),
    (2, "01 12:00", "02 12:00", "MAIN", "Vancomycin", None),
    (2, "01 12:00", "02 12:00", "MAIN", "Ertapenem", "IV"),
    (3, "01 08:00", "02 12:00", "MAIN", "CefePIME", "IV"),  # start = intime
    (3, "03 08:00", "04 12:00", "MAIN", "CefePIME", "IV"),  # start = outtime
    (3, "01 07:00", "02 12:00", "MAIN", "CefePIME", "IV"),  # before the stay
    *((subject, "10 12:00", "11 12:00", "MAIN", "CefePIME", "IV") for subject in range(4, 26)),
    (26, "10 22:00", "11 12:00", "MAIN", "CefePIME", "IV"),
]
CULTURES = [
    # subject, specimen number, day, time, kind, test, organism item, organism
    (4, 41, "10", "12:00", "BLOOD", 1, None, None),  # same minute
    (5, 51, "07", "12:00", "BLOOD", 1, None, None),  # exactly 72 h before
    (6, 61, "08", "06:00", "BLOOD", 1, None, None),  # 54 h before
    (7, 71, "11", "12:00", "BLOOD", 1, None, None),  # exactly 24 h after
    (8, 81, "11", "06:00", "BLOOD", 1, None, None),  # 18 h after
    (9, 91, "07", None, "URINE", 1, None, None),  # date only, three days before
    (10, 101, "11", None, "URINE", 1, None, None),  # date only, a day after
    (11, 111, "10", None, "URINE", 1, None, None),  # date only, same day
    (12, 121, "09", "08:00", "BLOOD", 1, None, None),  # two days: the earlier one
    (12, 122, "10", "08:00", "SPUTUM", 1, 80001, "KLEBSIELLA"),
    (13, 131, "10", None, "URINE", 1, None, None),  # a day: timed before date only
    (13, 132, "10", "08:00", "BLOOD", 1, None, None),
    (14, 141, "10", "07:00", "BLOOD", 1, None, None),  # a day: earlier time
    (14, 142, "10", "08:00", "SPUTUM", 1, None, None),
    (15, 151, "10", "08:00", "BLOOD", 1, None, None),  # tied
    (15, 152, "10", "08:00", "SPUTUM", 1, 80001, "KLEBSIELLA"),
    (16, 161, "10", "08:00", "MRSA SCREEN", 1, None, None),
    (17, 171, "10", "08:00", "BLOOD", 1, None, None),  # one specimen, two tests
    (17, 171, "10", "08:00", "BLOOD", 2, 80001, "KLEBSIELLA"),
    (18, 181, "10", "08:00", "BLOOD", 1, 90760, "CANCELLED"),
    (19, 191, "10", "08:00", "BLOOD", 1, 90856, "NEGATIVE"),
    (20, 201, "10", "08:00", "BLOOD", 1, None, "STAPH AUREUS"),
    (21, 211, "10", "14:00", "BLOOD", 1, None, None),  # antibiotic first
    (22, 221, "10", "08:00", "BLOOD", 1, 80001, "KLEBSIELLA"),  # both: culture first wins
    (22, 222, "10", "14:00", "URINE", 1, None, None),
    (23, 231, "06", "12:00", "BLOOD", 1, None, None),  # out of reach
    (24, 241, "12", "12:00", "BLOOD", 1, None, None),  # out of reach
    (25, 251, "10", "08:00", "BLOOD", 1, 80001, ""),
    (26, 261, "10", None, "URINE", 1, None, None),
]


def moment(text: str | None) -> str | None:
    return f"{DAY}{text}:00" if text else None


@pytest.fixture(scope="module")
def by_hand() -> Iterator[Connection]:
    """An in-memory database with the published tables and the rows above."""
    connection = connect(threads=1)
    schema = published_schema()
    for name in schema.schemas:
        connection.execute(f"CREATE SCHEMA {name}")
    for table in schema.tables:
        columns = ", ".join(f'"{name}" {kind}' for name, kind in table.types.items())
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
    for number, (subject, start, stop, kind, drug, route) in enumerate(PRESCRIPTIONS):
        connection.execute(
            "INSERT INTO mimiciv_hosp.prescriptions BY NAME SELECT $1 AS subject_id, $2 AS hadm_id, "
            "$3 AS pharmacy_id, $4::TIMESTAMP AS starttime, $5::TIMESTAMP AS stoptime, $6 AS drug_type, "
            "$7 AS drug, $8 AS route",
            [subject, subject * 10, number, moment(start), moment(stop), kind, drug, route],
        )
    for number, (subject, specimen, day, time, kind, test, item, organism) in enumerate(CULTURES):
        connection.execute(
            "INSERT INTO mimiciv_hosp.microbiologyevents BY NAME SELECT $1 AS microevent_id, "
            "$2 AS subject_id, $3 AS micro_specimen_id, $4::TIMESTAMP AS chartdate, "
            "$5::TIMESTAMP AS charttime, "
            "$6 AS spec_type_desc, $7 AS test_seq, $8::INTEGER AS org_itemid, $9 AS org_name",
            [
                number, subject, specimen, moment(f"{day} 00:00"), moment(f"{day} {time}" if time else None),
                kind, test, item, organism,
            ],
        )  # fmt: skip
    connection.execute(
        "INSERT INTO mimiciv_icu.icustays BY NAME SELECT 3 AS subject_id, 30 AS hadm_id, 300 AS stay_id, "
        "TIMESTAMP '2180-05-01 08:00:00' AS intime, TIMESTAMP '2180-05-03 08:00:00' AS outtime"
    )
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def reference(content: Content) -> str:
    return content.reference_sql(FAMILY, "public-code", "mimic-iv")


def test_reference_by_hand(by_hand: Connection, reference: str) -> None:
    """The numbers of subject 1, and one culture case of each kind."""
    found = {
        (row[0], row[1]): row
        for row in by_hand.execute(
            "SELECT subject_id, ab_id, antibiotic, strftime(suspected_infection_time, '%d %H:%M'), specimen, "
            f"positive_culture, suspected_infection FROM ({reference})"
        ).fetchall()
    }
    assert [found[1, number][2] for number in range(1, 8)] == [
        "CefePIME", "Meropenem", "Meropenem", "CefazoLIN", "Vancomycin", "cefazolin",
        "vancomycin oral liquid",
    ]  # fmt: skip
    expected = {
        4: (None, None, None, 0),
        5: ("07 12:00", "BLOOD", 0, 1),
        7: ("10 12:00", "BLOOD", 0, 1),
        9: ("07 00:00", "URINE", 0, 1),
        10: ("10 12:00", "URINE", 0, 1),
        11: ("10 00:00", "URINE", 0, 1),
        13: ("10 08:00", "BLOOD", 0, 1),
        17: ("10 08:00", "BLOOD", 1, 1),
        18: ("10 08:00", "BLOOD", 1, 1),
        20: ("10 08:00", "BLOOD", 0, 1),
        21: ("10 12:00", "BLOOD", 0, 1),
        22: ("10 08:00", "BLOOD", 1, 1),
        23: (None, None, None, 0),
    }
    assert {subject: found[subject, 1][3:] for subject in expected} == expected
