"""The reference against a plain reading of the skill, and against the pinned concept, on random rows."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from workbench.catalog import Content, read_text
from workbench.ehr import ConceptSql, Connection, connect, fetch_concept_sql, published_schema
from workbench.ehr.connect import literal
from workbench.ehr.equality import classify_rows
from workbench.records import DataPaths, Unavailable

FAMILY = "suspicion-infection"
SUBJECTS = 300
START = datetime.fromisoformat("2180-05-10T12:00")
EARLIEST = datetime.fromisoformat("0001-01-01")
DRUGS = [
    "Vancomycin", "vancomycin", "CefePIME", "Ampicillin Sodium", "MetroNIDAZOLE Gel", "Ertapenem Sodium",
    "Penicillin Desensitization", "Mupirocin Cream", "Bactrim DS", "Erythromycin Ophth Oint", "Heparin",
]  # fmt: skip
ROUTES = ["IV", "IV", "PO", "TP", "OU", "AS", "LEFT EAR", "Both Eyes", "tp", None]
SPECIMENS = ["BLOOD CULTURE", "URINE", "MRSA SCREEN", "SEROLOGY/BLOOD"]
ORGANISMS = [
    (None, None), (None, None), (80001, "KLEBSIELLA"), (90856, "NEGATIVE"), (90760, "CANCELLED"),
    (None, "STAPH"), (80002, ""),
]  # fmt: skip


class Prescription(NamedTuple):
    subject_id: int
    hadm_id: int
    starttime: datetime | None
    stoptime: datetime | None
    drug_type: str
    drug: str
    route: str | None


class Result(NamedTuple):
    micro_specimen_id: int
    subject_id: int
    chartdate: datetime
    charttime: datetime | None
    spec_type_desc: str
    org_itemid: int | None
    org_name: str | None


class Stay(NamedTuple):
    hadm_id: int
    stay_id: int
    intime: datetime
    outtime: datetime


class Rows(NamedTuple):
    prescriptions: list[Prescription]
    results: list[Result]
    stays: list[Stay]


def draw(seed: int) -> Rows:
    """Rows that crowd around one noon, so that equal times, ties and window ends are common."""
    chance = random.Random(seed)
    hours = [0, 0, 1, 6, 12, 24, 48, 72, 73, 96]

    def near() -> datetime:
        return START + timedelta(hours=chance.choice(hours) * chance.choice([-1, 1]))

    rows = Rows([], [], [])
    for subject in range(1, SUBJECTS + 1):
        for _ in range(chance.randrange(9)):
            start = near() if chance.random() > 0.05 else None
            rows.prescriptions.append(
                Prescription(
                    subject,
                    subject * 10,
                    start,
                    (start or START) + timedelta(hours=chance.choice([1, 24]))
                    if chance.random() > 0.1
                    else None,
                    chance.choice(["MAIN", "MAIN", "BASE", "ADDITIVE"]),
                    chance.choice(DRUGS),
                    chance.choice(ROUTES),
                )
            )
        for _ in range(chance.randrange(4)):
            specimen, time, kind = len(rows.results), near(), chance.choice(SPECIMENS)
            timed = chance.random() > 0.3
            day = time.replace(hour=0)
            for _ in range(chance.randrange(1, 3)):
                item, name = chance.choice(ORGANISMS)
                rows.results.append(Result(specimen, subject, day, time if timed else None, kind, item, name))
        intime = near()
        for number in range(chance.randrange(3)):
            outtime = intime + timedelta(hours=chance.choice([12, 24]))
            rows.stays.append(Stay(subject * 10, subject * 100 + number, intime, outtime))
            intime = outtime - timedelta(hours=chance.choice([0, 1]))
    return rows


def by_the_skill(rows: Rows, fragments: list[str]) -> dict[tuple[int, int], tuple[object, ...]]:
    """Output by key, following the skill step by step."""

    def qualifies(row: Prescription) -> bool:
        drug, route = row.drug.lower(), row.route
        return (
            any(fragment in drug for fragment in fragments)
            and row.drug_type != "BASE"
            and route is not None
            and route not in {"OU", "OS", "OD", "AU", "AS", "AD", "TP"}
            and not any(part in route.lower() for part in ("ear", "eye"))
            and not any(word in drug for word in ("cream", "gel", "desensitization", "ophth oint"))
        )

    pairs = {(row.drug, row.route) for row in rows.prescriptions if qualifies(row)}
    cultures: dict[int, list[Result]] = {}
    for result in rows.results:
        cultures.setdefault(result.micro_specimen_id, []).append(result)
    answer: dict[tuple[int, int], tuple[object, ...]] = {}
    for subject in {row.subject_id for row in rows.prescriptions}:
        mine = []
        for row in rows.prescriptions:
            if row.subject_id == subject and (row.drug, row.route) in pairs:
                start = row.starttime
                stays = [
                    stay.stay_id
                    for stay in rows.stays
                    if stay.hadm_id == row.hadm_id and start and stay.intime <= start < stay.outtime
                ]
                mine += [(row, stay) for stay in stays or [None]]
        mine.sort(
            key=lambda item: (
                item[0].starttime or EARLIEST,
                item[0].stoptime or EARLIEST,
                item[0].drug.encode(),
                item[0].hadm_id,
                item[1] or 0,
            )
        )
        taken = [results for results in cultures.values() if results[0].subject_id == subject]
        for number, (row, stay) in enumerate(mine, 1):
            answer[subject, number] = (
                stay,
                row.hadm_id,
                row.drug,
                row.starttime,
                *paired(row.starttime, taken),
            )
    return answer


def paired(start: datetime | None, cultures: list[list[Result]]) -> tuple[object, ...]:
    """Suspected, its time, culture time, specimen, positive."""
    windows: dict[bool, list[tuple[object, ...]]] = {True: [], False: []}
    for results in cultures:
        first = results[0]
        if start is None:
            break
        time, day = first.charttime, first.chartdate
        if time is not None:
            culture_first = timedelta(0) < start - time <= timedelta(hours=72)
            antibiotic_first = timedelta(0) < time - start <= timedelta(hours=24)
        else:
            days = (start.replace(hour=0) - day).days
            culture_first, antibiotic_first = 0 <= days <= 3, -1 <= days <= 0
        positive = any(r.org_name and r.org_itemid and r.org_itemid != 90856 for r in results)
        entry = (
            (day, time is None, time or day, first.micro_specimen_id),
            (time or day, first.spec_type_desc, int(positive)),
        )
        for holds, window in ((culture_first, True), (antibiotic_first, False)):
            if holds:
                windows[window].append(entry)
    for window in (True, False):
        if windows[window]:
            _, (time, kind, positive) = min(windows[window])
            return (1, time if window else start, time, kind, positive)
    return (0, None, None, None, None)


def load(connection: Connection, rows: Rows) -> None:
    schema = published_schema()
    for name in schema.schemas:
        connection.execute(f"CREATE SCHEMA {name}")
    tables = {
        "mimiciv_hosp.prescriptions": rows.prescriptions,
        "mimiciv_hosp.microbiologyevents": rows.results,
        "mimiciv_icu.icustays": rows.stays,
    }
    for table, given in tables.items():
        columns = ", ".join(f"{name} {kind}" for name, kind in schema.table(table).types.items())
        connection.execute(f"CREATE TABLE {table} ({columns})")
        fields = given[0]._fields
        lists = [[getattr(row, field) for row in given] for field in fields]
        unnested = ", ".join(f"unnest(${number}) AS {field}" for number, field in enumerate(fields, 1))
        connection.execute(f"INSERT INTO {table} BY NAME SELECT {unnested}", lists)


@pytest.fixture(params=[1, 2, 3])
def drawn(request: pytest.FixtureRequest) -> Iterator[tuple[Connection, Rows]]:
    rows = draw(request.param)
    with connect() as connection:
        load(connection, rows)
        yield connection, rows


def test_the_reference_is_what_the_skill_says(content: Content, drawn: tuple[Connection, Rows]) -> None:
    connection, rows = drawn
    skill = " ".join(content.skill(FAMILY).body.split())
    fragments = skill[skill.index("adoxa, ") : skill.index(", zyvox.") + 7].split(", ")
    sql = content.reference_sql(FAMILY, "public-code", "mimic-iv")
    found = {
        row[:2]: row[2:]
        for row in connection.execute(
            "SELECT subject_id, ab_id, stay_id, hadm_id, antibiotic, antibiotic_time, suspected_infection, "
            f"suspected_infection_time, culture_time, specimen, positive_culture FROM ({sql})"
        ).fetchall()
    }
    assert found == by_the_skill(rows, fragments)
    assert len(found) > SUBJECTS / 2


def test_the_reference_is_one_of_the_concepts_answers(
    content: Content, drawn: tuple[Connection, Rows], shared_home: DataPaths, tmp_path: Path
) -> None:
    try:
        scripts: ConceptSql = fetch_concept_sql(shared_home)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")
    connection, _ = drawn
    connection.execute("CREATE SCHEMA mimiciv_derived")
    for name in ("antibiotic", "suspicion_of_infection"):
        connection.execute(scripts.texts()[name])
    file = tmp_path / "reference.parquet"
    sql = content.reference_sql(FAMILY, "public-code", "mimic-iv")
    connection.execute(f"COPY ({sql}) TO {literal(str(file))} (FORMAT parquet)")
    columns = [
        "stay_id", "hadm_id", "antibiotic", "antibiotic_time", "suspected_infection",
        "suspected_infection_time", "culture_time", "specimen", "positive_culture",
    ]  # fmt: skip
    report = classify_rows(
        connection,
        reference=file,
        concept="SELECT * FROM mimiciv_derived.suspicion_of_infection",
        keys=["subject_id", "ab_id"],
        columns=columns,
        deviations=[],
        admissible=read_text(content.family_paths(FAMILY).admissible("mimic-iv")),
    )
    assert report.unexplained == 0
    assert report.equal + report.tied == report.rows > SUBJECTS / 2
