"""Marks on runs: bound to the log, added only, read back as written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from workbench.catalog import Content
from workbench.records import BadInput, ContentPaths, DataPaths, FailureKind, FixedClock, Refused
from workbench.review import ReviewDesk, list_run_audits, mark_run, marks_of

from .conftest import Tree

RUN = "20260501-120000-gcs-a1"


@pytest.fixture
def desk(tree: Tree) -> ReviewDesk:
    log = DataPaths(tree.home).run(RUN).trajectory
    log.parent.mkdir(parents=True)
    log.write_text('{"type": "message"}\n')
    DataPaths(tree.home).run(RUN).plan.write_text("{}")
    clock = FixedClock(datetime(2026, 5, 1, 12, tzinfo=UTC))
    return ReviewDesk(Content(ContentPaths(tree.root)), DataPaths(tree.home), "C1", clock=clock)


def test_marks_are_added_and_know_their_log(tree: Tree, desk: ReviewDesk) -> None:
    mark_run(desk, RUN, "label", label="to-discuss")
    mark_run(desk, RUN, "failure", failure=FailureKind.WRONG_WINDOW, step=4, text="starts at admission")
    mark_run(desk, RUN, "note", text='says "fine" \\ and\nstops')
    found = marks_of(desk.content, desk.data, RUN)
    assert [one.mark.kind for one in found] == ["label", "failure", "note"]
    assert [one.same_log for one in found] == [True] * 3
    assert found[2].mark.text == 'says "fine" \\ and\nstops'
    desk.data.run(RUN).trajectory.write_text("another\n")
    assert [one.same_log for one in marks_of(desk.content, desk.data, RUN)] == [False] * 3
    desk.data.run(RUN).trajectory.unlink()
    assert [one.same_log for one in marks_of(desk.content, desk.data, RUN)] == [None] * 3
    assert [audit.run for audit in list_run_audits(desk.content)[0]] == [RUN]
    assert tree.git("status", "--porcelain", "-uall") == f"?? audits/runs/{RUN}.toml"


def test_what_is_refused_leaves_no_file(tree: Tree, desk: ReviewDesk) -> None:
    with pytest.raises(BadInput):
        mark_run(desk, "nothing-like-it", "label", label="x")
    with pytest.raises(BadInput, match="label"):
        mark_run(desk, RUN, "label", label="Not A Label")
    with pytest.raises(BadInput, match="words"):
        mark_run(desk, RUN, "note", text=" ")
    with pytest.raises(Refused, match="identifier"):
        mark_run(desk, RUN, "note", text="stay 30000153 is wrong")
    assert not (tree.root / "audits").exists()


def test_a_run_id_is_no_path(desk: ReviewDesk) -> None:
    with pytest.raises(BadInput, match="no run's id"):
        marks_of(desk.content, desk.data, "../../etc/passwd")
