"""A trajectory's steps and violations as blocks that fold."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.records import Level, Observation, Step, ToolCall, ToolKind, Violation
from workbench.tui.inert import Inert
from workbench.tui.widgets.folding import Block
from workbench.tui.widgets.highlight import command_sql, file_sql, shown, sql_spans
from workbench.tui.widgets.line_source import Line, Sign, Tone, one_line

STEP = "step"
ERROR = "error"
SQL = "sql"
VIOLATION = "violation"

OUTPUT_ROWS = 12
COMMAND_ROWS = 40
MESSAGE_ROWS = 40
REASONING_ROWS = 6

_MARKS = {
    ToolKind.COMMAND: "$ ",
    ToolKind.FILE_CHANGE: "± ",
    ToolKind.FILE_READ: "< ",
    ToolKind.SEARCH: "? ",
    ToolKind.WEB: "@ ",
    ToolKind.AGENT: "& ",
    ToolKind.OTHER: "* ",
}
_LEVELS = {
    Level.FAIL: (Sign.VIOLATION, Tone.ERROR),
    Level.QUARANTINE: (Sign.VIOLATION, Tone.WARNING),
    Level.WARN: (Sign.WARNING, Tone.WARNING),
    Level.NOT_RUN: (Sign.WARNING, Tone.WARNING),
    Level.INFORMATION: (Sign.NOTE, Tone.DIM),
}


def step_blocks(step: Step) -> list[Block]:
    """Its head, what was thought and said, and each call followed by its answer."""
    number = step.number
    blocks = [Block(head=_head(step), kinds=_kinds(STEP, **{ERROR: step.is_error}), key=number)]
    if step.reasoning.strip():
        blocks.append(
            Block(
                body=step.reasoning,
                tone=Tone.DIM,
                first="  ~ ",
                rest="    ",
                words=True,
                kept=REASONING_ROWS,
                key=number,
            )
        )
    if step.message.strip():
        blocks.append(
            Block(body=step.message, first="  ", rest="  ", words=True, kept=MESSAGE_ROWS, key=number)
        )
    answers: dict[str, list[Observation]] = {}
    for observation in step.observations:
        answers.setdefault(observation.call_id, []).append(observation)
    for call in step.calls:
        blocks += _call(call, number)
        for observation in answers.pop(call.call_id, []):
            blocks += _answer(observation, number)
    for rest in answers.values():
        for observation in rest:
            blocks += _answer(observation, number)
    return blocks


def violation_block(violation: Violation) -> Block:
    """One statement of the lint; it belongs to its step (0: to the whole run)."""
    sign, tone = _LEVELS[violation.level]
    place = violation.place
    where = f" ({place.file}{f', line {place.line}' if place.line else ''})" if place.file else ""
    said = f"{violation.level}: {violation.rule}: {violation.message}{where}"
    return Block(
        body=f"{said}\n{violation.excerpt}" if violation.excerpt else said,
        tone=tone,
        sign=sign,
        first="  ",
        rest="    ",
        words=True,
        key=place.step or 0,
        kinds=frozenset({VIOLATION}) if violation.level is not Level.INFORMATION else frozenset(),
    )


def level_sign(level: Level) -> Sign:
    """The mark of a violation."""
    return _LEVELS[level][0]


def outline_line(step: Step) -> Line:
    """A step in one short row."""
    failed = step.is_error or any(failed_answer(item) for item in step.observations)
    sign = Sign.ERROR if failed else Sign.NONE
    if step.calls:
        call = step.calls[0]
        what = _MARKS[call.kind] + (call.command or f"{call.name} {call.path or ''}")
        more = f" (+{len(step.calls) - 1})" if len(step.calls) > 1 else ""
    else:
        what, more = step.message or step.reasoning, ""
    brief = " ".join(what[:200].split())
    return Line(one_line(f"{step.number:>3} {step.source:<6} {brief}{more}"), sign=sign)


def failed_answer(observation: Observation) -> bool:
    """Whether what came back says that the call failed."""
    return observation.is_error is True or observation.exit_code not in (0, None)


def _head(step: Step) -> Line:
    pieces = [f"{step.number:>3}  {step.source}"]
    if step.timestamp:
        pieces.append(step.timestamp[:32])
    if step.model:
        pieces.append(step.model[:64])
    if step.usage is not None:
        pieces.append(f"{step.usage.input_tokens:,} in, {step.usage.output_tokens:,} out")
    if step.is_error:
        pieces.append("error")
    return Line(
        one_line("  ".join(pieces)), tone=Tone.HEADING, sign=Sign.ERROR if step.is_error else Sign.NONE
    )


def _call(call: ToolCall, number: int) -> Iterator[Block]:
    mark = "  " + _MARKS[call.kind]
    if call.kind is ToolKind.COMMAND:
        command = call.command or ""
        pieces = command_sql(command)
        yield Block(
            body=command,
            tone=Tone.STRONG if not pieces else Tone.PLAIN,
            first=mark,
            rest="    ",
            kept=COMMAND_ROWS,
            spans=sql_spans(shown(command), pieces),
            kinds=_kinds("call", **{SQL: bool(pieces)}),
            key=number,
        )
        return
    arguments = ", ".join(f"{name}={value}" for name, value in call.arguments.items())
    content = call.content or ""
    pieces = file_sql(call.path or call.name, content) if content else []
    head = one_line(f"{mark}{call.name} {call.path or ''} {arguments[:500]}".rstrip())
    yield Block(
        head=Line(head, tone=Tone.STRONG),
        body=content,
        first="    ",
        rest="    ",
        kept=COMMAND_ROWS,
        spans=sql_spans(shown(content), pieces),
        kinds=_kinds("call", **{SQL: bool(pieces)}),
        key=number,
    )


def _answer(observation: Observation, number: int) -> Iterator[Block]:
    failed = failed_answer(observation)
    if observation.text.strip():
        yield Block(body=observation.text, first="  | ", rest="  | ", kept=OUTPUT_ROWS, key=number)
    if failed:
        code = observation.exit_code
        said = f"    exit {code}" if code not in (0, None) else "    failed"
        yield Block(
            head=Line(Inert.of(said), tone=Tone.ERROR, sign=Sign.ERROR), kinds=frozenset({ERROR}), key=number
        )


def _kinds(always: str, **others: bool) -> frozenset[str]:
    return frozenset({always, *(kind for kind, holds in others.items() if holds)})
