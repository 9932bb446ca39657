"""Mutants of every family's skill show in the diff; what the unchanged skills show is no false alarm."""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.rules.mutants import Mutant, mutants
from workbench.catalog import Content
from workbench.records import find_content
from workbench.rules import Row, Rule, Status, align, claims, reference_side, skill_side, tasks_of_skill

ROOT = Path(__file__).resolve().parents[2]
EACH = 3
"""Mutants of a sort and skill."""
EACH_MEASURED = 4
SEED = 20
LEAST_SHOWN = 0.95
MOST_FALSE = 0.02
CONTENT = Content(find_content(ROOT))
SKILLS = [name for name in CONTENT.skill_names() if tasks_of_skill(CONTENT, name)]


@cache
def reference(name: str) -> tuple[str, list[Rule]]:
    side = reference_side(CONTENT, tasks_of_skill(CONTENT, name))
    return "\n".join(text.text for text in side.texts), side.rules()


@cache
def unchanged(name: str) -> list[Row]:
    return align(skill_side(CONTENT, name).rules(), reference(name)[1])


def told(rows: list[Row]) -> Counter[object]:
    """What conflicts or stands on one side, without lines and subjects."""
    return Counter(
        (row.kind, row.status, row.first.says if row.first else (), row.second.says if row.second else ())
        for row in rows
        if row.status is not Status.AGREE
    )


def said(rule: Rule) -> str:
    return " ".join(part for part in rule.says if part)


def shows(mutant: Mutant) -> bool:
    rows = align(claims(mutant.text), reference(mutant.family)[1])
    fresh = told(rows) - told(unchanged(mutant.family))
    return any(row[0] in mutant.kinds for row in fresh)  # type: ignore[index]


@pytest.fixture(scope="module")
def outcomes() -> list[tuple[Mutant, bool]]:
    return [
        (mutant, shows(mutant))
        for name in SKILLS
        for mutant in mutants(name, CONTENT.skill(name).text, reference(name)[0], SEED, EACH)
    ]


def test_every_family_has_mutants(outcomes: list[tuple[Mutant, bool]]) -> None:
    made = {mutant.family for mutant, _ in outcomes}
    families = {task.family for task in CONTENT.tasks() if task.skills[0] in SKILLS}
    assert made == set(SKILLS)
    assert families == {family.name for family in CONTENT.families()}


def test_nearly_all_mutants_show(outcomes: list[tuple[Mutant, bool]]) -> None:
    silent = [f"{mutant.family}: {mutant.what}" for mutant, shown in outcomes if not shown]
    assert len(silent) <= (1 - LEAST_SHOWN) * len(outcomes), "\n".join(silent)


@pytest.mark.parametrize("name", SKILLS)
def test_a_text_agrees_with_itself(name: str) -> None:
    own = skill_side(CONTENT, name).rules()
    assert {row.status for row in align(own, own)} == {Status.AGREE}
    assert {row.status for row in align(reference(name)[1], reference(name)[1])} == {Status.AGREE}


def test_hardly_any_conflict_of_the_unchanged_skills_is_false() -> None:
    judged = tomllib.loads((Path(__file__).with_name("judged_conflicts.toml")).read_text())["conflict"]
    real = {(one["skill"], one["first"], one["second"]) for one in judged if one["real"]}
    known = {(one["skill"], one["first"], one["second"]) for one in judged}
    rows = [(name, row) for name in SKILLS for row in unchanged(name)]
    conflicts = {
        (name, said(row.first), said(row.second))
        for name, row in rows
        if row.first and row.second and row.status is Status.CONFLICT
    }
    assert conflicts <= known, "a conflict that nobody has judged yet"
    assert len(conflicts - real) <= MOST_FALSE * len(rows)


def figures(seeds: range) -> list[str]:
    """Lines for docs/rule-diff.md: mutants by sort, and how many show."""
    made: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    for seed in seeds:
        for name in SKILLS:
            for mutant in mutants(name, CONTENT.skill(name).text, reference(name)[0], seed, EACH_MEASURED):
                sort = mutant.what.split(",")[0].split(" ")[0]
                made[sort] += 1
                shown[sort] += shows(mutant)
    rows = Counter(row.status.value for name in SKILLS for row in unchanged(name))
    lines = [f"{sort}: {shown[sort]} of {made[sort]} ({shown[sort] / made[sort]:.1%})" for sort in made]
    total = f"all: {shown.total()} of {made.total()} ({shown.total() / made.total():.1%})"
    return [*lines, total, f"rows of the unchanged skills: {dict(rows)}"]


if __name__ == "__main__":
    sys.stdout.write("\n".join(figures(range(100, 105))) + "\n")
