"""A new family: every part that a family has, at its smallest, so that it runs before it is rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import Content
from workbench.ehr import PublishedSchema, schema_of
from workbench.records import BadInput, FamilyPaths
from workbench.scaffold.derivation import derivation_of
from workbench.scaffold.skill import EMPTY, skill_text
from workbench.scaffold.template import check_new_name, filled, in_toml, title_of
from workbench.scaffold.writing import write_content

PREFIXES: Mapping[str, str] = {"mimic-iv": "mimic"}
"""What a task's id begins with, where it is not the database's name."""
RULES = ("values-there", "number-of-values", "largest-value", "one-row-a-key")


@dataclass(frozen=True)
class NewTask:
    """What a person asks for; empty means 'choose for me'. ``table``, ``key``, ``value``: to derive from."""

    family: str
    task: str = ""
    title: str = ""
    database: str = "mimic-iv"
    table: str = ""
    key: str = ""
    value: str = ""
    decoy: str = ""

    @property
    def task_id(self) -> str:
        return self.task or f"{PREFIXES.get(self.database, self.database)}-{self.family}"


def new_family(content: Content, asked: NewTask) -> list[Path]:
    """Write the family, its first task, its audit, and its skill unless there is one of that name; the files.

    Raises BadInput for names that cannot be, an unknown database, table or column, and where no skill can be
    the decoy; Refused where a file is there already.
    """
    schema = schema_of(content, asked.database)
    words = scaffold_words(content, asked, schema)
    paths = FamilyPaths(content.paths.own_tasks / check_new_name("family", asked.family))
    check_task_id(content, asked)
    files = {
        **family_files(paths, words),
        **task_files(paths, asked.task_id, words),
        **database_files(paths, asked.database, words),
        paths.output_checks: filled("output-checks.toml", words)
        + filled("output-checks-database.toml", words),
        paths.worked_example(): filled("worked-example.toml", words),
        content.paths.audit(asked.family): filled("audit.toml", words),
    }
    skill = content.paths.skill(asked.family)
    if not skill.exists():
        files[skill] = family_skill(asked.family, words)
    write_content(content.paths, files)
    return list(files)


def scaffold_words(content: Content, asked: NewTask, schema: PublishedSchema) -> dict[str, str]:
    """What the templates fill in for a family and task."""
    derivation = derivation_of(schema, asked.table, asked.key, asked.value)
    title = title_of(asked.family, asked.title)
    return {
        **derivation.words,
        "family": asked.family,
        "task": asked.task_id,
        "title": title,
        "title_toml": in_toml(title),
        "task_title_toml": in_toml(f"{title}, {schema.title}"),
        "database": asked.database,
        "database_title": schema.title,
        "contents": f"the tables of {schema.title}",
        "decoy": decoy_for(content, asked),
    }


def family_files(paths: FamilyPaths, words: Mapping[str, str]) -> dict[Path, str]:
    """``family.toml`` with the time frame of every rule."""
    frames = "".join(filled("time_frame.toml", {"rule": rule}) for rule in RULES)
    return {paths.family: filled("family.toml", words).rstrip() + "\n" + frames}


def task_files(paths: FamilyPaths, task: str, words: Mapping[str, str]) -> dict[Path, str]:
    """The three files of a task's folder."""
    return {
        paths.task(task): filled("task.toml", words),
        paths.instruction(task): filled("instruction.md", words),
        paths.operational_spec(task): filled("operational-spec.md", words),
    }


def database_files(paths: FamilyPaths, database: str, words: Mapping[str, str]) -> dict[Path, str]:
    """The derivations of one database."""
    return {
        paths.reference("public-code", database): filled("reference.sql", words),
        paths.naive(database): filled("naive.sql", words),
    }


def family_skill(name: str, words: Mapping[str, str]) -> str:
    """The skill that a scaffold's task can be solved with."""
    sections = {
        **EMPTY,
        "grain": f"One row per `{words['key']}` that has a value.",
        "inputs": words["found"],
        "steps": "1. Leave out rows without a value, and rows without a "
        f"`{words['key']}`.\n2. Per `{words['key']}`, count the values (`measurements`) and take the largest "
        "(`highest`).",
        "missing": "A missing value does not count. Where there is none, there is no row.",
    }
    return skill_text(name, words["title"], "", words["database_title"], sections)


def check_task_id(content: Content, asked: NewTask) -> None:
    """Raises BadInput for an id that cannot be, or that another task has."""
    task = check_new_name("task", asked.task_id)
    if task in asked.family:
        raise BadInput(
            f"a skill named {asked.family} would name the task {task}",
            remedy="Give the task a longer id with --task.",
        )
    for entry in content.entries():
        if task in entry.tasks:
            raise BadInput(f"family {entry.name} has a task {task}", remedy="Choose another id with --task.")


def decoy_for(content: Content, asked: NewTask) -> str:
    """The skill that stands in for the family's own. Raises BadInput where there is none."""
    if asked.decoy:
        return content.skill(asked.decoy).name
    others = [name for name in content.skill_names() if name != asked.family]
    if not others:
        raise BadInput(
            "there is no other skill that could be the decoy of the task",
            where=str(content.paths.skills),
            remedy="Make one first: workbench skill new NAME",
        )
    return others[0]
