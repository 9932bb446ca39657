"""Time to antibiotic of a patient's admissions, in plain Python, from the operational specification alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

Row = dict[str, Any]

PARENTERAL = {"IV", "IV DRIP", "IV BOLUS", "IV PUSH", "IVPB", "IM", "IO"}
NEVER = datetime.fromisoformat("9999-12-31")
DAY, THREE_DAYS = timedelta(hours=24), timedelta(hours=72)
GOALS = {"within_1h": timedelta(hours=1), "within_3h": timedelta(hours=3)}
TABLES = ("admissions", "microbiologyevents", "prescriptions", "poe", "emar", "inputevents")


@dataclass(frozen=True)
class Lists:
    """What the specification lists: parts of names, and words of the ward's record."""

    fragments: tuple[str, ...]
    events: frozenset[str]

    @classmethod
    def of(cls, specification: str) -> Lists:
        flat = " ".join(specification.split())
        names = flat.partition("that contain one of these: ")[2].partition(".")[0]
        events = flat.partition("entries whose event is one of ")[2].partition(".")[0]
        return cls(tuple(names.split(", ")), frozenset(events.split(", ")))

    def antibiotic(self, name: str | None) -> bool:
        return name is not None and any(part in name.lower() for part in self.fragments)


@dataclass
class Patient:
    """The rows of one patient, by bare name of the table."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))

    def __getitem__(self, table: str) -> list[Row]:
        return self.rows.get(table, [])


def patients_of(fetch: Callable[[str], Iterable[Row]]) -> Iterator[Patient]:
    """Every patient; ``fetch`` gives the rows of a table by its bare name."""
    found: dict[int, Patient] = defaultdict(Patient)
    for table in TABLES:
        for row in fetch(table):
            found[row["subject_id"]].rows[table].append(row)
    yield from found.values()


@dataclass(frozen=True)
class Culture:
    """A blood culture: its time, or its day alone."""

    time: datetime | None
    day: date


def cultures(patient: Patient) -> list[Culture]:
    """Blood cultures that were not cancelled."""
    cancelled = {
        row["micro_specimen_id"]
        for row in patient["microbiologyevents"]
        if row["org_name"] == "CANCELLED" or row["org_itemid"] == 90760
    }
    found = []
    for row in patient["microbiologyevents"]:
        kind = row["spec_type_desc"]
        blood = kind.startswith("BLOOD CULTURE") and "MORTEM" not in kind
        if blood and row["micro_specimen_id"] not in cancelled:
            found.append(Culture(row["charttime"], row["chartdate"].date()))
    return found


def orders(patient: Patient, lists: Lists) -> list[tuple[str | None, datetime | None]]:
    """Order number and time of every order of an antibiotic."""
    entered = {row["poe_id"]: row["ordertime"] for row in patient["poe"]}
    found = []
    for row in patient["prescriptions"]:
        route = row["route"]
        by_vein = route is None or route.strip(" ").upper() in PARENTERAL
        if lists.antibiotic(row["drug"]) and row["drug_type"] != "BASE" and by_vein:
            found.append((row["poe_id"], entered.get(row["poe_id"]) or row["starttime"]))
    return found


def doses(patient: Patient, lists: Lists, items: dict[int, Row]) -> list[datetime]:
    """When an antibiotic went in, by either record."""
    of_antibiotics = {number for number, _ in orders(patient, lists) if number is not None}
    of_anything = {row["poe_id"] for row in patient["prescriptions"] if row["poe_id"] is not None}
    found = []
    for row in patient["emar"]:
        if row["event_txt"] not in lists.events:
            continue
        known = row["poe_id"] in of_anything
        if row["poe_id"] in of_antibiotics or (not known and lists.antibiotic(row["medication"])):
            found.append(row["charttime"])
    for row in patient["inputevents"]:
        item = items.get(row["itemid"], {"category": None})
        if item["category"] == "Antibiotics" and lists.antibiotic(item["label"]) and (row["amount"] or 0) > 0:
            found.append(row["starttime"])
    return found


def admission_row(
    admission: Row, taken: list[Culture], patient: Patient, lists: Lists, items: dict[int, Row]
) -> Row | None:
    """The row of one admission; None without a blood culture."""
    arrival = min(filter(None, (admission["admittime"], admission["edregtime"])))
    leaves = admission["dischtime"] or NEVER
    times = [culture.time for culture in taken if culture.time and arrival <= culture.time <= leaves]
    days = [c for c in taken if c.time is None and arrival.date() <= c.day <= leaves.date()]
    if not times and not days:
        return None
    row: Row = {"hadm_id": admission["hadm_id"], "time_zero": min(times, default=None)}
    row |= dict.fromkeys(("first_order_time", "first_dose_time", "minutes_to_order"))
    row |= dict.fromkeys(("minutes_to_antibiotic", *GOALS))
    if not times:
        return row | {"antibiotic_status": "no-time-zero"}
    zero = min(times)
    opens, closes = zero - DAY, min(zero + THREE_DAYS, leaves)

    def inside(moments: Iterable[datetime | None]) -> list[datetime]:
        return [moment for moment in moments if moment is not None and opens <= moment <= closes]

    order = min(inside(time for _, time in orders(patient, lists)), default=None)
    dose = min(inside(doses(patient, lists, items)), default=None)
    record = [entry["charttime"] for entry in patient["emar"]]
    record += [entry["starttime"] for entry in patient["inputevents"]]
    status = _status(zero, order, dose, recorded=bool(inside(record)))
    row |= {"first_order_time": order, "first_dose_time": dose, "antibiotic_status": status}
    if order is not None:
        row["minutes_to_order"] = (order - zero) // timedelta(minutes=1)
    if dose is not None and status == "given":
        row["minutes_to_antibiotic"] = (dose - zero) // timedelta(minutes=1)
    for name, goal in GOALS.items():
        if dose is not None and dose <= zero + goal:
            row[name] = 1
        elif status != "not-recorded" and leaves >= zero + goal:
            row[name] = 0
    return row


def _status(zero: datetime, order: datetime | None, dose: datetime | None, *, recorded: bool) -> str:
    if dose is not None:
        return "given-before" if dose < zero else "given"
    if not recorded:
        return "not-recorded"
    return "none" if order is None else "ordered-only"


def all_rows(fetch: Callable[[str], Iterable[Row]], lists: Lists) -> dict[int, Row]:
    """The rows of all admissions by number; ``fetch`` as in ``patients_of``, and of ``d_items``."""
    items = {row["itemid"]: row for row in fetch("d_items")}
    found = {}
    for patient in patients_of(fetch):
        taken = cultures(patient)
        for admission in patient["admissions"]:
            row = admission_row(admission, taken, patient, lists, items)
            if row is not None:
                found[row["hadm_id"]] = row
    return found
