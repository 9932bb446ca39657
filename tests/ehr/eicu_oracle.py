"""First-day GCS and OASIS of one eICU stay, row by row, from the written rules.

Written before the reference SQL. Every function takes plain rows (dictionaries of one stay, columns as
published) and answers with the columns of the task.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Stay = dict[str, list[Row]]
"""Table name (without schema) to the rows of one stay; ``patient`` has one."""

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")
OUTPUT = "flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|"
EXAM = "notes/Progress Notes/Physical Exam/Physical Exam/Neurologic/GCS/"
SCORE_CATEGORIES = ("Scores", "Other Vital Signs and Infusions")
VITAL_CATEGORIES = ("Vital Signs", *SCORE_CATEGORIES)
INVASIVE = (
    ("Invasive BP", "Invasive BP Mean"),
    ("MAP (mmHg)", "Value"),
    ("Arterial Line MAP (mmHg)", "Value"),
)
NON_INVASIVE = (("Non-Invasive BP", "Non-Invasive BP Mean"),)


def number(text: str | None) -> float | None:
    """Plain numbers only: sign, digits, at most one point; blanks around them do not matter."""
    if text is None or not NUMBER.fullmatch(text.strip(" ")):
        return None
    return float(text)


def missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip(" "))


def charted_coma_scores(rows: Iterable[Row]) -> dict[int, dict[str, float]]:
    """Offset to the smallest number of each of total, motor, verbal and eyes."""
    by_offset: dict[int, dict[str, float]] = defaultdict(dict)
    for row in rows:
        value = number(row["nursingchartvalue"])
        if row["nursingchartcelltypecat"] not in SCORE_CATEGORIES or value is None:
            continue
        label, name = row["nursingchartcelltypevallabel"], row["nursingchartcelltypevalname"]
        what = None
        if (label, name) in (("Glasgow coma score", "GCS Total"), ("Score (Glasgow Coma Scale)", "Value")):
            what = "total"
        elif label == "Glasgow coma score" and name in ("Motor", "Verbal", "Eyes"):
            what = name.lower()
        if what:
            there = by_offset[row["nursingchartoffset"]]
            there[what] = min(there.get(what, value), value)
    return dict(by_offset)


def valid_total(scores: dict[str, float]) -> float | None:
    total = scores.get("total")
    return total if total is not None and 3 <= total <= 15 else None


def gcs(stay: Stay) -> Row:
    best: tuple[float, int] | None = None
    parts: dict[str, float] = {}
    for offset, scores in charted_coma_scores(stay["nursecharting"]).items():
        if not -360 <= offset <= 1440:
            continue
        value = valid_total(scores)
        if value is None:
            value = scores.get("eyes", 4) + scores.get("motor", 6) + scores.get("verbal", 5)
        if best is None or (value, offset) < best:
            best, parts = (value, offset), scores
    return identity(stay) | {
        "gcs_min": best[0] if best else 15,
        "gcs_motor": parts.get("motor", 6),
        "gcs_verbal": parts.get("verbal", 5),
        "gcs_eyes": parts.get("eyes", 4),
    }


def identity(stay: Stay) -> Row:
    [patient] = stay["patient"]
    return {key: patient[key] for key in ("patientunitstayid", "uniquepid", "patienthealthsystemstayid")}


def first_day(offset: int | None) -> bool:
    return offset is not None and 0 < offset <= 1440


def vitals(stay: Stay, kinds: Sequence[tuple[str, str]], low: float, high: float) -> list[float]:
    """Valid numbers of the first day charted under any of the label and name pairs."""
    found = []
    for row in stay["nursecharting"]:
        pair = (row["nursingchartcelltypevallabel"], row["nursingchartcelltypevalname"])
        value = number(row["nursingchartvalue"])
        if (
            pair in kinds
            and row["nursingchartcelltypecat"] in VITAL_CATEGORIES
            and first_day(row["nursingchartoffset"])
            and value is not None
            and low <= value <= high
        ):
            found.append(value)
    return found


def pre_icu_points(minutes: int | None) -> int:
    if minutes is None:
        return 0
    for above, points in ((-10.2, 5), (-296.4, 3), (-1440, 0), (-18708, 2)):
        if minutes > above or (minutes == above and points != 5):
            return points
    return 1


def age_points(text: str | None) -> int:
    if text is None:
        return 0
    if text == "> 89":
        years = 91
    elif re.fullmatch(r"\d+", text.strip(" ")):
        years = int(text)
    else:
        return 0
    return 0 if years < 24 else 3 if years <= 53 else 6 if years <= 77 else 9 if years <= 89 else 7


def coma_points(stay: Stay) -> int:
    totals = [
        total
        for offset, scores in charted_coma_scores(stay["nursecharting"]).items()
        if first_day(offset) and (total := valid_total(scores)) is not None
    ]
    if not totals:
        totals = [
            value
            for row in stay["physicalexam"]
            if first_day(row["physicalexamoffset"])
            and (row["physicalexampath"] or "").startswith(EXAM)
            and 1 <= len(row["physicalexampath"]) - len(EXAM) <= 2
            and (value := number(row["physicalexamvalue"])) is not None
        ]
    if not totals:
        return 0
    lowest = min(totals)
    return 10 if lowest < 8 else 4 if lowest <= 13 else 3 if lowest == 14 else 0


def heart_points(stay: Stay) -> int:
    rates = vitals(stay, [("Heart Rate", "Heart Rate")], 25, 225)
    if not rates:
        return 0
    if min(rates) < 33:
        return 4
    top = max(rates)
    return 1 if 89 <= top <= 106 else 3 if 107 <= top <= 125 else 6 if top > 125 else 0


def pressure_band(values: list[float]) -> int | None:
    """None where no band holds the values."""
    if not values:
        return None
    low, high = min(values), max(values)
    if low < 20.65:
        return 4
    for first, last, points in ((20.65, 50.99, 3), (51, 61.32, 2), (61.33, 143.44, 0)):
        if first <= low <= last:
            return points
    return 3 if high > 143.44 else None


def pressure_points(stay: Stay) -> int:
    for kinds in (INVASIVE, NON_INVASIVE):
        points = pressure_band(vitals(stay, kinds, 1, 250))
        if points is not None:
            return points
    return 0


def breathing_points(stay: Stay) -> int:
    rates = vitals(stay, [("Respiratory Rate", "Respiratory Rate")], 0, 60)
    moving = [rate for rate in rates if rate > 0]
    if moving:
        low = min(moving)
        if low < 6:
            return 10
        if 6 <= low <= 12:
            return 1
        if 13 <= low <= 22:
            return 0
    if not rates:
        return 0
    top = max(rates)
    return 1 if 23 <= top <= 30 else 6 if 31 <= top <= 44 else 9 if top > 44 else 0


def temperature_points(stay: Stay) -> int:
    values = vitals(stay, [("Temperature", "Temperature (C)")], 25, 46)
    if not values:
        return 0
    low, high = min(values), max(values)
    if low < 33.22:
        return 3
    if 33.22 <= low <= 35.93 or 33.22 <= high <= 35.93:
        return 4
    if 35.94 <= low <= 36.39:
        return 2
    return 2 if 36.89 <= high <= 39.88 else 6 if high > 39.88 else 0


def is_urine(path: str | None, listed: frozenset[str]) -> bool:
    if path is None:
        return False
    if path in listed:
        return True
    if not path.startswith(OUTPUT):
        return False
    label = path[len(OUTPUT) :]
    if label.lower().startswith("foley"):
        return not any(word in path.lower() for word in ("pacu", "or", "ir"))
    if label.startswith("Urine Output (mL)"):
        return True
    words = ("Urinary Catheter", "Urethral Catheter", "External Urethral")
    return label.startswith("Output") and any(word in label[len("Output") :] for word in words)


def urine_points(stay: Stay, listed: frozenset[str]) -> int:
    volumes = [
        Decimal(str(row["cellvaluenumeric"]))
        for row in stay["intakeoutput"]
        if first_day(row["intakeoutputoffset"])
        and row["cellvaluenumeric"] is not None
        and is_urine(row["cellpath"], listed)
    ]
    if volumes:
        total = sum(volumes)
    else:
        daily = [Decimal(str(row["urine"])) for row in stay["apacheapsvar"] if (row["urine"] or 0) > 0]
        if not daily:
            return 0
        total = max(daily)
    if total < 671:
        return 10
    for first, last, points in ((671, "1426.99", 5), (1427, "2543.99", 1)):
        if first <= total <= Decimal(last):
            return points
    return 8 if total > 6896 else 0


def ventilation_points(stay: Stay) -> int:
    signs = ("airwaytype", "airwaysize", "airwayposition", "cuffpressure", "setapneatv")
    intubated = any(row["intubated"] == 1 for row in stay["apacheapsvar"])
    predicted = any(row["oobintubday1"] == 1 for row in stay["apachepredvar"])
    airway = any(
        first_day(row["respcarestatusoffset"]) and any(not missing(row[sign]) for sign in signs)
        for row in stay["respiratorycare"]
    )
    return 9 if intubated or predicted or airway else 0


def elective_points(stay: Stay) -> int:
    [patient] = stay["patient"]
    planned = any(row["electivesurgery"] == 1 for row in stay["apachepredvar"])
    return 0 if planned and patient["unitadmitsource"] != "Emergency Department" else 6


def oasis(stay: Stay, listed: frozenset[str]) -> Row:
    [patient] = stay["patient"]
    points = {
        "preiculos_score": pre_icu_points(patient["hospitaladmitoffset"]),
        "age_score": age_points(patient["age"]),
        "gcs_score": coma_points(stay),
        "heart_rate_score": heart_points(stay),
        "mbp_score": pressure_points(stay),
        "resp_rate_score": breathing_points(stay),
        "temp_score": temperature_points(stay),
        "urineoutput_score": urine_points(stay, listed),
        "mechvent_score": ventilation_points(stay),
        "electivesurgery_score": elective_points(stay),
    }
    return identity(stay) | {"oasis": sum(points.values())} | points


def listed_paths(file: Path) -> frozenset[str]:
    """The published list of urine paths, one a line."""
    return frozenset(line for line in file.read_text(encoding="utf-8").splitlines() if line)
