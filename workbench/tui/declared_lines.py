"""What a run declared, and its intermediate tables beside the reference's, as rows."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.records import Declaration, RunResult, StageReport, StageScore, StageStatus
from workbench.tui.widgets.folding import Block
from workbench.tui.widgets.line_source import Line, Sign, Tone, one_line

_SIGNS = {StageStatus.EQUAL: Sign.GOOD, StageStatus.DIFFERS: Sign.ERROR}


def declared_blocks(result: RunResult) -> Iterator[Block]:
    """Nothing where the condition asked for neither."""
    if result.stages is not None:
        yield from _stages(result.stages)
    if result.declaration is not None:
        yield from _declaration(result.declaration)


def _stages(report: StageReport) -> Iterator[Block]:
    yield _heading(f"Stages: {report.summary}")
    width = max((len(stage.name) for stage in report.stages), default=0)
    for stage in report.stages:
        yield from _stage(stage, width)


def _stage(stage: StageScore, width: int) -> Iterator[Block]:
    sign = _SIGNS.get(stage.status, Sign.WARNING)
    yield Block(
        body=f"{stage.name:<{width}}  {stage.summary}",
        first="  ",
        rest="    ",
        sign=sign,
        tone=Tone.WARNING if sign is Sign.WARNING else Tone.PLAIN,
        words=True,
        kept=4,
    )
    for detail in stage.details:
        yield Block(body=detail, first="      ", rest="        ", words=True, kept=2)


def _declaration(declaration: Declaration) -> Iterator[Block]:
    yield _heading(f"Declared: {declaration.summary}")
    for field, words in declaration.filled.items():
        yield Block(body=f"{field}: {words}", first="  ", rest="    ", words=True, kept=3)


def _heading(text: str) -> Block:
    return Block(head=Line(one_line(text), tone=Tone.HEADING))
