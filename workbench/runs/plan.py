"""From what a person asked for to a run plan."""

from __future__ import annotations

import errno
import hashlib
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from workbench.agents import get_agent
from workbench.contamination import lint_rules
from workbench.records import (
    AgentChoice,
    BadInput,
    Condition,
    Limits,
    RunPlan,
    SchemaVariant,
    Task,
    read_regular,
)
from workbench.runs.context import Context
from workbench.runs.demonstrations import newest_demonstration
from workbench.runs.setup import source_for
from workbench.runs.views import counterfactual_of

MATERIAL_LIMIT_BYTES = 256 * 1024**2
NEEDS_FILE = {"script"}


@dataclass(frozen=True)
class RunRequest:
    """Options of ``workbench run``; empty means 'choose for me'."""

    task: Task
    condition: Condition | None = None
    schema_variant: SchemaVariant = SchemaVariant.NATIVE
    counterfactual: str = ""
    agent: str = ""
    model: str = ""
    effort: str = ""
    trial: int = 1
    sandbox: str = ""
    source: str = ""
    file: Path | None = None
    template: list[str] = field(default_factory=list)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class PlannedRun:
    """A plan and what its agent executes (a script's or a recording's bytes; empty for a live agent)."""

    plan: RunPlan
    material: bytes


def plan_run(request: RunRequest, context: Context, sandbox: str) -> PlannedRun:
    """Decide agent, condition and material. ``sandbox`` is the backend chosen. Raises BadInput.

    Without an agent and without a model endpoint, the newest recorded demonstration is replayed.
    """
    if request.counterfactual:
        counterfactual_of(context.content, request.task, request.counterfactual)
    lint_rules(
        context.settings.lint.select, context.settings.lint.ignore
    )  # known names, before anything runs
    choice, condition, material, demonstration = _choose_agent(request, context)
    if get_agent(choice.name).needs_model(choice):
        check_endpoint(context, choice)
    plan = RunPlan(
        run_id=new_run_id(context),
        created=context.clock.now(),
        task=request.task.id,
        family=request.task.family,
        condition=condition,
        schema_variant=request.schema_variant,
        counterfactual=request.counterfactual,
        source=source_for(request.source or context.settings.source, request.task),
        agent=choice,
        trial=request.trial,
        sandbox=sandbox,
        limits=request.limits,
        demonstration=demonstration,
    )
    return PlannedRun(plan, material)


def check_endpoint(context: Context, choice: AgentChoice) -> None:
    """Raises BadInput where an agent that asks a model has no endpoint or no model's name."""
    if not context.settings.model_endpoint:
        raise BadInput(
            f"the agent '{choice.name}' needs a model endpoint",
            remedy="Set WORKBENCH_MODEL_ENDPOINT (and WORKBENCH_MODEL_KEY), or replay a demonstration.",
        )
    if not choice.model:
        raise BadInput(f"the agent '{choice.name}' needs a model's name", remedy="Give --model NAME.")


def new_run_id(context: Context) -> str:
    """Sortable by time; names neither task nor condition."""
    return f"{context.clock.now():%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def _choose_agent(request: RunRequest, context: Context) -> tuple[AgentChoice, Condition, bytes, bool]:
    settings = context.settings
    name = request.agent or settings.agent
    if not name:
        name = "script" if request.file else "codex" if settings.model_endpoint else "replay"
    condition = request.condition or Condition.NO_SKILL
    if name == "replay" and request.file is None:
        if request.counterfactual:
            raise BadInput(
                "a demonstration was recorded without the counterfactual, so replaying it shows nothing",
                remedy="Give --agent script --file FILE, or set a model endpoint.",
            )
        recording = newest_demonstration(context.content.paths, request.task, request.condition)
        item = recording.demonstration
        choice = AgentChoice(name="replay", file=f"{item.condition}.{item.label}", file_sha256=item.sha256)
        return choice, item.condition, recording.data, True
    if request.file is None:
        if name in NEEDS_FILE:
            raise BadInput(f"the agent '{name}' needs a file", remedy="Give --file FILE (.sql, .sh or .py).")
        choice = AgentChoice(
            name=name, model=request.model or settings.model, effort=request.effort, template=request.template
        )
        return choice, condition, b"", False
    material = read_material(request.file)
    choice = AgentChoice(name=name, file=request.file.name, file_sha256=hashlib.sha256(material).hexdigest())
    return choice, condition, material, False


def read_material(path: Path) -> bytes:
    """A file to execute. Raises BadInput for anything but a readable regular file of sensible size."""
    try:
        return read_regular(path, MATERIAL_LIMIT_BYTES)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise BadInput(f"larger than {MATERIAL_LIMIT_BYTES // 1024**2} MiB", where=str(path)) from None
        raise BadInput(
            f"cannot be read ({error.strerror})",
            where=str(path),
            remedy="Give --file FILE (.sql, .sh or .py) that is there.",
        ) from None
