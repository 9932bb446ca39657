"""The parts of a family as files, and the text of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from workbench.catalog.content import Content
from workbench.catalog.counterfactuals_text import counterfactuals_markdown
from workbench.catalog.documents import read_toml
from workbench.catalog.example_text import example_markdown
from workbench.catalog.family_text import (
    caveats_markdown,
    checks_markdown,
    deviations_markdown,
    family_markdown,
)
from workbench.catalog.stages_text import stages_markdown
from workbench.records import BadInput, ContentPaths, Family, FamilyPaths, Task


class PartKind(StrEnum):
    """What a part is; each is also the word that stands before it in lists."""

    ABOUT = "about"
    TASK = "task"
    SKILL = "skill"
    INSTRUCTION = "instruction"
    SPECIFICATION = "specification"
    REFERENCE = "reference"
    ADMISSIBLE = "admissible"
    CONCEPT = "concept"
    NAIVE = "naive"
    DEVIATIONS = "deviations"
    EXAMPLE = "example"
    CHECKS = "checks"
    STAGES = "stages"
    COUNTERFACTUALS = "counterfactual"
    CAVEATS = "caveats"
    CAVEAT = "caveat"
    CASE = "case"


SQL_BESIDE = (PartKind.ADMISSIBLE, PartKind.CONCEPT, PartKind.NAIVE)
"""SQL of a family that is no reference; its name is the database."""


@dataclass(frozen=True)
class PartText:
    """``text`` is Markdown, or SQL if ``sql``; ``as_file``: its lines are those of the file ``path``."""

    text: str
    path: Path
    sql: bool = False
    as_file: bool = False


def reference_name(target: str, database: str) -> str:
    """The name of a reference among the parts of its kind."""
    return f"{target}, {database}"


def part_place(root: ContentPaths, paths: FamilyPaths, key: str) -> Path:
    """The file of the part ``<kind>:<name>``, there or not. Raises BadInput for no such kind."""
    kind, _, name = key.partition(":")
    if "/" in name or kind not in {*PartKind}:
        raise BadInput(f"family {paths.folder.name} has no {key}")
    target, _, database = name.partition(", ")
    example = paths.worked_example(name)
    return {
        PartKind.ABOUT: paths.family,
        PartKind.TASK: paths.task(name),
        PartKind.SKILL: root.skill(name),
        PartKind.INSTRUCTION: paths.instruction(name),
        PartKind.SPECIFICATION: paths.operational_spec(name),
        PartKind.REFERENCE: paths.reference(target, database),
        PartKind.ADMISSIBLE: paths.admissible(name),
        PartKind.CONCEPT: paths.concept(name),
        PartKind.NAIVE: paths.naive(name),
        PartKind.DEVIATIONS: paths.deviations,
        PartKind.EXAMPLE: example if example.exists() else paths.worked_example(),
        PartKind.CHECKS: paths.output_checks,
        PartKind.STAGES: paths.stages,
        PartKind.COUNTERFACTUALS: paths.counterfactuals,
    }.get(PartKind(kind), root.audit(paths.folder.name))


def part_command(family: str, kind: PartKind, name: str) -> str:
    """The plain command that prints the part."""
    target, _, database = name.partition(", ") if kind is PartKind.REFERENCE else (kind, "", name)
    sql = f"task reference {family} --target {target} --database {database}"
    words = {
        PartKind.ABOUT: f"task family {family} --about",
        PartKind.TASK: f"task show {name}",
        PartKind.SKILL: f"skill show {name}",
        PartKind.INSTRUCTION: f"task instruction {name}",
        PartKind.SPECIFICATION: f"task spec {name}",
        PartKind.REFERENCE: sql,
        **dict.fromkeys(SQL_BESIDE, sql),
        PartKind.DEVIATIONS: f"task deviations {family}",
        PartKind.EXAMPLE: f"task example {family}{f' --database {name}' if name else ''}",
        PartKind.CHECKS: f"task checks {family}",
        PartKind.STAGES: f"task stages {family}",
        PartKind.COUNTERFACTUALS: f"counterfactual show {family}",
    }
    return f"workbench {words.get(kind, f'task caveats {family}')}"


def part_text(content: Content, family: str, key: str) -> PartText:
    """The text of a part; of a caveat or a case, that of all. Raises BadInput."""
    path, files = part_place(content.paths, content.family_paths(family), key), content.files(family)
    kind, _, name = key.partition(":")
    if kind == PartKind.REFERENCE or kind in SQL_BESIDE:
        return PartText(content.text(path), path, sql=True, as_file=True)
    if kind in (PartKind.INSTRUCTION, PartKind.SPECIFICATION, PartKind.SKILL):
        return PartText(content.text(path), path, as_file=True)
    writers: dict[str, Callable[[], str]] = {
        PartKind.ABOUT: lambda: family_markdown(read_toml(path, Family, content.text)),
        PartKind.TASK: lambda: f"```toml\n{_checked(content, path)}```\n",
        PartKind.DEVIATIONS: lambda: deviations_markdown(files.deviations()),
        PartKind.EXAMPLE: lambda: example_markdown(files.worked_example(name)),
        PartKind.CHECKS: lambda: checks_markdown(files.output_checks()),
        PartKind.STAGES: lambda: stages_markdown(files.stages()),
        PartKind.COUNTERFACTUALS: lambda: counterfactuals_markdown(family, files.counterfactuals()),
    }
    write = writers.get(kind, lambda: caveats_markdown(content.audit(family)))
    return PartText(write(), path)


def _checked(content: Content, path: Path) -> str:
    """The text of a task that can be read."""
    read_toml(path, Task, content.text)
    return content.text(path)
