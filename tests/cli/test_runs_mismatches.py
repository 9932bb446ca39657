"""``workbench runs mismatches``: unknown runs and references that are gone or others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.records import AgentChoice, Condition, DataPaths, Reference, RunPlan
from workbench.store import RunStore

RUN = "20300501-120000-abcdef"


@pytest.fixture
def recorded(home: Path) -> None:
    plan = RunPlan(
        run_id=RUN,
        created=datetime(2030, 5, 1, 12, tzinfo=UTC),
        task="mimic-suspicion-infection",
        family="suspicion-infection",
        condition=Condition.NO_SKILL,
        source="synthetic-500-1",
        agent=AgentChoice(name="script"),
        sandbox="bubblewrap",
    )
    RunStore(DataPaths(home)).create(plan)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nope",), 2, "no run starts with 'nope'"),
        ((RUN[:12],), 3, "the reference public-code of synthetic-500-1 is not here any more"),
        ((RUN, "--target", "other"), 2, "has no target 'other'"),
    ],
)
def test_what_cannot_be_compared_is_said(
    command: Callable[..., Any], recorded: None, words: tuple[str, ...], code: int, said: str
) -> None:
    ended = command("runs", "mismatches", *words)
    assert ended.code == code
    assert said in ended.err


def test_a_reference_whose_file_was_changed_is_not_opened(
    command: Callable[..., Any], home: Path, recorded: None
) -> None:
    paths = DataPaths(home).source("synthetic-500-1")
    manifest = paths.reference_manifest("suspicion-infection", "public-code")
    manifest.parent.mkdir(parents=True)
    reference = Reference(
        family="suspicion-infection", target="public-code", database="mimic-iv", sql_sha256="",
        source_hash="", concept_revision="", duckdb_version="", rows=1, columns=[], keys=[], rows_sha256="",
        file_sha256="0", canary_column="",
    )  # fmt: skip
    manifest.write_text(reference.to_json())
    paths.reference("suspicion-infection", "public-code").write_bytes(b"PAR1 and no more")
    ended = command("runs", "mismatches", RUN)
    assert ended.code == 3
    assert "the file of reference public-code was changed" in ended.err
