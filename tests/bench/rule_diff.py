"""The rule diff: each skill against its reference and all concepts that it stands on, from texts to rows."""

from __future__ import annotations

import time
from pathlib import Path

from workbench import ehr
from workbench.catalog import Content
from workbench.records import DataPaths, Unavailable, find_content, find_data
from workbench.rules import SourceText, compare, reference_side, skill_side, tasks_of_skill, with_closure

ROOT = Path(__file__).resolve().parents[2]
ONE_SKILL_S = 1.0
"""The most that one skill may take (docs/rule-diff.md)."""


def measure() -> list[tuple[str, float, float, str]]:
    """The slowest skill, parsing counted: every statement is met for the first time."""
    content = Content(find_content(ROOT))
    concepts = _concepts(find_data(content.paths))
    slowest, name_of_slowest = 0.0, ""
    for name in content.skill_names():
        tasks = tasks_of_skill(content, name)
        if not tasks:
            continue
        started = time.perf_counter()
        first = skill_side(content, name)
        compare(first, with_closure(reference_side(content, tasks), concepts))
        took = time.perf_counter() - started
        if took > slowest:
            slowest, name_of_slowest = took, name
    what = f"rule diff of a skill, slowest: {name_of_slowest} ({len(concepts)} concepts known)"
    return [(what, slowest, ONE_SKILL_S, "s")]


def _concepts(data: DataPaths) -> dict[str, SourceText]:
    """The pinned concept SQL; none where it is not to be had, which the figure's name tells."""
    try:
        found = ehr.fetch_concept_sql(data)
    except Unavailable:
        return {}
    return {name: SourceText(f"concepts/{name}.sql", text) for name, text in found.texts().items()}
