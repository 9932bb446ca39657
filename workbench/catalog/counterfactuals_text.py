"""The counterfactuals of a family as Markdown, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.catalog.markdown_tables import Row, table_lines
from workbench.records import Counterfactual, TextChange


def counterfactuals_markdown(family: str, items: Sequence[Counterfactual]) -> str:
    """Each with what it changes where, and how the changed rows were found another way."""
    blocks = [
        f"# Counterfactuals: {family}",
        "One rule changed in every text that states it and in the reference. An agent that follows the text "
        "agrees with the changed reference, one that recalls public code with the unchanged one. Run a task "
        "under one with `workbench run TASK --counterfactual NAME`.",
    ]
    for item in items:
        blocks += _item(item)
    return "\n\n".join(blocks) + "\n"


def _item(item: Counterfactual) -> Iterator[str]:
    yield f"## {item.name} ({item.database})"
    yield f"{_words(item.says)} Rule of the reference: `{item.rule}`."
    rows: list[Row] = [
        {"In": _place(change), "Was": _words(change.find), "Is": _words(change.put)}
        for change in item.changes
    ]
    yield "\n".join(table_lines(rows))
    for refused in item.refuses:
        yield f"Not under {refused.condition}: {_words(refused.why)}"
    columns = ", ".join(f"`{name}`" for name in item.differs.columns)
    yield f"Changes {columns} in exactly these rows, and nothing else:"
    yield f"```sql\n{item.differs.rows.strip()}\n```"


def _place(change: TextChange) -> str:
    named = change.skill or change.task
    return f"{change.where} {named}".rstrip()


def _words(text: str) -> str:
    return " ".join(text.split())
