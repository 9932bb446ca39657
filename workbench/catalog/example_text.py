"""A worked example as Markdown, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.catalog.family_text import expected_row
from workbench.catalog.markdown_tables import Row, table_lines
from workbench.records import ExampleStay, WorkedExample


def example_markdown(example: WorkedExample) -> str:
    """Definition, mapping, each stay from input rows to derived values, edge cases, sources, limits."""
    return "\n".join(_lines(example)) + "\n"


def _lines(example: WorkedExample) -> Iterator[str]:
    yield from (f"# Worked example: {example.family}", "", "All stays are made up.", "")
    yield from ("## Definition", "", " ".join(example.definition.split()), "")
    mapping: list[Row] = [
        {"Concept": item.concept, "Items": item.items, "Unit": item.unit, "Note": item.note}
        for item in example.mapping
    ]
    yield from ("## Mapping", "", *table_lines(mapping), "")
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
        yield from (f"`{given.table}`", "", *table_lines(given.rows), "")
    for step in stay.intermediate:
        rows = [row.cells for row in step.rows]
        yield from (f"### Step `{step.step}`", "", *(table_lines(rows) if rows else ["No row."]), "")
    yield from ("### Expected", "", *table_lines([expected_row(item) for item in stay.expected]), "")
