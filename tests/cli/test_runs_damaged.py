"""Damaged run folders on the command line: one line each, and the rest is shown."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.records import AgentChoice, Condition, DataPaths, RunPaths, RunPlan
from workbench.store import RunStore

RUN_ID = "20260101-000000-abcdef"
Command = Callable[..., Any]


@pytest.fixture
def run(home: Path) -> RunPaths:
    plan = RunPlan(
        run_id=RUN_ID,
        created=datetime(2026, 1, 1, tzinfo=UTC),
        task="t",
        family="f",
        condition=Condition.NO_SKILL,
        source="s",
        agent=AgentChoice(name="script"),
        sandbox="bubblewrap",
    )
    return RunStore(DataPaths(home)).create(plan)


def test_a_loop_does_not_stop_the_listing(command: Command, run: RunPaths) -> None:
    (run.folder.parent / "loop").symlink_to("loop")
    ended = command("runs", "list")
    assert RUN_ID in ended.out
    assert (ended.out + ended.err).count("loop") == 1
    assert [item["run_id"] for item in command("runs", "list", "--json").envelope["items"]] == [RUN_ID]


@pytest.mark.parametrize(("log", "count"), [(b"\xff garbage\n" * 3, 3), (b"no line's end", 1), (b"{}\n", 1)])
def test_a_log_of_garbage_is_told(command: Command, run: RunPaths, log: bytes, count: int) -> None:
    run.events.write_bytes(log)
    ended = command("runs", "show", RUN_ID, "--events")
    assert ended.code == 0
    assert f"note: {count} line" in ended.out
    shown = command("runs", "show", RUN_ID, "--events", "--json").envelope["items"][0]
    assert (shown["events"], shown["unreadable_event_lines"]) == ([], count)


def test_rebuild(command: Command, run: RunPaths) -> None:
    (run.folder.parent / "loop").symlink_to("loop")
    ended = command("runs", "rebuild", "--json")
    assert ended.envelope["items"] == [{"runs": 1}]
    assert len(ended.envelope["problems"]) == 1
    rebuilt = command("runs", "rebuild")
    assert (rebuilt.code, "loop" in rebuilt.err) == (1, True)
