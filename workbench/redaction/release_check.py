"""Reads what was written for a release afresh, and says what in it may not leave, by kind and place only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

from workbench.records import BadInput, Step, TrajectorySummary, open_regular
from workbench.redaction.lookup import IdentifierLookup
from workbench.redaction.release_layers import TooDeep, plain, raw_layers_of
from workbench.redaction.release_names import homes_in, names_of_machine, names_told, pattern_of
from workbench.redaction.release_numbers import Reading, numbers_read
from workbench.redaction.release_quotes import Overlap
from workbench.redaction.release_secrets import secrets_in
from workbench.redaction.release_times import AFTER_TODAY, TimeReading, counted_time, times_read
from workbench.redaction.release_units import Unit, units_of, units_of_text
from workbench.trajectories import open_reader

REDACTION_VERSION = 3
"""Raised when redaction takes out something else: a release that was begun before then begins anew."""
CHECK_VERSION = 3
"""Raised when something else is looked for: what was checked before is then checked again."""
CHECKS = ("valid", "identifiers", "times", "secrets", "names", "observations")
BLOCK_CHARACTERS = 1_000_000
PIECE_BYTES = 1024 * 1024
MOST_PLAIN = 200_000
"""Texts without a digit that are remembered: they are looked at once."""
BEFORE, AFTER = 600, 300
"""Where a column's name is near a number."""
SHORT_ITEM = 10**7
_DIGIT = re.compile(r"\d")
_KEY = re.compile(r"(?<![\d-])\d{1,10}-\d{1,10}(?![\d-])")
_TOKEN = re.compile(r"(?<![a-z0-9_-])(?=[a-z-]*\d)(?=[0-9-]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*(?![a-z0-9_-])")


@dataclass(frozen=True)
class Fault:
    """``file`` is the name in the release; ``place`` a step and its part. No value is kept."""

    kind: str
    file: str
    place: str

    def __str__(self) -> str:
        return f"{self.file}, {self.place}: {self.kind}"


@dataclass(frozen=True, slots=True)
class _Layer:
    """What one reading of a text tells, wherever the text stands; ``kinds`` of what needs no source."""

    low: str
    kinds: tuple[str, ...]
    numbers: tuple[Reading, ...] = ()
    keys: tuple[str, ...] = ()
    times: tuple[TimeReading, ...] = ()


@dataclass
class _Block:
    """Readings that are asked for together; ``near`` and ``text`` of a layer are shared by its readings."""

    numbers: list[tuple[Unit, str, Reading]] = field(default_factory=list)
    keys: list[tuple[Unit, str]] = field(default_factory=list)
    times: list[tuple[Unit, TimeReading]] = field(default_factory=list)
    counted: list[tuple[Unit, datetime]] = field(default_factory=list)
    characters: int = 0

    def put(self, unit: Unit, layers: Iterable[_Layer]) -> Iterator[str]:
        """Take what has to be asked for, and give the kinds of what needs no source."""
        for layer in layers:
            yield from layer.kinds
            self.characters += len(layer.low)
            if not (layer.numbers or layer.keys or layer.times):
                continue
            text = f"{unit.path} {layer.low}"
            shift = len(text) - len(layer.low)
            for reading in layer.numbers:
                self.numbers.append((unit, text, Reading(reading.value, reading.at + shift, reading.loose)))
                if (moment := counted_time(reading.value)) is not None:
                    self.counted.append((unit, moment))
            self.keys += [(unit, key) for key in layer.keys]
            self.times += [(unit, reading) for reading in layer.times]


class ReleaseCheck:
    """Checks files of one release against the sources behind ``lookup``."""

    def __init__(self, lookup: IdentifierLookup) -> None:
        self._lookup = lookup
        self._machine = names_of_machine()

    def of_log(
        self,
        path: Path,
        format: str,
        raw: Iterable[Step],
        raw_texts: Iterable[str],
        steps: int,
        public: Iterable[str] = (),
        names: AbstractSet[str] | None = None,
    ) -> list[Fault]:
        """What is wrong with a released log, in the order in which it is found.

        ``format``: workbench or atif. ``raw``: the steps it was made from, read several times; ``raw_texts``:
        what else was in the log, for the names that are told there; ``steps``: how many it should have;
        ``public``: texts whose sentences are no quotations; ``names``: those that ``names_of_step`` gave for
        all raw steps, where somebody has passed over them already.
        """
        told = set(self._machine)
        for text in raw_texts:
            told |= names_told(text)
        if names is None:
            names = set().union(*map(names_of_step, raw))
        told |= names
        overlap = Overlap()
        units = _passed(units_of(path, format), overlap)
        try:
            faults = dict.fromkeys(self._of_units(path.name, units, frozenset(told)))
        except BadInput as error:
            return [Fault(f"not valid: {error.what}", path.name, error.where)]
        overlap.compare(raw, public)
        faults.update({Fault(kind, path.name, place): None for kind, place in overlap.faults})
        return [*_invalid(path, format, steps), *faults]

    def of_text(self, name: str, text: str) -> list[Fault]:
        """What is wrong with another text of the release, such as its manifest, and with its name."""
        units = [Unit("the name", name), *units_of_text(text)]
        return list(dict.fromkeys(self._of_units(name, units, self._machine)))

    def _of_units(self, file: str, units: Iterable[Unit], names: frozenset[str]) -> Iterator[Fault]:
        known = pattern_of(names)
        block = _Block()
        layers: dict[str, list[_Layer]] = {}
        plain_texts: set[int] = set()
        for unit in units:
            if (
                _DIGIT.search(unit.text) is None
            ):  # what a text without digits may tell does not hang on its place
                mark = hash(unit.text)
                if mark in plain_texts:
                    continue
                if len(plain_texts) < MOST_PLAIN:
                    plain_texts.add(mark)
            try:
                if unit.text not in layers:
                    layers[unit.text] = list(_layers(unit.text, known))
                yield from (Fault(kind, file, unit.place) for kind in block.put(unit, layers[unit.text]))
            except TooDeep:
                yield Fault("a text that unpacks to more than is looked at", file, unit.place)
            if block.characters > BLOCK_CHARACTERS:
                yield from (Fault(kind, file, place) for kind, place in self._judged(block))
                block, layers = _Block(), {}
        yield from (Fault(kind, file, place) for kind, place in self._judged(block))

    def _judged(self, block: _Block) -> Iterator[tuple[str, str]]:
        numbers = {reading.value for _, _, reading in block.numbers}
        columns = self._lookup.numbers(numbers) if numbers else {}
        items = self._lookup.items([value for value in columns if value < SHORT_ITEM]) if columns else set()
        for unit, text, reading in block.numbers:
            if reading.value in columns and reading.value not in items:
                for column in sorted(columns[reading.value]):
                    if self._tells(column, text, reading):
                        yield f"identifier {column}", unit.place
        keys = self._lookup.keys({key for _, key in block.keys}) if block.keys else {}
        for unit, key in block.keys:
            if key in keys:
                yield f"identifier {min(keys[key])}", unit.place
        yield from self._judged_times(block)

    def _judged_times(self, block: _Block) -> Iterator[tuple[str, str]]:
        days: set[date] = {one.day for _, one in block.times if one.day.year >= AFTER_TODAY}
        moments = {one.moment for _, one in block.times if one.moment is not None}
        moments |= {moment for _, moment in block.counted}
        moments |= {moment.replace(second=0) for moment in moments}
        known_days = self._lookup.days(days) if days else set()
        known = self._lookup.moments(moments) if moments else set()
        for unit, one in block.times:
            if one.day in known_days:
                yield "date of a source", unit.place
            elif one.moment is not None and {one.moment, one.moment.replace(second=0)} & known:
                yield "time of a source", unit.place
        for unit, moment in block.counted:
            if {moment, moment.replace(second=0)} & known:
                yield "time of a source, as a count of seconds", unit.place

    def _tells(self, column: str, text: str, reading: Reading) -> bool:
        """Whether the number is this column's and not by chance."""
        if not reading.loose and not self._lookup.dense(column, len(str(reading.value))):
            return True
        near = text[max(reading.at - BEFORE, 0) : reading.at + AFTER]
        return re.sub("[^a-z]+", "", column) in re.sub("[^a-z]+", "", near)


def names_of_step(step: Step) -> set[str]:
    """Names of persons and machines that a raw step tells."""
    told: set[str] = set()
    for text in dict.fromkeys(_texts_of(step)):
        if text:
            told |= names_told(text)
    return told


def _layers(text: str, known: re.Pattern[str] | None) -> Iterator[_Layer]:
    for raw in raw_layers_of(text):
        kinds = list(secrets_in(raw))
        if homes_in(raw):
            kinds.append("home folder of a person")
        if known is not None and known.search(raw):
            kinds.append("name of a person or machine")
        low = plain(raw)
        if _DIGIT.search(low) is None:
            yield _Layer(low, tuple(kinds))
            continue
        keys = [found[0] for found in _KEY.finditer(low)]
        keys += [found[0] for found in _TOKEN.finditer(low) if 6 <= len(found[0]) <= 40]
        yield _Layer(low, tuple(kinds), tuple(numbers_read(low)), tuple(keys), tuple(times_read(low)))


def _passed(units: Iterable[Unit], overlap: Overlap) -> Iterator[Unit]:
    for unit in units:
        overlap.add(unit)
        yield unit


def _texts_of(step: Step) -> Iterator[str]:
    yield step.message
    yield step.reasoning
    for call in step.calls:
        yield call.command or ""
        yield call.path or ""
        yield call.content or ""
        yield call.model_dump_json()
    for back in step.observations:
        yield back.text


def _invalid(path: Path, format: str, steps: int) -> list[Fault]:
    """Read back by the reader that anybody would use."""
    try:
        read, summary = _counted(path, format)
    except BadInput as error:
        return [Fault(f"not valid: {error.what}", path.name, error.where or "the file")]
    if summary.damaged_lines or read != steps:
        return [Fault("not valid: it does not read back as what was written", path.name, "the file")]
    return []


def _counted(path: Path, format: str) -> tuple[int, TrajectorySummary]:
    reader = open_reader(format)
    count = 0
    with open_regular(path) as file:
        while piece := file.read(PIECE_BYTES):
            count += sum(1 for _ in reader.feed(piece))
    return count + sum(1 for _ in reader.close()), reader.summary()
