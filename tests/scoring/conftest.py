"""A small task, references as Parquet files, and outputs as bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from workbench.ehr import connect
from workbench.records import ScoreReport, TargetScore, Task
from workbench.scoring import score_output


def make_task(keys: Mapping[str, str], columns: Mapping[str, Any], **more: Any) -> Task:
    """``keys``: name to type; ``columns``: name to type, or to (type, tolerance)."""
    scored = []
    for name, given in columns.items():
        kind, tolerance = given if isinstance(given, tuple) else (given, 0.0)
        scored.append({"name": name, "type": kind, "tolerance": tolerance})
    raw: dict[str, Any] = {
        "id": "mimic-small",
        "family": "small",
        "title": "Small",
        "database": "mimic-iv",
        "mode": "standard",
        "keys": [{"name": name, "type": kind} for name, kind in keys.items()],
        "scored_columns": scored,
        "value_columns": list(columns),
        "thresholds": {"key_coverage": 1.0, "column_accuracy": 1.0},
        "removed_tables": [],
        "skills": ["small"],
        "decoy_skill": "other",
        "reference_concept": "small",
    }
    return Task.model_validate(raw | more)


class References:
    """Parquet files of references, each written once a session."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._connection = connect()
        self._paths: dict[str, Path] = {}

    def path(self, sql: str) -> Path:
        """The rows that ``sql`` gives, with a canary column."""
        if sql not in self._paths:
            path = self._folder / f"{len(self._paths)}.parquet"
            self._connection.execute(
                f"COPY (SELECT *, 'token' AS _canary_1f FROM ({sql})) TO '{path}' (FORMAT parquet)"
            )
            self._paths[sql] = path
        return self._paths[sql]


@dataclass(frozen=True)
class Bench:
    """Writes outputs below one folder and scores them."""

    folder: Path
    references: References

    def reference(self, sql: str) -> Path:
        return self.references.path(sql)

    def output(self, data: str | bytes) -> Path:
        path = self.folder / "output.csv"
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def score(self, task: Task, reference: str | Path, data: str | bytes) -> ScoreReport:
        path = self.reference(reference) if isinstance(reference, str) else reference
        return score_output(self.output(data), task, {"public-code": path})

    def target(self, task: Task, reference: str | Path, data: str | bytes) -> TargetScore:
        return self.score(task, reference, data).targets[0]


@pytest.fixture(scope="session")
def references(tmp_path_factory: pytest.TempPathFactory) -> References:
    return References(tmp_path_factory.mktemp("references"))


@pytest.fixture
def bench(tmp_path: Path, references: References) -> Bench:
    return Bench(tmp_path, references)


@pytest.fixture
def task_of() -> Callable[..., Task]:
    return make_task
