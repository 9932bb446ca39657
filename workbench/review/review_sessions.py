"""Review sessions: opened, resumed, noted in, decided in, closed; an event counts when it is on the disk."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from workbench.catalog import Content, did_you_mean
from workbench.records import BadInput, Problem, Refused, ReviewSession, SessionAct, SessionEvent, explain
from workbench.review.audit_documents import ReadDocument, read_document, write_document
from workbench.review.private_text import require_no_values
from workbench.review.review_desk import ReviewDesk, require_desk


def list_sessions(content: Content) -> tuple[list[ReviewSession], list[Problem]]:
    """All sessions, the newest first, and files that cannot be read."""
    found: list[ReviewSession] = []
    problems: list[Problem] = []
    for path in sorted(content.paths.review_sessions.glob("[!.]*.toml")):
        try:
            found.append(session_of(content, path.stem))
        except BadInput as error:
            problems.append(Problem(where=error.where, what=error.what, remedy=error.remedy))
    return sorted(found, key=lambda one: (one.events[0].at, one.id), reverse=True), problems


def session_of(content: Content, name: str) -> ReviewSession:
    """The session of that name. Raises BadInput."""
    session = _read(content, name).value
    if session is None:
        known = [path.stem for path in content.paths.review_sessions.glob("[!.]*.toml")]
        raise BadInput(
            f"there is no session {name[:80]!r}",
            remedy=did_you_mean(name, known, "See workbench review list."),
        )
    return session


def open_session(
    desk: ReviewDesk, name: str, *, others: Sequence[str] = (), agenda: Sequence[str] = ()
) -> ReviewSession:
    """Begin a session of the desk's reviewer with ``others``.

    Raises BadInput for a name that is taken or none, Refused while the reviewer has one open.
    """
    require_desk(desk)
    _check(desk, [*agenda])
    going_on = own_session(desk)
    if going_on is not None:
        raise Refused(
            f"{desk.reviewer} has the session {going_on.id} open",
            remedy=f"Close it first (workbench review close --as {desk.reviewer}), or go on with it.",
        )
    event = SessionEvent(act=SessionAct.OPEN, by=desk.reviewer, at=desk.clock.now(), allowed=desk.allowed)
    try:
        session = ReviewSession(
            id=name,
            participants=list(dict.fromkeys([desk.reviewer, *others])),
            agenda=[item.strip() for item in agenda],
            events=[event],
        )
    except ValidationError as error:
        remedy = "A name as 2026-05-gcs, participants as C1, C2, …"
        raise BadInput(explain(error), remedy=remedy) from None
    read = _read(desk.content, name)
    if read.value is not None:
        raise BadInput(f"there is a session {name!r} already", remedy="Resume it, or take another name.")
    write_document(desk.content, desk.data, read, session)
    return session


def add_to_session(
    desk: ReviewDesk, name: str, act: SessionAct, text: str = "", *, subject: str = ""
) -> ReviewSession:
    """Resume a session, note or decide something in it, or close it.

    Raises Refused for somebody who takes no part, for a note in a closed session, for words with values;
    BadInput for words that are missing.
    """
    require_desk(desk)
    read = _read(desk.content, name)
    session = read.value or session_of(desk.content, name)
    if desk.reviewer not in session.participants:
        raise Refused(f"{desk.reviewer} takes no part in the session {name}", remedy="Open one of your own.")
    if act == SessionAct.OPEN:
        raise BadInput(f"the session {name} is there already", remedy="Resume it.")
    if not session.is_open and act != SessionAct.RESUME:
        raise Refused(f"the session {name} is closed", remedy=f"Resume it: workbench review resume {name}")
    if act in (SessionAct.NOTE, SessionAct.DECIDE) and len(text.strip()) < 3:
        raise BadInput("words are missing", remedy="Say in a few words what was found or decided (-m).")
    _check(desk, [text, subject])
    event = SessionEvent(
        act=act,
        by=desk.reviewer,
        at=desk.clock.now(),
        subject=subject.strip()[:200],
        text=text.strip(),
        allowed=desk.allowed,
    )
    grown = session.model_copy(update={"events": [*session.events, event]})
    write_document(desk.content, desk.data, read, grown)
    return grown


def own_session(desk: ReviewDesk) -> ReviewSession | None:
    """The session that the reviewer has open, the newest one."""
    sessions, _ = list_sessions(desk.content)
    return next((one for one in sessions if one.is_open and desk.reviewer in one.participants), None)


def _read(content: Content, name: str) -> ReadDocument[ReviewSession]:
    if not name.replace("-", "").isalnum() or not name.isascii() or name != name.lower():
        raise BadInput(
            f"{name[:80]!r} is no session's name", remedy="Use lower-case letters, digits and hyphens."
        )
    read = read_document(content.paths.review_session(name), ReviewSession)
    if read.value is not None and read.value.id != name:
        raise BadInput("is not the session that its name says", where=str(read.path))
    return read


def _check(desk: ReviewDesk, texts: Sequence[str]) -> None:
    require_no_values("\n".join(texts), lookup=desk.lookup, allowed=desk.allowed)
