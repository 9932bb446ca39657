"""Caveats: changed in place, confirmed by two others, anchored to moving lines, no value in any word."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.records import (
    BadInput,
    Bias,
    CaveatAct,
    CaveatStatus,
    ContentPaths,
    DataPaths,
    EvidenceLink,
    FixedClock,
    Refused,
    Severity,
)
from workbench.review import (
    AnchorState,
    AuditText,
    ReviewDesk,
    act_on_caveat,
    add_caveat,
    anchor_caveat,
    edit_caveat,
    find_anchor,
    link_caveat,
    list_caveats,
    open_audit,
)

from .conftest import Tree

ROOT = Path(__file__).resolve().parents[2]
FAMILY, NAME = "gcs", "eicu-words-dropped"
SKILL = "skills/gcs/SKILL.md"


@pytest.fixture
def audited(tree: Tree) -> Tree:
    """A tree with one family and its audit, all in one version."""
    shutil.copytree(ROOT / "skills" / FAMILY, tree.root / "skills" / FAMILY)
    shutil.copytree(ROOT / "tasks" / "m4bench" / FAMILY, tree.root / "tasks" / "m4bench" / FAMILY)
    (tree.root / "audits").mkdir()
    shutil.copy(ROOT / "audits" / f"{FAMILY}.toml", tree.root / "audits" / f"{FAMILY}.toml")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "content")
    return tree


def desk(tree: Tree, reviewer: str, *, allowed: str = "") -> ReviewDesk:
    """Each reviewer at a machine of the own, as git there knows them."""
    tree.git("config", "user.name", reviewer)
    tree.git("config", "user.email", f"{reviewer.lower()}@example.org")
    clock = FixedClock(datetime(2026, 5, 1, 12, tzinfo=UTC))
    data = DataPaths(tree.home.with_name(f"home-{reviewer}"))
    return ReviewDesk(Content(ContentPaths(tree.root)), data, reviewer, allowed=allowed, clock=clock)


def propose(tree: Tree, name: str = "late-score", **changed: str) -> AuditText:
    words = {
        "title": "A score an hour late",
        "explanation": "It counts all the same.",
        "source": "Read in the SQL",
    }
    words |= {"rule": "eicu-number"} | changed
    return add_caveat(desk(tree, "C1"), FAMILY, name, severity=Severity.MINOR, bias=Bias.LATE, **words)


def status(tree: Tree, name: str = "late-score") -> CaveatStatus:
    return open_audit(Content(ContentPaths(tree.root)), FAMILY).caveat(name).review


def test_an_edit_changes_its_own_line_and_adds_an_entry_and_nothing_else(audited: Tree) -> None:
    path = audited.root / "audits" / "gcs.toml"
    old = path.read_text().replace('severity = "moderate"', 'severity = "moderate"   # judged in May', 1)
    path.write_text(old)
    read = open_audit(Content(ContentPaths(audited.root)), FAMILY)
    assert read.audit is not None
    caveat = next(one for one in read.audit.caveats if one.severity == Severity.MODERATE)
    edit_caveat(desk(audited, "C1"), FAMILY, caveat.id, {"severity": "minor"}, why="rare in practice")
    now = path.read_text()
    added = [line for line in now.splitlines() if line not in old.splitlines()]
    gone = [line for line in old.splitlines() if line not in now.splitlines()]
    assert added[0] == 'severity = "minor"   # judged in May' and gone == [
        'severity = "moderate"   # judged in May'
    ]
    assert added[1:4] == ["[[caveats.entries]]", 'act = "edit"', 'by = "C1"']
    assert audited.git("diff", "--numstat", "HEAD", "--", "audits").split()[:2] == ["8", "1"]


def test_two_others_confirm_and_an_edit_opens_it_anew(audited: Tree) -> None:
    propose(audited)
    assert status(audited) == CaveatStatus.PROPOSED
    with pytest.raises(Refused, match="C1 proposed or edited"):
        act_on_caveat(desk(audited, "C1"), FAMILY, "late-score", CaveatAct.CONFIRM)
    act_on_caveat(desk(audited, "C2"), FAMILY, "late-score", CaveatAct.CONFIRM)
    assert status(audited) == CaveatStatus.PROPOSED
    with pytest.raises(Refused, match="confirmed it already"):
        act_on_caveat(desk(audited, "C2"), FAMILY, "late-score", CaveatAct.CONFIRM)
    made = act_on_caveat(desk(audited, "C3"), FAMILY, "late-score", CaveatAct.CONFIRM)
    assert made.caveat("late-score").confirmed_by == ["C2", "C3"]
    assert status(audited) == CaveatStatus.CONFIRMED
    edit_caveat(desk(audited, "C2"), FAMILY, "late-score", {"bias": "early"})
    assert status(audited) == CaveatStatus.PROPOSED
    with pytest.raises(Refused, match="C2 proposed or edited"):
        act_on_caveat(desk(audited, "C2"), FAMILY, "late-score", CaveatAct.CONFIRM)
    for reviewer in ("C3", "C4"):
        act_on_caveat(desk(audited, reviewer), FAMILY, "late-score", CaveatAct.CONFIRM)
    assert status(audited) == CaveatStatus.CONFIRMED
    path = audited.root / "audits" / "gcs.toml"
    path.write_text(path.read_text().replace("A score an hour late", "A score two hours late"))
    assert status(audited) == CaveatStatus.PROPOSED, "an edit by hand counts too"


def test_a_dispute_takes_confirmations_back_and_settling_needs_words(audited: Tree) -> None:
    propose(audited)
    for reviewer in ("C2", "C3"):
        act_on_caveat(desk(audited, reviewer), FAMILY, "late-score", CaveatAct.CONFIRM)
    act_on_caveat(
        desk(audited, "C4"), FAMILY, "late-score", CaveatAct.DISPUTE, "The hour is the definition's."
    )
    assert status(audited) == CaveatStatus.DISPUTED
    act_on_caveat(desk(audited, "C2"), FAMILY, "late-score", CaveatAct.CONFIRM)
    assert status(audited) == CaveatStatus.DISPUTED
    with pytest.raises(BadInput, match="words are missing"):
        act_on_caveat(desk(audited, "C3"), FAMILY, "late-score", CaveatAct.RETAIN, " ")
    act_on_caveat(
        desk(audited, "C3"), FAMILY, "late-score", CaveatAct.RETAIN, "Kept as the public code has it."
    )
    assert status(audited) == CaveatStatus.RETAINED
    act_on_caveat(desk(audited, "C3"), FAMILY, "late-score", CaveatAct.RESOLVE, "The reference was mended.")
    assert status(audited) == CaveatStatus.RESOLVED
    said = open_audit(Content(ContentPaths(audited.root)), FAMILY).caveat("late-score").entries
    assert [entry.act.value for entry in said] == [
        *("propose", "confirm", "confirm", "dispute", "confirm", "retain", "resolve")
    ]


def test_a_file_changed_meanwhile_is_not_written_over(audited: Tree) -> None:
    seen = open_audit(Content(ContentPaths(audited.root)), FAMILY)
    path = audited.root / "audits" / "gcs.toml"
    path.write_text(path.read_text() + "# somebody else\n")
    changed = path.read_text()
    with pytest.raises(Refused, match="changed by somebody else"):
        edit_caveat(desk(audited, "C1"), FAMILY, NAME, {"bias": "late"}, expected=seen.hash)
    assert path.read_text() == changed
    edit_caveat(desk(audited, "C1"), FAMILY, NAME, {"bias": "late"})
    assert path.read_text().endswith("# somebody else\n")


def test_one_person_is_not_two_reviewers(audited: Tree) -> None:
    first = desk(audited, "C1")
    act_on_caveat(first, FAMILY, NAME, CaveatAct.CONFIRM)
    again = ReviewDesk(first.content, first.data, "C2")
    with pytest.raises(Refused, match="you are C1 already"):
        act_on_caveat(again, FAMILY, NAME, CaveatAct.CONFIRM)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("seen in stay 30000153 twice", "as long as an identifier"),
        ("charted on 2180-05-06", "shifted records"),
        ("write to ada@hospital.org", "e-mail address"),
        ("an \x1b[31m escape", "control or hidden"),
    ],
)
def test_words_with_values_are_refused(audited: Tree, words: str, kind: str) -> None:
    before = (audited.root / "audits" / "gcs.toml").read_bytes()
    with pytest.raises((Refused, BadInput), match=kind) as told:
        act_on_caveat(desk(audited, "C1"), FAMILY, NAME, CaveatAct.COMMENT, words)
    assert "30000153" not in str(told.value) and "2180" not in str(told.value)
    assert (audited.root / "audits" / "gcs.toml").read_bytes() == before


def test_a_number_that_is_none_of_a_patient_takes_a_reason_which_is_kept(audited: Tree) -> None:
    why = "an offset in seconds that the public code holds"
    made = act_on_caveat(
        desk(audited, "C1", allowed=why), FAMILY, NAME, CaveatAct.COMMENT, "the offset is 31536000 there"
    )
    assert made.caveat(NAME).entries[-1].allowed == why
    with pytest.raises(Refused, match="reason itself"):
        act_on_caveat(
            desk(audited, "C1", allowed="stay 30000153"),
            FAMILY,
            NAME,
            CaveatAct.COMMENT,
            "see 30000153 there",
        )


def test_anchors_follow_their_lines(audited: Tree) -> None:
    path = audited.root / SKILL
    lines = path.read_text().split("\n")
    at = next(number for number, line in enumerate(lines, 1) if number > 10 and len(line) > 40)
    made = anchor_caveat(desk(audited, "C1"), FAMILY, NAME, SKILL, at)
    (anchor,) = made.caveat(NAME).anchors
    content = Content(ContentPaths(audited.root))

    def now(text: str) -> tuple[AnchorState, int]:
        path.write_text(text)
        found = find_anchor(content, anchor)
        return found.state, found.line

    text = "\n".join(lines)
    assert now(text) == (AnchorState.SAME, at)
    assert now("one\ntwo\n" + text) == (AnchorState.MOVED, at + 2)
    assert now(text.replace(lines[at - 1], lines[at - 1] + " Also at night.")) == (AnchorState.CHANGED, at)
    assert now(text.replace(lines[at - 1] + "\n", "")) == (AnchorState.LOST, 0)
    path.unlink()
    assert find_anchor(content, anchor).state == AnchorState.LOST
    for file in ("../outside.md", "/etc/hosts", "audits/gcs.toml"):
        with pytest.raises(BadInput, match="no file of tasks or skills"):
            anchor_caveat(desk(audited, "C1"), FAMILY, NAME, file, 1)


def test_an_anchor_without_its_old_version_is_found_by_words_and_neighbours(audited: Tree) -> None:
    path = audited.root / SKILL
    path.write_text("first\n\nsame line here\nend of one\nmiddle\nsame line here\nend of two\n")
    made = anchor_caveat(desk(audited, "C1"), FAMILY, NAME, SKILL, 6)
    (anchor,) = made.caveat(NAME).anchors
    content = Content(ContentPaths(audited.root))
    path.write_text("same line here\nend of one\nmore\nmore\nmiddle\nsame line here\nend of two\n")
    assert find_anchor(content, anchor).line == 6
    path.write_text("new\nmiddle\nsame line there\nend of two\n")
    found = find_anchor(content, anchor)
    assert (found.state, found.line) == (AnchorState.CHANGED, 3)


def test_links_and_filters(audited: Tree) -> None:
    who = desk(audited, "C1")
    propose(audited)
    with pytest.raises(BadInput, match="no witness case"):
        link_caveat(who, FAMILY, "late-score", EvidenceLink(kind="witness", target="nothing"))
    link_caveat(who, FAMILY, "late-score", EvidenceLink(kind="run", target="a-run", step=4, note="as here"))
    content = Content(ContentPaths(audited.root))
    ids = [one.caveat.id for one in list_caveats(content, review=CaveatStatus.PROPOSED, text="AS HERE")[0]]
    assert ids == ["late-score"]
    assert list_caveats(content, bias=Bias.LATE, severity=Severity.MAJOR)[0] == []
    assert {one.caveat.id for one in list_caveats(content, rule="eicu-number")[0]} >= {"late-score", NAME}
    (audited.root / "audits" / "gcs.toml").write_text("[[caveats]\n")
    assert list_caveats(content)[1][0].what.startswith("not valid TOML")


def test_hostile_words_stay_words(audited: Tree) -> None:
    words = 'a "quote" \\ and\n[[caveats]]\nid = "x" # \'\'\' """'
    made = act_on_caveat(desk(audited, "C1"), FAMILY, NAME, CaveatAct.COMMENT, words)
    assert made.caveat(NAME).entries[-1].text == words
    assert made.audit == open_audit(Content(ContentPaths(audited.root)), FAMILY).audit


def test_a_file_written_in_another_form_is_refused_untouched(audited: Tree) -> None:
    path = audited.root / "audits" / "gcs.toml"
    odd = (
        'schema_version = 1\nfamily = "gcs"\ncaveats = [{ id = "odd", title = "t", severity = "minor", '
        'bias = "late", rule = "r", evidence = ["code"], source = "s", explanation = "e" }]\n'
    )
    path.write_text(odd)
    with pytest.raises(Refused, match="cannot be changed in place"):
        edit_caveat(desk(audited, "C1"), FAMILY, "odd", {"bias": "early"})
    assert path.read_text() == odd


def test_crlf_and_a_missing_last_line_end_are_kept(audited: Tree) -> None:
    path = audited.root / "audits" / "gcs.toml"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n").rstrip())
    before = path.read_bytes()
    propose(audited)
    act_on_caveat(desk(audited, "C2"), FAMILY, "late-score", CaveatAct.CONFIRM)
    after = path.read_bytes()
    assert b"\n" not in after.replace(b"\r\n", b"")
    assert all(line in after for line in before.split(b"\r\n"))
