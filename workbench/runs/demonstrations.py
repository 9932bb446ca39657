"""Recorded demonstrations: list them, pick the newest, read its bytes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from workbench.records import (
    BadInput,
    Condition,
    ContentPaths,
    Demonstration,
    DemonstrationList,
    Refused,
    Task,
    read_regular,
)


@dataclass(frozen=True)
class Recording:
    """One demonstration and its trajectory's bytes."""

    demonstration: Demonstration
    data: bytes


def list_demonstrations(content: ContentPaths) -> list[Demonstration]:
    """All recordings in the manifest, newest first. Raises BadInput for a broken manifest."""
    if not content.demonstration_list.is_file():
        return []
    found = DemonstrationList.load(content.demonstration_list).demonstrations
    return sorted(found, key=lambda item: item.recorded, reverse=True)


def newest_demonstration(
    content: ContentPaths, task: Task, condition: Condition | None = None, label: str = ""
) -> Recording:
    """The newest recording of a task. Raises BadInput where there is none, Refused where it was changed."""
    for item in list_demonstrations(content):
        if item.task != task.id or condition not in (None, item.condition):
            continue
        if label and item.label != label:
            continue
        return _read(content, item)
    raise _none_recorded(list_demonstrations(content), task.id, condition)


def _none_recorded(known: list[Demonstration], task: str, condition: Condition | None) -> BadInput:
    """What there is instead: another condition of the task, or other tasks."""
    agent = (
        "set WORKBENCH_MODEL_ENDPOINT and choose an agent (--agent codex --model NAME), "
        "or give --agent script --file FILE.sql."
    )
    conditions = sorted({str(item.condition) for item in known if item.task == task})
    if conditions:
        return BadInput(
            f"no recorded demonstration of {task} in condition {condition}" if condition
            else f"no such recorded demonstration of {task}",
            remedy=f"There is one in {', '.join(conditions)}. Else {agent}",
        )  # fmt: skip
    tasks = ", ".join(sorted({item.task for item in known}))
    return BadInput(
        f"there is no recorded demonstration of {task}, in any condition",
        remedy=f"{f'Recorded are {tasks}. ' if tasks else ''}For this task {agent}",
    )


def _read(content: ContentPaths, item: Demonstration) -> Recording:
    path = content.demonstrations / item.file
    if ".." in path.relative_to(content.demonstrations).parts:
        raise Refused("a demonstration's file lies outside its folder", where=item.file)
    try:
        data = read_regular(path)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=item.file) from None
    if hashlib.sha256(data).hexdigest() != item.sha256:
        raise Refused(
            "a recorded demonstration is not the one its manifest names",
            where=item.file,
            remedy="Restore it from git, or record it anew (workbench demonstration record).",
        )
    return Recording(item, data)
