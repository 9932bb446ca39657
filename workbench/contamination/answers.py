"""A run's tables beside every reference and every earlier output, by values: worked out once for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.contamination.comparison import comparable
from workbench.contamination.earlier import EarlierRun
from workbench.contamination.files import CollectedFile
from workbench.contamination.values import Agreement, SameFaults, Values
from workbench.ehr import DuckDBError
from workbench.records import OUTPUT_NAME, Task

MAX_FILES = 12
MAX_BYTES = 64 << 20
MAX_EARLIER = 60
"""Files of a run, and earlier runs, that are compared; the newest of these."""
LEAST_ROWS = 20
"""Fewer rows can be right by chance."""


@dataclass(frozen=True)
class Answer:
    """A table-like file beside one reference. ``shared``: faults that it has in common with earlier runs."""

    file: CollectedFile
    target: str
    agreement: Agreement
    shared: Sequence[tuple[EarlierRun, SameFaults]]

    @property
    def improbable(self) -> bool:
        """Whether guessing the commonest value everywhere would hardly agree so well."""
        agreement = self.agreement
        spread = (agreement.guess * (1 - agreement.guess) / max(1, agreement.cells)) ** 0.5
        return agreement.cells >= LEAST_ROWS and agreement.share > agreement.guess + 6 * spread


def answers(
    files: Sequence[CollectedFile],
    references: Mapping[str, Path],
    earlier: Sequence[EarlierRun],
    task: Task,
    column_names: Mapping[str, str],
) -> list[Answer]:
    """Every comparable file, the answer's own first. Raises OSError or the engine's error for a reference."""
    stem = OUTPUT_NAME.split(".")[0]
    chosen = [file for file in files if 0 < file.size_bytes <= MAX_BYTES and comparable(file.name)]
    chosen.sort(key=lambda file: (not file.name.split("/")[-1].startswith(stem), file.name))
    found = []
    for target, reference in sorted(references.items()) if chosen else ():
        with Values(reference, task, column_names) as values:
            for file in chosen[:MAX_FILES]:
                loaded = _loaded(values, file.path, file.name)
                if loaded is not None and loaded[1].partners >= LEAST_ROWS:
                    shared = list(_shared(values, loaded[0], earlier))
                    found.append(Answer(file, target, loaded[1], shared))
    return found


def _shared(
    values: Values, faults: str, earlier: Sequence[EarlierRun]
) -> Iterator[tuple[EarlierRun, SameFaults]]:
    """Faults in common with runs that were made independently and are not all right."""
    for run in earlier[-MAX_EARLIER:]:
        if run.output is not None and not run.strict and run.independent:
            loaded = _loaded(values, run.output, run.output.name)
            if loaded is not None:
                yield run, values.same_faults(faults, loaded[0])


def _loaded(values: Values, path: Path, name: str) -> tuple[str, Agreement] | None:
    """None for a file that is no table."""
    try:
        return values.load(path, name)
    except (OSError, DuckDBError):
        return None
