"""Pipes, devices, loops and odd names where the store expects its own files: told, and never waited for."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.catalog import read_text
from workbench.contamination.fingerprint import fingerprint
from workbench.ehr import published_schema
from workbench.ehr.fingerprint import content_hash
from workbench.ehr.layouts import Layout, Located, find_tables
from workbench.records import (
    MOST_SETTINGS_BYTES,
    BadInput,
    DataPaths,
    RunPlan,
    RunState,
    WorkbenchError,
    file_sha256,
    load_settings,
    plain_settings,
    read_regular,
)
from workbench.runs.plan import read_material
from workbench.store import (
    EventLog,
    RunStore,
    change_settings,
    get_log,
    lock_holder,
    read_events,
    unreadable_lines,
)
from workbench.trajectories import read_trajectory
from workbench.witness.cases import read_sql

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


def _made_of(kind: Callable[[Path], None], folder: Path, name: str) -> Path:
    kind(folder / name)
    return folder / name


READERS: dict[str, Callable[[Path], object]] = {
    "SKILL.md": read_text,
    "table.parquet": file_sha256,
    "log.jsonl": read_trajectory,
    "script.sql": read_material,
    "cases.sql": read_sql,
    "reference.parquet": lambda path: fingerprint("public-code", path),
    "mimic.duckdb": lambda path: find_tables(path, published_schema()),
    "hosp.csv.gz": lambda path: content_hash(
        Layout(path.parent, "csv", {"mimiciv_hosp.patients": Located("mimiciv_hosp.patients", path)}, 0),
        "mimic-iv",
        lambda _: None,
    ),
}


@pytest.fixture
def _never_waits() -> Iterator[None]:
    """A reader that waits is interrupted, and the test fails."""

    def stop(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("_never_waits")
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", [_pipe, _device, _loop])
def test_what_is_no_file_is_told_and_not_waited_for(
    tmp_path: Path, kind: Callable[[Path], None], name: str
) -> None:
    with pytest.raises((OSError, WorkbenchError)) as told:
        READERS[name](_made_of(kind, tmp_path, name))
    words = ("regular file", "symbolic links", "no such file")
    assert any(word in str(told.value) for word in words)


@pytest.mark.usefixtures("_never_waits")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [".lock", "workbench.jsonl"])
def test_a_log_that_cannot_be_written_never_stops_the_work(
    tmp_path: Path, kind: Callable[[Path], None], name: str
) -> None:
    data = DataPaths(tmp_path / "home")
    data.logs.mkdir(parents=True)
    _made_of(kind, data.logs, name)
    get_log(data).info("source imported", extra={"ids": {"source": "mine"}})
