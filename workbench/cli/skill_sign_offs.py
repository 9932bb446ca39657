"""``workbench skill sign``, ``open-seal`` and ``sign-offs``: two reviewers, hidden from each other."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_session, print_notes, print_table, say_wrapped
from workbench.cli.skill_versions import Name, tell_saved
from workbench.records import Affiliation, Decision, ExitCode, Rating

Reviewer = Annotated[str, typer.Option("--as", help="Your identifier: C1, C2, …")]


def add_to(app: typer.Typer) -> None:
    """Put these commands into the group ``skill``."""
    app.command("sign", help="Seal a verdict on a skill and its tasks as they are, and commit the seal.")(
        sign
    )
    app.command("open-seal", help="Open your verdict, once two reviewers have sealed theirs.")(open_seal)
    app.command("sign-offs", help="The sign-offs of a skill, its state, and what made one void.")(
        list_sign_offs
    )
    app.command("adjudicate", help="Settle verdicts that do not agree, with a reason, as a third person.")(
        adjudicate
    )
    app.command("states", help="Where every skill stands in the review, and how far reviewers agree.")(states)


def sign(
    name: Name,
    reviewer: Reviewer,
    affiliation: Annotated[Affiliation, typer.Option(help="Of those who wrote skills and tasks, or not.")],
    decision: Annotated[Decision, typer.Option(help="Of the skill as a whole.")],
    definition: Annotated[Rating, typer.Option(help="The skill follows the definition that it names.")],
    framing: Annotated[Rating, typer.Option(help="Its tasks ask for what is clinically meant.")],
    plausible: Annotated[Rating, typer.Option(help="Values that follow would be believed at the bedside.")],
    minutes: Annotated[float, typer.Option(min=0, help="How long the review took.")],
    comment: Annotated[str, typer.Option(help="What you found; shown when opened.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the commit; the verdict stays on this machine."""
    from workbench import review
    from workbench.records import ReviewVerdict

    session = open_session()
    verdict = ReviewVerdict(
        decision=decision,
        definition_source=definition,
        task_framing=framing,
        plausibility=plausible,
        comment=comment,
        minutes=minutes,
    )
    saved = review.file_sign_off(session.content, session.data, name, reviewer, affiliation, verdict)
    tell_saved(name, saved, as_json=as_json)


def open_seal(name: Name, reviewer: Reviewer, as_json: JsonOption = False) -> None:
    """Prints the commit."""
    from workbench import review

    session = open_session()
    tell_saved(name, review.open_seal(session.content, session.data, name, reviewer), as_json=as_json)


def list_sign_offs(name: Name, as_json: JsonOption = False) -> None:
    """One line a sign-off."""
    from workbench import review

    content = open_session().content
    found = review.sign_offs_of(content, name)
    items = []
    for item in found:
        verdict = item.verdict
        items.append(
            {
                "reviewer": item.sign_off.reviewer,
                "affiliation": item.sign_off.affiliation.value,
                "holds": item.holds,
                "decision": verdict.decision.value if verdict else "sealed",
                "definition": verdict.definition_source.value if verdict else "",
                "framing": verdict.task_framing.value if verdict else "",
                "plausible": verdict.plausibility.value if verdict else "",
                "minutes": verdict.minutes if verdict else None,
                "comment": verdict.comment if verdict else "",
                "changed_since": [f"{change.path} ({change.what})" for change in item.changes],
            }
        )
    state = review.state_of(content, name)
    columns = (
        "reviewer",
        "affiliation",
        "holds",
        "decision",
        "definition",
        "framing",
        "plausible",
        "minutes",
    )
    print_table(
        "sign-offs",
        items,
        columns,
        as_json=as_json,
        summary={"skill": name, "state": state.value},
        empty="no sign-offs",
    )
    if not as_json:
        say_wrapped(f"state: {state.value}", 2)
        for item in found:
            for change in item.changes:
                say_wrapped(f"{item.sign_off.reviewer} is void: {change.path} is {change.what}", 2)


def adjudicate(
    name: Name,
    reviewer: Reviewer,
    decision: Annotated[Decision, typer.Option(help="Of the skill as a whole.")],
    reason: Annotated[str, typer.Option(help="What decides it, in words.")],
    as_json: JsonOption = False,
) -> None:
    """Prints the commit."""
    from workbench import review

    session = open_session()
    tell_saved(
        name,
        review.adjudicate(session.content, session.data, name, reviewer, decision, reason),
        as_json=as_json,
    )


def states(as_json: JsonOption = False) -> None:
    """One line a skill; below it one a question of the checklist."""
    from dataclasses import asdict

    from workbench import review

    found, problems = review.skill_states(open_session().content)
    items = [
        {
            "skill": one.skill,
            "state": one.state.value,
            "sign_offs": one.holding,
            "open": len(one.verdicts),
            "minutes": one.minutes,
            "changed_since": [f"{change.path} ({change.what})" for change in one.changes],
        }
        for one in found
    ]
    agreed = [asdict(row) for row in review.agreement([one.verdicts for one in found])]
    columns = ("skill", "state", "sign_offs", "open", "minutes", "changed_since")
    summary = {"agreement": agreed}
    if as_json:
        print_table("skill states", items, columns, as_json=True, summary=summary, problems=problems)
    else:
        print_table("skill states", items, columns, as_json=False)
        for row in agreed:
            alpha = "none" if row["alpha"] is None else f"{row['alpha']:.2f}"
            told = f"{row['question']}: {row['equal']} of {row['pairs']} pairs equal, alpha {alpha}"
            say_wrapped(told.replace("_", " "), 2)
        print_notes(problems)
        if problems:
            raise typer.Exit(ExitCode.FOUND)
