"""Urine output rate of one eICU-CRD stay, in plain Python, from the operational specification alone.

Times are minutes from unit admission. Volumes are summed as fractions, so that no order of rows shows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

Row = dict[str, Any]

HEADING = "flowsheet|Flowsheet Cell Labels|I&O|Output (ml)|"
LOOKS_BACK = {"6hr": (300, 360), "12hr": (660, 720), "24hr": (1380, 1440)}
"""How far back in minutes, and from how many observed minutes there is a rate."""
LIGHTEST_KG, HEAVIEST_KG = 20, 300


def listed_names(specification: str) -> frozenset[str]:
    """The names at the end of the specification."""
    block = specification.rsplit("\n\n", 1)[1]
    return frozenset(block.replace(";\n", "; ").replace("\n", " ").strip().split("; "))


def counts(path: str | None, listed: frozenset[str]) -> bool:
    """Whether an output of that path is urine."""
    if path is None or not path.startswith(HEADING):
        return False
    name, lower = path[len(HEADING) :], path.lower()
    if name in listed or name.startswith("Urine Output (mL)"):
        return True
    if name.lower().startswith("foley"):
        return "pacu" not in lower and "or" not in lower and "ir" not in lower
    kinds = ("Urinary Catheter", "Urethral Catheter", "External Urethral")
    return name.startswith("Output") and any(name.find(kind, len("Output")) >= 0 for kind in kinds)


def weight_of(patient: Row) -> float | None:
    """The stay's weight in kg."""
    weight, height = patient["admissionweight"], patient["admissionheight"]
    if weight is not None and height is not None:
        exchanged = weight >= 100 and 25 < height <= 100 and weight - height >= 20
        weight = height if exchanged else weight
    for candidate in (weight, patient["dischargeweight"]):
        if candidate is not None and LIGHTEST_KG < candidate <= HEAVIEST_KG:
            return float(candidate)
    return None


def stay_rows(patient: Row, charted: Iterable[Row], listed: frozenset[str]) -> Iterator[Row]:
    """The rows of one stay, in order of time."""
    volumes: dict[int, Fraction] = defaultdict(Fraction)
    leaves = patient["unitdischargeoffset"]
    for entry in charted:
        minute = entry["intakeoutputoffset"]
        if counts(entry["cellpath"], listed) and (leaves is None or minute <= leaves):
            volumes[minute] += Fraction(str(entry["cellvaluenumeric"]))
    minutes = sorted(volumes)
    gaps = [max(minutes[0], 0)] if minutes else []
    gaps += [later - earlier for earlier, later in pairwise(minutes)]
    weight = weight_of(patient)
    for place, minute in enumerate(minutes):
        row: Row = {
            "patientunitstayid": patient["patientunitstayid"],
            "chartoffset": minute,
            "weight": weight,
            "uo": float(volumes[minute]),
        }
        for name, (back, least) in LOOKS_BACK.items():
            seen = [at for at in range(place + 1) if minute - minutes[at] <= back]
            volume = sum((volumes[minutes[at]] for at in seen), Fraction())
            observed = sum(gaps[at] for at in seen)
            row[f"urineoutput_{name}"] = float(volume)
            row[f"uo_minutes_{name}"] = observed
            row[f"uo_mlkghr_{name}"] = _rate(volume, weight, observed, least)
        yield row


def _rate(volume: Fraction, weight: float | None, observed: int, least: int) -> float | None:
    if weight is None or observed < least:
        return None
    return float(volume / Fraction(str(weight)) / Fraction(observed, 60))


def all_rows(
    patients: Sequence[Row], charted: Iterable[Row], listed: frozenset[str]
) -> dict[tuple[int, int], Row]:
    """The rows of all stays by key."""
    by_stay: dict[int, list[Row]] = defaultdict(list)
    for row in charted:
        by_stay[row["patientunitstayid"]].append(row)
    return {
        (row["patientunitstayid"], row["chartoffset"]): row
        for patient in patients
        for row in stay_rows(patient, by_stay[patient["patientunitstayid"]], listed)
    }
