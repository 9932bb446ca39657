"""``workbench rules``: a skill, a specification or SQL held against other SQL or text, rule by rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.output import JsonOption, open_session, print_table, say
from workbench.cli.session import Session

if TYPE_CHECKING:
    from workbench.rules import Comparison, Kind, SourceText, Status

app = typer.Typer(no_args_is_help=True, help="Rules out of skills and SQL, held side by side.")

NameArgument = Annotated[
    str, typer.Argument(help="A skill, a task (its specification), or a file (.md, .sql).")
]
KindOption = Annotated[str, typer.Option(help="Only this kind: item, code, text, threshold, window, …")]
AgainstOption = Annotated[str, typer.Option(help="reference, concept, spec, or a file.")]
FamilyOption = Annotated[str, typer.Option(help="Whose reference, concept or specification; for files.")]
TargetOption = Annotated[str, typer.Option(help="Which reference.")]
ClosureOption = Annotated[bool, typer.Option("--closure", help="With the concepts that the reference reads.")]
ConceptsOption = Annotated[
    Path | None, typer.Option(help="Another revision: a folder of mimic-code. The pinned one by default.")
]


@app.command("diff", help="Lay two sides beside each other: what agrees, conflicts, or only one side says.")
def diff(
    name: NameArgument,
    against: AgainstOption = "reference",
    kind: KindOption = "",
    status: Annotated[
        str, typer.Option(help="Only this status: agree, conflict, first-only, second-only.")
    ] = "",
    family: FamilyOption = "",
    target: TargetOption = "public-code",
    closure: ClosureOption = False,
    concepts: ConceptsOption = None,
    coverage: Annotated[bool, typer.Option("--coverage", help="Numbers by kind instead of rows.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")] = False,
    as_json: JsonOption = False,
) -> None:
    """One line a row. The first side is ``name``."""
    from workbench import rules

    chosen_kind, chosen_status = _kind(kind), _status(status)
    found = _comparison(name, against, family, target, closure, concepts)
    rows = found.chosen(chosen_kind, chosen_status)
    if as_csv:
        say(rules.rows_csv(rows, found.accepted).rstrip("\n"))
        return
    if coverage:
        _print_coverage(found, as_json)
        return
    items = [rules.row_cells(row, found.accepted) for row in rows]
    print_table(
        "rule-rows",
        items,
        ("status", "kind", "first_place", "first", "second_place", "second", "later", "accepted", "row"),
        as_json=as_json,
        summary=rules.summary(found, rows),
        empty="no rows",
        drop=("row", "accepted", "later", "second_place", "first_place"),
        shorten="second",
    )


@app.command("list", help="The rules of one skill, specification or SQL file.")
def list_command(name: NameArgument, kind: KindOption = "", as_json: JsonOption = False) -> None:
    """One line a rule."""
    from workbench import rules

    chosen = _kind(kind)
    side, _ = rules.one_side(open_session().content, name)
    items = [
        {
            "kind": rule.kind.value,
            "operator": rule.operator,
            "value": rule.value,
            "unit": rule.unit,
            "gives": rule.gives,
            "subject": rule.subject,
            "file": rule.file,
            "line": rule.line,
            "later": rule.later,
        }
        for rule in side.rules()
        if chosen in (None, rule.kind)
    ]
    columns = ("line", "kind", "operator", "value", "unit", "gives", "subject", "later")
    print_table(
        "rules", items, columns, as_json=as_json, empty="no rules", drop=("later",), shorten="subject"
    )


@app.command("accept", help="Keep that a row is intended, until a text of either side changes.")
def accept(
    skill: Annotated[str, typer.Argument(help="The skill.")],
    row: Annotated[str, typer.Argument(help="The row, as the column row of `rules diff` names it.")],
    reason: Annotated[str, typer.Option(help="Why it is intended.")],
    reviewer: Annotated[str, typer.Option(help="Who says so: C1, C2, …")] = "",
    against: AgainstOption = "reference",
    family: FamilyOption = "",
    target: TargetOption = "public-code",
    closure: ClosureOption = False,
    concepts: ConceptsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Prints the kept mark."""
    from workbench import rules

    content = open_session().content
    content.skill(skill)
    found = _comparison(skill, against, family, target, closure, concepts)
    mark = rules.accept_row(content, skill, found, row, reason, reviewer)
    print_table("accepted-rows", [mark.model_dump(mode="json")], ("row", "reason"), as_json=as_json)


@app.command("withdraw", help="Keep that an accepted row is intended no longer.")
def withdraw(
    skill: Annotated[str, typer.Argument(help="The skill.")],
    row: Annotated[str, typer.Argument(help="The row, as the column row of `rules diff` names it.")],
    reason: Annotated[str, typer.Option(help="Why it is intended no longer.")],
    reviewer: Annotated[str, typer.Option(help="Who says so: C1, C2, …")] = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the mark as it is kept now."""
    from workbench import rules

    mark = rules.withdraw_row(open_session().content, skill, row, reason, reviewer)
    columns = ("row", "reason", "withdrawn")
    print_table("accepted-rows", [mark.model_dump(mode="json")], columns, as_json=as_json)


def _comparison(
    name: str, against: str, family: str, target: str, closure: bool, concepts: Path | None
) -> Comparison:
    from workbench import rules

    session = open_session()
    first, second = rules.asked_sides(
        session.content,
        name,
        against,
        _concepts(session, concepts),
        family=family,
        target=target,
        whole=closure,
    )
    of_skill = name if name in session.content.skill_names() else ""
    marks = rules.accepted_rows(session.content, of_skill) if of_skill else []
    return rules.compare(first, second, marks)


def _concepts(session: Session, folder: Path | None) -> Callable[[], Mapping[str, SourceText]]:
    def fetched() -> Mapping[str, SourceText]:
        from workbench import ehr, rules

        found = ehr.fetch_concept_sql(session.data, folder or session.concepts_folder)
        return {
            name: rules.SourceText(f"concepts/{found.revision}/{name}.sql", text)
            for name, text in found.texts().items()
        }

    return fetched


def _print_coverage(found: Comparison, as_json: bool) -> None:
    items = [
        {"kind": one.kind.value, found.first.label: one.first, f"{found.second.label} ": one.second}
        | {status.value: number for status, number in one.rows.items()}
        for one in found.coverage
    ]
    print_table("rule-coverage", items, tuple(items[0]), as_json=as_json)


def _kind(text: str) -> Kind | None:
    from workbench.rules import Kind

    return Kind(_one_of("kind", text, [kind.value for kind in Kind])) if text else None


def _status(text: str) -> Status | None:
    from workbench.rules import Status

    return Status(_one_of("status", text, [status.value for status in Status])) if text else None


def _one_of(what: str, text: str, known: list[str]) -> str:
    from workbench.records import BadInput

    if text not in known:
        raise BadInput(f"there is no {what} {text!r}", remedy=f"There are: {', '.join(known)}.")
    return text
