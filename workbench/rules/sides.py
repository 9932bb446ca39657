"""What is held side by side: a skill, a specification, references, concepts, any file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.catalog import Content, read_text
from workbench.records import BadInput, Task, blob_hash
from workbench.rules.claims import claims
from workbench.rules.closure import SourceText, closure
from workbench.rules.later import with_later
from workbench.rules.rule import Rule
from workbench.rules.sql_rules import rules_of_sql

PUBLIC_CODE = "public-code"
"""The target that a skill follows unless another is asked for."""


@dataclass(frozen=True)
class Side:
    """One side: ``label`` as reports call it, its files, and what families say is known only later."""

    label: str
    texts: tuple[SourceText, ...]
    delays: Mapping[str, str] = field(default_factory=dict)

    @property
    def content_hash(self) -> str:
        """One hash of all its texts, in order."""
        return blob_hash("\0".join(text.text for text in self.texts).encode())

    def rules(self) -> list[Rule]:
        """The rules of every file, in order: SQL by its end, anything else as Markdown."""
        found: list[Rule] = []
        for text in self.texts:
            if text.file.endswith(".sql"):
                found += with_later(rules_of_sql(text.text, text.file), text.text, self.delays)
            else:
                found += claims(text.text, text.file)
        return found


def skill_side(content: Content, name: str) -> Side:
    """A skill's SKILL.md. Raises BadInput for an unknown one."""
    path = content.paths.skill(name)
    text = content.skill(name).text
    return Side("skill", (_named(content, path, text),))


def tasks_of_skill(content: Content, name: str) -> list[Task]:
    """The tasks that the skill is for first of all, else those that it is for at all."""
    found = [task for task in content.readable_tasks()[0] if name in task.skills]
    return [task for task in found if task.skills[0] == name] or found


def spec_side(content: Content, tasks: list[Task]) -> Side:
    """The operational specifications of tasks. Raises BadInput where there is none."""
    paths = [content.family_paths(task.family).operational_spec(task.id) for task in tasks]
    return _whole("spec", [_named(content, path, content.text(path)) for path in dict.fromkeys(paths)])


def reference_side(content: Content, tasks: list[Task], target: str = PUBLIC_CODE) -> Side:
    """The references of the tasks' families, one a database. Raises BadInput where there is none."""
    pairs = dict.fromkeys((task.family, task.database) for task in tasks)
    texts, delays = [], {}
    for family, database in pairs:
        path = content.family_paths(family).reference(target, database)
        texts.append(_named(content, path, content.files(family).reference_sql(target, database)))
        delays.update(
            {
                frame.rule: frame.delay
                for frame in content.family(family).time_frame
                if frame.knowable != "at-time"
            }
        )
    side = _whole("reference", texts)
    return Side(side.label, side.texts, delays)


def concept_side(content: Content, tasks: list[Task], concepts: Mapping[str, SourceText]) -> Side:
    """The public concepts that the tasks' references are compared with, and what they stand on."""
    texts: list[SourceText] = []
    for family, database in dict.fromkeys((task.family, task.database) for task in tasks):
        sql = content.files(family).concept_sql(database)
        if sql:
            texts.append(_named(content, content.family_paths(family).concept(database), sql))
    texts += [concepts[task.reference_concept] for task in tasks if task.reference_concept in concepts]
    return _whole("concept", closure(dict.fromkeys(texts), concepts))


def file_side(path: Path) -> Side:
    """Any file: SQL of an agent, another version of a skill. Raises BadInput if it cannot be read."""
    label = "SQL" if path.suffix == ".sql" else "text"
    return Side(label, (SourceText(path.as_posix(), read_text(path)),))


def with_closure(side: Side, concepts: Mapping[str, SourceText]) -> Side:
    """The side and the concepts that it stands on."""
    return Side(side.label, tuple(closure(side.texts, concepts)), side.delays)


def _named(content: Content, path: Path, text: str) -> SourceText:
    return SourceText(path.relative_to(content.paths.root).as_posix(), text)


def _whole(label: str, texts: list[SourceText]) -> Side:
    if not texts:
        raise BadInput(f"there is no {label} to hold it against", remedy="Name a file with --against.")
    return Side(label, tuple(texts))
