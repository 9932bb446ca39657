"""What a sign-off is bound to: the skill, the tasks it is for, and what those stand on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import Content, FamilyEntry
from workbench.ehr import PINNED_SQL_HASH
from workbench.records import PUBLISHED_DATABASES, ContentPaths, Task, blob_hash

UPSTREAM = "upstream: pinned concept SQL"
"""Stands among the files for the public code; no file below the content root."""
_UPSTREAM_OF = PUBLISHED_DATABASES[0]
"""The database that the pinned code is written for."""


@dataclass(frozen=True)
class ContentChange:
    """A file that is not as it was signed: ``what`` is changed, new or gone."""

    path: str
    what: str


def signed_content(content: Content, skill: str) -> dict[str, str]:
    """Git blob hash (text with line feeds) of each file, by its path below the content root.

    The skill's own files; of each task that gives it to agents: task.toml, instruction, specification; of
    that task's family: family.toml and the reference of each target; the dictionary of its database; and for
    MIMIC-IV ``UPSTREAM``, the hash of the pinned SQL. Files that are not there are left out.
    Raises BadInput for an unknown skill and for files that cannot be read.
    """
    folder = content.paths.skill(skill).parent
    found = {
        (folder / name).relative_to(content.paths.root).as_posix(): text
        for name, text in content.skill_files(skill).items()
    }
    upstream = False
    for entry in content.entries():
        for task in entry.readable_tasks:
            if skill in task.skills:
                upstream |= task.database == _UPSTREAM_OF
                for path in (*_task_files(entry, task), content.paths.dictionary(task.database)):
                    if path.is_file():
                        found[path.relative_to(content.paths.root).as_posix()] = content.text(path)
    hashes = {path: blob_hash(text.encode()) for path, text in sorted(found.items())}
    return hashes | ({UPSTREAM: blob_hash(PINNED_SQL_HASH.encode())} if upstream else {})


def _task_files(entry: FamilyEntry, task: Task) -> list[Path]:
    paths = entry.paths
    references = [paths.reference(target.name, task.database) for target in task.targets]
    return [
        *(paths.family, paths.task(task.id), paths.instruction(task.id), paths.operational_spec(task.id)),
        *references,
    ]


def content_changes(signed: Mapping[str, str], now: Mapping[str, str]) -> list[ContentChange]:
    """What differs, by path; nothing where the sign-off still holds."""
    found = []
    for path in sorted({*signed, *now}):
        if path not in now:
            found.append(ContentChange(path, "gone"))
        elif path not in signed:
            found += [] if _bound_later(path) else [ContentChange(path, "new")]
        elif signed[path] != now[path]:
            found.append(ContentChange(path, "changed"))
    return found


def _bound_later(path: str) -> bool:
    """Whether sign-offs of earlier versions of the workbench lack it: that makes none of them void."""
    return path == UPSTREAM or Path(path).parent == ContentPaths(Path()).dictionaries
