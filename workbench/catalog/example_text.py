"""A worked example as Markdown, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.records import ExampleStay, Expectation, WorkedExample
from workbench.records.audit import Cell

Row = dict[str, Cell]


def example_markdown(example: WorkedExample) -> str:
    """Definition, mapping, each stay from input rows to derived values, edge cases, sources, limits."""
    return "\n".join(_lines(example)) + "\n"


def _lines(example: WorkedExample) -> Iterator[str]:
    yield from (f"# Worked example: {example.family} ({example.database})", "", "All stays are made up.", "")
    yield from ("## Definition", "", " ".join(example.definition.split()), "")
    mapping: list[Row] = [
        {"Concept": item.concept, "Items": item.items, "Unit": item.unit, "Note": item.note}
        for item in example.mapping
    ]
    yield from ("## Mapping", "", *_table(mapping), "")
    for stay in example.stays:
        yield from _stay(stay)
    for title, items in (
        ("Edge cases", example.edge_cases),
        ("Sources", example.sources),
        ("Limits", example.limits),
    ):
        yield from (f"## {title}", "", *(f"- {' '.join(item.split())}" for item in items), "")


def _stay(stay: ExampleStay) -> Iterator[str]:
    yield from (f"## Stay {stay.id}", "", " ".join(stay.story.split()), "", "### Input rows", "")
    for given in stay.tables:
        yield from (f"`{given.table}`", "", *_table(given.rows), "")
    for step in stay.intermediate:
        rows = [row.cells for row in step.rows]
        yield from (f"### Step `{step.step}`", "", *(_table(rows) if rows else ["No row."]), "")
    yield from ("### Expected", "", *_table([_expected(item) for item in stay.expected]), "")


def _expected(item: Expectation) -> Row:
    values: Row = {**item.values, **dict.fromkeys(item.null)}
    return {**item.key, **({"row": "none"} if item.absent else values)}


def _table(rows: Sequence[Row]) -> list[str]:
    """A column that a row does not name stays blank; a stated NULL is written as such."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    told = [[_cell(row[name]) if name in row else "" for name in columns] for row in rows]
    return [_line(columns), _line(["---"] * len(columns)), *(_line(cells) for cells in told)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Cell) -> str:
    if value is None:
        return "NULL"
    return " ".join(str(value).split()).replace("|", "\\|")
