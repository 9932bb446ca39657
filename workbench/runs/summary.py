"""A run's events and result as plain lines; every text from outside is made inert."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from workbench.patterns import visible
from workbench.records import (
    FinishedEvent,
    Level,
    LintRecord,
    LintReport,
    NoteEvent,
    RunEvent,
    RunIdentity,
    RunResult,
    ScoreReport,
    StageEvent,
    StepEvent,
    TargetScore,
    Violation,
    ViolationEvent,
)
from workbench.runs.stage_summary import declaration_lines, stage_lines
from workbench.trajectories import step_lines

SIGNS = {
    Level.FAIL: "[FAIL]",
    Level.QUARANTINE: "[UNSURE]",
    Level.WARN: "[WARN]",
    Level.INFORMATION: "[info]",
    Level.NOT_RUN: "[NOT RUN]",
}


_WORST_FIRST = (Level.FAIL, Level.QUARANTINE, Level.NOT_RUN, Level.WARN, Level.INFORMATION)


_LOOKED = "looked at the steps alone: "


def event_lines(event: RunEvent, width: int = 80, *, whole: bool = False) -> Iterator[str]:
    """Lines for one event of a running run; a violation is drawn below its step. ``whole``: no row is cut."""
    match event:
        case StageEvent(state="begin"):
            yield f"-- {event.stage}"
        case StageEvent(detail=detail) if detail:
            yield f"   {visible(detail)}"
        case StepEvent():
            lines = (
                step_lines(event.step, width, output_lines=sys.maxsize)
                if whole
                else step_lines(event.step, width)
            )
            yield from lines
        case ViolationEvent():
            yield violation_line(event.violation)
        case NoteEvent():
            yield f"   note: {visible(event.text)}"
        case FinishedEvent():
            yield from result_lines(event.result)


def violation_line(violation: Violation) -> str:
    """One violation: sign, rule, message, place, excerpt."""
    place = violation.place
    where = f" (step {place.step})" if place.step else ""
    if place.file:
        where = f" ({visible(place.file)}{f':{place.line}' if place.line else ''})"
    excerpt = f"  «{visible(violation.excerpt)}»" if violation.excerpt else ""
    message = visible(violation.message.removeprefix(f"{violation.rule}: "))
    return f"   {SIGNS[violation.level]} {violation.rule}: {message}{where}{excerpt}"


def result_lines(result: RunResult) -> Iterator[str]:
    """Score a column, lint, isolation, verdict."""
    if result.why_not_scored:
        yield f"score    not scored: {result.why_not_scored}"
    elif result.without_output:
        yield "score    reward 0.000 (no output)"
    elif result.score is not None:
        yield from score_lines(result.score)
    if result.stages is not None:
        yield from stage_lines(result.stages)
    if result.declaration is not None:
        yield from declaration_lines(result.declaration)
    if result.lint is not None:
        yield lint_line(result.lint)
    if result.sandbox is not None:
        state = "degraded" if result.sandbox.degraded else "full"
        yield f"sandbox  {result.sandbox.backend}, {state} isolation, {result.sandbox.wall_s:.1f} s"
    if result.egress is not None:
        usage = result.egress.usage
        yield (
            f"egress   {result.egress.requests} requests, {result.egress.refused} refused, "
            f"{usage.input_tokens} tokens in, {usage.output_tokens} out"
        )
    yield f"verdict  {result.said}" + (f": {visible('; '.join(result.reasons))}" if result.reasons else "")
    if result.warns:
        yield f"         {result.to_look_at}"


def lint_line(lint: LintReport) -> str:
    """The verdict of the lint, how many rules ran, and how much they said by level."""
    return f"lint     {lint.verdict} ({_ran(lint)}; {_counts(lint)})"


def chosen_rules_line(lint: LintReport, chosen: int) -> str:
    """The same of some rules that were chosen: they give no verdict."""
    return f"lint     {chosen} of {len(lint.outcomes)} rules, as chosen: no verdict ({_counts(lint)})"


def _ran(lint: LintReport) -> str:
    ran = sum(outcome.ran for outcome in lint.outcomes)
    partly = sum(outcome.steps_only for outcome in lint.outcomes)
    more = f", {partly} looked at the steps alone" if partly else ""
    return f"{ran} of {len(lint.outcomes)} rules ran{more}"


def _counts(lint: LintReport) -> str:
    return ", ".join(
        f"{sum(item.level is level for item in lint.violations)} {level}"
        for level in (Level.FAIL, Level.QUARANTINE, Level.WARN, Level.INFORMATION)
        if level is not Level.QUARANTINE or level in {item.level for item in lint.violations}
    )


def relint_lines(lint: LintRecord) -> Iterator[str]:
    """That what follows is of a re-lint, whether the verdict differs, and what was not as it was."""
    yield f"re-lint  {lint.said}"
    yield from (f"         note: {visible(note)}" for note in lint.notes)


def lint_lines(lint: LintReport) -> Iterator[str]:
    """All that was said, the worst first; then rules that did not run, or not whole, one line a reason."""
    for violation in sorted(lint.violations, key=lambda item: _WORST_FIRST.index(item.level)):
        yield violation_line(violation)
    for (reason, steps_only), rules in _not_run(lint).items():
        sign, what = ("[STEPS]", _LOOKED) if steps_only else ("[NOT RUN]", "did not run: ")
        told = reason.removeprefix(_LOOKED) if steps_only else reason
        yield f"   {sign} {visible(', '.join(rules))}: {what}{visible(told)}"


def _not_run(lint: LintReport) -> dict[tuple[str, bool], list[str]]:
    found: dict[tuple[str, bool], list[str]] = {}
    for outcome in lint.outcomes:
        if not outcome.ran:
            found.setdefault((outcome.reason, outcome.steps_only), []).append(outcome.rule)
    return dict(sorted(found.items(), key=lambda item: not item[0][1]))


def identity_lines(identity: RunIdentity, output_sha256: str = "") -> Iterator[str]:
    """What the run was made of: cell, attempt, and the hash of every input."""
    yield f"cell     {identity.cell}, attempt {identity.attempt}"
    named = identity.inputs.named()
    if output_sha256:
        named["output"] = output_sha256
    width = max(len(name) for name in named)
    for name, text in named.items():
        yield f"hash     {visible(name):<{width}}  {visible(text)}"


def score_lines(score: ScoreReport) -> Iterator[str]:
    """The score of every target, column by column."""
    if not score.readable:
        yield f"score    reward 0.000: {visible(score.problem)}"
        return
    for target in score.targets:
        yield from _target_lines(target)
    yield from _side_by_side(score)


def _side_by_side(score: ScoreReport) -> Iterator[str]:
    for at, row in enumerate(score.side_by_side_rows):
        yield f"{'' if at else 'agree':<9}{row}"


def _target_lines(target: TargetScore) -> Iterator[str]:
    nmae = "" if target.ordered_nmae is None else f", ordered nMAE {target.ordered_nmae:.3f}"
    strict = "passed" if target.strict_pass else "not passed"
    yield f"score    {target.title}: reward {target.reward:.3f}, strict {strict}{nmae}"
    if target.keys is not None:
        keys = target.keys
        yield (
            f"         keys: {keys.matched} of {keys.reference_rows} matched, {keys.missing} missing, "
            f"{keys.extra} extra, {keys.duplicates} duplicate (F1 {keys.f1:.3f})"
        )
    width = max((len(column.column) for column in target.columns), default=0)
    for column in target.columns:
        bar = "#" * int(column.match_rate * 20)
        absent = "" if column.present else "  column missing"
        yield f"         {column.column:<{width}}  {column.match_rate:6.3f}  |{bar:<20}|{absent}"
    for check in target.strict_checks:
        if not check.passed or check.threshold:
            detail = f" ({visible(check.detail)})" if check.detail else ""
            yield f"         strict: {check.check} {'met' if check.passed else 'not met'}{detail}"
    yield from (f"         {visible(row)}" for row in target.group_rows)
