"""Ctrl-C in commands: one message, exit 1, no child, no scratch, and what was there stays."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.ehr import published_schema
from workbench.records import DataPaths
from workbench.runs import Context

GUARD_S = 120.0
LAB_LINES = 600_000
ENDLESS = "SELECT max(hash(range)) AS n FROM range(1000000000000)"

Interrupt = Callable[..., subprocess.CompletedProcess[str]]


def _alive_below(home: Path) -> list[str]:
    """Command lines of live processes that name the data directory."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if str(home).encode() in words and str(os.getpid()) != path.parent.name:
            found.append(words.replace(b"\0", b" ").decode("utf-8", "replace"))
    return found


@pytest.fixture
def interrupted(home: Path) -> Iterator[Interrupt]:
    """Runs a command until a file matching ``sign`` is in scratch, then sends what a terminal sends."""
    started: list[subprocess.Popen[str]] = []

    def run(sign: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "workbench", "--home", home, *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        started.append(process)
        guard = time.monotonic() + GUARD_S
        while next((home / "scratch").glob(sign), None) is None:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < guard, "the job never began"
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=GUARD_S)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def _is_clean(ended: subprocess.CompletedProcess[str], home: Path) -> None:
    assert (ended.returncode, ended.stdout) == (1, ""), ended.stderr
    assert ended.stderr.splitlines()[-1] == "error: cancelled"
    assert "Traceback" not in ended.stderr
    assert [path for path in (home / "scratch").rglob("*") if path.is_file()] == []
    assert _alive_below(home) == []


def test_synth_with_queued_batches(interrupted: Interrupt, command: Callable, home: Path) -> None:
    command("data", "synth", "--stays", "3", "--name", "mine")
    before = command("data", "list", "--json").envelope["items"]
    ended = interrupted(
        "source-mine/parts/*/*.parquet", "data", "synth", "--stays", "4000", "--seed", "3", "--name", "mine"
    )
    _is_clean(ended, home)
    assert command("data", "list", "--json").envelope["items"] == before


def test_import(interrupted: Interrupt, home: Path, tmp_path: Path) -> None:
    for table in published_schema().tables:
        if table.needed:
            schema, bare = table.name.removeprefix("mimiciv_").split(".")
            file = tmp_path / "given" / schema / f"{bare}.csv"
            file.parent.mkdir(parents=True, exist_ok=True)
            line = "1,10,100,7,50912,,2180-01-01 06:00:00,,1.1,1.1,mg/dL,0.4,1.1,,ROUTINE,\n"
            file.write_text(",".join(table.types) + "\n" + line * (LAB_LINES if bare == "labevents" else 0))
    ended = interrupted(
        "source-mine/made/tables/*.labevents.parquet", "data", "import", tmp_path / "given", "--name", "mine"
    )
    _is_clean(ended, home)
    assert not (home / "sources" / "mine").exists()


def _endless_concept(folder: Path) -> Path:
    path = folder / "mimic-iv" / "concepts_duckdb" / "x" / "slow.sql"
    path.parent.mkdir(parents=True)
    table = "mimiciv_derived.slow"
    path.write_text(f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} AS {ENDLESS}\n")
    return folder


def test_concepts(interrupted: Interrupt, command: Callable, home: Path, tmp_path: Path) -> None:
    command("data", "synth", "--stays", "3", "--name", "mine")
    before = command("data", "list", "--json").envelope["items"]
    folder = _endless_concept(tmp_path / "mimic-code")
    ended = interrupted("concepts-mine", "data", "concepts", "--source", "mine", "--folder", folder)
    _is_clean(ended, home)
    assert command("data", "list", "--json").envelope["items"] == before


def _run(tmp_path: Path, source: str) -> tuple[str | Path, ...]:
    script = tmp_path / "mine.sql"
    script.write_text("SELECT 1")
    task = "mimic-suspicion-infection"
    return ("run", task, "--agent", "script", "--file", script, "--source", source)


def test_first_run_while_its_source_is_made(interrupted: Interrupt, home: Path, tmp_path: Path) -> None:
    ended = interrupted("source-*/parts/*/*.parquet", *_run(tmp_path, "synthetic-4000-3"))
    _is_clean(ended, home)
    assert not list((home / "sources").glob("*")) and not list((home / "runs").glob("*"))


def _linked(made: DataPaths, home: Path) -> None:
    """A data directory with the files of another one."""
    home.mkdir(mode=0o700)
    for part in (made.runtimes, made.concept_sql, made.sources):
        if part.is_dir():
            shutil.copytree(part, home / part.relative_to(made.root), symlinks=True, copy_function=os.link)


def test_selftest_and_again(
    interrupted: Interrupt, ready_context: Context, command: Callable, home: Path
) -> None:
    """What was built is whole and stays: the same command, given again, goes on from there."""
    _linked(ready_context.data, home)
    before = {path for path in home.rglob("*") if path.is_file()}
    words = ("--source", ready_context.settings.source)
    _is_clean(interrupted("selftest*", "task", "selftest", "suspected_infection", *words), home)
    assert before <= {path for path in home.rglob("*") if path.is_file()}
    ended = command("--home", home, "task", "selftest", "mimic-suspicion-infection", *words, "--json")
    assert [item["problems"] for item in ended.envelope["items"]] == [[]]


def test_first_run_while_its_sandbox_writes_the_catalog(
    interrupted: Interrupt, ready_context: Context, home: Path, tmp_path: Path
) -> None:
    made, source = ready_context.data, ready_context.settings.source
    _linked(made, home)
    databases = made.source(source).task_database("x").parent.relative_to(made.root)
    shutil.rmtree(home / databases)
    ended = interrupted(f"task-database-{source}/sandbox", *_run(tmp_path, source))
    _is_clean(ended, home)
    assert not list((home / "runs").glob("*")) and not list((home / databases).glob("*/ehr.duckdb"))


def test_a_statement_on_the_main_thread(home: Path) -> None:
    """The engine turns the signal into an error of its own kind."""
    program = f"""
import sys
from workbench import ehr
from workbench.cli import main
def busy(data):
    print("begun", flush=True)
    while True:
        ehr.connect().execute("SELECT sum(range) FROM range(30000000)").fetchall()
ehr.readable_sources = busy
sys.exit(main(["--home", {str(home)!r}, "data", "list"]))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=GUARD_S)
    assert (process.returncode, out, err) == (1, "", "error: cancelled\n")
