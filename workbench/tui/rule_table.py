"""The rows of a rule diff as a table, and what is told of one row and of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.tui.inert import Inert
from workbench.tui.widgets.line_source import Line, Tone, as_line
from workbench.tui.widgets.table_source import Column, TableLines

if TYPE_CHECKING:
    from workbench.records import AcceptedRow
    from workbench.rules import Row, Rule
    from workbench.tui.rule_sides import Laid

ACCEPTED, FALLEN, WITHDRAWN = "accepted", "fell away", "withdrawn"
_MARKS = {ACCEPTED: "a", FALLEN: "f", WITHDRAWN: "w", "": " "}
_LOOKS = {
    "conflict": ("x", "$error"),
    "agree": ("✓", "$success"),
    "first-only": ("<", "$warning"),
    "second-only": (">", "$warning"),
}
STATUSES = tuple(_LOOKS)
_TITLES = {"first-only": "1st only", "second-only": "2nd only"}


@dataclass(frozen=True)
class RuleRow:
    """``key`` is unique in one comparison; ``state`` of its mark, which may hold no longer."""

    key: str
    row: Row
    mark: AcceptedRow | None = None
    state: str = ""


@dataclass
class RowFilter:
    """Which rows are shown: of one status, of one kind (empty: any), with all the words."""

    status: str = ""
    kind: str = ""
    words: str = ""

    def passes(self, item: RuleRow) -> bool:
        """Words are left to the table."""
        row = item.row
        return self.status in ("", row.status.value) and self.kind in ("", row.kind.value)

    def next_status(self) -> None:
        """The next one; any after the last."""
        self.status = _after(self.status, STATUSES)

    def next_kind(self, rows: Sequence[RuleRow]) -> None:
        """The next that there is; any after the last."""
        self.kind = _after(self.kind, list(dict.fromkeys(item.row.kind.value for item in rows)))

    @property
    def told(self) -> str:
        """In words; empty where all rows are shown."""
        return " ".join(word for word in (self.status, self.kind, self.words) if word)


def _after(now: str, values: Sequence[str]) -> str:
    order = ["", *values]
    return order[(order.index(now) + 1) % len(order)] if now in order else ""


def rule_rows(laid: Laid) -> list[RuleRow]:
    """All rows with their marks."""
    from workbench.rules import row_id

    taken: Counter[str] = Counter()
    found = []
    for row in laid.comparison.rows:
        name = row_id(row)
        mark = laid.marks.get(name)
        state = _state(name, mark, laid.comparison.accepted)
        key = f"{name}-{taken[name]}" if taken[name] else name
        taken[name] += 1
        found.append(RuleRow(key, row, mark, state))
    return found


def _state(name: str, mark: AcceptedRow | None, holding: Mapping[str, str]) -> str:
    if mark is None:
        return ""
    if mark.withdrawn:
        return WITHDRAWN
    return ACCEPTED if name in holding else FALLEN


def rule_table(
    first: str = "first", second: str = "second", rows: Sequence[RuleRow] = ()
) -> TableLines[RuleRow]:
    """``first``, ``second``: what the sides are called."""
    columns: tuple[Column[RuleRow], ...] = (
        Column("status", lambda item: _status(item, first, second), 16, least=13, look=_look(first, second)),
        Column("kind", lambda item: item.row.kind.value, 9),
        Column("a", lambda item: item.state, 1, look=lambda item: Inert.of(_MARKS[item.state])),
        Column("l", _later, 1, look=lambda item: Inert.of("L" if item.row.later else " ")),
        Column(first, lambda item: _said(item.row.first), 20, stretch=True, least=8),
        Column(second, lambda item: _said(item.row.second), 20, stretch=True, least=8),
    )
    return TableLines(columns, lambda item: item.key, rows)


def about(item: RuleRow | None, first: str, second: str, width: int) -> Inert:
    """Three lines of ``width`` cells: what each side says, and what is known of the row."""
    from workbench.rules import place, shown

    if item is None:
        return Inert.of("no row is let through by the filters")
    told = [
        Inert.line(label, "bold")
        + " "
        + Inert.line(f"{rule.line}: {shown(rule)}" if rule else "says nothing of it")
        for label, rule in ((first, item.row.first), (second, item.row.second))
    ]
    notes = [f"known later: {item.row.later}"] if item.row.later else []
    if item.mark is not None:
        notes.append(_mark_words(item.mark, item.state))
    told.append(Inert.line("; ".join(notes) or " ".join(filter(None, (place(item.row.second),)))))
    return Inert.join([line.fit(width) for line in told], "\n")


def _mark_words(mark: AcceptedRow, state: str) -> str:
    who = f" by {mark.reviewer}" if mark.reviewer else ""
    if state == FALLEN:
        return f"accepted for other texts{who}, holds no longer: {mark.reason}"
    return f"{state}{who}: {mark.withdrawn or mark.reason}"


def coverage_lines(laid: Laid) -> Iterator[Line]:
    """Numbers by kind, as ``workbench rules diff --coverage``."""
    found = laid.comparison
    titles = [found.first.label, found.second.label, *STATUSES]
    yield as_line(
        f"{'kind':<10}" + "".join(f"{_TITLES.get(title, title)[:10]:>11}" for title in titles), Tone.STRONG
    )
    for one in found.coverage:
        by_status = {status.value: number for status, number in one.rows.items()}
        counts = [one.first, one.second, *(by_status[status] for status in STATUSES)]
        tone = Tone.DIM if not any(counts) else Tone.PLAIN
        yield as_line(f"{one.kind.value:<10}" + "".join(f"{number:>11}" for number in counts), tone)


def counted(rows: Sequence[RuleRow]) -> str:
    """``f 1  x 2  ✓ 41  < 30  > 5``: marks that hold no longer, rows by status."""
    counts = Counter(item.row.status.value for item in rows)
    fallen = sum(item.state == FALLEN for item in rows)
    told = {"f": fallen} if fallen else {}
    told |= {sign: counts[status] for status, (sign, _) in _LOOKS.items()}
    return "  ".join(f"{sign} {number}" for sign, number in told.items())


def _status(item: RuleRow, first: str, second: str) -> str:
    value = item.row.status.value
    return {"first-only": f"{first} only", "second-only": f"{second} only"}.get(value, value)


def _look(first: str, second: str) -> Callable[[RuleRow], Inert]:
    def look(item: RuleRow) -> Inert:
        sign, style = _LOOKS[item.row.status.value]
        return Inert.of(sign, style) + " " + Inert.line(_status(item, first, second))

    return look


def _said(rule: Rule | None) -> str:
    from workbench.rules import shown  # imported once there are rows: an empty table is drawn before

    return shown(rule)


def _later(item: RuleRow) -> str:
    return f"known later: {item.row.later}" if item.row.later else ""
