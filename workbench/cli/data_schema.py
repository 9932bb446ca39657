"""``workbench data schema``: declare a database of one's own from a DuckDB file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_session, print_envelope, say, say_wrapped
from workbench.patterns import visible

SCHEMA_HELP = """Declare a database of your own: the tables and columns of a DuckDB file, under a name.

Writes tasks/local/databases/NAME.toml, which you may cut down. No value of the file is read.
"""


def schema(
    file: Annotated[Path, typer.Argument(help="Your DuckDB file.")],
    name: Annotated[str, typer.Option(help="What tasks and imports call the database.")],
    title: Annotated[str, typer.Option(help="Its name in messages; the same unless given.")] = "",
    as_json: JsonOption = False,
) -> None:
    """An earlier declaration is left as it is."""
    from workbench import ehr, scaffold

    paths = open_session().content.paths
    declared, left_out = ehr.declare_database(file, name, title)
    target = paths.own_database(declared.name)
    scaffold.write_content(paths, {target: ehr.declaration_text(declared)})
    written = target.relative_to(paths.root).as_posix()
    following = f"workbench data import {file} --database {declared.name} --name {declared.name}"
    items = [{"table": table, "columns": len(columns)} for table, columns in declared.tables.items()]
    if as_json:
        summary = {"file": written, "left_out": left_out, "next": following}
        print_envelope("declaration", items, summary)
        return
    say(f"wrote {written}: {len(items)} tables")
    for line in left_out:
        say_wrapped(visible(f"left out: {line}"), 2)
    say_wrapped(visible(f"Look it through, then: {following}"), 2)
