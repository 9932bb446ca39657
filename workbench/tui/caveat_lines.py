"""One caveat as rows: what it says, its anchors, evidence, witness cases and discussion; what Enter opens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.patterns import visible
from workbench.records import utc_text
from workbench.tui.widgets.line_source import Span, Tone
from workbench.tui.widgets.markdown_lines import MarkdownLines
from workbench.tui.widgets.markdown_parse import Code, Flow, Heading, Inline, Paragraph

if TYPE_CHECKING:
    from workbench.records import Caveat
    from workbench.records.audit import Cell
    from workbench.review import FoundAnchor
    from workbench.witness import GivenRows, ShownCase

RUN, CASE, FILE, ADDRESS = "run", "case", "file", "address"


@dataclass(frozen=True)
class Target:
    """What a row opens: a run at a step, a witness case, a file at a line, an address to read."""

    kind: str
    name: str
    number: int = 0


@dataclass(frozen=True)
class _Piece:
    label: str
    text: str
    target: Target | None = None


class CaveatLines(MarkdownLines):
    """Every piece has a line number of its own, by which rows find their target."""

    def __init__(
        self, family: str, caveat: Caveat, anchors: list[FoundAnchor], cases: Mapping[str, ShownCase]
    ) -> None:
        """``cases``: those that were run, by id."""
        self._targets: dict[int, Target] = {}
        self._next = 0
        flow: list[Flow] = [self._heading(1, caveat.title)]
        flow += self._pieces(_said(family, caveat))
        flow.append(self._heading(2, "Where it is"))
        flow += self._pieces(_anchored(anchors))
        flow.append(self._heading(2, "Evidence"))
        flow += self._pieces(_linked(caveat))
        flow.append(self._heading(2, "Witness cases"))
        for case in caveat.witness:
            flow += self._pieces([_Piece(case.id, case.story, Target(CASE, case.id))])
            if case.id in cases:
                text = visible("\n".join(case_rows(cases[case.id])))
                flow.append(Code(self._line(Target(CASE, case.id)), tight=False, text=text))
        flow.append(self._heading(2, "Discussion"))
        flow += self._pieces(_discussed(caveat))
        super().__init__(flow)

    def target(self, row: int) -> Target | None:
        """What Enter on that row opens."""
        return self._targets.get(self.place(row).major // _BLOCK * _BLOCK)

    def row_of_case(self, case: str) -> int:
        """Where a witness case stands."""
        lines = [line for line, target in self._targets.items() if target == Target(CASE, case)]
        return self.row_of(lines[0]) if lines else 0

    def _line(self, target: Target | None) -> int:
        self._next += _BLOCK
        if target is not None:
            self._targets[self._next] = target
        return self._next

    def _heading(self, level: int, text: str) -> Heading:
        return Heading(self._line(None), tight=False, level=level, inline=Inline(visible(text)))

    def _pieces(self, pieces: Iterable[_Piece]) -> Iterator[Flow]:
        made = list(pieces) or [_Piece("none", "")]
        for at, piece in enumerate(made, 1):
            label = visible(f"{piece.label}: " if piece.text else piece.label)
            inline = Inline(label + visible(piece.text), (Span(0, len(label), Tone.STRONG),))
            yield Paragraph(self._line(piece.target), tight=at < len(made), inline=inline)


_BLOCK = 10_000
"""Lines between two pieces: no case has more rows."""


def _said(family: str, caveat: Caveat) -> Iterator[_Piece]:
    by = f", confirmed by {', '.join(caveat.confirmed_by)}" if caveat.confirmed_by else ""
    yield _Piece("caveat", f"{family} {caveat.id}")
    yield _Piece("severity", f"{caveat.severity.value}, bias {caveat.bias.value}")
    yield _Piece("status", f"{caveat.review.value}{by}; the reference: {caveat.status}")
    yield _Piece("rule", caveat.rule)
    yield _Piece("explanation", caveat.explanation)
    yield _Piece("known from", f"{', '.join(kind.value for kind in caveat.evidence)}: {caveat.source}")


def _anchored(anchors: list[FoundAnchor]) -> Iterator[_Piece]:
    for one in anchors:
        where = f"{one.anchor.file}, line {one.line}" if one.line else one.anchor.file
        target = Target(FILE, one.anchor.file, one.line) if one.line else None
        yield _Piece(one.state.value, f"{where}: {(one.text or one.anchor.text).strip()}", target)


def _linked(caveat: Caveat) -> Iterator[_Piece]:
    kinds = {"run": RUN, "witness": CASE}
    for link in caveat.links:
        step = f", step {link.step}" if link.step else ""
        note = f" ({link.note})" if link.note else ""
        target = Target(kinds.get(link.kind, ADDRESS), link.target, link.step or 0)
        yield _Piece(link.kind, f"{link.target}{step}{note}", target)


def _discussed(caveat: Caveat) -> Iterator[_Piece]:
    for entry in caveat.entries:
        yield _Piece(f"{utc_text(entry.at)} {entry.by} {entry.act.value}", entry.text)


def case_rows(shown: ShownCase) -> Iterator[str]:
    """Rows in, what the reference and the concept give, and the source definition's value beside."""
    for given in shown.case.tables:
        yield f"rows of {given.table}:"
        yield from (f"  {_row(row)}" for row in given.rows)
    yield from _gives("the reference gives", shown.reference)
    if shown.concept is not None:
        yield from _gives("the pinned concept gives", shown.concept)
    if shown.case.definition:
        yield f"the source definition gives ({shown.case.definition_source or 'no source'}):"
        for item in shown.case.definition:
            values: dict[str, Cell] = {"row": "none"} if item.absent else {**item.values}
            yield f"  {_row({**item.key, **values, **dict.fromkeys(item.null)})}"
    yield from (f"DIFFERS: {line}" for line in shown.unmet)


def _gives(what: str, given: GivenRows) -> Iterator[str]:
    yield f"{what}:"
    yield from ([f"  {given.problem}"] if given.problem else [f"  {_row(row)}" for row in given.rows])
    if not given.problem and not given.rows:
        yield "  no row"


def _row(row: Mapping[str, Cell]) -> str:
    return ", ".join(f"{key} {'NULL' if value is None else value}" for key, value in row.items())
