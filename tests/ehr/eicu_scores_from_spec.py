"""First-day SOFA and SIRS of one eICU-CRD stay, in plain Python, from the operational specifications alone.

Times are minutes from admission to the unit. Coma scores and urine names are those of ``eicu_from_facts``,
which was written from the fact sheets.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

import eicu_from_facts as facts
from eicu_from_facts import Row, number

FIRST_MIN, LAST_MIN = -360, 1440
LOOK_BACK_MIN = 240
TABLES = (
    "nursecharting",
    "vitalperiodic",
    "vitalaperiodic",
    "lab",
    "respiratorycharting",
    "respiratorycare",
    "infusiondrug",
    "intakeoutput",
    "apacheapsvar",
    "apachepredvar",
)
LINES = {("Invasive BP", "Invasive BP Mean"), ("MAP (mmHg)", "Value"), ("Arterial Line MAP (mmHg)", "Value")}
CUFF = {("Non-Invasive BP", "Non-Invasive BP Mean")}
DRUGS = {
    "pressor": ("epinephrine", "epinepherine", "levophed", "adrenalin"),
    "dopamine": ("dopamine",),
    "dobutamine": ("dobutamine",),
}

Stay = Mapping[str, Sequence[Row]]
"""Rows by table; ``patient`` holds one."""


def stays_of(fetch: Callable[[str], Iterable[Row]]) -> Iterator[Stay]:
    """Every stay of ``patient``; ``fetch`` gives the rows of a table by its bare name."""
    parts: dict[int, dict[str, list[Row]]] = defaultdict(lambda: {table: [] for table in TABLES})
    for table in TABLES:
        for row in fetch(table):
            parts[row["patientunitstayid"]][table].append(row)
    for patient in fetch("patient"):
        yield {**parts[patient["patientunitstayid"]], "patient": [patient]}


def in_window(offset_min: int | None) -> bool:
    return offset_min is not None and FIRST_MIN <= offset_min <= LAST_MIN


def inside(values: Iterable[float | None], low: float, high: float) -> list[float]:
    """The values from ``low`` to ``high``, both included."""
    return [value for value in values if value is not None and low <= value <= high]


def charted(stay: Stay, names: set[tuple[str, str]]) -> list[tuple[int, float]]:
    """Minute and number of what nurses charted in the window under pairs of label and name."""
    return [
        (row["nursingchartoffset"], value)
        for row in stay["nursecharting"]
        if row["nursingchartcelltypecat"] in facts.VITAL_CATEGORIES
        and (row["nursingchartcelltypevallabel"], row["nursingchartcelltypevalname"]) in names
        and in_window(row["nursingchartoffset"])
        and (value := number(row["nursingchartvalue"])) is not None
    ]


def monitored(stay: Stay, column: str, table: str = "vitalperiodic") -> list[float | None]:
    return [row[column] for row in stay[table] if in_window(row["observationoffset"])]


def results(stay: Stay, test: str) -> list[tuple[int, float]]:
    """Minute and number of a test's results of the window, the last revision of each minute."""
    by_minute: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for row in stay["lab"]:
        if row["labname"] == test and row["labresult"] is not None and in_window(row["labresultoffset"]):
            revised = row["labresultrevisedoffset"]
            order = float("-inf") if revised is None else float(revised)
            by_minute[row["labresultoffset"]].append((order, row["labresult"]))
    return [
        (minute, result)
        for minute, found in by_minute.items()
        for order, result in found
        if order == max(found)[0]
    ]


def numbers(found: Iterable[tuple[int, float]]) -> list[float]:
    return [value for _, value in found]


def rounded(value: float, digits: int) -> float:
    """Half away from zero, of the number as it is written."""
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def below(value: float | None, limits: Sequence[float]) -> int:
    """Points 4, 3, 2, 1 for a value below the first, second, third, fourth limit."""
    if value is None:
        return 0
    return next((4 - place for place, limit in enumerate(limits) if value < limit), 0)


def from_on(value: float | None, limits: Sequence[float]) -> int:
    """Points 4, 3, 2, 1 for a value of at least the first, second, third, fourth limit."""
    if value is None:
        return 0
    return next((4 - place for place, limit in enumerate(limits) if value >= limit), 0)


# SOFA


def percent(value: float | None) -> float | None:
    """Inspired oxygen in percent; None where it is in neither range."""
    if value is None:
        return None
    if 20 <= value <= 100:
        return value
    return 100 * value if 0.2 <= value <= 1 else None


def charted_fraction(text: str | None) -> float | None:
    plain = text is not None and re.fullmatch(r" *(\d+\.?\d*|\.\d+) ?%? *", text)
    return percent(float(plain[1])) if plain else None


def fraction_of(stay: Stay, minute: int) -> float | None:
    """Inspired oxygen in percent of a gas at that minute."""
    own = [percent(value) for at, value in results(stay, "FiO2") if at == minute]
    valid = [value for value in own if value is not None]
    if valid:
        return max(valid)
    by_minute: dict[int, float] = {}
    for row in stay["respiratorycharting"]:
        at, value = row["respchartoffset"], charted_fraction(row["respchartvalue"])
        named = row["respchartvaluelabel"] in ("FiO2", "FIO2 (%)")
        if named and value is not None and at is not None and minute - LOOK_BACK_MIN <= at <= minute:
            by_minute[at] = max(value, by_minute.get(at, 0))
    return by_minute[max(by_minute)] if by_minute else None


def supported(stay: Stay) -> bool:
    airway = any(
        in_window(row["respcarestatusoffset"]) and any(facts.filled(row[name]) for name in facts.AIRWAY)
        for row in stay["respiratorycare"]
    )
    flagged = any(row["intubated"] == 1 for row in stay["apacheapsvar"])
    return airway or flagged or any(row["oobintubday1"] == 1 for row in stay["apachepredvar"])


def respiration(stay: Stay) -> int:
    ratios = []
    for minute, oxygen in results(stay, "paO2"):
        fraction = fraction_of(stay, minute)
        if 15 <= oxygen <= 720 and fraction is not None:
            ratios.append(rounded(100 * oxygen / fraction, 4))
    lowest = min(ratios, default=None)
    if lowest is None or lowest >= 400:
        return 0
    if supported(stay) and lowest < 200:
        return 4 if lowest < 100 else 3
    return 2 if lowest < 300 else 1


def weight_kg(stay: Stay, row: Row) -> float | None:
    text = row["patientweight"]
    plain = text is not None and re.fullmatch(r" *\d+\.?\d* *", text)
    for weight in (float(plain[0]) if plain else None, stay["patient"][0]["admissionweight"]):
        if weight is not None and 30 <= weight <= 300:
            return float(weight)
    return None


def dose(stay: Stay, row: Row, rate: float) -> float | None:
    """mcg/kg/min; None where it is unknown."""
    unit = re.search(r"\(([^()]*)\) *$", row["drugname"].lower())
    parts = re.fullmatch(r"(mcg|mg)(/kg)?/(min|hr)", unit[1]) if unit else None
    if parts is None:
        return None
    weight = 1.0 if parts[2] else weight_kg(stay, row)
    if weight is None:
        return None
    return rounded(rate * (1000 if parts[1] == "mg" else 1) / (60 if parts[3] == "hr" else 1) / weight, 6)


def given(stay: Stay) -> dict[str, list[float | None]]:
    """Doses of each drug that is given, None for an unknown one."""
    found: dict[str, list[float | None]] = defaultdict(list)
    for row in stay["infusiondrug"]:
        rate, name = number(row["drugrate"]), row["drugname"].lower()
        drug = next((drug for drug, words in DRUGS.items() if any(word in name for word in words)), None)
        if drug is not None and in_window(row["infusionoffset"]) and rate is not None and rate > 0:
            found[drug].append(dose(stay, row, rate))
    return found


def lowest_pressure(stay: Stay) -> float | None:
    nurses = inside(numbers(charted(stay, LINES | CUFF)), 1, 250)
    monitors = monitored(stay, "systemicmean") + monitored(stay, "noninvasivemean", "vitalaperiodic")
    return min(nurses or inside(monitors, 1, 250), default=None)


def cardiovascular(stay: Stay) -> int:
    doses = given(stay)
    pressors = [value for value in doses["pressor"] if value is not None]
    dopamine = [value for value in doses["dopamine"] if value is not None]
    if max(pressors, default=0) > 0.1 or max(dopamine, default=0) > 15:
        return 4
    if doses["pressor"] or max(dopamine, default=0) > 5:
        return 3
    if doses["dopamine"] or doses["dobutamine"]:
        return 2
    pressure = lowest_pressure(stay)
    return 1 if pressure is not None and pressure < 70 else 0


def cns(stay: Stay) -> int:
    given_stay = facts.Stay(stay["patient"][0], nursecharting=stay["nursecharting"])
    moments = facts.gcs_moments(given_stay)
    return below(min((m.value for at, m in moments.items() if in_window(at)), default=None), (6, 10, 13, 15))


def urine_ml(stay: Stay, listed: frozenset[str]) -> Decimal | None:
    lasts_min = stay["patient"][0]["unitdischargeoffset"]
    if lasts_min is None or lasts_min < LAST_MIN:
        return None
    volumes = [
        Decimal(repr(row["cellvaluenumeric"]))
        for row in stay["intakeoutput"]
        if 0 < row["intakeoutputoffset"] <= LAST_MIN and facts.is_urine(row["cellpath"], listed)
    ]
    if volumes:
        return sum(volumes, Decimal(0))
    severity = [row["urine"] for row in stay["apacheapsvar"] if row["urine"] is not None and row["urine"] > 0]
    return Decimal(repr(max(severity))) if severity else None


def renal(stay: Stay, listed: frozenset[str]) -> int:
    creatinine = max(
        (value for value in numbers(results(stay, "creatinine")) if value <= 28.28), default=None
    )
    urine = urine_ml(stay, listed)
    by_urine = 0 if urine is None else 4 if urine < 200 else 3 if urine < 500 else 0
    return max(by_urine, from_on(creatinine, (5, 3.5, 2, 1.2)))


def sofa_row(stay: Stay, listed: frozenset[str]) -> Row:
    """The row of the SOFA task; ``listed``: paths of outputs that count as urine."""
    platelets = [value for value in numbers(results(stay, "platelets x 1000")) if value > 0]
    bilirubin = [value for value in numbers(results(stay, "total bilirubin")) if value <= 100]
    components = {
        "respiration": respiration(stay),
        "coagulation": below(min(platelets, default=None), (20, 50, 100, 150)),
        "liver": from_on(max(bilirubin, default=None), (12, 6, 2, 1.2)),
        "cardiovascular": cardiovascular(stay),
        "cns": cns(stay),
        "renal": renal(stay, listed),
    }
    return identifiers(stay) | {"sofa": sum(components.values())} | components


# SIRS


def temperatures(stay: Stay) -> list[float]:
    """Valid degrees Celsius by nurses' charting, else by the monitor."""
    celsius = [
        (at, value) for at, value in charted(stay, {("Temperature", "Temperature (C)")}) if 25 <= value <= 46
    ]
    minutes = {at for at, _ in celsius}
    converted = [
        rounded((value - 32) / 1.8, 2)
        for at, value in charted(stay, {("Temperature", "Temperature (F)")})
        if at not in minutes
    ]
    nurses = numbers(celsius) + inside(converted, 25, 46)
    return nurses or inside(monitored(stay, "temperature"), 25, 46)


def sign(stay: Stay, label: str, column: str, low: float, high: float) -> float | None:
    """The highest valid rate by nurses' charting, else by the monitor."""
    nurses = inside(numbers(charted(stay, {(label, label)})), low, high)
    return max(nurses or inside(monitored(stay, column), low, high), default=None)


def sirs_row(stay: Stay) -> Row:
    """The row of the SIRS task."""
    warm = temperatures(stay)
    heart = sign(stay, "Heart Rate", "heartrate", 25, 225)
    breath = sign(stay, "Respiratory Rate", "respiration", 0, 60)
    gases = [value for value in numbers(results(stay, "paCO2")) if value >= 5]
    white = [value for value in numbers(results(stay, "WBC x 1000")) if 0 < value <= 100]
    bands = [value for value in numbers(results(stay, "-bands")) if value <= 100]
    signs = {
        "temp_score": any(value < 36 or value > 38 for value in warm),
        "heart_rate_score": heart is not None and heart > 90,
        "resp_score": (breath is not None and breath > 20) or any(value < 32 for value in gases),
        "wbc_score": any(value < 4 or value > 12 for value in white) or any(value > 10 for value in bands),
    }
    points = {name: int(present) for name, present in signs.items()}
    return identifiers(stay) | {"sirs": sum(points.values())} | points


def identifiers(stay: Stay) -> Row:
    names = ("patientunitstayid", "uniquepid", "patienthealthsystemstayid")
    return {name: stay["patient"][0][name] for name in names}


def task_row(family: str, stay: Stay, listed: frozenset[str]) -> Row:
    """The row of the task of ``family``, "eicu-sofa" or "eicu-sirs"."""
    return sofa_row(stay, listed) if family == "eicu-sofa" else sirs_row(stay)
