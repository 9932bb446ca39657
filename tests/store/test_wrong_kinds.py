"""Pipes, devices, loops and odd names where the store expects its own files: told, and never waited for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.records import (
    MOST_SETTINGS_BYTES,
    BadInput,
    DataPaths,
    RunPlan,
    RunState,
    WorkbenchError,
    load_settings,
    plain_settings,
    read_regular,
)
from workbench.store import EventLog, RunStore, change_settings, lock_holder, read_events, unreadable_lines

RUN_ID = "20300501t120000-a"


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _folder(path: Path) -> None:
    path.mkdir()


KINDS = [_pipe, _device, _loop, _folder]


@pytest.mark.parametrize("kind", KINDS)
def test_no_file_is_an_error(tmp_path: Path, kind: Callable[[Path], None]) -> None:
    kind(tmp_path / "file")
    with pytest.raises(OSError):
        read_regular(tmp_path / "file")


def test_bound_and_offset(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_regular(path, 5) == b"12345"
    assert read_regular(path, 2, offset=3) == b"45"
    assert read_regular(path, offset=9) == b""
    with pytest.raises(OSError, match="larger than 4 bytes"):
        read_regular(path, 4)


@pytest.mark.parametrize("kind", KINDS)
def test_event_log(tmp_path: Path, kind: Callable[[Path], None]) -> None:
    path = tmp_path / "events.jsonl"
    kind(path)
    for read in (read_events, unreadable_lines, EventLog):
        with pytest.raises(BadInput, match="the event log cannot be read"):
            read(path)


@pytest.mark.parametrize("kind", KINDS)
def test_lock_and_documents(
    data: DataPaths, make_plan: Callable[..., RunPlan], kind: Callable[[Path], None]
) -> None:
    store = RunStore(data)
    run = store.create(make_plan(RUN_ID))
    run.lock.unlink()
    kind(run.lock)
    assert lock_holder(run.lock) is None
    assert store.state(RUN_ID) is RunState.INTERRUPTED
    run.plan.unlink()
    kind(run.plan)
    assert store.rows() == []
    assert [problem.where for problem in store.problems()] == [RUN_ID]


@pytest.mark.parametrize("kind", KINDS)
def test_settings(data: DataPaths, kind: Callable[[Path], None]) -> None:
    data.root.mkdir(mode=0o700)
    kind(data.settings)
    assert plain_settings([data.settings], {}) is None
    with pytest.raises(BadInput, match="cannot be read"):
        load_settings(None, {}, own=data.settings)
    with pytest.raises(BadInput, match="cannot be read"):
        change_settings(data, {"theme": "dark"})


def test_settings_without_end(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"#" * (MOST_SETTINGS_BYTES + 1))
    assert plain_settings([path], {}) is None
    with pytest.raises(BadInput, match="larger than 1,000,000 bytes"):
        load_settings(None, {}, own=path)


def test_a_name_that_is_not_utf8(data: DataPaths, make_plan: Callable[..., RunPlan]) -> None:
    store = RunStore(data)
    store.create(make_plan(RUN_ID))
    odd = data.runs / os.fsdecode(b"\xff")
    odd.mkdir()
    for again in (store.refresh, store.refresh, store.rebuild):
        again()
        assert [row.run_id for row in store.rows()] == [RUN_ID]
        assert [problem.where for problem in store.problems()] == ["\\xff"]
    assert store.find(RUN_ID[:4]) == RUN_ID
    odd.rmdir()
    assert store.problems() == []


@pytest.mark.parametrize("kind", [_pipe, _device, _loop, Path.touch])
def test_runs_is_no_folder(data: DataPaths, kind: Callable[[Path], None]) -> None:
    data.root.mkdir(mode=0o700)
    kind(data.runs)
    store = RunStore(data)
    for look in (store.rows, store.problems, store.rebuild, lambda: store.find("2")):
        with pytest.raises(WorkbenchError, match="the folder of runs cannot be read") as caught:
            look()
        assert caught.value.remedy


def test_lone_surrogates_are_spelled_out(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path)
    log.note("before SPOT after")
    log.close()
    path.write_bytes(path.read_bytes().replace(b"SPOT", rb"\ud83d \ud83d\ude00 \udfff"))
    assert [event.text for event in read_events(path)] == ["before <U+D83D> 😀 <U+DFFF> after"]
    assert unreadable_lines(path) == 0
