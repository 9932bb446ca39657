"""Real rows of a source, drawn from its Parquet files so that one log plants no value twice."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb

ROWS_A_TABLE = 3_000

NUMBER_IDS = frozenset(
    (
        *("subject_id", "hadm_id", "stay_id", "labevent_id", "specimen_id", "orderid", "pharmacy_id"),
        *("microevent_id", "micro_specimen_id", "transfer_id"),
        *("patientunitstayid", "patienthealthsystemstayid", "labid", "vitalperiodicid", "nursingchartid"),
        *("intakeoutputid", "infusiondrugid"),
    )
)
TEXT_IDS = frozenset({"emar_id", "poe_id", "uniquepid"})
STAY_KEYS = frozenset({"subject_id", "hadm_id", "stay_id", "patientunitstayid", "patienthealthsystemstayid"})
"""Identifiers of persons and stays: found wherever they stand. The others are row numbers, as small and as
dense as any count, and are planted where their column is named."""

QUERIES = {
    "mimiciv_icu.icustays": "SELECT subject_id, hadm_id, stay_id, intime, outtime, round(los, 4) AS los "
    "FROM {mimiciv_icu.icustays}",
    "mimiciv_icu.chartevents": "SELECT stay_id, charttime, label, valuenum FROM {mimiciv_icu.chartevents} "
    "JOIN {mimiciv_icu.d_items} USING (itemid) WHERE valuenum <> floor(valuenum)",
    "mimiciv_hosp.admissions": "SELECT subject_id, hadm_id, admittime, dischtime, admission_location "
    "FROM {mimiciv_hosp.admissions}",
    "mimiciv_icu.outputevents": "SELECT stay_id, charttime, itemid, value FROM {mimiciv_icu.outputevents}",
    "mimiciv_hosp.patients": "SELECT subject_id, gender, anchor_age, dod FROM {mimiciv_hosp.patients} "
    "WHERE dod IS NOT NULL",
    "mimiciv_hosp.labevents": "SELECT labevent_id, specimen_id, charttime, label, valuenum, valueuom "
    "FROM {mimiciv_hosp.labevents} JOIN {mimiciv_hosp.d_labitems} USING (itemid) "
    "WHERE valuenum <> floor(valuenum)",
    "mimiciv_icu.inputevents": "SELECT orderid, starttime, endtime, rate, amount "
    "FROM {mimiciv_icu.inputevents} WHERE rate <> floor(rate)",
    "mimiciv_hosp.emar": "SELECT emar_id, charttime, medication FROM {mimiciv_hosp.emar}",
    "mimiciv_hosp.prescriptions": "SELECT pharmacy_id, starttime, stoptime, drug "
    "FROM {mimiciv_hosp.prescriptions}",
    "mimiciv_hosp.microbiologyevents": "SELECT microevent_id, micro_specimen_id, charttime, spec_type_desc "
    "FROM {mimiciv_hosp.microbiologyevents}",
    "mimiciv_hosp.transfers": "SELECT transfer_id, intime, outtime, careunit FROM {mimiciv_hosp.transfers}",
    "mimiciv_hosp.omr": "SELECT subject_id, chartdate, result_name, result_value FROM {mimiciv_hosp.omr} "
    "WHERE result_value LIKE '%.%'",
    "eicu_crd.patient": "SELECT patientunitstayid, patienthealthsystemstayid, uniquepid, admissionweight "
    "FROM {eicu_crd.patient}",
    "eicu_crd.lab": "SELECT patientunitstayid, labid, labname, labresult FROM {eicu_crd.lab} "
    "WHERE labresult <> floor(labresult)",
    "eicu_crd.vitalperiodic": "SELECT vitalperiodicid, temperature, heartrate FROM {eicu_crd.vitalperiodic}",
    "eicu_crd.nursecharting": "SELECT nursingchartid, nursingchartcelltypevalname, nursingchartvalue "
    "FROM {eicu_crd.nursecharting}",
    "eicu_crd.intakeoutput": "SELECT intakeoutputid, celllabel, nettotal FROM {eicu_crd.intakeoutput}",
    "eicu_crd.infusiondrug": "SELECT infusiondrugid, drugname, drugrate FROM {eicu_crd.infusiondrug}",
}  # fmt: skip
NOTES = {
    "mimic-iv": "SELECT lower(a.admission_location), i.first_careunit, p.medication, lower(p.route), "
    "a.marital_status, d.long_title FROM {mimiciv_hosp.admissions} a JOIN {mimiciv_icu.icustays} i "
    "USING (hadm_id) JOIN {mimiciv_hosp.pharmacy} p USING (hadm_id) JOIN {mimiciv_hosp.diagnoses_icd} c "
    "USING (hadm_id) JOIN {mimiciv_hosp.d_icd_diagnoses} d USING (icd_code, icd_version)",
    "eicu": "SELECT lower(p.unitadmitsource), p.unittype, f.drugname, p.age, p.ethnicity, d.diagnosisstring "
    "FROM {eicu_crd.patient} p JOIN {eicu_crd.infusiondrug} f USING (patientunitstayid) "
    "JOIN {eicu_crd.diagnosis} d USING (patientunitstayid)",
}
ITEM_QUERIES = (
    "SELECT itemid FROM {mimiciv_icu.d_items}",
    "SELECT itemid FROM {mimiciv_hosp.d_labitems}",
    "SELECT unnest([spec_itemid, test_itemid, org_itemid, ab_itemid]) FROM {mimiciv_hosp.microbiologyevents}",
)


@dataclass(frozen=True)
class Cell:
    """One value of a row; ``kind`` is identifier, timestamp, date, measured, or nothing (not planted)."""

    column: str
    value: Any
    kind: str

    @property
    def strong(self) -> bool:
        return self.column in STAY_KEYS or self.kind in ("timestamp", "date")

    @property
    def plain(self) -> str:
        """As ``str`` of it: the canonical value of what is planted."""
        return str(self.value)


@dataclass(frozen=True)
class Table:
    """Some rows of one table of the source."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def cells(self) -> Iterator[Cell]:
        for row in self.rows:
            yield from row

    def records(self) -> list[dict[str, Any]]:
        return [{cell.column: cell.value for cell in row} for row in self.rows]


def parquet_files(source: Path) -> dict[str, Path]:
    """``<schema>.<table>`` to file, of a source's folder."""
    return {path.stem: path for path in sorted((source / "tables").glob("*.parquet"))}


def _filled(query: str, files: dict[str, Path]) -> str:
    for name, path in files.items():
        query = query.replace("{" + name + "}", "'" + str(path).replace("'", "''") + "'")
    return query


@dataclass
class Pool:
    """Rows of one source in a random but fixed order."""

    database: str
    rows: dict[str, list[tuple[Cell, ...]]]
    notes: list[str]
    items: frozenset[int]


def load_pool(source: Path, seed: int) -> Pool:
    """Read what can be planted. ``source`` is a source's folder, with ``tables/<schema>.<table>.parquet``."""
    files = parquet_files(source)
    database = "eicu" if "eicu_crd.patient" in files else "mimic-iv"
    connection = duckdb.connect(config={"threads": 1})
    item_queries = ITEM_QUERIES if database == "mimic-iv" else ()
    items = frozenset(
        row[0] for query in item_queries for row in connection.execute(_filled(query, files)).fetchall()
    )
    rows = {}
    for name, query in QUERIES.items():
        if name not in files:
            continue
        order = f"SELECT * FROM ({_filled(query, files)}) AS t ORDER BY hash(t, {int(seed)}), t"
        cursor = connection.execute(f"{order} LIMIT {ROWS_A_TABLE}")
        columns = [part[0] for part in cursor.description]
        rows[name] = [
            tuple(Cell(column, value, kind_of(column, value, items)) for column, value in zip(columns, row))  # noqa: B905
            for row in cursor.fetchall()
            if None not in row
        ]
    order = (
        f"SELECT DISTINCT * FROM ({_filled(NOTES[database], files)}) AS t ORDER BY hash(t, {int(seed)}), t"
    )
    notes = [
        note_of(row, number) for number, row in enumerate(connection.execute(f"{order} LIMIT 600").fetchall())
    ]
    return Pool(database, {name: found for name, found in rows.items() if found}, notes, items)


def _spoken() -> frozenset[str]:
    """Numbers in what must stay: what must go has to differ from them."""
    text = Path(__file__).with_name("must_stay.toml").read_text("utf-8")
    return frozenset(re.findall(r"\d+(?:\.\d+)?", text))


SPOKEN = _spoken()
ITEM_NUMBERS = range(220_000, 230_000)


def kind_of(column: str, value: Any, items: frozenset[int]) -> str:
    """What a cell counts as. Values that a spelling could not be told from chance are not planted."""
    if str(value).lstrip("-") in SPOKEN:
        return ""
    if isinstance(value, datetime):
        return "timestamp" if (value.hour, value.minute) != (0, 0) else ""
    if isinstance(value, date):
        return "date"
    if column in TEXT_IDS:
        return "identifier"
    if column in NUMBER_IDS:
        digits = str(value)
        distinct = len(digits) >= 5 and set(digits) - {"0", "1"} and digits[-4:] != "0000"
        return "identifier" if distinct and value not in items and value not in ITEM_NUMBERS else ""
    text = str(value)
    significant = text.lstrip("-0.").replace(".", "").rstrip("0")
    if isinstance(value, (float, str)) and "." in text and len(significant) >= 3:
        return "measured" if text.lstrip("-").replace(".", "", 1).isdigit() else ""
    return ""


def note_of(parts: tuple[Any, ...], number: int) -> str:
    """A sentence of free text as a nurse would chart it, of one admission's own values."""
    place, unit, drug, route, status, title = (str(part) for part in parts)
    endings = (
        "family at bedside and updated",
        "denies pain overnight",
        "skin intact, turned and repositioned",
    )
    starts = ("Received pt from", "Pt arrived via", "Transferred in from")
    return (
        f"{starts[number % 3]} {place} to {unit}, hx of {title}, on {drug} {route}, {status}, "
        f"{endings[number // 3 % 3]}"
    )


@dataclass
class Draw:
    """What one log draws from a pool."""

    pool: Pool
    seed: int
    random: random.Random = field(init=False)
    used: set[str] = field(default_factory=set)
    _at: dict[str, int] = field(default_factory=dict)
    _turn: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self._at = {name: self.random.randrange(len(rows)) for name, rows in self.pool.rows.items()}

    def table(self, count: int, *, strong: bool = False, times: bool = False) -> Table:
        """``count`` rows none of whose planted values was drawn before; fewer where a table has no more.

        ``strong``: with an identifier of a person or stay. ``times``: with a timestamp or date.
        """
        names = [
            name
            for name, rows in self.pool.rows.items()
            if (not strong or any(cell.column in STAY_KEYS for cell in rows[0]))
            and (not times or any(cell.kind in ("timestamp", "date") for cell in rows[0]))
        ]
        for _ in names:
            self._turn += 1
            name = names[self._turn % len(names)]
            rows = self._rows(name, count)
            if rows:
                return Table(name, tuple(cell.column for cell in rows[0]), tuple(rows))
        raise LookupError("the source is too small: every row of it was drawn")

    def note(self) -> str:
        """A sentence that was not drawn before."""
        for note in self.pool.notes:
            if note not in self.used:
                self.used.add(note)
                return note
        raise LookupError("the source is too small: every note was drawn")

    def cell(self, kind: str, *, strong: bool = True) -> Cell | None:
        """One value of a kind; None where the database has none."""
        for _ in range(40):
            try:
                table = self.table(
                    1, strong=strong and kind == "identifier", times=kind in ("timestamp", "date")
                )
            except LookupError:
                return None
            for cell in table.cells():
                if cell.kind == kind and (cell.strong or not strong or kind == "measured"):
                    return cell
        return None

    def _rows(self, name: str, count: int) -> list[tuple[Cell, ...]]:
        rows = self.pool.rows[name]
        found: list[tuple[Cell, ...]] = []
        for step in range(len(rows)):
            row = rows[(self._at[name] + step) % len(rows)]
            marks = {mark for cell in row if cell.kind for mark in marks_of(cell)}
            if not marks or marks & self.used:
                continue
            self.used |= marks
            found.append(row)
            if len(found) == count:
                self._at[name] += step + 1
                break
        return found


def marks_of(cell: Cell) -> Iterator[str]:
    """What has to differ from everything else in a log."""
    yield cell.plain
    if cell.kind == "timestamp":
        yield cell.plain[:10]
    if cell.column == "emar_id":
        yield cell.plain.partition("-")[0]
