"""A further task of a family that is there: as its first one, or on another database."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import tomlkit

from workbench.catalog import Content, read_text, read_toml
from workbench.ehr import schema_of
from workbench.records import BadInput, Family, FamilyPaths, OutputChecks, Refused, Task
from workbench.scaffold.family import (
    RULES,
    NewTask,
    check_task_id,
    database_files,
    scaffold_words,
    task_files,
)
from workbench.scaffold.template import filled, in_toml, title_of
from workbench.scaffold.writing import write_content


def new_task(content: Content, asked: NewTask) -> list[Path]:
    """Add a task to a family that is there; the files that are new or changed.

    On a database that the family has, columns and texts of its first task there are taken over; on another
    the family gets a derivation for that database, at its smallest. Raises BadInput as ``new_family``,
    Refused for a family of the published benchmark and for files that are there.
    """
    paths, family = content.family_paths(asked.family), content.family(asked.family)
    if paths.published:
        raise Refused(
            f"the tasks of {family.name} are the published ones",
            where=paths.family.relative_to(content.paths.root).as_posix(),
            remedy="Make a family of your own under another name.",
        )
    check_task_id(content, asked)
    like = next(
        (task for name in family.tasks if (task := content.task(name)).database == asked.database), None
    )
    changed = {paths.family: with_task(read_text(paths.family), asked.task_id)}
    if like is not None:
        new = _as_another(paths, like, asked)
    else:
        words = scaffold_words(content, asked, schema_of(content, asked.database))
        new = {
            **task_files(paths, asked.task_id, words),
            **database_files(paths, asked.database, words),
            paths.worked_example(asked.database): filled("worked-example.toml", words),
        }
        framed = [item.rule for item in family.time_frame]
        changed[paths.family] += "".join(
            filled("time_frame.toml", {"rule": rule}) for rule in RULES if rule not in framed
        )
        checks = read_text(paths.output_checks).rstrip() + "\n" + filled("output-checks-database.toml", words)
        changed[paths.output_checks] = checks
    write_content(content.paths, new, changed)
    read_toml(paths.family, Family)
    read_toml(paths.output_checks, OutputChecks)
    return [*new, *changed]


def with_task(text: str, task: str) -> str:
    """A ``family.toml`` with one more task, all else as it is written."""
    document: Any = tomlkit.parse(text)
    document["tasks"].append(task)
    return tomlkit.dumps(document)


def _as_another(paths: FamilyPaths, like: Task, asked: NewTask) -> dict[Path, str]:
    text = read_text(paths.task(like.id))
    text = _with_key(text, "id", asked.task_id)
    if asked.title:
        text = _with_key(text, "title", title_of(asked.family, asked.title))
    return {
        paths.task(asked.task_id): text,
        paths.instruction(asked.task_id): read_text(paths.instruction(like.id)),
        paths.operational_spec(asked.task_id): read_text(paths.operational_spec(like.id)),
    }


def _with_key(text: str, key: str, value: str) -> str:
    changed, times = re.subn(
        rf"^{key}\s*=.*$", lambda _: f"{key} = {in_toml(value)}", text, count=1, flags=re.MULTILINE
    )
    if not times:
        raise BadInput(f"there is no line '{key} = …' in the task that is taken over")
    return changed
