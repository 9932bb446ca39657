"""The stages of a family's derivation as Markdown: for a person with SQL, for an agent without."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.catalog.markdown_tables import Row, table_lines
from workbench.records import ColumnType, DatabaseStages, FamilyStages, Stage

_KINDS = {
    ColumnType.ORDERED: "number",
    ColumnType.NOMINAL: "number or label",
    ColumnType.TEXT: "text",
    ColumnType.TIME: "time",
}


def stages_for_agents(stages: DatabaseStages) -> str:
    """Each stage under its name: what its rows are, and its columns."""
    return "\n\n".join(_stage(stage) for stage in stages.stages) + "\n"


def stages_markdown(stages: FamilyStages) -> str:
    """As agents read them, with tolerances and the SELECT over the reference's steps behind each."""
    blocks = [
        f"# Stages: {stages.family}",
        "The intermediate tables that the condition with-declaration asks agents for, in order. A run names "
        "the first that differs from the reference's; below each stands the SELECT over steps of the "
        "reference that gives the reference's.",
    ]
    for item in stages.databases:
        blocks.append(f"## {item.database}")
        for stage in item.stages:
            blocks += [_stage(stage), *_tolerances(stage), f"```sql\n{stage.sql.strip()}\n```"]
    return "\n\n".join(blocks) + "\n"


def _stage(stage: Stage) -> str:
    rows: list[Row] = [
        {"column": f"`{key.name}`", "kind": "key", "meaning": _words(key.means)} for key in stage.keys
    ]
    rows += [
        {"column": f"`{column.name}`", "kind": _KINDS[column.type], "meaning": _words(column.means)}
        for column in stage.columns
    ]
    return f"### `{stage.name}`\n\n{_words(stage.rows)}\n\n" + "\n".join(table_lines(rows))


def _tolerances(stage: Stage) -> Iterator[str]:
    told = [f"`{column.name}` {column.tolerance:g}" for column in stage.columns if column.tolerance]
    if told:
        yield f"Tolerances: {', '.join(told)}."


def _words(text: str) -> str:
    return " ".join(text.split())
