"""A run's state and its line in a listing, from its folder alone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from workbench.records import (
    BadInput,
    Level,
    LintRecord,
    RunIdentity,
    RunPaths,
    RunPlan,
    RunResult,
    RunRow,
    RunState,
    Usage,
    Verdict,
    relinted,
    utc_text,
)
from workbench.store.locks import lock_holder, lock_reservation
from workbench.store.run_documents import load_identity, load_lint, load_plan, load_result, newest_number

SETTLED = -1
"""``folder_ns`` of a run that never changes again."""
RESULT_NAME = RunPaths(Path()).result.name
RACY_NS = 2_000_000_000
"""A folder that changed so shortly ago may change again without its time telling."""


@dataclass(frozen=True)
class RunReading:
    """``folder_ns``: SETTLED; or the folder's modification time at which an interrupted run was seen; 0 to
    look again next time. ``result_stamp`` is that of the result read. ``canary``: the run's own token;
    ``lint``: number of the newest re-lint, 0 for none. ``problem`` says which file is damaged."""

    row: RunRow | None
    folder_ns: int
    result_stamp: str = ""
    problem: str = ""
    canary: str = ""
    output_sha256: str = ""
    lint: int = 0


def result_stamp(path: str) -> str:
    """Size and modification time of a result file, '' where there is none: tells a later change."""
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    return f"{status.st_size}:{status.st_mtime_ns}"


def state_of(paths: RunPaths) -> RunState:
    """Finished by its result; running or planned by the living process that holds or reserved its lock."""
    if paths.result.exists():
        return RunState.FINISHED
    if lock_holder(paths.lock) is not None:
        return RunState.RUNNING
    if lock_reservation(paths.lock) is not None:
        return RunState.PLANNED
    # The process may have ended, or the planned one begun, between the looks above.
    if paths.result.exists():
        return RunState.FINISHED
    return RunState.RUNNING if lock_holder(paths.lock) is not None else RunState.INTERRUPTED


def going_on(paths: RunPaths) -> bool:
    """Whether the run's process lives or is still to come; once it says no, its events are all there."""
    state = state_of(paths)  # looked at first: a process lets go of its lock after its last event
    return state in (RunState.PLANNED, RunState.RUNNING) or lock_holder(paths.lock) is not None


def read_run(paths: RunPaths, now_ns: int) -> RunReading:
    """Read plan, identity and result of one run folder; ``now_ns`` is the wall time of the look."""
    if paths.folder.is_symlink():
        return RunReading(None, 0, problem="is a link, not a run's folder")
    folder_ns = paths.folder.stat().st_mtime_ns
    stamp = result_stamp(str(paths.result))
    state = state_of(paths)
    problem = ""
    result: RunResult | None = None
    identity: RunIdentity | None = None
    try:
        plan = load_plan(paths)
    except BadInput as error:
        return RunReading(None, folder_ns, problem=str(error))
    try:
        identity = load_identity(paths)
        result = load_result(paths) if state is RunState.FINISHED else None
    except BadInput as error:
        state, problem = RunState.INTERRUPTED, str(error)
    lint, number = None, newest_number(paths) if result is not None else 0
    try:
        lint = load_lint(paths, number) if number else None
    except BadInput as error:
        number, problem = 0, str(error)
    if result is not None and result.verdict is Verdict.INTERRUPTED:
        state = RunState.INTERRUPTED
    if result is not None:
        folder_ns = SETTLED
    elif state is not RunState.INTERRUPTED or now_ns - folder_ns < RACY_NS:
        folder_ns = 0
    return RunReading(
        _row(plan, identity, result, lint, state),
        folder_ns,
        stamp,
        problem,
        canary=identity.canary if identity else "",
        output_sha256=result.output_sha256 if result else "",
        lint=number,
    )


def _row(
    plan: RunPlan,
    identity: RunIdentity | None,
    recorded: RunResult | None,
    lint: LintRecord | None,
    state: RunState,
) -> RunRow:
    usage = _usage(recorded)
    result = relinted(recorded, lint) if recorded else None
    levels = [item.level for item in result.lint.violations] if result and result.lint else []
    verdict = Verdict.INTERRUPTED if state is RunState.INTERRUPTED else ""
    return RunRow(
        run_id=plan.run_id,
        created=utc_text(plan.created),
        task=plan.task,
        family=plan.family,
        condition=plan.condition,
        schema_variant=plan.schema_variant,
        counterfactual=plan.counterfactual,
        source=plan.source,
        agent=plan.agent.name,
        model=plan.agent.model,
        trial=plan.trial,
        attempt=identity.attempt if identity else 1,
        cell=identity.cell if identity else "",
        state=state,
        verdict=result.verdict if result else verdict,
        reward=result.score.reward if result and result.score else None,
        strict_pass=result.score.strict_pass if result and result.score else None,
        warns=levels.count(Level.WARN) + levels.count(Level.QUARANTINE),
        fails=levels.count(Level.FAIL),
        wall_s=result.sandbox.wall_s if result and result.sandbox else None,
        input_tokens=usage.input_tokens if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        demonstration=plan.demonstration,
        first_verdict=recorded.verdict if recorded and lint else "",
    )


def _usage(result: RunResult | None) -> Usage | None:
    """The gateway's own count where requests passed it, else what the agent's log says."""
    if result is None:
        return None
    if result.egress is not None and result.egress.requests:
        return result.egress.usage
    return result.trajectory.usage if result.trajectory else None
