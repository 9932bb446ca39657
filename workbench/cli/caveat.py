"""``workbench caveat``: reference-validity caveats, found and looked at; what changes them is beside this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli import caveat_changes
from workbench.cli.caveat_changes import Family, Name
from workbench.cli.output import (
    JsonOption,
    open_session,
    print_envelope,
    print_pairs,
    print_table,
    say,
    say_wrapped,
)
from workbench.patterns import visible
from workbench.records import Bias, CaveatStatus, ExitCode, Severity, Unavailable, utc_text

if TYPE_CHECKING:
    from workbench.cli.session import Session
    from workbench.ehr import ConceptSql
    from workbench.witness import GivenRows, ShownCase

app = typer.Typer(no_args_is_help=True, help="Caveats of the references: what is known to be wrong, and why.")


@app.command("list", help="Caveats of every family, filtered. Exit code 1 if an audit cannot be read.")
def list_command(
    family: Annotated[str, typer.Option(help="Only this family.")] = "",
    severity: Annotated[Severity | None, typer.Option(help="Only of this severity.")] = None,
    bias: Annotated[Bias | None, typer.Option(help="Only with this bias.")] = None,
    status: Annotated[CaveatStatus | None, typer.Option(help="Only in this state of review.")] = None,
    rule: Annotated[str, typer.Option(help="Only about this rule.")] = "",
    text: Annotated[str, typer.Option(help="Only with these words anywhere.")] = "",
    as_json: JsonOption = False,
) -> None:
    """One line a caveat."""
    from workbench import review

    found, problems = review.list_caveats(
        open_session().content,
        family=family,
        severity=severity,
        bias=bias,
        review=status,
        rule=rule,
        text=text,
    )
    items = [
        {
            "family": one.family,
            "id": one.caveat.id,
            "severity": one.caveat.severity.value,
            "bias": one.caveat.bias.value,
            "status": one.caveat.review.value,
            "reference": one.caveat.status,
            "rule": one.caveat.rule,
            "cases": len(one.caveat.witness),
            "title": one.caveat.title,
        }
        for one in found
    ]
    columns = ("family", "id", "severity", "bias", "status", "cases", "title")
    print_table(
        "caveats",
        items,
        columns,
        as_json=as_json,
        problems=problems,
        empty="no caveats",
        drop=("cases", "bias"),
    )


@app.command("show", help="One caveat with its anchors, evidence and discussion.")
def show(family: Family, name: Name, as_json: JsonOption = False) -> None:
    """All of it; anchors say what became of their lines."""
    from workbench import review

    session = open_session()
    read = review.open_audit(session.content, family)
    caveat = read.caveat(name)
    anchors = [review.find_anchor(session.content, anchor) for anchor in caveat.anchors]
    anchored: list[dict[str, Any]] = [
        {
            "file": one.anchor.file,
            "state": one.state.value,
            "line": one.line,
            "text": one.text or one.anchor.text,
        }
        for one in anchors
    ]
    if as_json:
        item = caveat.model_dump(mode="json") | {"family": read.family, "anchors": anchored}
        item |= {"review": caveat.review.value, "confirmed_by": caveat.confirmed_by, "file_hash": read.hash}
        print_envelope("caveats", [item])
        return
    print_pairs(
        {
            "caveat": f"{read.family} {caveat.id}",
            "title": caveat.title,
            "severity": caveat.severity.value,
            "bias": caveat.bias.value,
            "status": caveat.review.value,
            "confirmed_by": caveat.confirmed_by,
            "reference": caveat.status,
            "rule": caveat.rule,
            "evidence": [kind.value for kind in caveat.evidence],
            "source": caveat.source,
            "explanation": caveat.explanation,
            "witness": [case.id for case in caveat.witness],
        }
    )
    for one in anchored:
        say_wrapped(
            visible(f"{one['state']}: {one['file']}, line {one['line'] or '-'}: {one['text'].strip()}"), 2
        )
    for link in caveat.links:
        step = f", step {link.step}" if link.step else ""
        say_wrapped(visible(f"{link.kind}: {link.target}{step} {link.note}").rstrip(), 2)
    for entry in caveat.entries:
        say_wrapped(visible(f"{utc_text(entry.at)} {entry.by} {entry.act}: {entry.text}").rstrip(": "), 2)


WITNESS_HELP = """Run the witness cases of a caveat here and now, on made-up rows.

Shown are the rows that go in, the value that the reference gives, the pinned concept's where it is at hand,
and beside them the value of the source definition. Exit code 1 if a case does not give what is written down.
"""


@app.command("witness", help=WITNESS_HELP)
def witness_command(
    family: Family,
    name: Name,
    case: Annotated[str, typer.Option(help="Only the case of this id.")] = "",
    concepts: Annotated[
        bool, typer.Option("--concepts/--no-concepts", help="Run the pinned concept beside it.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Rows in, values out."""
    from workbench import review, witness
    from workbench.records import BadInput

    session = open_session()
    read = review.open_audit(session.content, family)
    cases = [one.id for one in read.caveat(name).witness if case in ("", one.id)]
    if not cases:
        raise BadInput(
            f"{name} has no such witness case", remedy=f"See workbench caveat show {family} {name}."
        )
    pinned = _pinned(session) if concepts else None
    shown = [witness.show_case(session.content, read.family, one, concept_sql=pinned) for one in cases]
    if as_json:
        print_envelope("witness cases", [_item(one) for one in shown])
    else:
        for one in shown:
            _print_case(one)
    if any(one.unmet for one in shown):
        raise typer.Exit(ExitCode.FOUND)


def _pinned(session: Session) -> ConceptSql | None:
    from workbench import ehr

    try:
        return ehr.fetch_concept_sql(session.data, session.concepts_folder)
    except Unavailable as error:
        say(f"note: without the pinned concept: {error.what}", err=True)
        return None


def _item(one: ShownCase) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        **one.case.model_dump(mode="json"),
        "family": one.family,
        "caveat": one.caveat,
        "reference_gives": asdict(one.reference),
        "concept_gives": asdict(one.concept) if one.concept else None,
        "unmet": list(one.unmet),
    }


def _print_case(one: ShownCase) -> None:
    say_wrapped(visible(f"{one.case.id}: {one.case.story}"), 2)
    for given in one.case.tables:
        say(f"  rows of {visible(given.table)}:")
        _print_rows([dict(row) for row in given.rows])
    _print_given("the reference gives", one.reference)
    if one.concept is not None:
        _print_given("the pinned concept gives", one.concept)
    if one.case.definition:
        say_wrapped(
            visible(f"  the source definition gives ({one.case.definition_source or 'no source'}):"), 4
        )
        _print_rows([
            {**item.key, **({"row": "none"} if item.absent else {**item.values, **dict.fromkeys(item.null)})}
            for item in one.case.definition
        ])  # fmt: skip
    for line in one.unmet:
        say_wrapped(f"  DIFFERS: {visible(line)}", 4)


def _print_given(what: str, given: GivenRows) -> None:
    say(f"  {what}:")
    if given.problem:
        say_wrapped(f"    {visible(given.problem)}", 4)
    else:
        _print_rows([dict(row) for row in given.rows])


def _print_rows(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        say_wrapped("    " + visible(", ".join(f"{key} {'NULL' if value is None else value}"
                                               for key, value in row.items())), 6)  # fmt: skip
    if not rows:
        say("    no row")


caveat_changes.add_to(app)
