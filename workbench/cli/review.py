"""``workbench review``: review sessions, opened, noted in, decided in, closed, exported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.output import (
    JsonOption,
    open_session,
    print_envelope,
    print_pairs,
    print_table,
    say,
    say_wrapped,
)
from workbench.cli.review_desk import Allowed, Message, Reviewer, open_desk
from workbench.patterns import visible
from workbench.records import BadInput, SessionAct, utc_text

if TYPE_CHECKING:
    from workbench.records import ReviewSession

app = typer.Typer(no_args_is_help=True, help="Review sessions: who, agenda, decisions, time.")
Session = Annotated[str, typer.Argument(help="The session; without it the one you have open.")]
Name = Annotated[str, typer.Argument(help="The session.")]


@app.command("open", help="Open a session. One person has one open session at a time.")
def open_command(
    name: Annotated[str, typer.Argument(help="Lower-case letters, digits, hyphens: 2026-05-gcs.")],
    reviewer: Reviewer,
    others: Annotated[list[str] | None, typer.Option("--with", help="Who else takes part; several.")] = None,
    agenda: Annotated[list[str] | None, typer.Option(help="What is to be looked at; several.")] = None,
    force_reason: Allowed = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the session."""
    from workbench import review

    with open_desk(reviewer, force_reason) as desk:
        made = review.open_session(desk, name, others=others or (), agenda=agenda or ())
    _tell(made, as_json=as_json)


@app.command("resume", help="Go on after a pause, or open a closed session again.")
def resume(name: Name, reviewer: Reviewer, as_json: JsonOption = False) -> None:
    """The pause before it does not count as time."""
    _add(name, reviewer, SessionAct.RESUME, "", "", "", as_json=as_json)


@app.command("note", help="Write something down.")
def note(
    message: Message,
    reviewer: Reviewer,
    name: Session = "",
    about: Annotated[str, typer.Option(help="What it is about.")] = "",
    force_reason: Allowed = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the session."""
    _add(name, reviewer, SessionAct.NOTE, message, about, force_reason, as_json=as_json)


@app.command("decide", help="Write a decision down, with what it is on and why.")
def decide(
    message: Message,
    reviewer: Reviewer,
    about: Annotated[str, typer.Option(help="A skill, a caveat, a rule.")],
    name: Session = "",
    force_reason: Allowed = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the session."""
    _add(name, reviewer, SessionAct.DECIDE, message, about, force_reason, as_json=as_json)


@app.command("close", help="Close a session.")
def close(reviewer: Reviewer, name: Session = "", as_json: JsonOption = False) -> None:
    """Prints the session."""
    _add(name, reviewer, SessionAct.CLOSE, "", "", "", as_json=as_json)


@app.command("list", help="All sessions, the newest first. Exit code 1 if one cannot be read.")
def list_command(as_json: JsonOption = False) -> None:
    """One line a session."""
    from workbench import review

    found, problems = review.list_sessions(open_session().content)
    columns = ("session", "state", "participants", "opened", "minutes", "decisions")
    items = [_item(one) | {"decisions": len(one.decisions)} for one in found]
    print_table("sessions", items, columns, as_json=as_json, problems=problems, empty="no sessions")


@app.command("show", help="One session with all its events.")
def show(name: Name, as_json: JsonOption = False) -> None:
    """Oldest event first."""
    from workbench import review

    session = review.session_of(open_session().content, name)
    if as_json:
        print_envelope("sessions", [session.model_dump(mode="json") | {"minutes": session.minutes}])
        return
    print_pairs(_item(session) | {"agenda": session.agenda})
    for event in session.events:
        words = ": ".join(part for part in (event.subject, event.text) if part)
        say_wrapped(visible(f"{utc_text(event.at)} {event.by} {event.act.value} {words}".rstrip()), 2)


@app.command("export", help="One session as Markdown, CSV, LaTeX, HTML or JSON. Nothing of a patient leaves.")
def export(
    name: Name,
    form: Annotated[str, typer.Option("--format", help="markdown, csv, latex, html, json.")] = "markdown",
    out: Annotated[Path | None, typer.Option(help="A folder for the file, instead of the screen.")] = None,
    as_json: JsonOption = False,
) -> None:
    """The session's events as a table."""
    from workbench import review
    from workbench.cli.audit import deliver

    session = review.session_of(open_session().content, name)
    deliver([review.session_table(session)], form, out, as_json=as_json)


def _add(
    name: str, reviewer: str, act: SessionAct, text: str, about: str, allowed: str, *, as_json: bool
) -> None:
    from workbench import review

    with open_desk(reviewer, allowed) as desk:
        if not name:
            own = review.own_session(desk)
            if own is None:
                raise BadInput(f"{reviewer} has no open session", remedy="Open one: workbench review open …")
            name = own.id
        made = review.add_to_session(desk, name, act, text, subject=about)
    _tell(made, as_json=as_json)


def _item(session: ReviewSession) -> dict[str, Any]:
    return {
        "session": session.id,
        "state": "open" if session.is_open else "closed",
        "participants": list(session.participants),
        "opened": utc_text(session.events[0].at),
        "minutes": session.minutes,
    }


def _tell(session: ReviewSession, *, as_json: bool) -> None:
    if as_json:
        print_envelope("sessions", [_item(session) | {"events": len(session.events)}])
    else:
        item = _item(session)
        say(f"{item['session']}: {item['state']}, {len(session.events)} events, {item['minutes']:g} minutes")
