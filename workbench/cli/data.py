"""``workbench data``: clinical sources and what is built from them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.data_schema import SCHEMA_HELP, schema
from workbench.cli.output import (
    JsonOption,
    open_context,
    open_session,
    print_envelope,
    print_pairs,
    print_table,
    progress_line,
    say,
    say_wrapped,
)
from workbench.records import PUBLISHED_DATABASES, Refused, Source

app = typer.Typer(no_args_is_help=True, help="Clinical sources: import, make, look at, remove.")

COLUMNS = ("name", "database", "kind", "origin", "tables", "rows", "bytes", "created")
DROP = ("created", "database", "bytes", "tables", "rows")


def _summary(source: Source) -> dict[str, Any]:
    whole = source.model_dump(mode="json", exclude={"tables", "schema_version"})
    return whole | {
        "content_hash": source.content_hash,
        "tables": len(source.tables),
        "rows": sum(table.rows for table in source.tables),
        "bytes": sum(table.bytes for table in source.tables),
    }


def _print_source(source: Source, *, as_json: bool) -> None:
    if as_json:
        print_envelope("sources", [_summary(source)])
    else:
        print_pairs({name: value for name, value in _summary(source).items() if name in COLUMNS})
        missing = [table.table for table in source.tables if table.empty_because_missing]
        if missing:
            say_wrapped(f"empty, as the input has no such table: {', '.join(missing)}", 2)


@app.command("list", help="Sources in the data directory. Exit code 1 if one cannot be read.")
def list_command(as_json: JsonOption = False) -> None:
    """One line a source; what cannot be read is a note."""
    from workbench import ehr

    sources, problems = ehr.readable_sources(open_session().data)
    empty = "no sources; `workbench data synth` makes one, `workbench data import` takes yours"
    empty = "no source that can be read" if problems else empty
    print_table(
        "sources", [_summary(source) for source in sources], COLUMNS, as_json=as_json, problems=problems,
        empty=empty, drop=DROP, shorten="origin",
    )  # fmt: skip


app.command("schema", help=SCHEMA_HELP)(schema)


@app.command(
    "import",
    help="Import MIMIC-IV, eICU-CRD or a database of your own: a folder of csv, csv.gz or Parquet, or a "
    "DuckDB file.",
)
def import_command(
    path: Annotated[Path, typer.Argument(help="The folder or file as downloaded or built.")],
    name: Annotated[str, typer.Option(help="What to call the source.")],
    database: Annotated[
        str,
        typer.Option(
            help="mimic-iv, eicu, or one of your own (workbench data schema declares it); without it the "
            "tables' names tell the first two apart."
        ),
    ] = "",
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a source of that name made from another input.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """All or nothing; unchanged input is left as it is."""
    from workbench import ehr

    session = open_session()
    with progress_line() as progress:
        source = ehr.import_source(
            session.data,
            path,
            name,
            database=database
            if database in ("", *PUBLISHED_DATABASES)
            else ehr.schema_of(session.content, database),
            replace=replace,
            progress=progress,
            settings=session.settings,
        )
    _print_source(source, as_json=as_json)


@app.command("synth", help="Make a synthetic MIMIC-IV or eICU-CRD.")
def synth(
    stays: Annotated[int, typer.Option(min=1, max=50_000, help="ICU stays.")] = 500,
    seed: Annotated[int, typer.Option(min=0, max=999_999_999, help="Equal seeds make equal data.")] = 1,
    name: Annotated[
        str, typer.Option(help="Default: synthetic-<stays>-<seed>, or synthetic-eicu-<stays>-<seed>.")
    ] = "",
    database: Annotated[str, typer.Option(help="mimic-iv or eicu.")] = "mimic-iv",
    as_json: JsonOption = False,
) -> None:
    """The same stays and seed give the same source."""
    from workbench import ehr

    session = open_session()
    with progress_line() as progress:
        source = ehr.make_synthetic(
            session.data,
            stays,
            seed,
            name=name,
            database=database,
            progress=progress,
            settings=session.settings,
        )
    _print_source(source, as_json=as_json)


@app.command("show", help="One source with its tables.")
def show(
    name: Annotated[str, typer.Argument(help="The source's name.")], as_json: JsonOption = False
) -> None:
    """Tables with their rows and sizes; no values."""
    from workbench import ehr

    source = ehr.load_source(open_session().data, name)
    notes = {True: "not in the input", False: ""}
    items = [
        table.model_dump(mode="json") | {"note": notes[table.empty_because_missing]}
        for table in source.tables
    ]
    if not as_json:
        print_pairs(_summary(source))
        say("")
    print_table(
        "tables", items, ("table", "rows", "bytes", "note"), as_json=as_json, summary=_summary(source)
    )


@app.command("remove", help="Remove a source with all that was built from it.")
def remove(
    name: Annotated[str, typer.Argument(help="The source's name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Really remove it.")] = False,
) -> None:
    """Runs and their results stay."""
    from workbench import ehr

    session = open_session()
    found = ehr.size_of_source(session.data, name)
    if not yes:
        raise Refused(
            f"this removes source {name} ({found}), its concepts and references", remedy="Add --yes to do it."
        )
    ehr.remove_source(session.data, name)
    say(f"removed {name}")


@app.command("concepts", help="Fetch the public concept SQL, and build concepts for a source.")
def concepts(
    source: Annotated[str, typer.Option(help="Build for this source; without it, only fetch.")] = "",
    name: Annotated[list[str] | None, typer.Option(help="Only this concept; can be given again.")] = None,
    folder: Annotated[
        Path | None, typer.Option(help="A mimic-code checkout, instead of the pinned SQL.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Builds what is missing, with what it depends on."""
    from workbench import ehr, runs

    context = open_context()
    sql = ehr.fetch_concept_sql(context.data, folder or context.concepts_folder)
    summary: dict[str, Any] = {"revision": sql.revision, "concepts": len(sql.scripts)}
    if not source and not name:
        items = [{"name": concept} for concept in sql.scripts]
        if as_json:
            print_envelope("concepts", items, summary)
        else:
            say(f"{sql.revision}: {len(items)} concepts at hand")
        return
    with progress_line() as progress:
        chosen = runs.ensure_source(context, source or context.settings.source, progress)
        built = ehr.ensure_concepts(
            context.data, chosen, sql, name, progress=progress, settings=context.settings
        )
    items = [
        concept.model_dump(mode="json") for concept in built.concepts if not name or concept.name in name
    ]
    print_table("concepts", items, ("name", "rows"), as_json=as_json, summary=summary)
