"""``workbench witness``: minimal rows on which a reference must give a stated value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.output import JsonOption, open_session, print_envelope, say
from workbench.patterns import visible
from workbench.records import BadInput, ExitCode, Unavailable

if TYPE_CHECKING:
    from workbench.cli.session import Session
    from workbench.ehr import ConceptSql
    from workbench.witness import WitnessResult

app = typer.Typer(no_args_is_help=True, help="Witness cases of reference-validity caveats.")


@app.callback()
def group() -> None:
    """Keep ``run`` a word of its own."""


@app.command("run", help="Run witness cases against the reference, or against your SQL.")
def run(
    family: Annotated[str, typer.Option(help="Only this family.")] = "",
    sql: Annotated[Path | None, typer.Option(help="SQL of yours, instead of the reference.")] = None,
    concepts: Annotated[
        bool, typer.Option("--concepts/--no-concepts", help="Hold the pinned concept against them, too.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Exit code 1 if a case does not hold."""
    from workbench import witness

    session = open_session()
    names = [session.content.resolve(family)[0].family] if family else _with_audit(session)
    if sql is not None and len(names) != 1:
        raise BadInput("--sql needs --family", remedy=f"Name one of: {', '.join(names)}.")
    concept_sql = _concept_sql(session) if concepts else None
    results: list[tuple[str, WitnessResult]] = []
    for name in names:
        found = witness.run_witnesses(session.content, name, sql=sql, concept_sql=concept_sql)
        results += [(name, result) for result in found]
    failed = sum(not result.passed for _, result in results)
    if as_json:
        items = [{"family": name} | result.model_dump(mode="json") for name, result in results]
        print_envelope("witnesses", items, {"cases": len(results), "failed": failed})
    else:
        _print(results, failed)
    if failed:
        raise typer.Exit(ExitCode.FOUND)


def _print(results: list[tuple[str, WitnessResult]], failed: int) -> None:
    last = ""
    for family, result in results:
        if family != last:
            say(family)
            last = family
        concept = f" (concept: {result.concept})" if result.concept != "not-run" else ""
        say(f"  {'ok  ' if result.passed else 'FAIL'}  {result.caveat} / {result.case}{concept}")
        for detail in result.details:
            say(f"        {visible(detail)}")
    say(f"{len(results)} cases, {failed} failed")


def _with_audit(session: Session) -> list[str]:
    content = session.content
    return [family.name for family in content.families() if content.paths.audit(family.name).exists()]


def _concept_sql(session: Session) -> ConceptSql | None:
    from workbench import ehr

    try:
        return ehr.fetch_concept_sql(session.data, session.concepts_folder)
    except Unavailable as error:
        say(f"note: without the pinned concept: {error.what}", err=True)
        return None
