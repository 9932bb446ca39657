"""A run's own process: prepare, execute, collect, score, lint, record. Closing a terminal does not end it."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from traceback import walk_tb
from types import TracebackType

from workbench.catalog import Content
from workbench.contamination import Lint, RunView, TimeLimit, lint_rules
from workbench.gateway import read_egress
from workbench.records import (
    BadInput,
    ContentPaths,
    DataPaths,
    LintReport,
    RunPaths,
    RunPlan,
    RunResult,
    SandboxReport,
    ScoreReport,
    Unavailable,
    Verdict,
    WorkbenchError,
    file_sha256,
    load_settings,
    read_regular,
)
from workbench.runs.cancellation import Cancellation, Cancelled
from workbench.runs.context import Context
from workbench.runs.declared import ASKING, Declared, declared
from workbench.runs.execute import Executed, execute
from workbench.runs.nested import nested_logs
from workbench.runs.prepare import PreparedRun, prepare
from workbench.runs.record import record
from workbench.runs.relint import RULE_LIMIT_S
from workbench.runs.verdict import decide
from workbench.sandbox import choose_sandbox
from workbench.scoring import score_output
from workbench.store import EventLog, FileLock, RunStore, atomic_write, disk_error, get_log, owned_folder


class RunWorker:
    """One run from plan to result."""

    def __init__(self, context: Context, plan: RunPlan, run: RunPaths, cancellation: Cancellation) -> None:
        self._cancellation = cancellation
        self._context = context
        self._plan = plan
        self._run = run
        self._store = RunStore(context.data, context.clock)
        self._events = EventLog(run.events, context.clock)
        self._stage_s: dict[str, float] = {}
        self._collected = False
        self._started = context.clock.now()

    def work(self) -> RunResult:
        """Do it all. Every end is recorded, a failing stage and a full disk too.

        A fault of the program is recorded by its place alone and raised again with the text of its
        message left out: that may hold what a file held.
        """
        try:
            with ExitStack() as stack:
                stack.push(self._record_fault)
                result = self._straight_line()
        except Cancelled:
            result = self._ended(Verdict.INTERRUPTED, "cancelled")
        except WorkbenchError as error:
            result = self._ended(Verdict.FAILED, str(error))
        except OSError as error:
            result = self._ended(Verdict.FAILED, _machine_reason(error, self._run))
        return self._record(result)

    def try_out(self) -> RunResult:
        """As ``work``, but nothing is recorded as a run. What fails is raised."""
        return self._straight_line()

    def _record_fault(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Exception) or isinstance(error, Cancelled | WorkbenchError | OSError):
            return
        reason = _internal_reason(error)
        self._record(self._ended(Verdict.FAILED, reason))
        raise RuntimeError(reason).with_traceback(trace) from None

    def _record(self, result: RunResult) -> RunResult:
        """Record; where the disk is too full for that, the collected results give way."""
        try:
            record(self._run, result, self._store, self._events)
        except Unavailable as error:
            if self._run.result.exists() or not self._run.collected.exists():
                raise
            self._remove_collected()
            reasons = [*result.reasons, f"{error}; the collected results were removed"]
            changes = {"verdict": Verdict.FAILED, "reasons": reasons, "output_sha256": ""}
            result = result.model_copy(update=changes)
            record(self._run, result, self._store, self._events)
        return result

    def _straight_line(self) -> RunResult:
        context, plan, run = self._context, self._plan, self._run
        sandbox = choose_sandbox(plan.sandbox)
        material = read_regular(run.material) if run.material.exists() else b""
        with self._stage("prepare"):
            prepared = prepare(context, plan, material, sandbox, self._store)
            atomic_write(run.identity, prepared.identity.to_json())
        for reason in sandbox.capabilities().reasons:
            self._events.note(f"sandbox degraded: {reason}")
        chosen = context.settings.lint
        lint = Lint(prepared.hidden, lint_rules(chosen.select, chosen.ignore))
        self._events.stage("execute", "begin")
        began = context.clock.monotonic_s()
        done = execute(context, run, prepared, sandbox, lint, self._events, self._cancellation)
        self._collected = True
        self._stage_s["execute"] = round(context.clock.monotonic_s() - began, 3)
        with self._stage("score"):
            score = self._score(prepared)
            declared = self._declared(prepared, done, score)
        with self._stage("lint"):
            report = self._lint(lint, prepared, done, score)
        verdict, reasons = decide(
            plan,
            done.sandbox,
            done.egress,
            score,
            report,
            done.trajectory,
            sum(len(step.calls) for step in done.steps),
        )
        return self._result(verdict, reasons, score=score, declared=declared, lint=report, done=done)

    def _score(self, prepared: PreparedRun) -> ScoreReport:
        output = self._run.output if self._run.output.exists() else None
        with owned_folder(self._context.data, "score") as scratch:
            return score_output(
                output,
                prepared.task,
                prepared.ready.reference_files,
                column_names=prepared.ready.column_names,
                scratch=scratch,
            )

    def _declared(self, prepared: PreparedRun, done: Executed, score: ScoreReport) -> Declared | None:
        if self._plan.condition not in ASKING:
            return None
        ready, refused = prepared.ready, done.refused_results
        try:
            return declared(self._context, self._plan, ready, self._run, done.steps, refused, score.reward)
        except BadInput as error:  # the family's files were changed since the run began: the score stands
            self._events.note(f"declaration and stages were not looked at: {error}")
            return None

    def _lint(self, lint: Lint, prepared: PreparedRun, done: Executed, score: ScoreReport) -> LintReport:
        run = self._run
        nested = nested_logs(run, done.trajectory.session)
        if nested.note:
            self._events.note(nested.note)
        view = RunView(
            steps=done.steps,
            collected=run.collected if run.collected.is_dir() else None,
            output=run.output if run.output.exists() else None,
            egress=read_egress(run.egress) if run.egress.exists() else [],
            egress_valid=done.egress is None or done.egress.chain_valid,
            hidden=prepared.hidden,
            complete=done.trajectory.complete and not done.trajectory.damaged_lines and not nested.left_out,
            home=run.home if run.home.is_dir() else None,
            nested=nested.steps,
            score=score,
        )
        with TimeLimit(RULE_LIMIT_S) as limit:
            report = lint.check_run(view, limit)
        shown = set(done.shown)
        for violation in report.violations:
            if violation not in shown:
                self._events.violation(violation)
        return report

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        self._events.stage(name, "begin")
        began = self._context.clock.monotonic_s()
        yield
        self._stage_s[name] = round(self._context.clock.monotonic_s() - began, 3)
        self._events.stage(name, "end")

    def _ended(self, verdict: Verdict, reason: str) -> RunResult:
        if not self._collected:
            self._remove_collected()
        return self._result(verdict, [reason])

    def _remove_collected(self) -> None:
        for folder in (self._run.collected, self._run.home):
            shutil.rmtree(folder, ignore_errors=True)

    def _result(
        self,
        verdict: Verdict,
        reasons: list[str],
        *,
        score: ScoreReport | None = None,
        declared: Declared | None = None,
        lint: LintReport | None = None,
        done: Executed | None = None,
    ) -> RunResult:
        output = self._run.output
        report: SandboxReport | None = None
        if done is not None:
            report = done.sandbox.model_copy(update={"refused_results": done.refused_results})
        return RunResult(
            run_id=self._plan.run_id,
            started=self._started,
            finished=self._context.clock.now(),
            verdict=verdict,
            reasons=reasons,
            score=score,
            lint=lint,
            sandbox=report,
            egress=done.egress if done else None,
            trajectory=done.trajectory if done else None,
            output_sha256=file_sha256(output) if output.is_file() else "",
            declaration=declared.declaration if declared else None,
            stages=declared.stages if declared else None,
            stage_s=self._stage_s,
        )


def _machine_reason(error: OSError, run: RunPaths) -> str:
    """What the machine refused, and what helps; no file name: the agent chooses those in its folder."""
    remedy = disk_error(error, run.folder).remedy
    return f"the machine failed: {error.strerror or type(error).__name__}. {remedy}"


def _internal_reason(error: Exception) -> str:
    """Class and place of a fault of the program, never its message."""
    places = [
        (str(frame.f_globals.get("__name__", "?")), line) for frame, line in walk_tb(error.__traceback__)
    ]
    own = [place for place in places if place[0].startswith("workbench.")]
    module, line = (own or places)[-1]
    return f"internal error: {type(error).__name__} at {module}:{line}"


def main(arguments: list[str]) -> int:
    """``python -m workbench.runs.worker CONTENT DATA RUN_ID``.

    Returns 0 where a result was recorded, 2 where its starter was gone.
    """
    content_root, data_root, run_id = arguments
    if not sys.stdin.buffer.read(1):
        return 2
    os.umask(0o077)
    cancellation = Cancellation()
    cancellation.install()
    paths = ContentPaths(Path(content_root))
    data = DataPaths(Path(data_root))
    context = Context(Content(paths), data, load_settings(paths.settings, own=data.settings))
    run = data.run(run_id)
    plan = RunPlan.load(run.plan)
    log = get_log(data)
    with FileLock(run.lock, f"run {run_id}"):
        log.info("run begins", extra={"ids": {"run": run_id, "task": plan.task}})
        result = RunWorker(context, plan, run, cancellation).work()
        log.info("run ends", extra={"ids": {"run": run_id, "verdict": str(result.verdict)}})
    logging.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
