"""The two sides that a person asks for by name: a skill, a task or a file, against what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from workbench.catalog import Content
from workbench.records import BadInput, Task
from workbench.rules.closure import SourceText
from workbench.rules.sides import (
    PUBLIC_CODE,
    Side,
    concept_side,
    file_side,
    reference_side,
    skill_side,
    spec_side,
    tasks_of_skill,
    with_closure,
)

Concepts = Callable[[], Mapping[str, SourceText]]
"""Gives the concept SQL by name; asked only where it is needed."""
AGAINST = ("reference", "concept", "spec")


def asked_sides(
    content: Content,
    name: str,
    against: str,
    concepts: Concepts,
    *,
    family: str = "",
    target: str = PUBLIC_CODE,
    whole: bool = False,
) -> tuple[Side, Side]:
    """``name``: a skill, a task (its specification) or a file; ``against``: one of AGAINST, or a file.

    ``family``: whose reference, concept or specification a file is held against. ``whole``: the reference
    with the concepts that it stands on. Raises BadInput naming what is missing.
    """
    first, tasks = one_side(content, name)
    if family:
        tasks = content.resolve(family)
    if against not in AGAINST:
        return first, file_side(Path(against))
    if not tasks:
        raise BadInput(
            f"it is not known which family's {against} {name} belongs to",
            remedy="Name one with --family, or a file with --against.",
        )
    if against == "spec":
        return first, spec_side(content, tasks)
    if against == "concept":
        return first, concept_side(content, tasks, concepts())
    second = reference_side(content, tasks, target)
    return first, with_closure(second, concepts()) if whole else second


def one_side(content: Content, name: str) -> tuple[Side, list[Task]]:
    """The side of that name, and the tasks that it is about: none for a file."""
    path = Path(name)
    if path.suffix in (".sql", ".md") or path.is_file():
        return file_side(path), []
    if name in content.skill_names():
        return skill_side(content, name), tasks_of_skill(content, name)
    try:
        task = content.task(name)
    except BadInput:
        return skill_side(content, name), []  # raises, naming the nearest skill
    return spec_side(content, [task]), [task]
