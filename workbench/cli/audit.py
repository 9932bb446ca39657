"""``workbench audit``: labels and notes on runs, and the tables of the validity audit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.output import JsonOption, open_session, print_envelope, print_table, say
from workbench.cli.private_lookup import source_lookup
from workbench.cli.review_desk import Allowed, Message, Reviewer, open_desk
from workbench.records import BadInput, FailureKind, utc_text

if TYPE_CHECKING:
    from workbench.records import RunAudit
    from workbench.review import AuditTable

app = typer.Typer(no_args_is_help=True, help="Run audits, and the tables of the validity audit.")
Run = Annotated[str, typer.Argument(help="The run's id, or the start of it.")]
Step = Annotated[int | None, typer.Option(min=1, help="The step that it is about.")]


@app.command("label", help="Label a run: a name of your own, or with --failure why its values are wrong.")
def label(
    run: Run,
    reviewer: Reviewer,
    name: Annotated[str, typer.Argument(help="Lower-case letters, digits, hyphens.")] = "",
    failure: Annotated[FailureKind | None, typer.Option(help="Kind of failure.")] = None,
    step: Step = None,
    message: Message = "",
    force_reason: Allowed = "",
    as_json: JsonOption = False,
) -> None:
    """Prints how many marks the run has."""
    from workbench import review

    if bool(name) == (failure is not None):
        raise BadInput("give a label, or --failure, and not both", remedy="See workbench audit label --help.")
    with open_desk(reviewer, force_reason) as desk:
        made = review.mark_run(
            desk, run, "failure" if failure else "label", label=name, failure=failure, text=message, step=step
        )
    _tell(made, as_json=as_json)


@app.command("note", help="Write a note on a run.")
def note(
    run: Run,
    message: Message,
    reviewer: Reviewer,
    step: Step = None,
    force_reason: Allowed = "",
    as_json: JsonOption = False,
) -> None:
    """Prints how many marks the run has."""
    from workbench import review

    with open_desk(reviewer, force_reason) as desk:
        made = review.mark_run(desk, run, "note", text=message, step=step)
    _tell(made, as_json=as_json)


@app.command("show", help="Labels, failures and notes on a run, and whether its log is the one looked at.")
def show(run: Run, as_json: JsonOption = False) -> None:
    """One line a mark."""
    from workbench import review
    from workbench.store import RunStore

    session = open_session()
    try:
        run = RunStore(session.data).find(run)
    except BadInput:
        if not session.content.paths.run_audit(run.replace("/", "-")).is_file():
            raise
    items = [
        {
            "mark": known.mark.kind,
            "name": known.mark.label or (known.mark.failure.value if known.mark.failure else ""),
            "step": known.mark.step,
            "reviewer": known.mark.by,
            "time": utc_text(known.mark.at),
            "log": {True: "same", False: "another", None: "not here"}[known.same_log],
            "text": known.mark.text,
        }
        for known in review.marks_of(session.content, session.data, run)
    ]
    columns = ("mark", "name", "step", "reviewer", "time", "log", "text")
    print_table("run marks", items, columns, as_json=as_json, summary={"run": run}, empty="no marks")


EXPORT_HELP = """Write the tables of the validity audit.

Tables: caveats (convention retained, severity, bias, witness values, status, reviewers), provenance,
sign-offs, rules (coverage), sessions, runs. The same content gives the same bytes. What may be of a patient
is looked for before anything is written, and refused.
"""


@app.command("export", help=EXPORT_HELP)
def export(
    form: Annotated[str, typer.Option("--format", help="markdown, csv, latex, html, json.")] = "markdown",
    table: Annotated[list[str] | None, typer.Option(help="Only this table; several.")] = None,
    out: Annotated[Path | None, typer.Option(help="A folder: a file a table, instead of the screen.")] = None,
    as_json: JsonOption = False,
) -> None:
    """To standard output, or a file a table."""
    from workbench import review

    deliver(review.audit_tables(open_session().content, table or ()), form, out, as_json=as_json)


def deliver(tables: Sequence[AuditTable], form: str, out: Path | None, *, as_json: bool) -> None:
    """Print the tables, or write them into a folder; checked against the sources of this machine first."""
    from workbench import review

    try:
        chosen = review.ExportFormat(form)
    except ValueError:
        raise BadInput(
            f"there is no format {form[:20]!r}", remedy=f"One of: {', '.join(review.ExportFormat)}."
        ) from None
    with source_lookup(open_session()) as lookup:
        if out is None:
            text = review.export_text(tables, chosen, lookup)
            if as_json:
                print_envelope("exports", [{"format": chosen.value, "text": text}])
            else:
                say(text.removesuffix("\n"))
            return
        made = review.export_files(tables, chosen, out, lookup)
    if as_json:
        print_envelope("files", [{"file": str(path)} for path in made])
    for path in [] if as_json else made:
        say(str(path))


def _tell(audit: RunAudit, *, as_json: bool) -> None:
    if as_json:
        print_envelope("run audits", [audit.model_dump(mode="json")])
    else:
        say(f"{audit.run}: {len(audit.marks)} marks")
