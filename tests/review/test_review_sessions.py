"""Review sessions: opened once a person, time from events, nothing lost or written over."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from workbench.catalog import Content
from workbench.records import (
    BadInput,
    ContentPaths,
    DataPaths,
    FixedClock,
    Refused,
    ReviewSession,
    SessionAct,
)
from workbench.review import (
    ExportFormat,
    ReviewDesk,
    add_to_session,
    export_text,
    list_sessions,
    open_session,
    own_session,
    session_of,
    session_table,
)

from .conftest import Tree


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2026, 5, 1, 12, tzinfo=UTC))


def desk(tree: Tree, clock: FixedClock, reviewer: str = "C1", *, allowed: str = "") -> ReviewDesk:
    tree.git("config", "user.name", reviewer)
    tree.git("config", "user.email", f"{reviewer.lower()}@example.org")
    data = DataPaths(tree.home.with_name(f"home-{reviewer}"))
    return ReviewDesk(Content(ContentPaths(tree.root)), data, reviewer, allowed=allowed, clock=clock)


def test_a_session_from_opening_to_export(tree: Tree, clock: FixedClock) -> None:
    who = desk(tree, clock)
    open_session(who, "may-gcs", others=["C2"], agenda=["Verbal score of the intubated", "Open side"])
    clock.move(120)
    add_to_session(who, "may-gcs", SessionAct.NOTE, "The tube counts as fully awake.")
    clock.move(60)
    add_to_session(
        desk(tree, clock, "C2"), "may-gcs", SessionAct.DECIDE, "Kept as it is.", subject="gcs tube-is-15"
    )
    clock.move(3_000)  # more than the longest gap: ten minutes count
    add_to_session(desk(tree, clock), "may-gcs", SessionAct.NOTE, "After a long talk.")
    clock.move(86_400)
    add_to_session(who, "may-gcs", SessionAct.RESUME)
    clock.move(30)
    made = add_to_session(who, "may-gcs", SessionAct.CLOSE)
    assert (made.is_open, made.minutes) == (False, 13.5)
    assert [event.subject for event in made.decisions] == ["gcs tube-is-15"]
    assert session_of(who.content, "may-gcs") == made
    told = export_text([session_table(made)], ExportFormat.MARKDOWN)
    assert "13.5 minutes" in told and "Kept as it is." in told
    assert told == export_text([session_table(session_of(who.content, "may-gcs"))], ExportFormat.MARKDOWN)


def test_one_open_session_a_person(tree: Tree, clock: FixedClock) -> None:
    who = desk(tree, clock)
    open_session(who, "one")
    with pytest.raises(Refused, match="has the session one open"):
        open_session(who, "two")
    add_to_session(who, "one", SessionAct.CLOSE)
    with pytest.raises(Refused, match="is closed"):
        add_to_session(who, "one", SessionAct.NOTE, "too late")
    assert own_session(who) is None
    clock.move(1)
    open_session(who, "two")
    found = own_session(who)
    assert found is not None and found.id == "two"
    assert [session.id for session in list_sessions(who.content)[0]] == ["two", "one"]
    with pytest.raises(Refused, match="takes no part"):
        add_to_session(desk(tree, clock, "C2"), "two", SessionAct.NOTE, "hello there")


@pytest.mark.parametrize("name", ["../out", "A", "", "a b", "a/b"])
def test_a_name_is_no_path(tree: Tree, clock: FixedClock, name: str) -> None:
    with pytest.raises(BadInput):
        open_session(desk(tree, clock), name)
    assert not (tree.root / "audits").exists()


def test_values_are_refused_and_a_damaged_file_hides_no_other(tree: Tree, clock: FixedClock) -> None:
    who = desk(tree, clock)
    open_session(who, "one")
    with pytest.raises(Refused, match="as long as an identifier"):
        add_to_session(who, "one", SessionAct.NOTE, "see stay 30000153")
    with pytest.raises(BadInput, match="words are missing"):
        add_to_session(who, "one", SessionAct.DECIDE, " ", subject="gcs")
    (tree.root / "audits" / "sessions" / "broken.toml").write_text("id = [")
    found, problems = list_sessions(who.content)
    assert [one.id for one in found] == ["one"] and "not valid TOML" in problems[0].what
    assert len(found[0].events) == 1


def test_a_forged_file_is_no_session() -> None:
    raw = {
        "id": "x",
        "participants": ["C1"],
        "events": [{"act": "note", "by": "C2", "at": "2026-05-01T12:00:00Z"}],
    }
    with pytest.raises(BadInput, match="opens the session"):
        ReviewSession.from_raw(raw, "x.toml")
