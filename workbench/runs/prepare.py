"""Prepare: task database, prompt, injected skill files, sandbox spec, identity."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.agents import Launch, LaunchRequest, get_agent
from workbench.contamination import HiddenMaterial
from workbench.records import (
    DATABASE_FOLDER,
    Condition,
    InputHashes,
    RunIdentity,
    RunPlan,
    Task,
    blob_hash,
    cell_of,
    new_run_canary,
)
from workbench.runs.code_version import code_version
from workbench.runs.conditions import Delivery, deliver
from workbench.runs.context import Context
from workbench.runs.material import AnswerMaterial, hidden_material
from workbench.runs.prompt import build_prompt
from workbench.runs.setup import Ready, ensure_ready
from workbench.runs.views import agents_content, context_of, names_of
from workbench.sandbox import Mount, Runtime, Sandbox, SandboxSpec
from workbench.store import RunStore

GATEWAY_PORT = 8100
GATEWAY_URL = f"http://127.0.0.1:{GATEWAY_PORT}"


@dataclass(frozen=True)
class PreparedRun:
    """Ready to execute. ``hidden`` never enters the sandbox."""

    plan: RunPlan
    task: Task
    identity: RunIdentity
    ready: Ready
    launch: Launch
    spec: SandboxSpec
    hidden: HiddenMaterial


def build_launch(
    context: Context, plan: RunPlan, material: bytes, runtime: Runtime
) -> tuple[Launch, Delivery, str]:
    """What the agent starts, what the condition adds, and the prompt. ``context`` is the plan's own.

    Raises BadInput.
    """
    content = agents_content(context.content, context.content.task(plan.task), plan.schema_variant)
    delivery = deliver(plan.condition, content, content.task(plan.task))
    prompt = build_prompt(content.instruction(plan.task), delivery.prompt_addition)
    request = LaunchRequest(
        prompt=prompt,
        task_files=delivery.work_files,
        skill_files=delivery.given_skill_files,
        choice=plan.agent,
        material=material,
        gateway_url=GATEWAY_URL,
        runtime=runtime,
        data=context.data,
    )
    return get_agent(plan.agent.name).launch(request), delivery, prompt


def prepare(
    context: Context, plan: RunPlan, material: bytes, sandbox: Sandbox, store: RunStore
) -> PreparedRun:
    """Build what the sandbox will hold, and hash it. ``store`` counts attempts of a cell."""
    context = context_of(context, plan)
    task = context.content.task(plan.task)
    names = names_of(context.content, task, plan.schema_variant)
    ready = ensure_ready(context, task, plan.source, sandbox, names=names)
    launch, delivery, prompt = build_launch(context, plan, material, ready.runtime)
    instruction = context.content.instruction(task.id)
    agent = get_agent(plan.agent.name)
    inputs = InputHashes(
        task=blob_hash(task.to_json().encode()),
        instruction=blob_hash(instruction.encode()),
        prompt=blob_hash(prompt.encode()),
        skills={name: blob_hash(text) for name, text in delivery.skill_files.items()},
        operational_spec=blob_hash(delivery.prompt_addition.encode())
        if plan.condition is Condition.OPERATIONAL_SPEC
        else "",
        added_files={name: blob_hash(content) for name, content in delivery.work_files.items()},
        references={target: item.rows_sha256 for target, item in ready.references.items()},
        database=ready.database.database_hash,
        runtime=f"{ready.runtime.key} {agent.version(context.data)}".strip(),
        code=code_version(),
    )
    cell = cell_of(plan, inputs)
    return PreparedRun(
        plan=plan,
        task=task,
        identity=RunIdentity(
            run_id=plan.run_id,
            cell=cell,
            attempt=store.next_attempt(cell),
            inputs=inputs,
            canary=new_run_canary(),
        ),
        ready=ready,
        launch=launch,
        spec=_spec(plan, ready, launch),
        hidden=hidden_material(
            context,
            plan,
            AnswerMaterial(
                removed_tables=ready.database.removed,
                reference_sql=ready.reference_sql,
                reference_files=ready.reference_files,
                column_names=ready.column_names,
            ),
        ),
    )


def _spec(plan: RunPlan, ready: Ready, launch: Launch) -> SandboxSpec:
    mounts = (Mount(ready.database_folder, DATABASE_FOLDER), *ready.runtime.mounts, *launch.mounts)
    return SandboxSpec(
        argv=launch.argv,
        env={**ready.runtime.env, **launch.env},
        mounts=mounts,
        work_files=launch.work_files,
        home_files=launch.home_files,
        limits=plan.limits,
        gateway_port=GATEWAY_PORT if launch.needs_gateway else None,
    )
