"""``workbench task rehearse``: what it lists, and how a cancelled one is gone on with."""

from __future__ import annotations

from typing import Any

import pytest

from workbench import runs
from workbench.records import Condition, Rehearsal, SchemaVariant

from .conftest import Command

CELLS = [
    "mimic-sofa-24h",
    *("--condition", "no-skill", "--condition", "with-skill"),
    *("--schema", "native", "--schema", "obfuscated"),
]


class Solver:
    """In place of the runs: every cell is solved, but for the one at which Ctrl-C is typed."""

    def __init__(self, cancelled_at: int = 0) -> None:
        self._cancelled_at = cancelled_at
        self.asked: list[tuple[Condition, SchemaVariant]] = []

    def __call__(self, context: runs.Context, task: Any, source: str, sandbox: str, **cell: Any) -> Rehearsal:
        self.asked.append((cell["condition"], cell["schema_variant"]))
        if len(self.asked) == self._cancelled_at:
            raise KeyboardInterrupt
        return Rehearsal(
            task=task.id,
            source=source,
            reward=1.0,
            followed=["instruction"],
            problems=[],
            seconds=1.0,
            **cell,
        )


def test_a_cancelled_one_tells_what_was_done_and_goes_on(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "rehearse", Solver(cancelled_at=3))
    cancelled = command("task", "rehearse", *CELLS)
    assert cancelled.code == 1
    assert "cancelled at cell 3 of 4: the same command with --from 3 goes on" in cancelled.err
    assert "2 cells: 2 ok, 0 failed" in cancelled.out

    rest = Solver()
    monkeypatch.setattr(runs, "rehearse", rest)
    ended = command("task", "rehearse", *CELLS, "--from", "3", "--json")
    assert ended.code == 0
    assert ended.envelope["summary"] == {"cells": 2, "failed": 0}
    assert rest.asked == [
        (Condition.NO_SKILL, SchemaVariant.OBFUSCATED),
        (Condition.WITH_SKILL, SchemaVariant.OBFUSCATED),
    ]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (("eicu-gcs", "--schema", "obfuscated"), "there is nothing to rehearse"),
        ((*CELLS, "--from", "5"), "there are only 4 cells, and --from says 5"),
    ],
)
def test_nothing_is_no_success(command: Command, cell: tuple[str, ...], words: str) -> None:
    ended = command("task", "rehearse", *cell)
    assert ended.code == 2 and words in ended.err
