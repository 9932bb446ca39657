"""What a run declared, and its stages, as plain lines."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.patterns import visible
from workbench.records import Declaration, StageReport


def stage_lines(report: StageReport) -> Iterator[str]:
    """The first diverging stage, then each stage; of one that differs, the columns that do."""
    yield f"stages   {visible(report.summary)}"
    width = max((len(stage.name) for stage in report.stages), default=0)
    for stage in report.stages:
        yield f"         {visible(stage.name):<{width}}  {visible(stage.summary)}"
        for detail in stage.details:
            yield f"         {'':<{width}}  {visible(detail)}"


def declaration_lines(declaration: Declaration) -> Iterator[str]:
    """Which fields were declared, and their words."""
    yield f"declared {visible(declaration.summary)}"
    for field, words in declaration.filled.items():
        yield f"         {field}: {visible(words)}"
