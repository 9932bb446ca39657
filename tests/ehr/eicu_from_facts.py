"""First-day GCS and OASIS of one eICU-CRD stay, in plain Python, from the clinical facts alone.

Written from the fact sheets of eICU-CRD, GCS and OASIS before its author had seen the reference or any
published SQL, so that independent readings meet in the tests. Times are minutes from admission to the
unit. Where a sheet gives bands in an order, the first band that holds decides, and a value between two
bands finds none.

The sheets leave open, and a comparison with the reference settled as the published code has it: blanks
around a number and numbers like ``.5`` count; vital signs come from three categories only; "invasive
first" is asked once a stay, and a line whose values fall between bands leaves the answer to the cuff.
Settled as the reference has it, where published data hold no such rows: an airway entry of blanks is
empty; of several rows of a severity table the largest urine output counts.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]

GCS_FIRST_MIN, DAY_MIN = -360, 1440
NORMAL = {"Eyes": 4, "Motor": 6, "Verbal": 5}
SCORE_CATEGORIES = ("Scores", "Other Vital Signs and Infusions")
VITAL_CATEGORIES = ("Vital Signs", *SCORE_CATEGORIES)
OUTPUT_FOLDER = "flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|"
EXAM_FOLDER = "notes/Progress Notes/Physical Exam/Physical Exam/Neurologic/GCS/"
INVASIVE = {
    ("Invasive BP", "Invasive BP Mean"),
    ("MAP (mmHg)", "Value"),
    ("Arterial Line MAP (mmHg)", "Value"),
}
NON_INVASIVE = {("Non-Invasive BP", "Non-Invasive BP Mean")}
AIRWAY = ("airwaytype", "airwaysize", "airwayposition", "cuffpressure", "setapneatv")


@dataclass(frozen=True)
class Stay:
    """The rows of one stay, as mappings of column to value: its row of ``patient``, and lists of the rest."""

    patient: Row
    nursecharting: Sequence[Row] = ()
    physicalexam: Sequence[Row] = ()
    intakeoutput: Sequence[Row] = ()
    respiratorycare: Sequence[Row] = ()
    apacheapsvar: Sequence[Row] = ()
    apachepredvar: Sequence[Row] = ()


TABLES = ("nursecharting", "physicalexam", "intakeoutput", "respiratorycare", "apacheapsvar", "apachepredvar")


def stays_of(fetch: Callable[[str], Iterable[Row]]) -> Iterator[Stay]:
    """Every stay of ``patient``; ``fetch`` gives the rows of a table by its bare name."""
    parts: dict[str, dict[int, list[Row]]] = {}
    for table in TABLES:
        parts[table] = defaultdict(list)
        for row in fetch(table):
            parts[table][row["patientunitstayid"]].append(row)
    for patient in fetch("patient"):
        yield Stay(patient, **{table: parts[table][patient["patientunitstayid"]] for table in TABLES})


def number(text: str | None) -> float | None:
    """The number that ``text`` is, blanks around it aside; None where it says anything more or else."""
    plain = text is not None and re.fullmatch(r" *[+-]?(\d+\.?\d*|\.\d+) *", text)
    return float(plain[0]) if plain else None


def identifiers(stay: Stay) -> Row:
    names = ("patientunitstayid", "uniquepid", "patienthealthsystemstayid")
    return {name: stay.patient[name] for name in names}


# First-day GCS


@dataclass
class Moment:
    """What was charted of the GCS at one offset: totals, and answers by the part's name."""

    totals: list[float] = field(default_factory=list)
    parts: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def total(self) -> float | None:
        lowest = min(self.totals, default=None)
        return lowest if lowest is not None and 3 <= lowest <= 15 else None

    def part(self, name: str) -> float:
        return min(self.parts[name], default=NORMAL[name])

    @property
    def value(self) -> float:
        return self.total if self.total is not None else sum(self.part(name) for name in NORMAL)


def gcs_moments(stay: Stay) -> dict[int, Moment]:
    """By offset, whatever numbers of the GCS were charted by nurses, at any time."""
    moments: dict[int, Moment] = defaultdict(Moment)
    for row in stay.nursecharting:
        value = number(row["nursingchartvalue"])
        if row["nursingchartcelltypecat"] not in SCORE_CATEGORIES or value is None:
            continue
        label, name = row["nursingchartcelltypevallabel"], row["nursingchartcelltypevalname"]
        offset_min = row["nursingchartoffset"]
        if (label, name) in (("Glasgow coma score", "GCS Total"), ("Score (Glasgow Coma Scale)", "Value")):
            moments[offset_min].totals.append(value)
        elif label == "Glasgow coma score" and name in NORMAL:
            moments[offset_min].parts[name].append(value)
    return moments


def gcs_row(stay: Stay) -> Row:
    """The row of the GCS task: the smallest value of the window, at the earliest offset of those equal."""
    moments = {at: m for at, m in gcs_moments(stay).items() if GCS_FIRST_MIN <= at <= DAY_MIN}
    _, worst = min(moments.items(), key=lambda item: (item[1].value, item[0]), default=(0, Moment()))
    return identifiers(stay) | {
        "gcs_min": worst.value,
        "gcs_motor": worst.part("Motor"),
        "gcs_verbal": worst.part("Verbal"),
        "gcs_eyes": worst.part("Eyes"),
    }


# OASIS


def on_day(offset_min: int | None) -> bool:
    return offset_min is not None and 0 < offset_min <= DAY_MIN


def charted(stay: Stay, names: set[tuple[str, str]], low: float, high: float) -> dict[int, list[float]]:
    """By offset of the day, the valid numbers charted under one of the pairs of label and name."""
    found: dict[int, list[float]] = defaultdict(list)
    for row in stay.nursecharting:
        value = number(row["nursingchartvalue"])
        if row["nursingchartcelltypecat"] not in VITAL_CATEGORIES:
            continue
        pair = (row["nursingchartcelltypevallabel"], row["nursingchartcelltypevalname"])
        if pair in names and on_day(row["nursingchartoffset"]) and value is not None and low <= value <= high:
            found[row["nursingchartoffset"]].append(value)
    return found


def flat(by_offset: dict[int, list[float]]) -> list[float]:
    return [value for values in by_offset.values() for value in values]


def preiculos_score(stay: Stay) -> int:
    offset_min = stay.patient["hospitaladmitoffset"]
    if offset_min is None:
        return 0
    if offset_min > -10.2:
        return 5
    if offset_min >= -296.4:
        return 3
    if offset_min >= -1440:
        return 0
    return 2 if offset_min >= -18708 else 1


def age_score(stay: Stay) -> int:
    text = stay.patient["age"]
    age = 91 if text == "> 89" else number(text)
    if age is None or age < 24:
        return 0
    if age <= 53:
        return 3
    if age <= 77:
        return 6
    return 9 if age <= 89 else 7


def gcs_score(stay: Stay) -> int:
    totals = [m.total for at, m in gcs_moments(stay).items() if on_day(at) and m.total is not None]
    if not totals:
        for row in stay.physicalexam:
            path, value = row["physicalexampath"] or "", number(row["physicalexamvalue"])
            named = path.startswith(EXAM_FOLDER) and 1 <= len(path) - len(EXAM_FOLDER) <= 2
            if named and on_day(row["physicalexamoffset"]) and value is not None:
                totals.append(value)
    lowest = min(totals, default=15)
    if lowest < 8:
        return 10
    if lowest <= 13:
        return 4
    return 3 if lowest == 14 else 0


def heart_rate_score(stay: Stay) -> int:
    rates = flat(charted(stay, {("Heart Rate", "Heart Rate")}, 25, 225))
    if not rates:
        return 0
    if min(rates) < 33:
        return 4
    highest = max(rates)
    if 89 <= highest <= 106:
        return 1
    if 107 <= highest <= 125:
        return 3
    return 6 if highest > 125 else 0


def mbp_band(pressures: list[float]) -> int | None:
    """Points of one source's pressures; None where no band holds them."""
    if not pressures:
        return None
    lowest, highest = min(pressures), max(pressures)
    if lowest < 20.65:
        return 4
    if 20.65 <= lowest <= 50.99:
        return 3
    if 51 <= lowest <= 61.32:
        return 2
    if 61.33 <= lowest <= 143.44:
        return 0
    return 3 if highest > 143.44 else None


def mbp_score(stay: Stay) -> int:
    invasive, non_invasive = (
        mbp_band(flat(charted(stay, kind, 1, 250))) for kind in (INVASIVE, NON_INVASIVE)
    )
    return (invasive if invasive is not None else non_invasive) or 0


def resp_rate_score(stay: Stay) -> int:
    rates = flat(charted(stay, {("Respiratory Rate", "Respiratory Rate")}, 0, 60))
    lowest = min((rate for rate in rates if rate > 0), default=math.inf)
    highest = max(rates, default=0)
    if lowest < 6:
        return 10
    if 6 <= lowest <= 12:
        return 1
    if 13 <= lowest <= 22:
        return 0
    if 23 <= highest <= 30:
        return 1
    if 31 <= highest <= 44:
        return 6
    return 9 if highest > 44 else 0


def temp_score(stay: Stay) -> int:
    readings = flat(charted(stay, {("Temperature", "Temperature (C)")}, 25, 46))
    if not readings:
        return 0
    lowest, highest = min(readings), max(readings)
    if lowest < 33.22:
        return 3
    if 33.22 <= lowest <= 35.93 or 33.22 <= highest <= 35.93:
        return 4
    if 35.94 <= lowest <= 36.39:
        return 2
    if 36.40 <= highest <= 36.88:
        return 0
    if 36.89 <= highest <= 39.88:
        return 2
    return 6 if highest > 39.88 else 0


def is_urine(path: str | None, listed: frozenset[str]) -> bool:
    """Whether ``path`` of ``intakeoutput.cellpath`` is urine; ``listed``: paths that the facts name."""
    if path is None or path in listed:
        return path is not None
    if not path.startswith(OUTPUT_FOLDER):
        return False
    label, lower = path.removeprefix(OUTPUT_FOLDER), path.lower()
    if label.lower().startswith("foley"):
        return not any(word in lower for word in ("pacu", "or", "ir"))
    if label.startswith("Urine Output (mL)"):
        return True
    kinds = ("Urinary Catheter", "Urethral Catheter", "External Urethral")
    return label.startswith("Output") and any(kind in label.removeprefix("Output") for kind in kinds)


def urineoutput_score(stay: Stay, listed: frozenset[str]) -> int:
    amounts_ml = [
        row["cellvaluenumeric"]
        for row in stay.intakeoutput
        if on_day(row["intakeoutputoffset"]) and is_urine(row["cellpath"], listed)
        if row["cellvaluenumeric"] is not None
    ]
    if not amounts_ml:
        positive_ml = [row["urine"] for row in stay.apacheapsvar if row["urine"] and row["urine"] > 0]
        amounts_ml = [max(positive_ml)] if positive_ml else []
    if not amounts_ml:
        return 0
    total_ml = math.fsum(amounts_ml)
    if total_ml < 671:
        return 10
    if total_ml <= 1426.99:
        return 5
    if 1427 <= total_ml <= 2543.99:
        return 1
    return 8 if total_ml > 6896 else 0


def filled(value: object) -> bool:
    return value is not None and str(value).strip(" ") != ""


def mechvent_score(stay: Stay) -> int:
    intubated = any(row["intubated"] == 1 for row in stay.apacheapsvar)
    intubated |= any(row["oobintubday1"] == 1 for row in stay.apachepredvar)
    airway = any(
        on_day(row["respcarestatusoffset"]) and any(filled(row[column]) for column in AIRWAY)
        for row in stay.respiratorycare
    )
    return 9 if intubated or airway else 0


def electivesurgery_score(stay: Stay) -> int:
    elective = any(row["electivesurgery"] == 1 for row in stay.apachepredvar)
    return 0 if elective and stay.patient["unitadmitsource"] != "Emergency Department" else 6


def oasis_row(stay: Stay, listed: frozenset[str]) -> Row:
    """The row of the OASIS task; ``listed``: paths of ``intakeoutput`` that the facts name as urine."""
    scores = {
        "preiculos_score": preiculos_score(stay),
        "age_score": age_score(stay),
        "gcs_score": gcs_score(stay),
        "heart_rate_score": heart_rate_score(stay),
        "mbp_score": mbp_score(stay),
        "resp_rate_score": resp_rate_score(stay),
        "temp_score": temp_score(stay),
        "urineoutput_score": urineoutput_score(stay, listed),
        "mechvent_score": mechvent_score(stay),
        "electivesurgery_score": electivesurgery_score(stay),
    }
    return identifiers(stay) | {"oasis": sum(scores.values())} | scores


def task_row(family: str, stay: Stay, listed: frozenset[str]) -> Row:
    """The row of the task of ``family``, "gcs" or "oasis"."""
    return gcs_row(stay) if family == "gcs" else oasis_row(stay, listed)
