"""Two sign-offs from two clones: sealed, opened when both are in, void after any later change."""

from __future__ import annotations

import random
import shutil
import sys
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.records import (
    Affiliation,
    BadInput,
    ContentPaths,
    DataPaths,
    Decision,
    Rating,
    Refused,
    ReviewVerdict,
)
from workbench.review import (
    UPSTREAM,
    ReviewState,
    Saved,
    adjudicate,
    agreement,
    content_changes,
    file_sign_off,
    merge,
    open_seal,
    pull,
    push,
    review_state,
    reviewer_names,
    save,
    sign_offs_of,
    signed_content,
    skill_states,
    state_of,
)

from .conftest import Tree, clone
from .test_killed_saving import killed

ROOT = Path(__file__).resolve().parents[2]
SKILL = "gcs"
YES = ReviewVerdict(
    decision=Decision.ACCEPT,
    definition_source=Rating.YES,
    task_framing=Rating.YES,
    plausibility=Rating.UNSURE,
    comment="As in the paper.\nFine.",
    minutes=20.5,
)
NO = YES.model_copy(update={"decision": Decision.REJECT, "comment": 'not "so"'})


def content(tree: Tree) -> Content:
    return Content(ContentPaths(tree.root))


def data(tree: Tree) -> DataPaths:
    return DataPaths(tree.home)


def sign(tree: Tree, reviewer: str, verdict: ReviewVerdict = YES) -> Saved:
    return file_sign_off(content(tree), data(tree), SKILL, reviewer, Affiliation.EXTERNAL, verdict)


def state(tree: Tree) -> ReviewState:
    return review_state(sign_offs_of(content(tree), SKILL))


def exchange(*trees: Tree) -> None:
    """All have what all have."""
    for tree in (*trees, *trees):
        compared = pull(tree.place(SKILL))
        if compared is not None:
            merge(tree.place(SKILL), compared, whole=True)
        push(tree.place(SKILL))


@pytest.fixture
def reviewers(tree: Tree) -> tuple[Tree, Tree]:
    """Two clones of one skill, its family and tasks, written by somebody else."""
    shutil.copytree(ROOT / "skills" / SKILL, tree.root / "skills" / SKILL)
    shutil.copytree(ROOT / "tasks" / "m4bench" / "gcs", tree.root / "tasks" / "m4bench" / "gcs")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "content")
    tree.git("config", "receive.denyCurrentBranch", "ignore")
    first, second = clone(tree, "first"), clone(tree, "second")
    for name, side in (("One", first), ("Two", second)):
        side.git("config", "user.name", name)
        side.git("config", "user.email", f"{name.lower()}@example.org")
    return first, second


def test_from_two_clones(reviewers: tuple[Tree, Tree]) -> None:
    first, second = reviewers
    assert state(first) == ReviewState.DRAFT
    saved = sign(first, "C1")
    assert saved.files == ("audits/reviews/gcs/C1.toml",)
    assert first.git("log", "-1", "--format=%an %ae") == "C1 c1@reviewers.invalid"
    filed = (first.root / saved.files[0]).read_text()
    assert "accept" not in filed and "paper" not in filed and "One" not in filed
    with pytest.raises(Refused, match="nobody else has filed"):
        open_seal(content(first), data(first), SKILL, "C1")
    sign(second, "C2", NO)
    exchange(first, second)
    assert state(first) == ReviewState.IN_REVIEW
    assert [item.verdict for item in sign_offs_of(content(first), SKILL)] == [None, None]
    with pytest.raises(Refused, match="not on this machine"):
        open_seal(content(first), data(first), SKILL, "C2")
    open_seal(content(first), data(first), SKILL, "C1")
    open_seal(content(second), data(second), SKILL, "C2")
    exchange(first, second)
    for side in reviewers:
        assert [item.verdict for item in sign_offs_of(content(side), SKILL)] == [YES, NO]
        assert state(side) == ReviewState.DISPUTED
        side.clean()
    assert reviewer_names(data(first)).names == {"C1": "One <one@example.org>"}
    with pytest.raises(Refused, match="open already"):
        sign(first, "C1")


def test_two_that_accept_and_any_later_change(reviewers: tuple[Tree, Tree]) -> None:
    first, second = reviewers
    sign(first, "C1")
    sign(second, "C2")
    exchange(first, second)
    open_seal(content(first), data(first), SKILL, "C1")
    assert state(first) == ReviewState.IN_REVIEW
    open_seal(content(second), data(second), SKILL, "C2")
    exchange(first, second)
    assert state(first) == ReviewState.SIGNED
    kinds = ("SKILL.md", "task.toml", "instruction.md", "operational-spec.md", "family.toml", ".sql")
    for kind in kinds:
        name = next(path for path in signed_content(content(first), SKILL) if path.endswith(kind))
        path = first.root / name
        before = path.read_text()
        path.write_text(before + ("\n-- more\n" if kind == ".sql" else "\n# more\n"))
        (change, *_) = sign_offs_of(content(first), SKILL)[0].changes
        assert (change.path, change.what, state(first)) == (name, "changed", ReviewState.STALE)
        path.write_text(before)
    assert state(first) == ReviewState.SIGNED


def test_upstream_code_and_dictionary_make_a_skill_stale(
    reviewers: tuple[Tree, Tree], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = reviewers
    dictionary = "tasks/dictionaries/mimic-iv.toml"
    first.write("one\n", dictionary)
    first.git("add", "-A")
    first.git("commit", "-qm", "dictionary", "--author", "B <b@example.org>")
    before = signed_content(content(first), SKILL)
    assert {dictionary, UPSTREAM} <= set(before)
    sign(first, "C1")
    first.write("two\n", dictionary)
    monkeypatch.setattr(sys.modules["workbench.review.signed_content"], "PINNED_SQL_HASH", "another revision")
    states, problems = skill_states(content(first))
    (one,) = [state for state in states if state.skill == SKILL]
    assert problems == [] and (one.state, one.holding) == (ReviewState.STALE, 0)
    assert [(change.path, change.what) for change in one.changes] == [
        (dictionary, "changed"),
        (UPSTREAM, "changed"),
    ]
    earlier = {path: blob for path, blob in before.items() if path not in (dictionary, UPSTREAM)}
    assert content_changes(earlier, before) == [], "an earlier sign-off was not bound to them"


def test_a_damaged_sign_off_hides_no_other_skill(reviewers: tuple[Tree, Tree]) -> None:
    first, _ = reviewers
    first.write("skill = [", "audits/reviews/small/C1.toml")
    states, problems = skill_states(content(first))
    assert "gcs" in [one.skill for one in states] and "small" not in [one.skill for one in states]
    assert "not valid TOML" in problems[0].what


def test_a_changed_verdict_or_content_does_not_fit_the_seal(reviewers: tuple[Tree, Tree]) -> None:
    first, second = reviewers
    sign(first, "C1")
    sign(second, "C2")
    exchange(first, second)
    open_seal(content(first), data(first), SKILL, "C1")
    path = first.root / "audits/reviews/gcs/C1.toml"
    text = path.read_text()
    for old, new in (
        ("accept", "reject"),
        ("external", "author-team"),
        ("20.5", "21.5"),
        ("gcs/SKILL.md", "x"),
    ):
        path.write_text(text.replace(old, new))
        with pytest.raises(BadInput, match="does not fit the seal"):
            sign_offs_of(content(first), SKILL)
    shutil.copy(first.root / "audits/reviews/gcs/C2.toml", first.root / "audits/reviews/gcs/C3.toml")
    path.write_text(text)
    with pytest.raises(BadInput, match="not the sign-off that its name says"):
        sign_offs_of(content(first), SKILL)


def test_who_may_sign_what(reviewers: tuple[Tree, Tree]) -> None:
    first, _ = reviewers
    for name in ("c1", "C0", "", "C1/../x", "Ada"):
        with pytest.raises(BadInput, match="is no reviewer"):
            sign(first, name)
    skill = first.root / "skills" / SKILL / "SKILL.md"
    skill.write_text(skill.read_text() + "\nMore.\n")
    with pytest.raises(Refused, match="in no version as it is now"):
        sign(first, "C1")
    first.git("checkout", "-q", "--", "skills")
    sign(first, "C1")
    with pytest.raises(Refused, match="signed this content already"):
        sign(first, "C1")
    with pytest.raises(Refused, match="you are C1 already"):
        sign(first, "C2")
    skill.write_text(skill.read_text() + "\nMore.\n")
    save(first.place(SKILL), "a version of my own")
    with pytest.raises(Refused, match="you wrote a version of this skill"):
        sign(first, "C1")
    assert state(first) == ReviewState.STALE


def test_a_failing_hook_leaves_no_sign_off(reviewers: tuple[Tree, Tree]) -> None:
    first, _ = reviewers
    first.hook("pre-commit", "exit 1")
    with pytest.raises(Refused, match="pre-commit"):
        sign(first, "C1")
    assert first.git("status", "--porcelain") == ""
    assert state(first) == ReviewState.DRAFT


def test_a_disagreement_is_settled_by_a_third_with_a_reason(reviewers: tuple[Tree, Tree]) -> None:
    first, second = reviewers
    sign(first, "C1")
    sign(second, "C2", NO)
    exchange(first, second)

    def settle_it(reviewer: str, reason: str = "The paper says so.") -> Saved:
        return adjudicate(content(first), data(first), SKILL, reviewer, Decision.ACCEPT, reason)

    with pytest.raises(Refused, match="no open disagreement"):
        settle_it("C3")
    open_seal(content(first), data(first), SKILL, "C1")
    open_seal(content(second), data(second), SKILL, "C2")
    exchange(first, second)
    with pytest.raises(Refused, match="C1 is one of those"):
        settle_it("C1")
    with pytest.raises(Refused, match="you are C1 already"):
        settle_it("C3")
    first.git("config", "user.email", "three@example.org")
    with pytest.raises(BadInput, match="reason"):
        settle_it("C3", " ")
    assert settle_it("C3").files == ("audits/reviews/gcs/adjudication.toml",)
    assert (state(first), state_of(content(first), SKILL)) == (ReviewState.DISPUTED, ReviewState.SIGNED)
    skill = first.root / "skills" / SKILL / "SKILL.md"
    skill.write_text(skill.read_text() + "\nMore.\n")
    assert state_of(content(first), SKILL) == ReviewState.STALE


def test_agreement_by_hand() -> None:
    rows = {row.question: row for row in agreement([[YES, YES], [YES, NO], [NO, NO], [YES]])}
    decision = rows["decision"]
    assert (decision.skills, decision.pairs, decision.equal) == (3, 3, 2)
    # coincidences: accept-accept 2, reject-reject 2, mixed 2; alpha = 1 - (6 - 1) * 2 / (2 * 3 * 3)
    assert decision.alpha == pytest.approx(1 - 5 * 2 / 18)
    assert (rows["plausibility"].equal, rows["plausibility"].alpha) == (3, None)


def killed_signing(tree: Tree, message: str, ready: Event) -> None:
    """What the process that is killed does."""
    place = tree.place(SKILL)
    assert place.name == message
    ready.set()
    sign(tree, "C1")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
def test_kills_while_signing(reviewers: tuple[Tree, Tree]) -> None:
    first, _ = reviewers
    moments = random.Random(11)
    before = first.git("rev-parse", "HEAD")
    for turn in range(5):
        killed(killed_signing, first, SKILL, moments.random() * 0.3, everything=turn % 2 == 1)
        first.clean()
        for lock in (first.top / ".git").rglob("*.lock"):
            lock.unlink()
        if first.git("rev-parse", "HEAD") != before:
            assert first.git("log", "-1", "--format=%s %P") == f"Sign-off of gcs by C1, sealed {before}"
            first.git("reset", "-q", "--hard", before)
    assert sign(first, "C1").files == ("audits/reviews/gcs/C1.toml",)
    left = first.git("status", "--porcelain", "--untracked-files=all").splitlines()
    assert all(line.startswith("??") and line.endswith(".part") for line in left)
    (own,) = sign_offs_of(content(first), SKILL)
    assert data(first).sealed_verdict(SKILL, "C1", own.sign_off.seal).is_file()


def test_skills_of_another_repository_than_their_tasks(tree: Tree) -> None:
    shutil.copytree(ROOT / "skills" / SKILL, tree.root / "skills" / SKILL)
    shutil.copytree(ROOT / "tasks" / "m4bench" / "gcs", tree.root / "tasks" / "m4bench" / "gcs")
    inner = Tree(tree.root / "skills", tree.home, tree.root)
    inner.git("init", "-q")
    inner.git("add", "-A")
    inner.git("commit", "-qm", "skills", "--author", "B <b@example.org>")
    with pytest.raises(Refused, match="not in the repository of the skill"):
        sign(inner, "C1")
