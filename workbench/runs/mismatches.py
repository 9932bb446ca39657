"""What a recorded run's output got wrong, by example. For a person's eyes: nothing of it is stored."""

from __future__ import annotations

from workbench.records import BadInput, Reference, Refused, RunIdentity, RunPlan, file_sha256
from workbench.runs.context import Context
from workbench.runs.views import context_of, names_of
from workbench.scoring import Mismatch, mismatches
from workbench.store import RunStore


def run_mismatches(
    context: Context, run_id: str, target: str = "public-code", limit: int = 5
) -> list[Mismatch]:
    """Examples against the reference that the run was scored against; see ``scoring.mismatches``.

    They hold patients' values. Raises BadInput for an unknown run or target, or an output that cannot be
    read, and Refused where the reference is gone or is another one by now.
    """
    run = RunStore(context.data, context.clock).paths(run_id)
    plan = RunPlan.load(run.plan)
    content = context_of(context, plan).content
    task = content.task(plan.task)
    known = [item.name for item in task.targets]
    if target not in known:
        raise BadInput(f"task {task.id} has no target {target!r}", remedy=f"Known: {', '.join(known)}.")
    source = context.data.source(plan.source)
    stored = content.stored_reference(target)
    manifest, file = (source.reference_manifest(task.family, stored), source.reference(task.family, stored))
    remedy = "workbench run builds it again; score the run's output by a new run."
    if not manifest.is_file() or not file.is_file():
        raise Refused(
            f"the reference {target} of {plan.source} is not here any more", where=run_id, remedy=remedy
        )
    scored = RunIdentity.load(run.identity).inputs.references if run.identity.exists() else {}
    reference = Reference.load(manifest)
    if reference.file_sha256 != file_sha256(file):
        raise Refused(f"the file of reference {target} was changed", where=str(file), remedy=remedy)
    if scored.get(target) != reference.rows_sha256:
        raise Refused(
            f"the run was not scored against the reference {target} that is here now",
            where=run_id,
            remedy=remedy,
        )
    output = run.output if run.output.exists() else None
    names = names_of(content, task, plan.schema_variant)
    asked = {names.column(name): name for name in task.required_columns} if names else {}
    return mismatches(output, task, file, limit, column_names=asked, settings=context.settings)
