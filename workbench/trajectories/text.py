"""A step as plain lines for a terminal: nothing in it can act on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from rich.cells import cell_len, chop_cells

from workbench.patterns import visible
from workbench.records import Observation, Step, ToolCall, ToolKind, TrajectorySummary

OUTPUT_LINES = 12
"""Lines of one output, message or file that are shown unless asked otherwise."""
LINE_CHARACTERS = 4_000
"""A longer line is cut before it is wrapped."""
_GOES_ON = "↪ "

_KIND_MARK = {
    ToolKind.COMMAND: "$ ",
    ToolKind.FILE_CHANGE: "± ",
    ToolKind.FILE_READ: "< ",
    ToolKind.SEARCH: "? ",
    ToolKind.WEB: "@ ",
    ToolKind.AGENT: "& ",
    ToolKind.OTHER: "* ",
}


def step_lines(step: Step, width: int | None = 80, *, output_lines: int = OUTPUT_LINES) -> list[str]:
    """Lines of at most ``width`` cells (None: of any), a broken line's further pieces after ``↪``; long parts
    are cut at ``output_lines`` with the number left out."""
    lines = [f"{step.number:>4}  {step.source}{' error' if step.is_error else ''}"]
    lines += _block(step.reasoning, "      ~ ", width, output_lines)
    lines += _block(step.message, "      ", width, output_lines)
    answers: dict[str, list[Observation]] = {}
    for observation in step.observations:
        answers.setdefault(observation.call_id, []).append(observation)
    for call in step.calls:
        lines += _call(call, width, output_lines)
        for observation in answers.pop(call.call_id, []):
            lines += _observation(observation, width, output_lines)
    for rest in answers.values():
        for observation in rest:
            lines += _observation(observation, width, output_lines)
    return lines


def code_lines(code: str, prefix: str, width: int | None) -> Iterator[str]:
    """A text behind a prefix, nothing left out; the same of broken lines as in ``step_lines``."""
    return _block(code, prefix, width, sys.maxsize)


def text_lines(steps: Iterable[Step], summary: TrajectorySummary) -> Iterator[bytes]:
    """A whole log as such lines, nothing cut or wrapped."""
    yield f"{summary.format}, {summary.steps} steps\n".encode()
    for step in steps:
        for line in step_lines(step, None, output_lines=sys.maxsize):
            yield line.encode("utf-8", "replace") + b"\n"


def _call(call: ToolCall, width: int | None, most: int) -> Iterator[str]:
    mark = "      " + _KIND_MARK[call.kind]
    if call.kind is ToolKind.COMMAND:
        yield from _block(call.command or "", mark, width, max(most, 40))
        return
    arguments = ", ".join(f"{name}={value}" for name, value in call.arguments.items())
    yield from _block(f"{call.name} {call.path or ''} {arguments}".strip(), mark, width, most)
    yield from _block(call.content or "", "      + ", width, most)


def _observation(observation: Observation, width: int | None, most: int) -> Iterator[str]:
    yield from _block(observation.text, "      | ", width, most)
    if observation.exit_code not in (0, None):
        yield f"      exit {observation.exit_code}"
    elif observation.is_error:
        yield "      failed"


def _block(text: str, prefix: str, width: int | None, most: int) -> Iterator[str]:
    if not text.strip():
        return
    room = sys.maxsize if width is None else max(width - len(prefix), 10)
    rest = prefix[: -len(_GOES_ON)] + _GOES_ON
    shown = 0
    lines = text.rstrip().split("\n")
    for index, line in enumerate(lines):
        if shown >= most:
            yield f"{prefix}… {len(lines) - index} more lines"
            return
        cut = line.rstrip("\r")[: LINE_CHARACTERS if most < sys.maxsize else None]
        left = len(line) - len(cut)
        inert = visible(cut.expandtabs(4)) + (f"… {left} more characters" if left > 1 else "")
        for at, piece in enumerate(_wrapped(inert, room)):
            yield (rest if at else prefix) + piece
            shown += 1


def _wrapped(line: str, room: int) -> list[str]:
    """Pieces of at most ``room`` cells, cut at a space where one is in the second half."""
    pieces = []
    while cell_len(line) > room:
        head = chop_cells(line, room)[0]
        space = head.rfind(" ")
        if space > len(head) // 2:
            head = head[: space + 1]
        pieces.append(head.rstrip(" "))
        line = line[len(head) :]
    return [*pieces, line]
