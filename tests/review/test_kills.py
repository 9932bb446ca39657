"""kill -9 at random moments, sixty times over: what was accepted is there, and git finds nothing broken."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.records import CaveatAct, ContentPaths, DataPaths, Decision, Refused, SessionAct
from workbench.review import (
    Drafts,
    ReviewDesk,
    ReviewState,
    act_on_caveat,
    add_to_session,
    adjudicate,
    compare,
    mark_run,
    marks_of,
    merge,
    open_audit,
    open_seal,
    open_session,
    propose,
    proposed,
    pull,
    save,
    session_of,
    state_of,
)

from .conftest import TEXT, Tree, clone
from .test_caveats import audited, desk
from .test_killed_saving import killed
from .test_sign_offs import NO, SKILL, content, data, exchange, reviewers, sign

__all__ = ["audited", "reviewers"]
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
LONGEST_S = 0.3
RUN = "20260501-120000-gcs-a1"


def moments(seed: int, turns: int) -> list[tuple[int, float, bool]]:
    """Number, moment and whether git itself is killed, too."""
    chosen = random.Random(seed)
    return [(turn, chosen.random() * LONGEST_S, turn % 2 == 1) for turn in range(turns)]


def accepted(tree: Tree) -> Path:
    """Where a worker writes down what was accepted, as a user who has seen it would know."""
    return tree.top.parent / "accepted"


def unlocked(tree: Tree) -> None:
    """What a killed git leaves, removed as its message says."""
    for lock in (tree.top / ".git").rglob("*.lock"):
        lock.unlink()


def desk_of(tree: Tree) -> ReviewDesk:
    return ReviewDesk(Content(ContentPaths(tree.root)), DataPaths(tree.home), "C1")


def until_killed(tree: Tree, begin: str, ready: Event, work: Callable[[str], object]) -> None:
    """Do one thing after the other and write down each that was accepted."""
    ready.set()
    with accepted(tree).open("a", buffering=1) as told:
        for number in range(10_000):
            work(f"{begin} entry {number}")
            told.write(f"{begin} entry {number}\n")


def discussing(tree: Tree, begin: str, ready: Event) -> None:
    at = desk_of(tree)
    until_killed(
        tree, begin, ready, lambda text: act_on_caveat(at, "gcs", "tube-is-15", CaveatAct.COMMENT, text)
    )


def noting(tree: Tree, begin: str, ready: Event) -> None:
    at = desk_of(tree)
    until_killed(tree, begin, ready, lambda text: add_to_session(at, "may", SessionAct.NOTE, text))


def marking(tree: Tree, begin: str, ready: Event) -> None:
    at = desk_of(tree)
    until_killed(tree, begin, ready, lambda text: mark_run(at, RUN, "note", text=text))


def drafting(tree: Tree, begin: str, ready: Event) -> None:
    drafts = Drafts.of(tree.root, DataPaths(tree.home))
    draft = drafts.begin("small", "", "")
    until_killed(tree, begin, ready, lambda text: drafts.keep(draft, text))


def all_there(tree: Tree, found: list[str]) -> None:
    """Every accepted entry once and in order; at most one a kill that was written and not yet told."""
    told = accepted(tree).read_text().splitlines() if accepted(tree).exists() else []
    assert [text for text in found if text in set(told)] == told
    assert len(found) == len(set(found))


def test_kills_while_a_caveat_is_discussed(audited: Tree) -> None:
    before = (audited.root / "audits" / "gcs.toml").read_text()
    for turn, after_s, everything in moments(1, 10):
        killed(discussing, audited, f"turn {turn}", after_s, everything=everything)
        caveat = open_audit(desk_of(audited).content, "gcs").caveat("tube-is-15")
        all_there(audited, [entry.text for entry in caveat.entries])
    now = (audited.root / "audits" / "gcs.toml").read_text().splitlines()
    assert [line for line in before.splitlines() if line not in now] == []
    act_on_caveat(desk_of(audited), "gcs", "tube-is-15", CaveatAct.COMMENT, "at last")
    audited.clean()


def test_kills_in_a_session_and_while_runs_are_marked(audited: Tree) -> None:
    open_session(desk_of(audited), "may")
    for turn, after_s, everything in moments(2, 8):
        killed(noting, audited, f"turn {turn}", after_s, everything=everything)
        notes = session_of(desk_of(audited).content, "may").events[1:]
        all_there(audited, [event.text for event in notes])
    accepted(audited).unlink(missing_ok=True)
    log = DataPaths(audited.home).run(RUN).trajectory
    log.parent.mkdir(parents=True)
    log.write_text("one\n")
    DataPaths(audited.home).run(RUN).plan.write_text("{}")
    for turn, after_s, everything in moments(3, 6):
        killed(marking, audited, f"turn {turn}", after_s, everything=everything)
        marks = marks_of(desk_of(audited).content, DataPaths(audited.home), RUN)
        all_there(audited, [one.mark.text for one in marks])
    audited.clean()


def test_kills_while_a_draft_is_kept(tree: Tree) -> None:
    for turn, after_s, everything in moments(4, 8):
        accepted(tree).unlink(missing_ok=True)
        killed(drafting, tree, f"turn {turn}", after_s, everything=everything)
        told = accepted(tree).read_text().splitlines() if accepted(tree).exists() else []
        drafts, problems = Drafts.of(tree.root, DataPaths(tree.home)).all()
        assert problems == []
        kept = [draft.text for draft in drafts if draft.text.startswith(f"turn {turn} ")]
        assert len(kept) == bool(kept) and (not told or kept)
        if told:
            assert int(kept[0].rpartition(" ")[2]) >= int(told[-1].rpartition(" ")[2])


def proposing(tree: Tree, name: str, ready: Event) -> None:
    place = tree.place()
    ready.set()
    propose(place, name, "An idea")


def test_kills_while_a_proposal_is_made(tree: Tree) -> None:
    before = tree.git("rev-parse", "HEAD")
    for turn, after_s, everything in moments(5, 8):
        text = f"{TEXT}Idea {turn}.\n"
        tree.write(text)
        killed(proposing, tree, f"idea-{turn}", after_s, everything=everything)
        tree.clean()
        unlocked(tree)
        assert tree.git("rev-parse", "HEAD") == before and tree.file.read_text() == text
        if not tree.git("branch", "--list", f"proposal/small/idea-{turn}"):
            propose(tree.place(), f"idea-{turn}", "An idea")
        commit = proposed(tree.place(), f"idea-{turn}")
        assert tree.git("show", f"{commit}:skills/small/SKILL.md").endswith(f"Idea {turn}.")


def merging(tree: Tree, branch: str, ready: Event) -> None:
    place = tree.place()
    ready.set()
    merge(place, compare(place, branch), wait_s=0)


def pulling(tree: Tree, message: str, ready: Event) -> None:
    place = tree.place()
    assert place.name in message
    ready.set()
    compared = pull(place)
    if compared is not None:
        merge(place, compared, whole=True, wait_s=0)


def both_after_all(tree: Tree, other: str, before: str) -> None:
    """Whatever the kill left, the words of both sides are there in the end."""
    tree.clean()
    unlocked(tree)
    head = tree.git("rev-parse", "HEAD")
    assert before in (head, *tree.git("log", "-1", "--format=%P").split())
    if head == before:
        place = tree.place()
        try:
            merge(place, compare(place, other), whole=True)
        except Refused:
            save(place, "what the kill left")
            merge(place, compare(place, other), whole=True)
    assert tree.file.read_text() == TEXT.replace("Second", "Ours: second") + "Theirs.\n"
    assert tree.git("status", "--porcelain") == ""
    assert tree.git("merge-base", "--is-ancestor", other, "HEAD") == ""
    tree.git("reset", "-q", "--hard", before)
    with contextlib.suppress(AssertionError):
        tree.git("update-ref", "-d", "refs/worktree/workbench/small")


def test_kills_while_a_branch_is_merged(tree: Tree) -> None:
    tree.git("switch", "-qc", "other")
    tree.write(TEXT + "Theirs.\n")
    tree.git("commit", "-qam", "theirs")
    tree.git("switch", "-q", "main")
    tree.write(TEXT.replace("Second", "Ours: second"))
    tree.git("commit", "-qam", "ours")
    before = tree.git("rev-parse", "HEAD")
    for _, after_s, everything in moments(6, 8):
        killed(merging, tree, "other", after_s, everything=everything)
        both_after_all(tree, "other", before)


def test_kills_while_another_clone_is_pulled(tree: Tree) -> None:
    mine = clone(tree, "mine")
    tree.write(TEXT + "Theirs.\n")
    tree.git("commit", "-qam", "theirs")
    mine.write(TEXT.replace("Second", "Ours: second"))
    mine.git("commit", "-qam", "ours")
    before = mine.git("rev-parse", "HEAD")
    for _, after_s, everything in moments(7, 8):
        killed(pulling, mine, "small is pulled", after_s, everything=everything)
        unlocked(mine)
        mine.git("fetch", "-q")
        both_after_all(mine, "origin/main", before)


def adjudicating(tree: Tree, reviewer: str, ready: Event) -> None:
    place = tree.place(SKILL)
    assert place.name == SKILL
    ready.set()
    adjudicate(content(tree), data(tree), SKILL, reviewer, Decision.ACCEPT, "The paper says so.")


def test_kills_while_a_disagreement_is_settled(reviewers: tuple[Tree, Tree], tree: Tree) -> None:
    first, second = reviewers
    sign(first, "C1")
    sign(second, "C2", NO)
    exchange(first, second)
    open_seal(content(first), data(first), SKILL, "C1")
    open_seal(content(second), data(second), SKILL, "C2")
    exchange(first, second)
    third = clone(first, "third")
    desk(third, "C3")
    before = third.git("rev-parse", "HEAD")
    for _, after_s, everything in moments(8, 6):
        killed(adjudicating, third, "C3", after_s, everything=everything)
        third.clean()
        unlocked(third)
        assert state_of(content(third), SKILL) in (ReviewState.DISPUTED, ReviewState.SIGNED)
        if third.git("rev-parse", "HEAD") == before:
            adjudicate(content(third), data(third), SKILL, "C3", Decision.ACCEPT, "The paper says so.")
        assert third.git("log", "-1", "--format=%s %P") == f"Adjudication of gcs by C3 {before}"
        assert state_of(content(third), SKILL) == ReviewState.SIGNED
        third.git("reset", "-q", "--hard", before)
