"""A recorded run linted again with today's rules; its first result stays what it is."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.contamination import HiddenMaterial, Lint, PartialMaterial, RunView, TimeLimit, lint_rules
from workbench.ehr import concept_sql_of
from workbench.ehr.task_files import removed_tables
from workbench.gateway import read_egress, verify_egress
from workbench.records import (
    BadInput,
    LintRecord,
    LintReport,
    Progress,
    Reference,
    RunIdentity,
    RunPaths,
    RunPlan,
    RunResult,
    Step,
    StepEvent,
    Verdict,
    blob_hash,
    file_sha256,
    silent,
)
from workbench.runs.code_version import code_version
from workbench.runs.context import Context
from workbench.runs.material import AnswerMaterial, hidden_material
from workbench.runs.nested import Nested, nested_logs
from workbench.runs.verdict import decide
from workbench.runs.views import context_of, names_of
from workbench.store import EventLines, LocalRuns, RunStore, going_on

RULE_LIMIT_S = 120.0
"""A rule that takes longer with one step, or with the whole ended run, has not run."""


def relint(
    context: Context,
    run_id: str,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    progress: Progress = silent,
) -> LintRecord:
    """What the selected rules (none named: all) say of a run that has ended. Nothing is written.

    Raises BadInput for a run without a result, and for one whose task is not here any more.
    """
    store = RunStore(context.data, context.clock)
    paths = store.paths(run_id)
    runs = LocalRuns(store)
    plan, result, identity = runs.plan(run_id), runs.result(run_id), runs.identity(run_id)
    if result is None:
        raise BadInput(
            "the run is still going on" if going_on(paths) else "the run ended without a result",
            where=run_id,
            remedy="Wait until it has ended."
            if going_on(paths)
            else f"Lint what it printed as a file: {paths.trajectory}",
        )
    rules = lint_rules(select, ignore)
    progress("gathering what was hidden", 0, 0, "runs")
    hidden, notes = _hidden(context, plan, identity)
    nested = nested_logs(paths, result.trajectory.session if result.trajectory else "")
    notes += [nested.note] if nested.note else []
    progress("reading steps", 0, 0, "steps")
    steps = [event.step for event in EventLines(paths.events).new() if isinstance(event, StepEvent)]
    view = _view(paths, result, steps, nested, hidden)
    progress("linting", 0, len(steps), "steps")
    with TimeLimit(RULE_LIMIT_S) as limit:
        report = Lint(hidden, rules).check_run(view, limit)
    verdict, reasons = _decided(plan, result, report, steps)
    return LintRecord(
        run_id=run_id,
        made=context.clock.now(),
        code=code_version(),
        log_sha256=file_sha256(paths.events) if paths.events.is_file() else "",
        first_verdict=result.verdict,
        verdict=verdict,
        reasons=reasons,
        notes=notes,
        report=report,
    )


def _hidden(
    context: Context, plan: RunPlan, identity: RunIdentity | None
) -> tuple[HiddenMaterial, list[str]]:
    """What was hidden from the run's agent, as far as it is still here, and what is not as it was."""
    context = context_of(context, plan)
    task = context.content.task(plan.task)
    names = names_of(context.content, task, plan.schema_variant)
    removed = removed_tables(task, concept_sql_of(task.database, context.data, context.concepts_folder))
    if names:
        removed = sorted({*removed, *(names.table(table).name for table in removed)})
    source = context.data.source(plan.source)
    files, gone = {}, []
    scored = identity.inputs.references if identity else {}
    for target in task.targets:
        stored = context.content.stored_reference(target.name)
        manifest = source.reference_manifest(task.family, stored)
        file = source.reference(task.family, stored)
        there = manifest.is_file() and file.is_file()
        if there and Reference.load(manifest).rows_sha256 == scored.get(target.name):
            files[target.name] = file
        else:
            gone.append(target.name)
    answers = AnswerMaterial(
        removed_tables=removed,
        reference_sql={
            target.name: context.content.reference_sql(task.family, target.name, task.database)
            for target in task.targets
        },
        reference_files=files,
        column_names={names.column(name): name for name in task.required_columns} if names else {},
    )
    hidden = hidden_material(context, plan, answers)
    notes = []
    if identity is not None and identity.inputs.task != blob_hash(task.to_json().encode()):
        notes.append("the task was changed since the run")
    if gone:
        reason = f"the reference that the run was scored against is not here any more: {', '.join(gone)}"
        notes.append(reason)
        hidden = PartialMaterial.of(hidden, {"reference_files": reason})
    return hidden, notes


def _view(
    paths: RunPaths, result: RunResult, steps: list[Step], nested: Nested, hidden: HiddenMaterial
) -> RunView:
    valid, reason = verify_egress(paths.egress) if paths.egress.exists() else (True, "")
    told = result.trajectory
    return RunView(
        steps=steps,
        collected=paths.collected if paths.collected.is_dir() else None,
        output=paths.output if paths.output.exists() else None,
        egress=read_egress(paths.egress) if paths.egress.exists() and valid else [],
        egress_valid=valid and (result.egress is None or result.egress.chain_valid),
        egress_reason=reason,
        hidden=hidden,
        complete=told is not None and told.complete and not told.damaged_lines and not nested.left_out,
        home=paths.home if paths.home.is_dir() else None,
        nested=nested.steps,
        score=result.score,
    )


def _decided(
    plan: RunPlan, result: RunResult, report: LintReport, steps: Sequence[Step]
) -> tuple[Verdict, list[str]]:
    """As at the run's end; a run that never came so far keeps what was decided."""
    if result.sandbox is None or result.score is None or result.trajectory is None:
        return result.verdict, list(result.reasons)
    commands = sum(len(step.calls) for step in steps)
    return decide(plan, result.sandbox, result.egress, result.score, report, result.trajectory, commands)
