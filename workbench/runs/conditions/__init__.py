"""Conditions: what an agent gets beyond instruction and database. One module each."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from workbench.catalog import Content
from workbench.records import WORK_FOLDER, Condition, Task
from workbench.runs.conditions import (
    no_skill,
    operational_spec,
    with_checks,
    with_declaration,
    with_primitives,
    with_skill,
    with_skill_all,
    with_skill_decoy,
    with_skill_rawsql,
    with_worked_example,
)
from workbench.runs.conditions.delivery import Delivery

DICTIONARY = "dictionary.md"
DICTIONARY_TOLD = f"""\
## Tables and columns

`{WORK_FOLDER}/{DICTIONARY}` says what every table and every column of the database means."""


class _Module(Protocol):
    __doc__: str | None

    def deliver(self, content: Content, task: Task) -> Delivery: ...


_MODULES: dict[Condition, _Module] = {
    Condition.NO_SKILL: no_skill,
    Condition.WITH_SKILL: with_skill,
    Condition.WITH_SKILL_ALL: with_skill_all,
    Condition.WITH_SKILL_DECOY: with_skill_decoy,
    Condition.WITH_SKILL_RAWSQL: with_skill_rawsql,
    Condition.OPERATIONAL_SPEC: operational_spec,
    Condition.WITH_CHECKS: with_checks,
    Condition.WITH_PRIMITIVES: with_primitives,
    Condition.WITH_DECLARATION: with_declaration,
    Condition.WITH_WORKED_EXAMPLE: with_worked_example,
}


def deliver(condition: Condition, content: Content, task: Task) -> Delivery:
    """What ``condition`` adds for ``task``. Raises BadInput where the content lacks or refuses it."""
    content.allow(condition)
    delivery = _MODULES[condition].deliver(content, task)
    dictionary = content.dictionary_text(task)
    if not dictionary:
        return delivery
    addition = "\n\n".join(part for part in (DICTIONARY_TOLD, delivery.prompt_addition.strip()) if part)
    files = {DICTIONARY: dictionary.encode(), **delivery.work_files}
    return replace(delivery, prompt_addition=addition, work_files=files)


def explain(condition: Condition) -> str:
    """What the condition gives an agent, in one sentence."""
    return " ".join((_MODULES[condition].__doc__ or "").split("\n\n")[0].split())


__all__ = ["Delivery", "deliver", "explain"]
