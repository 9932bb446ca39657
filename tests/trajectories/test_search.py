"""Search over the steps of runs: what fits, what is new, what is gone; and patterns that would never end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.records import BadInput, DataPaths, Observation, Step, StepSource, ToolCall, ToolKind
from workbench.store import SEARCH, dead_share, with_index
from workbench.trajectories import Only, StepQuery, near_in_runs, near_in_steps, search_runs, search_steps

ALL = Only()


def _step(number: int, command: str = "", text: str = "", message: str = "", exit_code: int = 0) -> Step:
    calls = (
        [ToolCall(call_id=f"c{number}", name="bash", kind=ToolKind.COMMAND, command=command)]
        if command
        else []
    )
    back = [Observation(call_id=f"c{number}", text=text, exit_code=exit_code)] if command else []
    return Step(number=number, source=StepSource.AGENT, message=message, calls=calls, observations=back)


STEPS = [
    _step(1, message="I look at the Urine output of the first day"),
    _step(
        2, 'duckdb d -c "SELECT * FROM mimiciv_derived.suspicion_of_infection"', "Catalog Error", exit_code=1
    ),
    _step(3, "python3 - <<'E'\ncon.sql('from mimiciv_icu.icustays select stay_id')\nE", "rows 412"),
    _step(4, message="output written, urine done"),
]


def _event(sequence: int, **fields: Any) -> str:
    return (
        json.dumps({"schema_version": 1, "sequence": sequence, "at": "2026-01-01T00:00:00Z", **fields}) + "\n"
    )


def _write(data: DataPaths, run_id: str, steps: list[Step], *, accused: int = 0) -> Path:
    path = data.run(run_id).events
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [_event(step.number, kind="step", step=step.model_dump(mode="json")) for step in steps]
    if accused:
        said = {"rule": "removed-tables", "level": "warn", "message": "m", "place": {"step": accused}}
        lines.append(_event(99, kind="violation", violation=said))
    path.write_text("".join(lines))
    return path


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    data = DataPaths(tmp_path)
    _write(data, "r1", STEPS, accused=2)
    _write(data, "r2", [_step(1, message="nothing of note"), _step(2, message="Lactate, and urine output")])
    return data


def _found(data: DataPaths, query: StepQuery, only: Only = ALL, **page: int) -> list[tuple[str, int]]:
    return [(hit.run_id, hit.step) for hit in search_runs(data, query, only, **page).hits]


@pytest.mark.parametrize(
    ("query", "only", "expected"),
    [
        (StepQuery("urine output"), Only(), [("r2", 2), ("r1", 4), ("r1", 1)]),
        (StepQuery('"urine output"'), Only(), [("r2", 2), ("r1", 1)]),
        (StepQuery("lact*"), Only(), [("r2", 2)]),
        (StepQuery("lact"), Only(), []),
        (StepQuery("suspicion_of_infection"), Only(), [("r1", 2)]),
        (StepQuery("infection"), Only(), [("r1", 2)]),
        (StepQuery(table="icustays"), Only(), [("r1", 3)]),
        (StepQuery(table="mimiciv_derived.suspicion_of_infection"), Only(), [("r1", 2)]),
        (StepQuery(tool="command"), Only(), [("r1", 3), ("r1", 2)]),
        (StepQuery(pattern=r"rows \d+"), Only(), [("r1", 3)]),
        (StepQuery(pattern=r"the urine .* first"), Only(), [("r1", 1)]),
        (StepQuery(pattern=r"the Lactate"), Only(), []),
        (StepQuery(), Only(sql=True), [("r1", 3), ("r1", 2)]),
        (StepQuery(), Only(errors=True), [("r1", 2)]),
        (StepQuery(), Only(violations=True), [("r1", 2)]),
        (StepQuery("output"), Only(runs=["r1"]), [("r1", 4), ("r1", 1)]),
    ],
)
def test_what_fits(data: DataPaths, query: StepQuery, only: Only, expected: list[tuple[str, int]]) -> None:
    assert _found(data, query, only) == expected
    if not only.violations:
        alone = [hit.step for hit in search_steps(STEPS, query, only)]
        assert alone == sorted(step for run, step in expected if run == "r1")


def test_pages_and_totals(data: DataPaths) -> None:
    query = StepQuery("urine")
    assert search_runs(data, query).total == 3
    assert _found(data, query, limit=2) == [("r2", 2), ("r1", 4)]
    assert _found(data, query, limit=2, skip=2) == [("r1", 1)]
    assert _found(data, StepQuery(pattern="urine"), limit=1, skip=1) == [("r1", 4)]


def test_a_pattern_s_total_is_told_where_everything_was_read(
    data: DataPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.trajectories.search._PAGE", 1)
    query = StepQuery(pattern="urine")
    assert search_runs(data, query, limit=1).total is None
    assert search_runs(data, query, skip=50).total == len(_found(data, query)) == 3


def test_names_near_one_that_no_run_has(data: DataPaths) -> None:
    assert _found(data, StepQuery()) != []
    assert near_in_runs(data, "icustay", "tables") == ["mimiciv_icu.icustays"]
    assert near_in_runs(data, "mimic_icu.icustay", "tables") == ["mimiciv_icu.icustays"]
    assert near_in_runs(data, "infection", "tables") == ["mimiciv_derived.suspicion_of_infection"]
    assert near_in_runs(data, "comand", "tool") == ["command"]
    assert near_in_runs(data, "zebra", "tool") == near_in_steps(STEPS, "zebra", "tool") == []
    assert near_in_steps(STEPS, "bassh", "tool") == ["bash"]


def test_a_hit_says_where_and_what(data: DataPaths) -> None:
    (hit,) = search_runs(data, StepQuery("infection")).hits
    assert (hit.tools, hit.error, hit.rules) == (("bash",), True, ("removed-tables",))
    assert "suspicion_of_infection" in hit.excerpt


def test_only_what_is_new_is_read_and_what_is_gone_is_gone(data: DataPaths) -> None:
    assert _found(data, StepQuery("zebra")) == []
    path = data.run("r2").events
    line = _event(3, kind="step", step=_step(3, message="a zebra").model_dump(mode="json"))
    with path.open("a") as file:
        file.write(line[:50])
    assert _found(data, StepQuery("zebra")) == []
    with path.open("a") as file:
        file.write(line[50:])
    assert _found(data, StepQuery("zebra")) == [("r2", 3)]
    _write(data, "r2", [_step(1, message="written anew")])
    assert _found(data, StepQuery("zebra")) == []
    assert _found(data, StepQuery("anew")) == [("r2", 1)]
    path.unlink()
    assert _found(data, StepQuery("anew")) == []
    assert _found(data, StepQuery("urine"))[0] == ("r1", 4)


def test_a_violation_that_comes_later_is_found(data: DataPaths) -> None:
    assert _found(data, StepQuery(), Only(violations=True)) == [("r1", 2)]
    said = {"rule": "network", "level": "fail", "message": "m", "place": {"step": 1}}
    with data.run("r2").events.open("a") as file:
        file.write(_event(9, kind="violation", violation=said))
    assert _found(data, StepQuery(), Only(violations=True)) == [("r2", 1), ("r1", 2)]


def test_a_damaged_index_is_made_anew(data: DataPaths) -> None:
    assert _found(data, StepQuery("lactate"))
    for path in data.root.glob("search.sqlite*"):
        path.write_bytes(b"no database" * 100)
    assert _found(data, StepQuery("lactate")) == [("r2", 2)]


@pytest.mark.parametrize(
    "query", [StepQuery('a" OR text:b'), StepQuery("NEAR(a b)"), StepQuery("a AND NOT -b *")]
)
def test_nothing_typed_is_taken_for_the_index_language(data: DataPaths, query: StepQuery) -> None:
    assert _found(data, query) in ([], _found(data, StepQuery()))


@pytest.mark.parametrize("make", [{"words": "…"}, {"pattern": "("}, {"table": "--"}, {"words": "a" * 3000}])
def test_what_cannot_be_searched_for_is_told(data: DataPaths, make: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        search_runs(data, StepQuery(**make))


def test_a_pattern_without_end_is_given_up(data: DataPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.trajectories.step_query.MATCH_S", 0.2)
    _write(data, "r3", [_step(1, message="a" * 40 + "!")])
    with pytest.raises(BadInput, match="too long"):
        search_runs(data, StepQuery(pattern="(a|aa)+$"))


def test_words_of_logs_that_are_gone_do_not_pile_up(data: DataPaths) -> None:
    for number in range(30):
        _write(data, "r2", [_step(1, message=f"written anew {number}"), _step(2, message="once more")])
        assert _found(data, StepQuery("anew")) == [("r2", 1)]
    shares = with_index(data.search_index, SEARCH, dead_share)
    assert shares < 0.6
    assert _found(data, StepQuery("infection")) == [("r1", 2)]
