"""``workbench task example``: a family's worked example, to read or to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workbench.catalog import example_markdown
from workbench.cli.output import JsonOption, open_session, print_envelope, say, say_wrapped
from workbench.patterns import visible
from workbench.records import ExitCode, Unavailable, WorkedExample

if TYPE_CHECKING:
    from workbench.cli.session import Session

EXAMPLE_HELP = """A family's worked example: made-up stays from their input rows to the derived values.

Printed as Markdown. With --check it is run instead: the reference must give every intermediate and every
expected row; exit code 1 if it does not.
"""


def example(
    family: Annotated[str, typer.Argument(help="Family, alias or task.")],
    database: Annotated[str, typer.Option(help="mimic-iv or eicu, where a family has both.")] = "",
    check: Annotated[bool, typer.Option("--check", help="Run it on the reference.")] = False,
    as_json: JsonOption = False,
) -> None:
    """The Markdown has no patient's value: all stays are made up."""
    session = open_session()
    name = session.content.resolve(family)[0].family
    found = session.content.files(name).worked_example(database)
    if check:
        _check(session, found, as_json)
        return
    if as_json:
        print_envelope("worked-examples", [found.model_dump(mode="json")])
    else:
        say(visible(example_markdown(found)).rstrip())


def _check(session: Session, example: WorkedExample, as_json: bool) -> None:
    from workbench import ehr, witness

    family, database = example.family, example.database
    try:
        concept_sql = ehr.concept_sql_of(database, session.data, session.concepts_folder)
    except Unavailable:
        concept_sql = None
    found = witness.run_worked_example(session.content, family, database=database, concept_sql=concept_sql)
    failed = sum(not item.passed for item in found)
    if as_json:
        items = [{"family": family} | item.model_dump(mode="json") for item in found]
        print_envelope("example-checks", items, {"stays": len(found), "failed": failed})
    else:
        for item in found:
            say(f"{'ok     ' if item.passed else 'DIFFERS'}  {item.stay}")
            for detail in item.details:
                say_wrapped(f"         - {visible(detail)}", 11)
        say(f"{len(found)} stays: {len(found) - failed} ok, {failed} failed")
    if failed:
        raise typer.Exit(ExitCode.FOUND)
