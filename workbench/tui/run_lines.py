"""A recorded run as rows: verdict, score, lint, isolation, egress, usage, times, hashes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from workbench.records import (
    ColumnScore,
    EgressRecord,
    Level,
    LintRecord,
    LintReport,
    RunIdentity,
    RunPlan,
    RunResult,
    RunState,
    SandboxReport,
    ScoreReport,
    TargetScore,
    Usage,
    Verdict,
    Violation,
)
from workbench.tui.actions import by_id, key_label
from workbench.tui.declared_lines import declared_blocks
from workbench.tui.step_blocks import VIOLATION, violation_block
from workbench.tui.themes import look, state_text, verdict_text
from workbench.tui.widgets.folding import Block, BlockLines
from workbench.tui.widgets.line_source import Line, Sign, Tone, one_line

COLUMN = "column"
EGRESS = "file:egress"
BAR = 20
SHORT = 12
"""Signs of a hash that are shown."""
_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{20,}")
_MOST_NAME = 40
"""Cells that names are filled up to at most."""
_MIB = 1024**2


@dataclass(frozen=True)
class RecordedRun:
    """Everything that the detail screen shows; ``result``: with the lint and the verdict of
    ``lint``, its newest re-lint, where there is one; ``refused``: requests that the gateway let not pass."""

    run_id: str
    folder: str
    plan: RunPlan
    state: RunState
    result: RunResult | None
    identity: RunIdentity | None
    lint: LintRecord | None = None
    events: int = 0
    refused: tuple[EgressRecord, ...] = ()


@dataclass
class DetailBlock(Block):
    """``opens``: what Enter goes to (``step:4``, ``column:<target>/<column>``, ``file:output``)."""

    opens: str = ""


class DetailLines(BlockLines):
    """Rows of a recorded run."""

    def opens(self, row: int) -> str:
        """What Enter on a row goes to; empty for nothing."""
        block = self.blocks[self.block_at(row)] if self.blocks else None
        return block.opens if isinstance(block, DetailBlock) else ""

    def row_of(self, opens: str) -> int | None:
        """The row that goes to something."""
        for at, block in enumerate(self.blocks):
            if isinstance(block, DetailBlock) and block.opens == opens:
                return self.row_of_block(at)
        return None


def first_key(action_id: str) -> str:
    """The key that an action has by itself."""
    action = by_id(action_id)
    return key_label(action.keys[0]) if action is not None else ""


def detail_blocks(run: RecordedRun, key_of: Callable[[str], str] = first_key) -> Iterator[Block]:
    """The whole record, the verdict first; ``key_of``: the key of an action now."""
    yield from _verdict(run, key_of)
    result = run.result
    if result is None:
        yield _heading("No result")
        yield _row(f"  {run.events} events are recorded: see its trajectory")
    else:
        yield from _score(result)
        yield from declared_blocks(result)
        if result.lint is not None:
            yield from _lint(result.lint, "Re-lint" if run.lint is not None else "Lint")
        yield from _egress(result, run.refused)
        yield from _usage(result)
        if result.sandbox is not None:
            yield from _sandbox(result.sandbox)
        yield from _times(result)
    yield from _plan(run)
    yield from _hashes(run)


def _verdict(run: RecordedRun, key_of: Callable[[str], str]) -> Iterator[Block]:
    result = run.result
    if result is None:
        yield DetailBlock(head=Line(state_text(run.state), tone=_tone(run.state)))
    else:
        said = verdict_text(result.verdict, result.fails, result.warns)
        yield DetailBlock(head=Line(said, tone=_tone(result.verdict)))
        if result.warns:
            key = key_of("run-detail.next-violation")
            where = f"{key} goes to {'it' if result.warns == 1 else 'each'}"
            yield _row(f"{result.to_look_at} ({where})", Tone.WARNING, Sign.WARNING)
    if run.lint is not None:
        differs = run.lint.differs
        yield _row(
            run.lint.said, Tone.WARNING if differs else Tone.DIM, Sign.WARNING if differs else Sign.NOTE
        )
        for note in run.lint.notes:
            yield _row(f"  {note}", Tone.DIM)
    for reason in result.reasons if result is not None else ():
        yield _row(f"  {reason}")
    if result is not None and result.verdict is Verdict.FAILED:
        steps, error = key_of("run-detail.trajectory"), key_of("trajectory.next-error")
        yield _row(f"{steps} shows its steps; {error} there goes to what failed", Tone.DIM)
    condition = f"{run.plan.condition} {run.plan.counterfactual}".rstrip()
    yield _row(f"{run.plan.task}, {condition}, {run.plan.agent.name}, {run.plan.source}", Tone.DIM)


def _tone(state: str) -> Tone:
    tones = {"$success": Tone.GOOD, "$warning": Tone.WARNING, "$error": Tone.ERROR}
    return tones.get(look(state).style, Tone.STRONG)


def _plan(run: RecordedRun) -> Iterator[Block]:
    plan = run.plan
    agent = " ".join(
        word for word in (plan.agent.name, plan.agent.file, plan.agent.model, plan.agent.effort) if word
    )
    demonstration = ", a demonstration" if plan.demonstration else ""
    attempt = f", attempt {run.identity.attempt}" if run.identity is not None else ""
    yield _heading("Run")
    yield from _pairs(
        {
            "task": f"{plan.task}, schema {plan.schema_variant}",
            "condition": plan.condition,
            **plan.changed_rule,
            "agent": agent + demonstration,
            "source": plan.source,
            "trial": f"{plan.trial}{attempt}",
            "created": f"{plan.created:%Y-%m-%d %H:%M:%S} UTC",
            "limits": f"{plan.limits.wall_s:.0f} s, {plan.limits.memory_bytes // _MIB} MiB memory, "
            f"{plan.limits.processes} processes, {plan.limits.work_bytes // _MIB} MiB disk",
            "folder": run.folder,
        }
    )


def result_blocks(result: RunResult) -> Iterator[Block]:
    """Score and verdict, for below the last step."""
    yield from _score(result)
    reasons = "; ".join(result.reasons)
    said = f"{result.said}: {reasons}" if reasons else result.said
    yield DetailBlock(body=f"Verdict: {said}", rest="  ", words=True, tone=_tone(result.verdict), key=-1)


def _score(result: RunResult) -> Iterator[Block]:
    score = result.score
    if score is None or result.why_not_scored:
        yield _heading(f"Score: not scored: {result.why_not_scored}")
        return
    if result.without_output:
        yield _heading("Score: reward 0.000 (no output)")
        return
    strict = "passed" if score.strict_pass else "not passed"
    yield _heading(f"Score: reward {score.reward:.3f}, strict {strict}")
    if score.problem:
        yield _row(f"  {score.problem}", Tone.WARNING, Sign.WARNING)
    for target in score.targets:
        yield from _target(target)
    yield from _side_by_side(score)


def _side_by_side(score: ScoreReport) -> Iterator[Block]:
    rows = score.side_by_side_rows
    if rows:
        yield _row("  agreement with each reference", Tone.STRONG)
    for row in rows:
        yield DetailBlock(head=Line(one_line(f"    {row}")))


def _target(target: TargetScore) -> Iterator[Block]:
    strict = "passed" if target.strict_pass else "not passed"
    nmae = "" if target.ordered_nmae is None else f", ordered nMAE {target.ordered_nmae:.3f}"
    yield _row(f"  {target.title}: reward {target.reward:.3f}, strict {strict}{nmae}", Tone.STRONG)
    if target.keys is not None:
        keys = target.keys
        yield DetailBlock(
            head=Line(
                one_line(
                    f"    keys: {keys.matched} of {keys.reference_rows} matched, {keys.missing} missing, "
                    f"{keys.extra} extra, {keys.duplicates} duplicate (F1 {keys.f1:.3f})"
                ),
                sign=Sign.NONE if keys.f1 == 1 else Sign.WARNING,
            ),
            opens=f"{COLUMN}:{target.target}/",
        )
    width = max((len(column.column) for column in target.columns), default=0)
    for column in target.columns:
        yield DetailBlock(
            head=_column(column, width),
            kinds=frozenset({COLUMN}),
            opens=f"{COLUMN}:{target.target}/{column.column}",
        )
    for check in target.strict_checks:
        if not check.passed or check.threshold:
            detail = f" ({check.detail})" if check.detail else ""
            said = "met" if check.passed else "not met"
            yield Block(
                body=f"strict: {check.check} {said}{detail}", first="    ", rest="      ", words=True, kept=4
            )
    for row in target.group_rows:
        yield DetailBlock(head=Line(one_line(f"    {row}")))


def _column(column: ColumnScore, width: int) -> Line:
    bar = "#" * int(column.match_rate * BAR)  # only all that match fill it
    nmae = "" if column.nmae is None else f"  nMAE {column.nmae:.3f}"
    absent = "" if column.present else "  column missing"
    text = f"    {column.column:<{width}}  {column.match_rate:6.3f} |{bar:<{BAR}}|{nmae}{absent}"
    sign = Sign.GOOD if column.match_rate == 1 else Sign.ERROR if not column.present else Sign.NONE
    return Line(one_line(text), sign=sign)


def _lint(lint: LintReport, title: str = "Lint") -> Iterator[Block]:
    ran = sum(outcome.ran for outcome in lint.outcomes)
    yield _heading(f"{title}: {lint.verdict}, {ran} of {len(lint.outcomes)} rules ran")
    for outcome in lint.outcomes:
        if not outcome.ran:
            yield _row(f"  {outcome.rule} did not run: {outcome.reason}", Tone.WARNING, Sign.WARNING)
    levels = (Level.FAIL, Level.QUARANTINE, Level.NOT_RUN, Level.WARN, Level.INFORMATION)
    for violation in sorted(lint.violations, key=lambda item: levels.index(item.level)):
        yield _violation(violation)


def _violation(violation: Violation) -> Block:
    drawn, step = violation_block(violation), violation.place.step
    return DetailBlock(
        body=f"step {step}  {drawn.body}" if step else drawn.body,
        tone=drawn.tone,
        sign=drawn.sign,
        first="  ",
        rest="    ",
        words=True,
        kinds=frozenset({VIOLATION}),
        opens=f"step:{step}" if step else "",
    )


def _egress(result: RunResult, refused: Sequence[EgressRecord]) -> Iterator[Block]:
    egress = result.egress
    yield _heading("Egress")
    if egress is None:
        yield _row("  no gateway: nothing could leave the sandbox")
        return
    chain = "whole" if egress.chain_valid else "broken"
    yield _row(f"  {egress.requests} requests, {egress.refused} refused, {egress.bytes_out:,} bytes out, "
               f"{egress.bytes_in:,} in")  # fmt: skip
    tone, sign = (Tone.PLAIN, Sign.NONE) if egress.chain_valid else (Tone.ERROR, Sign.ERROR)
    yield _row(f"  the log's chain is {chain}", tone, sign)
    for record in refused:
        text = f"  refused: {record.method} {record.path}: {record.reason}"
        yield DetailBlock(head=Line(one_line(text), tone=Tone.WARNING, sign=Sign.WARNING), opens=EGRESS)


def _usage(result: RunResult) -> Iterator[Block]:
    counted = result.egress.usage if result.egress is not None and result.egress.requests else None
    told = result.trajectory.usage if result.trajectory is not None else None
    if counted is None and told is None:
        return
    yield _heading("Usage in tokens")
    if counted is not None:
        yield _row(f"  counted by the gateway  {_tokens(counted)}")
    if told is not None:
        yield _row(f"  by the agent's log      {_tokens(told)}")


def _tokens(usage: Usage) -> str:
    return (
        f"{usage.input_tokens:,} in ({usage.cached_input_tokens:,} cached), {usage.output_tokens:,} out "
        f"({usage.reasoning_output_tokens:,} reasoning)"
    )


def _sandbox(report: SandboxReport) -> Iterator[Block]:
    yield _heading(f"Sandbox: {report.backend}, {'degraded' if report.degraded else 'full isolation'}")
    for reason in report.reasons:
        yield _row(f"  {reason}", Tone.WARNING if report.degraded else Tone.PLAIN)
    ended = report.ended_by or (f"signal {report.signal}" if report.signal else f"exit {report.exit_code}")
    peak = "" if report.peak_memory_bytes is None else f", {report.peak_memory_bytes // _MIB} MiB at most"
    yield _row(f"  ended by {ended}, {report.wall_s:.1f} s{peak}")
    yield from _pairs(report.enforced)
    for name in report.refused_results:
        yield _row(f"  result refused: {name}", Tone.WARNING, Sign.WARNING)


def _times(result: RunResult) -> Iterator[Block]:
    whole = f"{(result.finished - result.started).total_seconds():.1f} s for all"
    agent = f"the agent {result.sandbox.wall_s:.1f} s, " if result.sandbox is not None else ""
    yield _heading(f"Times: {agent}{whole}")
    yield from _pairs({stage: f"{seconds:.1f} s" for stage, seconds in result.stage_s.items()})


def _hashes(run: RecordedRun) -> Iterator[Block]:
    identity = run.identity
    if identity is None:
        return
    yield _heading(f"Made of: cell {identity.cell}, attempt {identity.attempt}")
    named = {name: _short(value) for name, value in identity.inputs.named().items()}
    yield from _pairs(named)
    if run.result is not None and run.result.output_sha256:
        yield DetailBlock(body=f"output  {_short(run.result.output_sha256)}", first="  ", opens="file:output")
    yield _row(f"  hashes in full: workbench runs show {run.run_id}", Tone.DIM)


def _short(value: str) -> str:
    """Hashes in it by their first signs."""
    return _HASH.sub(lambda found: f"{found[0][:SHORT]}…", value)


def _heading(text: str) -> Block:
    return DetailBlock(head=Line(one_line(text), tone=Tone.HEADING))


def _row(text: str, tone: Tone = Tone.PLAIN, sign: Sign = Sign.NONE) -> Block:
    return DetailBlock(body=text.strip(), first="  ", rest="    ", tone=tone, sign=sign, words=True, kept=6)


def _pairs(pairs: dict[str, str]) -> Iterable[Block]:
    width = max((len(name) for name in pairs), default=0)
    width = min(width, _MOST_NAME)
    for name, value in pairs.items():
        body = f"{name:<{width}}  {value}"
        yield DetailBlock(body=body, first="  ", rest="      ", words=True, kept=6)
