"""``workbench caveat add``, ``edit``, ``discuss``, ``confirm``, …: what a reviewer does with a caveat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from workbench.cli.output import JsonOption, print_envelope, say
from workbench.cli.review_desk import Allowed, Message, Reviewer, open_desk
from workbench.records import BadInput, Bias, CaveatAct, EvidenceKind, Severity

if TYPE_CHECKING:
    from workbench.review import AuditText

Family = Annotated[str, typer.Argument(help="The family, or _general.")]
Name = Annotated[str, typer.Argument(help="The caveat's id.")]
ReadHash = Annotated[
    str | None, typer.Option(help="Only if the file still has this hash (file_hash of caveat show --json).")
]


def add_to(app: typer.Typer) -> None:
    """Put these commands into the group ``caveat``."""
    app.command("add", help="Propose a caveat. The file of the audit is changed in place, not committed.")(
        add
    )
    app.command("edit", help="Change a caveat; earlier confirmations then no longer count.")(edit)
    app.command("anchor", help="Say which line of SQL or of a skill a caveat is about.")(anchor)
    app.command("link", help="Link evidence: a run and step, a witness case, a paper, an issue.")(link)
    for act, text in _ACTS.items():
        _add_act(app, act, text)


_ACTS = {
    CaveatAct.COMMENT: ("discuss", "Add to the discussion of a caveat. Nothing said is ever changed."),
    CaveatAct.CONFIRM: ("confirm", "Say that a caveat of somebody else is right; two make it confirmed."),
    CaveatAct.DISPUTE: ("dispute", "Say why a caveat is not right."),
    CaveatAct.RESOLVE: ("resolve", "Say what was done, so that the fault is gone."),
    CaveatAct.RETAIN: ("retain", "Say why the convention is kept on purpose."),
}


def add(
    family: Family,
    name: Name,
    reviewer: Reviewer,
    title: Annotated[str, typer.Option(help="What is wrong, in one line.")],
    severity: Annotated[Severity, typer.Option(help="Judged effect on cohort or score.")],
    bias: Annotated[Bias, typer.Option(help="Which way the value leans.")],
    rule: Annotated[str, typer.Option(help="The affected rule, or several with commas.")],
    explanation: Annotated[str, typer.Option(help="What follows from it, in words.")],
    source: Annotated[str, typer.Option(help="Where it is known from.")],
    evidence: Annotated[list[EvidenceKind] | None, typer.Option(help="Kind of evidence; several.")] = None,
    at: Annotated[list[str] | None, typer.Option(help="FILE:LINE that it is about; several.")] = None,
    force_reason: Allowed = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the file and the status."""
    from workbench import review

    with open_desk(reviewer, force_reason) as desk:
        made = review.add_caveat(
            desk,
            family,
            name,
            title=title,
            severity=severity,
            bias=bias,
            rule=rule,
            explanation=explanation,
            source=source,
            evidence=[kind.value for kind in evidence or [EvidenceKind.REVIEW]],
            anchors=[_place(text) for text in at or []],
        )
    _tell(made, name, as_json=as_json)


def edit(
    family: Family,
    name: Name,
    reviewer: Reviewer,
    message: Message = "",
    title: Annotated[str | None, typer.Option(help="What is wrong, in one line.")] = None,
    severity: Annotated[Severity | None, typer.Option(help="Judged effect on cohort or score.")] = None,
    bias: Annotated[Bias | None, typer.Option(help="Which way the value leans.")] = None,
    rule: Annotated[str | None, typer.Option(help="The affected rule, or several with commas.")] = None,
    explanation: Annotated[str | None, typer.Option(help="What follows from it, in words.")] = None,
    source: Annotated[str | None, typer.Option(help="Where it is known from.")] = None,
    evidence: Annotated[list[EvidenceKind] | None, typer.Option(help="Kind of evidence; several.")] = None,
    reference: Annotated[
        Literal["open", "accepted", "fixed-upstream", "deviates"] | None,
        typer.Option(help="What the reference does about it."),
    ] = None,
    read_hash: ReadHash = None,
    force_reason: Allowed = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the file and the status."""
    from workbench import review

    texts = {"title": title, "severity": severity, "bias": bias, "rule": rule, "explanation": explanation}
    texts |= {"source": source, "status": reference}
    changes: dict[str, str | list[str]] = {key: str(text) for key, text in texts.items() if text is not None}
    if evidence:
        changes["evidence"] = [kind.value for kind in evidence]
    with open_desk(reviewer, force_reason) as desk:
        made = review.edit_caveat(desk, family, name, changes, why=message, expected=read_hash)
    _tell(made, name, as_json=as_json)


def anchor(
    family: Family,
    name: Name,
    place: Annotated[str, typer.Argument(help="FILE:LINE, the file below the content root.")],
    reviewer: Reviewer,
    as_json: JsonOption = False,
) -> None:
    """Prints the file and the status."""
    from workbench import review

    with open_desk(reviewer) as desk:
        made = review.anchor_caveat(desk, family, name, *_place(place))
    _tell(made, name, as_json=as_json)


def link(
    family: Family,
    name: Name,
    kind: Annotated[Literal["run", "witness", "paper", "issue"], typer.Argument(help="What it is.")],
    target: Annotated[str, typer.Argument(help="Run id, case id, DOI or address.")],
    reviewer: Reviewer,
    step: Annotated[int | None, typer.Option(min=1, help="The step of the run.")] = None,
    message: Message = "",
    force_reason: Allowed = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the file and the status."""
    from workbench import review
    from workbench.records import EvidenceLink

    if not 0 < len(target) <= 400 or len(message) > 2_000:
        raise BadInput("the target is empty, or a text is too long", remedy="Say it in fewer words.")
    with open_desk(reviewer, force_reason) as desk:
        made = review.link_caveat(
            desk, family, name, EvidenceLink(kind=kind, target=target, step=step, note=message.strip())
        )
    _tell(made, name, as_json=as_json)


def _add_act(app: typer.Typer, act: CaveatAct, named: tuple[str, str]) -> None:
    def command(
        family: Family,
        name: Name,
        reviewer: Reviewer,
        message: Message = "",
        read_hash: ReadHash = None,
        force_reason: Allowed = "",
        as_json: JsonOption = False,
    ) -> None:
        from workbench import review

        with open_desk(reviewer, force_reason) as desk:
            made = review.act_on_caveat(desk, family, name, act, message, expected=read_hash)
        _tell(made, name, as_json=as_json)

    app.command(named[0], help=named[1])(command)


def _place(text: str) -> tuple[str, int]:
    file, _, line = text.rpartition(":")
    if not file or not line.isascii() or not line.isdigit() or len(line) > 9:
        raise BadInput(f"{text[:80]!r} is no place", remedy="As skills/gcs/SKILL.md:12.")
    return file, int(line)


def _tell(made: AuditText, name: str, *, as_json: bool) -> None:
    caveat = made.caveat(name)
    if as_json:
        item = {"file": made.path.name, "family": made.family, "id": name, "status": caveat.review.value}
        print_envelope("caveats", [item | {"confirmed_by": caveat.confirmed_by, "file_hash": made.hash}])
    else:
        say(f"{made.family} {name}: {caveat.review.value}")
