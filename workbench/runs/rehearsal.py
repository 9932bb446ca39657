"""One cell rehearsed: a scripted solver in the sandbox follows what an agent would get, and is scored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources

from workbench import ehr
from workbench.catalog import Content
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.solvable import concepts_to_make
from workbench.ehr.variants import SchemaNames, new_sql
from workbench.records import (
    DATABASE_FILE,
    AgentChoice,
    BadInput,
    Condition,
    Mode,
    Rehearsal,
    RunPaths,
    RunPlan,
    RunResult,
    SchemaVariant,
    Task,
    Verdict,
    read_regular,
)
from workbench.runs.cancellation import Cancellation
from workbench.runs.context import Context
from workbench.runs.plan import new_run_id
from workbench.runs.preview import preview
from workbench.runs.setup import source_for
from workbench.runs.views import agents_content, content_of, names_of
from workbench.runs.worker import RunWorker
from workbench.sql import query_over_steps
from workbench.store import owned_folder

PLACE = 'PLAN = ""'
"""The line of the program that takes the cell's plan."""
PRIMARY = "public-code"
REPORT = "rehearsal.json"
REPORT_LIMIT_BYTES = 1 << 20


def rehearse(
    context: Context,
    task: Task,
    source: str,
    sandbox: str,
    *,
    condition: Condition = Condition.NO_SKILL,
    schema_variant: SchemaVariant = SchemaVariant.NATIVE,
    counterfactual: str = "",
) -> Rehearsal:
    """Run the solver as an agent would be run, without recording it as a run.

    ``problems`` is empty where the solver could follow everything, its output scores 1 with a strict pass,
    its declaration and stages (where asked for) are whole, and lint fails nothing. Raises BadInput for a
    condition that the task does not have.
    """
    started_s = context.clock.monotonic_s()
    material = _program(context, task, condition, schema_variant, counterfactual).encode()
    plan = RunPlan(
        run_id=new_run_id(context),
        created=context.clock.now(),
        task=task.id,
        family=task.family,
        condition=condition,
        schema_variant=schema_variant,
        counterfactual=counterfactual,
        source=source_for(source, task),
        agent=AgentChoice(name="script", file="solver.py"),
        sandbox=sandbox,
    )
    with owned_folder(context.data, "rehearsal") as folder:
        run = RunPaths(folder)
        run.material.write_bytes(material)
        result = RunWorker(context, plan, run, Cancellation()).try_out()
        followed, problems = _told(run)
    return Rehearsal(
        task=task.id,
        source=plan.source,
        condition=condition,
        schema_variant=schema_variant,
        counterfactual=counterfactual,
        reward=result.score.reward if result.score else None,
        followed=followed,
        problems=[*problems, *_judge(result)],
        seconds=context.clock.monotonic_s() - started_s,
    )


def cells_of(
    context: Context, task: Task, conditions: Sequence[Condition], variants: Sequence[SchemaVariant]
) -> list[tuple[Condition, SchemaVariant]]:
    """Every pair that the task has: a database without a dictionary has the native names only, one without
    macros not the condition that hands them out.
    """
    paths = context.content.paths
    described = paths.dictionary(task.database).is_file()
    macros = paths.primitives(task.database).is_file()
    return [
        (condition, variant)
        for variant in variants
        if described or variant is SchemaVariant.NATIVE
        for condition in conditions
        if macros or condition is not Condition.WITH_PRIMITIVES
    ]


def _judge(result: RunResult) -> list[str]:
    problems = []
    if result.score is None:
        problems.append(f"not scored: {'; '.join(result.reasons)}")
    elif result.score.reward != 1 or not result.score.strict_pass:
        problems.append(f"the answer scores {result.score.reward}, strict: {result.score.strict_pass}")
    if result.verdict is Verdict.FAILED:
        problems.append(f"verdict failed: {'; '.join(result.reasons)}")
    if result.stages is not None and result.stages.first_diverging_stage:
        problems.append(f"stage {result.stages.first_diverging_stage} diverges")
    return problems


def _told(run: RunPaths) -> tuple[list[str], list[str]]:
    """What the solver wrote down, read as anything that comes out of a sandbox."""
    try:
        told = json.loads(read_regular(run.collected / REPORT, REPORT_LIMIT_BYTES))
        return [str(item) for item in told["followed"]], [str(item) for item in told["problems"]]
    except (OSError, ValueError, KeyError, TypeError):
        return [], ["the solver did not come to its end"]


def _program(
    context: Context, task: Task, condition: Condition, variant: SchemaVariant, counterfactual: str
) -> str:
    content = content_of(context.content, task=task, counterfactual=counterfactual)
    names = names_of(content, task, variant)
    agents = agents_content(content, task, variant)
    seen = preview(agents, agents.task(task.id), condition)
    plan = {
        "database": DATABASE_FILE,
        "prompt": seen.prompt,
        "sources": sorted(
            {agents.schema_name(table.schema) for table in ehr.schema_of(content, task.database).tables}
        ),
        "answer": _answer(context, content, task, names),
        "stages": _stages(content, task, names) if condition is Condition.WITH_DECLARATION else {},
    }
    program = resources.files("workbench.runs") / "rehearse_in_sandbox.py"
    return program.read_text(encoding="utf-8").replace(PLACE, f"PLAN = {json.dumps(plan)!r}", 1)


def _answer(context: Context, content: Content, task: Task, names: SchemaNames | None) -> list[str]:
    """The derivation as statements over what the agent sees: concepts that are not there, then its query."""
    sql = content.reference_sql(task.family, PRIMARY, task.database)
    concepts = ehr.concept_sql_of(task.database, context.data, context.concepts_folder)
    hidden = set(concepts.scripts) if task.mode is Mode.RAW else set(task.removed_tables)
    visible = {f"{DERIVED_SCHEMA}.{name}" for name in concepts.scripts if name not in hidden}
    made = concepts_to_make(sql, concepts.texts(), visible)
    schema = f"CREATE SCHEMA IF NOT EXISTS {names.schemas[DERIVED_SCHEMA] if names else DERIVED_SCHEMA}"
    steps = [schema, *(_renamed(text, names) for text in made.values())] if made else []
    return [*steps, _renamed(sql, names, task.required_columns).rstrip().rstrip(";")]


def _stages(content: Content, task: Task, names: SchemaNames | None) -> dict[str, str]:
    stages = content.files(task.family).stages().of(task.database)
    if stages is None:
        raise BadInput(f"the family {task.family} has no stages for {task.database}")
    sql = content.reference_sql(task.family, PRIMARY, task.database)
    return {
        names.word(stage.name) if names else stage.name: _renamed(
            query_over_steps(sql, stage.sql), names, task.required_columns
        )
        for stage in stages.stages
    }


def _renamed(sql: str, names: SchemaNames | None, labels: Sequence[str] = ()) -> str:
    return new_sql(sql, names, labels) if names else sql
