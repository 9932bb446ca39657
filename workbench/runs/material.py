"""What must stay hidden from one run's agent, gathered: references, skills, other names, earlier runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.catalog import Content
from workbench.contamination import EarlierRun, HiddenMaterial, SkillMaterial, key_in_text
from workbench.ehr import DERIVED_SCHEMA, concept_sql_of, concept_texts
from workbench.records import (
    MODEL_KEY_VARIABLE,
    SKILL_FOLDER,
    BadInput,
    Condition,
    DataPaths,
    RunPlan,
    SchemaVariant,
    Task,
    read_regular,
)
from workbench.runs.conditions import Delivery, deliver
from workbench.runs.conditions.with_skill import skill_delivery
from workbench.runs.context import Context
from workbench.runs.views import agents_content, names_of
from workbench.store import KnownRun, known_runs

MAIN = "SKILL.md"
OWN_TEXT = " (as written)"
"""After the name of a skill of which the run's condition hands out another text."""
READS_NOTHING = frozenset({"script"})
"""Agents that open no skill whatever they are given."""
NOT_OWN_WORK = frozenset({"script", "replay"})
"""Agents that execute what was written before."""


@dataclass(frozen=True)
class AnswerMaterial:
    """What is known of the task's answers; see ``HiddenMaterial``."""

    removed_tables: list[str]
    reference_sql: Mapping[str, str] = field(default_factory=dict)
    reference_files: Mapping[str, Path] = field(default_factory=dict)
    column_names: Mapping[str, str] = field(default_factory=dict)


def hidden_material(
    context: Context, plan: RunPlan, answers: AnswerMaterial, *, known: bool = True
) -> HiddenMaterial:
    """All that the lint of a run of ``plan`` compares with. ``context`` is the plan's own (``context_of``).

    ``known``: look at other runs, too. Raises BadInput, Unavailable.
    """
    task = context.content.task(plan.task)
    names = names_of(context.content, task, plan.schema_variant)
    others = known_runs(context.data, plan) if known else None
    key = os.environ.get(MODEL_KEY_VARIABLE, "")
    concepts = concept_sql_of(task.database, context.data, context.concepts_folder)
    return HiddenMaterial(
        task=task,
        removed_tables=answers.removed_tables,
        reference_sql=answers.reference_sql,
        reference_files=answers.reference_files,
        column_names=answers.column_names,
        derived_schemas=(DERIVED_SCHEMA, names.schemas[DERIVED_SCHEMA]) if names else (DERIVED_SCHEMA,),
        is_key=key_in_text(key) if key else None,
        condition=plan.condition,
        skills=skill_material(context.content, task, plan),
        skill_folders=(SKILL_FOLDER,),
        public_sql=concept_texts(concepts, task.reference_concept),
        other_names=other_names(context.content, task, plan.schema_variant),
        earlier=[_earlier(context.data, run) for run in others.earlier] if others else [],
        run_canaries=others.canaries if others else frozenset(),
        given=given_text(context.data, plan),
    )


def given_text(data: DataPaths, plan: RunPlan) -> str:
    """What a person gave the agent to execute; empty for agents that write their own."""
    path = data.run(plan.run_id).material
    given = plan.agent.name in NOT_OWN_WORK and path.exists()
    return read_regular(path).decode("utf-8", "replace") if given else ""


def skill_material(content: Content, task: Task, plan: RunPlan) -> dict[str, SkillMaterial]:
    """Every skill of the content under the names that the run's agent sees; further Markdown files of a
    skill as ``<skill>/<file>``, each with its own token.

    A skill that the condition hands out with another text is there with both: the other one is hidden. Not
    expected: a decoy, and any skill of an agent that reads none.
    """
    seen = agents_content(content, task, plan.schema_variant)
    seen_task = seen.task(task.id)
    given = deliver(plan.condition, seen, seen_task)
    needless = plan.condition is Condition.WITH_SKILL_DECOY or plan.agent.name in READS_NOTHING
    expected = frozenset() if needless else frozenset(task.skills)
    found: dict[str, SkillMaterial] = {}
    for name in seen.skill_names():
        try:
            written = skill_delivery(seen, [name])
        except BadInput:
            continue  # what cannot be read is handed out to nobody
        for file, text in written.skill_files.items():
            if file not in written.skill_canaries:
                continue
            skill, main = _skill_name(file)
            handed_out = given.skill_files.get(file)
            if handed_out is None or handed_out == text:
                found[skill] = _material(
                    written, file, allowed=handed_out is not None, expected=main and name in expected
                )
            else:
                found[skill] = _material(given, file, allowed=True, expected=main and name in expected)
                found[skill + OWN_TEXT] = _material(written, file)
    return found


def other_names(content: Content, task: Task, variant: SchemaVariant) -> frozenset[str]:
    """Lower-case names of tables, bare and qualified, that the task's database has in other variants of the
    schema and not in this one; none for a database without a dictionary.
    """
    if not content.paths.dictionary(task.database).is_file():
        return frozenset()
    by_variant: dict[SchemaVariant, set[str]] = {}
    for other in SchemaVariant:
        names = names_of(content, task, other)
        if names is not None:
            by_variant[other] = {table.name for table in names.tables.values()}
            by_variant[SchemaVariant.NATIVE] = set(names.tables)
    told = _spelled(by_variant[variant])
    return _spelled({name for names in by_variant.values() for name in names}) - told


def _spelled(tables: set[str]) -> frozenset[str]:
    return frozenset(name for table in tables for name in (table.lower(), table.lower().rsplit(".", 1)[-1]))


def _skill_name(file: str) -> tuple[str, bool]:
    """What a file of a skill is called here, and whether it is the skill's main one."""
    name, _, inside = file.partition("/")
    return (name, True) if inside == MAIN else (file, False)


def _material(
    delivery: Delivery, file: str, *, allowed: bool = False, expected: bool = False
) -> SkillMaterial:
    text = delivery.given_skill_files[file].decode("utf-8", "replace")
    return SkillMaterial(
        text=text, canary=delivery.skill_canaries[file], allowed=allowed, expected=allowed and expected
    )


def _earlier(data: DataPaths, run: KnownRun) -> EarlierRun:
    return EarlierRun(
        run_id=run.run_id,
        condition=run.condition,
        independent=not run.demonstration and run.agent not in NOT_OWN_WORK,
        output_sha256=run.output_sha256,
        output=data.run(run.run_id).output if run.output_sha256 else None,
        reward=run.reward,
        strict=run.strict_pass,
    )
