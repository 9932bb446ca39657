"""Record a demonstration: the real Codex CLI, a scripted model, a synthetic source."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable
from dataclasses import replace

from workbench.llm import ScriptedModel, Turn
from workbench.records import (
    BadInput,
    Demonstration,
    DemonstrationList,
    DemonstrationScript,
    Refused,
    RunEvent,
    RunResult,
    WorkbenchError,
    mark_length,
    read_regular,
)
from workbench.runs.attach import follow_run, launch_run
from workbench.runs.context import Context
from workbench.runs.demonstrations import list_demonstrations
from workbench.runs.plan import RunRequest, plan_run
from workbench.runs.setup import ensure_source, source_for
from workbench.store import atomic_write

MODEL = "scripted-demonstration"
LABEL = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def record_demonstration(
    context: Context, script: DemonstrationScript, label: str, sandbox: str, show: Callable[[RunEvent], None]
) -> Demonstration:
    """Run Codex against the script and keep its log below ``evidence/demonstration/``.

    Raises Refused for anything but a synthetic source or a read-only content root, and
    WorkbenchError where the run gave no readable output.
    """
    content = context.content.paths
    if not content.writable:
        raise Refused("the installed content is read-only", remedy="Work in a checkout of the project.")
    if not LABEL.fullmatch(label):
        raise BadInput(f"'{label}' is no label", remedy="Use lower-case letters, digits and hyphens.")
    task = context.content.task(script.task)
    source = ensure_source(context, source_for(context.settings.source, task))
    if source.kind != "synthetic":
        raise Refused(
            f"source '{source.name}' holds imported data; demonstrations are tracked files",
            remedy="Record on a synthetic source (--source synthetic-500-1).",
        )
    key = secrets.token_hex(24)
    turns = [Turn(commands=tuple(turn.commands), message=turn.message) for turn in script.turns]
    with ScriptedModel(turns, key=key) as model:
        settings = context.settings.model_copy(update={"model_endpoint": model.url})
        live = replace(context, settings=settings)
        request = RunRequest(
            task=task, condition=script.condition, agent="codex", model=MODEL, source=source.name
        )
        planned = plan_run(request, live, sandbox)
        plan = planned.plan.model_copy(update={"demonstration": True})
        run, process = launch_run(live, replace(planned, plan=plan), key=key)
        for event in follow_run(live, run, process):
            show(event)
    result = RunResult.load(run.result)
    if result.score is None or not result.score.readable:
        raise WorkbenchError(
            f"the run gave no readable output ({'; '.join(result.reasons)})",
            where=plan.run_id,
            remedy=f"Look at it with: workbench runs show {plan.run_id}",
        )
    data = read_regular(run.trajectory)
    data = data[mark_length(data) :]
    path = content.demonstration(task.id, script.condition, label)
    item = Demonstration(
        task=task.id,
        condition=script.condition,
        label=label,
        recorded=context.clock.now(),
        source=source.name,
        generator_version=source.generator_version,
        agent=plan.agent,
        format=result.trajectory.format if result.trajectory else "",
        file=str(path.relative_to(content.demonstrations)),
        sha256=hashlib.sha256(data).hexdigest(),
        reward=result.score.reward,
        strict_pass=result.score.strict_pass,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, data, mode=0o644)
    others = [known for known in list_demonstrations(content) if known.file != item.file]
    listing = DemonstrationList(demonstrations=sorted([*others, item], key=lambda known: known.file))
    atomic_write(content.demonstration_list, listing.to_json() + "\n", mode=0o644)
    return item
