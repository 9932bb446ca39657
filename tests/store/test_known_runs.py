"""What a run is told of other runs: earlier ones of its kind, and the tokens of all."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from workbench.records import DataPaths, RunIdentity, RunPlan, RunResult, SchemaVariant
from workbench.store import RunStore, atomic_write, known_runs


def token(number: int) -> str:
    return f"wbc-{'abcdefghij'[number] * 16}"


@pytest.fixture
def finish(
    data: DataPaths,
    make_plan: Callable[..., RunPlan],
    make_result: Callable[..., RunResult],
    make_identity: Callable[[str, str, int], RunIdentity],
) -> Callable[..., RunPlan]:
    """Record a finished run that was made so many minutes after noon."""

    def make(
        number: int, minutes: int, *, output: str = "", ended: bool = True, **changes: object
    ) -> RunPlan:
        plan = make_plan(f"20300501-12000{number}-aaaaaa", **changes)
        plan = plan.model_copy(update={"created": plan.created + timedelta(minutes=minutes)})
        paths = RunStore(data).create(plan)
        identity = make_identity(plan.run_id, "c" * 16, 1).model_copy(update={"canary": token(number)})
        atomic_write(paths.identity, identity.to_json())
        if ended:
            atomic_write(paths.result, make_result(plan.run_id, output_sha256=output).to_json())
        return plan

    return make


def test_only_finished_ones_of_the_same_kind_made_before_are_earlier(
    data: DataPaths, finish: Callable[..., RunPlan]
) -> None:
    second = finish(2, 1, output="f" * 64, task="mimic-suspicion-infection-raw")
    first = finish(3, 0)
    own = finish(4, 2)
    finish(5, 0, family="sofa")
    finish(6, 0, source="synthetic-40-1")
    finish(7, 0, schema_variant=SchemaVariant.OBFUSCATED)
    finish(2 + 6, 0, ended=False)
    finish(9, 3)
    found = known_runs(data, own)
    assert [run.run_id for run in found.earlier] == [first.run_id, second.run_id]
    assert [(run.output_sha256, run.reward, run.strict_pass) for run in found.earlier] == [
        ("", 0.5, False),
        ("f" * 64, 0.5, False),
    ]
    assert found.canaries == {token(number) for number in (2, 3, 5, 6, 7, 8, 9)}


def test_runs_of_before_there_were_tokens_have_none(
    data: DataPaths, make_plan: Callable[..., RunPlan]
) -> None:
    RunStore(data).create(make_plan("20300501-120001-aaaaaa"))
    found = known_runs(data, make_plan("20300501-120002-aaaaaa"))
    assert (list(found.earlier), found.canaries) == ([], frozenset())
