"""What a trajectory command is about: a recorded run, or a file of any known format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.session import Session
from workbench.records import BadInput, Progress, Violation, silent

if TYPE_CHECKING:
    from workbench.trajectories import StepFile

TargetArgument = Annotated[str, typer.Argument(metavar="RUN|FILE", help="Run id, or its begin; or a file.")]
FormatOption = Annotated[str, typer.Option("--format", help="The file's format, if it is not to be told.")]


@dataclass(frozen=True)
class Trajectory:
    """``run_id`` is empty for a file; ``violations``: what the newest lint said of a recorded run."""

    name: str
    run_id: str
    log: StepFile
    violations: list[Violation]


def open_trajectory(
    session: Session, target: str, format: str = "", progress: Progress = silent
) -> Trajectory:
    """A run by its id, else a file. Raises BadInput."""
    from workbench import store, trajectories

    path = Path(target).expanduser()
    if path.is_file() or "/" in target or path.suffix:
        return Trajectory(target, "", trajectories.StepFile(path, session.data, format, progress), [])
    runs = store.RunStore(session.data)
    run_id = runs.find(target)
    log = runs.paths(run_id).trajectory
    if not log.is_file():
        raise BadInput(
            "this run recorded no trajectory",
            where=run_id,
            remedy=f"See `workbench runs show {run_id}` for what became of it.",
        )
    local = store.LocalRuns(runs)
    events = store.events_of_lint(local.events(run_id), local.lint(run_id))
    said = [event.violation for event in events if event.kind == "violation"]
    return Trajectory(run_id, run_id, trajectories.StepFile(log, session.data, format, progress), said)
