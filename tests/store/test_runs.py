"""Run folders, states, listings, and an index that can always be made again."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from workbench.records import (
    AgentChoice,
    BadInput,
    DataPaths,
    EgressSummary,
    RunIdentity,
    RunPaths,
    RunPlan,
    RunResult,
    RunState,
    TrajectorySummary,
    Usage,
    Verdict,
    new_run_canary,
    run_mark,
)
from workbench.store import FileLock, LocalRuns, RunStore, atomic_write, going_on, locks, reserve_lock

Plans = Callable[..., RunPlan]
Results = Callable[..., RunResult]
Identities = Callable[[str, str, int], RunIdentity]


def finish(paths: RunPaths, result: RunResult) -> None:
    atomic_write(paths.result, result.to_json())


def make_old(paths: RunPaths) -> None:
    """As if the folder had last changed an hour ago."""
    stamp = paths.folder.stat().st_mtime - 3600
    os.utime(paths.folder, (stamp, stamp))


def at_look(monkeypatch: pytest.MonkeyPatch, number: int, happens: Callable[[], object]) -> None:
    """Something happens just after the lock's file was looked into for the ``number``-th time."""
    read, looks = locks._read, 0

    def looked(path: Path) -> locks.LockHolder | None:
        nonlocal looks
        found = read(path)
        looks += 1
        if looks == number:
            happens()
        return found

    monkeypatch.setattr(locks, "_read", looked)


@pytest.mark.parametrize("look", [1, 2, 3])
def test_a_run_that_begins_between_two_looks_goes_on(
    look: int, data: DataPaths, make_plan: Plans, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = RunStore(data).create(make_plan("20300501t120000-a"))
    lock = FileLock(paths.lock, "run")
    at_look(monkeypatch, look, lock.__enter__)
    assert going_on(paths)
    assert going_on(paths)
    lock.__exit__(None, None, None)
    assert not going_on(paths)


@pytest.mark.parametrize("look", [1, 2, 3])
def test_a_run_with_a_result_goes_on_until_its_lock_is_let_go(
    look: int, data: DataPaths, make_plan: Plans, make_result: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = RunStore(data).create(make_plan("20300501t120000-a"))
    with FileLock(paths.lock, "run"):
        result = make_result("20300501t120000-a", 0.25, ())
        at_look(monkeypatch, look, lambda: finish(paths, result))
        assert [going_on(paths) for _ in range(3)] == [True] * 3
    assert not going_on(paths)


def test_a_run_whose_starter_is_gone_does_not_go_on(data: DataPaths, make_plan: Plans) -> None:
    paths = RunStore(data).create(make_plan("20300501t120000-a"))
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    reserve_lock(paths.lock, "run", pid=gone.pid)
    assert not going_on(paths)


def test_a_run_from_plan_to_result(data: DataPaths, make_plan: Plans, make_result: Results) -> None:
    store = RunStore(data)
    paths = store.create(make_plan("20300501t120000-a"))
    assert [row.state for row in store.rows()] == [store.state("20300501t120000-a")] == [RunState.PLANNED]
    with FileLock(paths.lock, "run"):
        assert [row.state for row in store.rows()] == [RunState.RUNNING]
        finish(paths, make_result("20300501t120000-a", 0.25, ("warn", "fail", "warn")))
        assert store.state("20300501t120000-a") is RunState.FINISHED
    (row,) = store.rows()
    assert (row.state, row.verdict, row.reward, row.strict_pass) == ("finished", "publishable", 0.25, False)
    assert (row.warns, row.fails) == (2, 1)
    assert not list(data.scratch.iterdir())


@pytest.mark.parametrize("old", [False, True])
def test_a_run_whose_process_is_gone_is_interrupted(
    data: DataPaths, make_plan: Plans, make_result: Results, old: bool
) -> None:
    store = RunStore(data)
    paths = store.create(make_plan("20300501t120000-a"))
    with FileLock(paths.lock, "run"):
        pass
    if old:
        make_old(paths)
    (row,) = store.rows()
    assert (row.state, row.verdict) == ("interrupted", "interrupted")
    finish(paths, make_result("20300501t120000-a"))
    assert [row.state for row in store.rows()] == ["finished"]


def test_a_killed_planner_leaves_an_interrupted_run(data: DataPaths, make_plan: Plans) -> None:
    plan = make_plan("20300501t120000-a")
    program = (
        "import os, sys, pathlib\n"
        "from workbench.records import DataPaths, RunPlan\n"
        "from workbench.store import RunStore\n"
        "store = RunStore(DataPaths(pathlib.Path(sys.argv[1])))\n"
        "store.create(RunPlan.from_json(sys.stdin.read(), 'stdin'))\n"
        "print(store.rows()[0].state, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(data.root)],
        input=plan.to_json(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.stdout == "planned\n"
    assert [row.state for row in RunStore(data).rows()] == ["interrupted"]


def test_a_recorded_interruption_stays_one(data: DataPaths, make_plan: Plans, make_result: Results) -> None:
    store = RunStore(data)
    paths = store.create(make_plan("20300501t120000-a"))
    finish(paths, make_result("20300501t120000-a", verdict=Verdict.INTERRUPTED))
    (row,) = store.rows()
    assert (row.state, row.verdict, row.reward) == ("interrupted", "interrupted", None)
    older = json.loads(paths.result.read_text())
    older["score"] = json.loads(make_result("20300501t120000-b").to_json())["score"]
    assert older["score"]["reward"] > 0
    paths.result.write_text(json.dumps(older))
    assert RunResult.load(paths.result).score is None


@pytest.fixture
def three(data: DataPaths, make_plan: Plans, make_result: Results, make_identity: Identities) -> RunStore:
    """a and b finished with rewards 0.5 and 1.0; c of another family, interrupted."""
    store = RunStore(data)
    for number, (name, reward) in enumerate((("a", 0.5), ("b", 1.0), ("c", None))):
        plan = make_plan(f"2030050{number + 1}t120000-{name}")
        later = {"created": plan.created + timedelta(days=number), "trial": number + 1}
        if name == "c":
            later |= {"family": "kdigo", "task": "mimic-kdigo", "agent": AgentChoice(name="codex")}
        paths = store.create(plan.model_copy(update=later))
        atomic_write(
            paths.identity,
            make_identity(plan.run_id, "cell-ab" if name < "c" else "cell-c", number + 1).to_json(),
        )
        with FileLock(paths.lock, "run"):
            pass
        if reward is not None:
            finish(paths, make_result(plan.run_id, reward))
    return store


def names(store: RunStore, **filters: Any) -> str:
    return "".join(row.run_id[-1] for row in store.rows(**filters))


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, "cba"),
        ({"limit": 2}, "cb"),
        ({"family": "kdigo"}, "c"),
        ({"task": ["mimic-kdigo", "mimic-suspicion-infection"]}, "cba"),
        ({"state": "finished", "verdict": "publishable"}, "ba"),
        ({"state": RunState.INTERRUPTED}, "c"),
        ({"agent": "script", "strict_pass": True}, "b"),
        ({"condition": "with-skill"}, ""),
        ({"cell": "cell-ab"}, "ba"),
        ({"task": None}, "cba"),
        ({"task": []}, ""),
        ({"model": "none' OR 1=1 --"}, ""),
    ],
)
def test_filters(three: RunStore, filters: dict[str, Any], expected: str) -> None:
    assert names(three, **filters) == expected


def test_an_unknown_filter_or_group_is_bad_input(three: RunStore) -> None:
    with pytest.raises(BadInput, match="no column 'colour'"):
        three.rows(colour="red")
    with pytest.raises(BadInput, match="cannot group by 'reward'"):
        three.aggregate(["reward"])


def test_aggregate_counts_and_means(three: RunStore) -> None:
    kdigo, infection = three.aggregate(["family"])
    assert (kdigo["runs"], kdigo["interrupted"], kdigo["mean_reward"]) == (1, 1, None)
    assert (infection["runs"], infection["finished"], infection["publishable"]) == (2, 2, 2)
    assert (infection["mean_reward"], infection["scored"], infection["strict_passes"]) == (0.75, 2, 1)
    (total,) = three.aggregate([])
    assert total["runs"] == 3
    assert three.aggregate(["task"], agent="nobody") == []


def test_tokens_are_the_gateways_where_it_was_used(
    data: DataPaths, make_plan: Plans, make_result: Results
) -> None:
    store = RunStore(data)
    told = TrajectorySummary(format="plain", steps=1, usage=Usage(input_tokens=7, output_tokens=3))
    counted = EgressSummary(requests=2, usage=Usage(input_tokens=9, output_tokens=4))
    for name, egress in (("a", EgressSummary()), ("b", counted)):
        paths = store.create(make_plan(f"20300501t120000-{name}"))
        finish(paths, make_result(f"20300501t120000-{name}", trajectory=told, egress=egress))
    assert [(row.input_tokens, row.output_tokens) for row in store.rows()] == [(9, 4), (7, 3)]


def damage_nothing(index: Path) -> None:
    pass


def damage_by_text(index: Path) -> None:
    index.write_bytes(b"this is not a database" * 100)


def damage_in_the_middle(index: Path) -> None:
    with sqlite3.connect(index) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(index.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    index.write_bytes(content)


def damage_by_loss(index: Path) -> None:
    index.unlink()


def damage_by_age(index: Path) -> None:
    with sqlite3.connect(index) as connection:
        connection.executescript("DROP TABLE runs; CREATE TABLE runs (other); PRAGMA user_version = 99;")


def damage_by_a_dropped_table(index: Path) -> None:
    with sqlite3.connect(index) as connection:
        connection.execute("DROP TABLE problems")
        connection.execute("DELETE FROM runs")


@pytest.mark.parametrize(
    "damage",
    [
        damage_nothing,
        damage_by_text,
        damage_in_the_middle,
        damage_by_loss,
        damage_by_age,
        damage_by_a_dropped_table,
    ],
)
def test_an_unusable_index_is_made_again_silently(three: RunStore, damage: Callable[[Path], None]) -> None:
    before = three.rows()
    damage(three.data.index)
    assert three.rows() == before
    assert names(RunStore(three.data)) == "cba"


def test_without_a_place_for_the_index_the_listing_still_works(three: RunStore) -> None:
    three.data.index.unlink(missing_ok=True)
    three.data.index.mkdir()
    assert names(three) == "cba"


def test_a_changed_result_is_seen_in_a_settled_run(three: RunStore, make_result: Results) -> None:
    run_id = three.rows()[-1].run_id
    finish(three.data.run(run_id), make_result(run_id, 0.125))
    assert three.rows()[-1].reward == 0.125
    finish(three.data.run(run_id), make_result(run_id, 0.25))
    three.rebuild()
    assert three.rows()[-1].reward == 0.25


@pytest.mark.parametrize(
    "change",
    [
        "reward = 9.99",
        "verdict = 'publishable', strict_pass = 1",
        "run_id = run_id || 'x'",
        "folder_ns = -5",
        "attempt = 7 WHERE reward = 1",
    ],
)
def test_a_row_that_another_program_changed_is_read_again(three: RunStore, change: str) -> None:
    before = three.rows()
    stamp = three.data.runs.stat().st_mtime - 3600
    os.utime(three.data.runs, (stamp, stamp))
    three.rows()
    with sqlite3.connect(three.data.index) as connection:
        connection.execute(f"UPDATE runs SET {change}")
    assert three.aggregate([])[0]["mean_reward"] == 0.75
    assert three.rows() == before


def make_loop(runs: Path) -> None:
    (runs / "bad").symlink_to("bad")


def make_link(runs: Path) -> None:
    (runs / "bad").symlink_to(runs / "20300501t120000-a")


def make_dangling(runs: Path) -> None:
    (runs / "bad").symlink_to("nowhere")


def make_copy(runs: Path) -> None:
    (runs / "bad").mkdir()
    (runs / "bad" / "plan.json").write_bytes((runs / "20300501t120000-a" / "plan.json").read_bytes())


@pytest.mark.parametrize("make", [make_loop, make_link, make_dangling, make_copy])
def test_one_bad_entry_is_one_problem(three: RunStore, make: Callable[[Path], None]) -> None:
    make(three.data.runs)
    assert names(three) == "cba"
    assert [problem.where for problem in three.problems()] == ["bad"]
    (three.data.runs / "bad").rename(three.data.root / "away")
    assert names(three) == "cba"
    assert three.problems() == []


@pytest.mark.parametrize("reward", ["NaN", "Infinity", "-Infinity"])
def test_a_reward_is_a_number(three: RunStore, reward: str) -> None:
    run_id = three.find("20300501")
    path = three.data.run(run_id).result
    path.write_text(path.read_text().replace('"reward": 0.5', f'"reward": {reward}'))
    assert three.rows()[-1].state == "interrupted"
    assert [problem.where for problem in three.problems()] == [run_id]
    with pytest.raises(BadInput, match="finite"):
        LocalRuns(three).result(run_id)


def link_result(three: RunStore, run: RunPaths) -> None:
    run.result.rename(three.data.root / "elsewhere.json")
    run.result.symlink_to(three.data.root / "elsewhere.json")


def pipe_as_result(three: RunStore, run: RunPaths) -> None:
    run.result.unlink()
    os.mkfifo(run.result)


def result_of_another(three: RunStore, run: RunPaths) -> None:
    run.result.write_bytes(three.data.run("20300502t120000-b").result.read_bytes())


@pytest.mark.parametrize("change", [link_result, pipe_as_result, result_of_another])
def test_a_result_that_is_not_this_runs_is_damage(
    three: RunStore, change: Callable[[RunStore, RunPaths], None]
) -> None:
    run_id = three.find("20300501")
    change(three, three.data.run(run_id))
    assert [problem.where for problem in three.problems()] == [run_id]
    assert three.rows()[-1].state == "interrupted"
    with pytest.raises(BadInput, match=r"link|regular|another run"):
        LocalRuns(three).result(run_id)


def test_a_plan_that_names_another_run_is_damage(three: RunStore) -> None:
    run_id = three.find("20300501")
    three.data.run(run_id).plan.write_bytes(three.data.run("20300502t120000-b").plan.read_bytes())
    with pytest.raises(BadInput, match="another run"):
        LocalRuns(three).plan(run_id)


def test_a_removed_folder_leaves_the_listing(three: RunStore) -> None:
    three.rows()
    three.data.run(three.find("20300501")).folder.rename(three.data.root / "away")
    assert names(three) == "cb"


def test_runs_that_come_and_go_are_seen_in_a_quiet_folder(three: RunStore, make_plan: Plans) -> None:
    stamp = three.data.runs.stat().st_mtime - 3600
    os.utime(three.data.runs, (stamp, stamp))
    assert names(three) == names(three) == "cba"
    three.create(make_plan("20300504t120000-d", created=three.rows()[0].created))
    assert names(three) == "dcba"
    os.utime(three.data.runs, (stamp + 60, stamp + 60))
    assert names(three) == "dcba"
    three.data.run("20300501t120000-a").folder.rename(three.data.root / "away")
    assert names(three) == "dcb"


@pytest.mark.parametrize(("document", "state"), [("plan", None), ("result", "interrupted")])
def test_a_damaged_document_is_a_problem_not_a_crash(
    three: RunStore, document: str, state: str | None
) -> None:
    run_id = three.find("20300502")
    getattr(three.data.run(run_id), document).write_text("{")
    three.rebuild()
    assert {row.run_id: row.state for row in three.rows()}.get(run_id) == state
    assert [(problem.where, "not valid JSON" in problem.what) for problem in three.problems()] == [
        (run_id, True)
    ]


def test_stray_files_are_no_runs(three: RunStore) -> None:
    (three.data.runs / "notes.txt").write_text("")
    (three.data.runs / "empty-folder").mkdir()
    assert names(three) == "cba"


def test_find_takes_a_unique_beginning(three: RunStore) -> None:
    assert three.find("20300503") == "20300503t120000-c"
    assert three.find("20300503t120000-c") == "20300503t120000-c"
    for prefix, words in (("2030", "3 runs start with"), ("1999", "no run starts with"), ("", "3 runs")):
        with pytest.raises(BadInput, match=words):
            three.find(prefix)


@pytest.mark.parametrize("run_id", ["missing", "../runs/20300501t120000-a", ""])
def test_no_such_run(three: RunStore, run_id: str) -> None:
    with pytest.raises(BadInput, match="no run"):
        three.state(run_id)


def test_an_id_is_used_once(three: RunStore, make_plan: Plans) -> None:
    with pytest.raises(BadInput, match="a run of that id exists"):
        three.create(make_plan("20300501t120000-a"))
    assert not list(three.data.scratch.iterdir())


def test_attempts_are_counted_and_never_given_twice(three: RunStore) -> None:
    assert three.next_attempt("cell-ab") == 3
    assert three.next_attempt("cell-new") == 1
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda _: RunStore(three.data).next_attempt("cell-new"), range(16)))
    assert sorted(given) == list(range(2, 18))


LISTER = (
    "import sys, pathlib\n"
    "from workbench.records import DataPaths\n"
    "from workbench.store import RunStore\n"
    "store = RunStore(DataPaths(pathlib.Path(sys.argv[1])))\n"
    "for _ in range(5):\n"
    "    store.rebuild()\n"
    "    assert len(store.rows()) == 3, len(store.rows())\n"
)


@pytest.fixture
def listers(three: RunStore) -> Iterator[list[subprocess.Popen[bytes]]]:
    started = [subprocess.Popen([sys.executable, "-c", LISTER, str(three.data.root)]) for _ in range(3)]
    yield started
    for process in started:
        process.wait()


def test_several_processes_may_refresh_at_once(listers: list[subprocess.Popen[bytes]]) -> None:
    assert [process.wait(timeout=30) for process in listers] == [0, 0, 0]


def test_local_runs_reads_what_a_run_recorded(three: RunStore) -> None:
    runs = LocalRuns(three)
    run_id = three.find("20300501")
    assert runs.plan(run_id).run_id == run_id
    assert runs.identity(run_id).cell == "cell-ab"
    assert runs.result(run_id).score.reward == 0.5
    assert runs.result(three.find("20300503")) is None
    assert (runs.events(run_id), runs.trajectory(run_id)) == ([], b"")
    three.data.run(run_id).trajectory.write_bytes(b"\xff\n")
    assert runs.trajectory(run_id) == b"\xff\n"
    mark = run_mark(run_id, new_run_canary())
    three.data.run(run_id).trajectory.write_bytes(mark + mark + b"\xff\n")
    assert runs.trajectory(run_id) == mark + b"\xff\n"
    assert len(runs.rows(limit=1)) == 1
