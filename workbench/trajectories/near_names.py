"""Names of tools and tables that are like one that no step holds."""

from __future__ import annotations

import difflib
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from workbench.records import DataPaths, Step
from workbench.sql import quick_reads
from workbench.store import SEARCH, StepSearch, found_steps, indexed_words, with_index
from workbench.trajectories.search import lines_of
from workbench.trajectories.step_text import raw_code, raw_parts
from workbench.trajectories.values import json_object, mapping_of, text_of

Named = Literal["tool", "tables"]
MOST_NAMES = 3
_MOST_WORDS = 5
_ALIKE = 0.6
_LEAST_PART = 3
_WORD = re.compile(r"[^\W_]+")


def near_in_runs(data: DataPaths, name: str, what: Named) -> list[str]:
    """Names in recorded runs that are like ``name``, the likest first; of the index as it is."""

    def work(index: sqlite3.Connection) -> set[str]:
        names: set[str] = set()
        known = indexed_words(index, what)
        for word in _alike(_WORD.findall(name.casefold()), known, _MOST_WORDS):
            for _, line in lines_of(data, found_steps(index, StepSearch(words=f'{what} : "{word}"'), 1)):
                names.update(_names(mapping_of((json_object(line) or {}).get("step")), what))
        return names

    return _likest(name, with_index(data.search_index, SEARCH, work))


def near_in_steps(steps: Iterable[Step], name: str, what: Named) -> list[str]:
    """The same of the steps of one log."""
    return _likest(name, {found for step in steps for found in _names(step.model_dump(mode="json"), what)})


def _names(step: Mapping[str, Any], what: Named) -> Iterator[str]:
    """Names of a stored step's tools, or of the tables that its SQL reads."""
    if what == "tables":
        yield from (table for code in raw_code(step) for table in quick_reads(code))
    else:
        for call in raw_parts(step, "calls"):
            yield from filter(None, (text_of(call.get("name")), text_of(call.get("kind"))))


def _likest(name: str, names: Iterable[str]) -> list[str]:
    """By the whole name or by its last part: a schema in front is no difference."""
    spelled: dict[str, list[str]] = {}
    for known in sorted(names):
        for text in {known.casefold(), known.casefold().rpartition(".")[2]}:
            spelled.setdefault(text, []).append(known)
    wanted = name.strip().casefold()
    near = _alike([wanted, wanted.rpartition(".")[2]], list(spelled), MOST_NAMES)
    return list(dict.fromkeys(known for text in near for known in spelled[text]))[:MOST_NAMES]


def _alike(wanted: Sequence[str], known: Sequence[str], most: int) -> list[str]:
    """Misspelled ones, then those that hold what was typed."""
    near = [found for text in wanted for found in difflib.get_close_matches(text, known, most, _ALIKE)]
    near += [name for text in wanted for name in known if len(text) >= _LEAST_PART and text in name]
    return list(dict.fromkeys(near))[: 2 * most]
