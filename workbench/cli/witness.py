"""``workbench witness``: minimal rows on which a reference must give a stated value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.output import (
    JsonOption,
    open_session,
    print_envelope,
    print_table,
    progress_line,
    say,
    say_wrapped,
)
from workbench.patterns import visible
from workbench.records import BadInput, Caveat, ExitCode, Problem, Unavailable

if TYPE_CHECKING:
    from workbench.cli.session import Session
    from workbench.ehr import ConceptSql
    from workbench.witness import CaseChange, WitnessResult

INDENT = 11

app = typer.Typer(no_args_is_help=True, help="Witness cases of reference-validity caveats.")


@app.command("list", help="Caveats of every family: severity, bias, how many witness cases.")
def list_command(
    family: Annotated[str, typer.Option(help="Only this family.")] = "", as_json: JsonOption = False
) -> None:
    """One line a caveat; an audit that cannot be read is a note."""
    content, problems, items = open_session().content, [], []
    for found in content.entries():
        if family and found.name != family:
            continue
        try:
            audit = content.audit(found.name)
        except BadInput as error:
            problems.append(Problem(where=error.where, what=error.what))
            continue
        items += [
            caveat.model_dump(mode="json") | {"family": found.name, "cases": len(caveat.witness)}
            for caveat in audit.caveats
        ]
    print_table(
        "caveats", items, ("family", "id", "severity", "bias", "status", "cases"), as_json=as_json,
        problems=problems, empty="no caveats",
    )  # fmt: skip


RUN_HELP = """Run witness cases against the reference, or against your SQL.

ok: the reference (or your SQL) gives the value that the case writes down; DIFFERS: it does not.

A case that is ok may still show a known departure from the source definition: its caveat tells which.

concept: agrees: the pinned concept gives the same value; differs: it gives another one; open: it leaves a
tie open there, so there is nothing to hold it to. With --no-concepts nothing is said of it.

With --sql, and with --concepts-folder (another revision of the concepts), what changes on each case is
printed as well: the reference's or the pinned concept's value, and the new one.

Exit code 1 if a case does not hold or anything changes.
"""


@app.command("run", help=RUN_HELP)
def run(
    family: Annotated[str, typer.Option(help="Only this family.")] = "",
    case: Annotated[str, typer.Option(help="Only the case of this id.")] = "",
    sql: Annotated[Path | None, typer.Option(help="SQL of yours, instead of the reference.")] = None,
    concepts: Annotated[
        bool, typer.Option("--concepts/--no-concepts", help="Hold the pinned concept against them, too.")
    ] = True,
    concepts_folder: Annotated[
        Path | None, typer.Option(help="A mimic-code folder: say what changes with its concepts.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Exit code 1 if a case does not hold or changes."""
    from workbench import witness

    session = open_session()
    names = [session.content.resolve(family)[0].family] if family else _with_audit(session, case)
    if sql is not None and len(names) != 1:
        raise BadInput("--sql needs --family", remedy=f"Name one of: {', '.join(names)}.")
    if sql is not None and concepts_folder is not None:
        raise BadInput("--sql and --concepts-folder ask for two things at once", remedy="Give one of them.")
    wanted = concepts or concepts_folder or any(witness.needs_concepts(session.content, one) for one in names)
    concept_sql = _concept_sql(session) if wanted else None
    other = _other_concepts(session, concept_sql, concepts_folder)
    files = concept_sql.beside(other) if concept_sql is not None and other is not None else {}
    audits = [session.content.audit(name) for name in names]
    caveats = {(audit.family, caveat.id): caveat for audit in audits for caveat in audit.caveats}
    cases = 1 if case else sum(len(caveat.witness) for caveat in caveats.values())
    results: list[tuple[str, WitnessResult]] = []
    changes: dict[tuple[str, str], list[str]] = {}
    with progress_line() as progress:
        for name in names:
            progress(f"witnesses of {name}", len(results), cases, "cases")
            found = witness.run_witnesses(
                session.content, name, case=case, sql=sql, concept_sql=concept_sql, hold_concept=concepts
            )
            if sql is not None and (reason := witness.why_none_ran(found)):
                raise BadInput(reason, where=str(sql), remedy="It ran on none of the cases; correct it.")
            results += [(name, result) for result in found]
            changes |= {
                (name, change.case): change.changed
                for change in _changes(session, name, case, sql, concept_sql, other)
            }
    failed = sum(not result.passed for _, result in results)
    changed = sum(bool(lines) for lines in changes.values())
    if as_json:
        items = [
            {"family": name}
            | result.model_dump(mode="json")
            | ({"changed": changes[name, result.case]} if (name, result.case) in changes else {})
            for name, result in results
        ]
        counts = {"cases": len(results), "failed": failed, "changed": changed}
        print_envelope("witnesses", items, counts | ({"concepts": files} if files else {}))
    else:
        for word, concepts_of_it in files.items():
            say_wrapped(visible(f"concepts {word}: {', '.join(concepts_of_it) or 'none'}"), 2)
        _print(results, failed, caveats, changes, "the reference" if sql is None else "your SQL")
    if failed or changed:
        raise typer.Exit(ExitCode.FOUND)


def _changes(
    session: Session,
    family: str,
    case: str,
    sql: Path | None,
    concept_sql: ConceptSql | None,
    other: ConceptSql | None,
) -> list[CaseChange]:
    from workbench import witness

    if sql is not None:
        return witness.changes_by_sql(session.content, family, sql, case=case, concept_sql=concept_sql)
    if concept_sql is not None and other is not None:
        return witness.changes_by_revision(session.content, family, concept_sql, other, case=case)
    return []


def _print(
    results: list[tuple[str, WitnessResult]],
    failed: int,
    caveats: Mapping[tuple[str, str], Caveat],
    changes: Mapping[tuple[str, str], list[str]],
    subject: str,
) -> None:
    last, shared = "", list[str]()
    for family, result in results:
        if family != last:
            say(family)
            last = family
            shared = _on_every_case(family, changes)
            for line in shared:
                say_wrapped(f"  ~ changed on every case: {visible(line)}", 4)
        caveat = caveats[family, result.caveat]
        marks = [str(caveat.severity), f"bias: {caveat.bias}"]
        if result.concept != "not-run":
            marks.append(f"concept: {result.concept}")
        sign = "ok     " if result.passed else "DIFFERS"
        say_wrapped(f"  {sign}  {result.caveat} / {result.case} ({', '.join(marks)})", INDENT)
        say_wrapped(visible(f"{'':<{INDENT}}{' '.join(result.story.split())}"), INDENT)
        for detail in result.details:
            say_wrapped(f"{'':<{INDENT}}- {visible(detail)}", INDENT + 2)
        for line in changes.get((family, result.case), []) if not shared else []:
            say_wrapped(f"{'':<{INDENT}}~ changed: {visible(line)}", INDENT + 2)
    departures = sum(result.passed and result.meets_definition is False for _, result in results)
    say(f"{len(results)} cases: {len(results) - failed} ok, {failed} failed")
    say_wrapped(
        f"ok = {subject} gives the value written down; {departures} of them show a known departure from the "
        "source definition"
    )
    if changes:
        say(f"{sum(bool(lines) for lines in changes.values())} cases change")


def _on_every_case(family: str, changes: Mapping[tuple[str, str], list[str]]) -> list[str]:
    """What changes alike on all cases of a family, so that it is said once."""
    found = [lines for (name, _), lines in changes.items() if name == family]
    alike = len(found) > 1 and all(lines == found[0] for lines in found)
    return found[0] if alike else []


def _with_audit(session: Session, case: str) -> list[str]:
    """Families that have an audit, or that have the case. Raises BadInput if none has it."""
    from workbench.catalog import did_you_mean

    content = session.content
    names = [family.name for family in content.families() if content.paths.audit(family.name).exists()]
    if not case:
        return names
    cases = {
        name: [one.id for caveat in content.audit(name).caveats for one in caveat.witness] for name in names
    }
    having = [name for name in names if case in cases[name]]
    if not having:
        known = [one for ids in cases.values() for one in ids]
        raise BadInput(
            f"no family has a witness case {case!r}",
            remedy=did_you_mean(case, known, "`workbench witness run` names all cases."),
        )
    return having


def _concept_sql(session: Session) -> ConceptSql | None:
    from workbench import ehr

    try:
        return ehr.fetch_concept_sql(session.data, session.concepts_folder)
    except Unavailable as error:
        say(f"note: without the pinned concept: {error.what}", err=True)
        return None


def _other_concepts(session: Session, pinned: ConceptSql | None, folder: Path | None) -> ConceptSql | None:
    """The revision in ``folder``. Raises Unavailable where there is no pinned one to hold it against."""
    from workbench import ehr

    if folder is None:
        return None
    if pinned is None:
        raise Unavailable(
            "the pinned concepts are not at hand, so that another revision cannot be held against them",
            remedy="Connect to the network once: workbench data concepts fetches them.",
        )
    return ehr.fetch_concept_sql(session.data, folder)
