"""Two runs side by side as rows: steps that belong together, and what else changed from one to the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.records import Step
from workbench.tui.inert import Inert
from workbench.tui.widgets.line_source import Line, Sign, Tone, as_line, one_line
from workbench.tui.widgets.table_source import Column, TableLines

if TYPE_CHECKING:
    from workbench.runs import RunChange
    from workbench.trajectories import StepPair

SAME = "="
_LOOKS = {SAME: "", "~": "$warning", "<": "$primary", ">": "$primary"}
_TITLE_CELLS = 22
_LEGEND = "= the same  ~ alike  < only in the left run  > only in the right run"


@dataclass(frozen=True)
class ComparedRuns:
    """``notes``: why there are no steps, where there are none."""

    change: RunChange
    pairs: list[StepPair]
    notes: tuple[str, ...] = ()


def pair_table(before: str, after: str, pairs: Sequence[StepPair] = ()) -> TableLines[StepPair]:
    """A row a pair, the signs between the two halves."""
    columns: tuple[Column[StepPair], ...] = (
        _half(before, lambda pair: pair.left),
        Column(" ", lambda pair: pair.sign, 1, look=lambda pair: Inert.of(pair.sign, _LOOKS[pair.sign])),
        _half(after, lambda pair: pair.right),
    )
    return TableLines(columns, pair_key, pairs)


def pair_key(pair: StepPair) -> str:
    """The numbers of both steps; 0 where there is none."""
    return f"{pair.left.number if pair.left else 0}-{pair.right.number if pair.right else 0}"


def _half(title: str, side: Callable[[StepPair], Step | None]) -> Column[StepPair]:
    return Column(title[:_TITLE_CELLS], lambda pair: _told(side(pair)), _TITLE_CELLS, stretch=True, least=10)


def _told(step: Step | None) -> str:
    from workbench.trajectories import headline

    return "" if step is None else f"{step.number:>4} {headline(step)}"


def change_rows(runs: ComparedRuns) -> Iterator[Line]:
    """What was asked otherwise, the reward a column, the lint; what is equal is told in a word."""
    change = runs.change
    for note in (*change.notes, *runs.notes):
        yield Line(one_line(note), tone=Tone.WARNING, sign=Sign.WARNING)
    told = [*change.asked, *change.inputs]
    if change.verdict.before != change.verdict.after:
        told.insert(0, change.verdict)
    width = max((len(item.what) for item in told), default=0)
    yield from (as_line(f"{item.what:<{width}}  {item.before} -> {item.after}") for item in told)
    if not told:
        yield as_line("both were asked alike, of the same inputs, with the same verdict", Tone.DIM)
    yield from _columns(change)
    yield from _violations(change)
    yield as_line(_LEGEND, Tone.DIM)


def _columns(change: RunChange) -> Iterator[Line]:
    targets = dict.fromkeys(item.target for item in change.columns)
    width = max((len(item.column) for item in change.columns), default=0)
    for target in targets:
        yield as_line(f"{target}: reward and share of right rows a column", Tone.STRONG)
        for item in change.columns:
            if item.target != target:
                continue
            difference = item.difference
            moved = "" if not difference else f"  {difference:+.3f}"
            tone = Tone.DIM if not difference else Tone.GOOD if difference > 0 else Tone.ERROR
            yield as_line(
                f"  {item.column:<{width}}  {_share(item.before)} -> {_share(item.after)}{moved}", tone
            )


def _violations(change: RunChange) -> Iterator[Line]:
    yield as_line("violations", Tone.STRONG)
    for item in change.violations:
        tone = Tone.ERROR if item.after > item.before else Tone.GOOD
        yield as_line(f"  {item.rule}, {item.level}: {item.before} -> {item.after}", tone)
    if not change.violations:
        yield as_line("  the lint says the same of both", Tone.DIM)


def _share(value: float | None) -> str:
    return " none" if value is None else f"{value:.3f}"
