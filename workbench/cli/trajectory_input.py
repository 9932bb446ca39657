"""What a trajectory command is about: a recorded run, or a file of any known format."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.output import say
from workbench.records import BadInput, DataPaths, Progress, Violation, silent

if TYPE_CHECKING:
    from workbench.trajectories import StepFile

TargetArgument = Annotated[str, typer.Argument(metavar="RUN|FILE", help="Run id, or its begin; or a file.")]
FormatOption = Annotated[str, typer.Option("--format", help="The file's format, if it is not to be told.")]


@dataclass(frozen=True)
class Trajectory:
    """``run_id`` is empty for a file; ``violations``: what the newest lint said of a recorded run;
    ``taken_as_plain``: a file in which no format was recognised."""

    name: str
    run_id: str
    log: StepFile
    violations: list[Violation]
    taken_as_plain: bool = False


def names_file(target: str) -> bool:
    """Whether a file is meant and no run: ids of runs have neither folders nor endings."""
    path = Path(target).expanduser()
    there = os.path.lexists(path) and not path.is_dir()  # a run's own folder is named as the run is
    return there or "/" in target or bool(path.suffix)


def open_trajectory(
    data: DataPaths, target: str, format: str = "", progress: Progress = silent
) -> Trajectory:
    """A run by its id, else a file. Raises BadInput."""
    from workbench import store, trajectories

    if names_file(target):
        path = Path(target).expanduser()
        format = format if format != trajectories.AUTO else ""
        log = trajectories.StepFile(path, data, format, progress)
        told = trajectories.StepFile(path, data).format if format else log.format
        trajectories.check_is_log(path, told, asked=format)
        if not log.begin(1):
            _check_format(target, log.format, told)
            trajectories.check_has_steps(path, log.summary)
        return Trajectory(target, "", log, [], taken_as_plain=log.format == trajectories.PLAIN and not format)
    runs = store.RunStore(data)
    run_id = runs.find(target)
    recorded = runs.paths(run_id).trajectory
    if not recorded.is_file():
        raise BadInput(
            "this run recorded no trajectory",
            where=run_id,
            remedy=f"See `workbench runs show {run_id}` for what became of it.",
        )
    local = store.LocalRuns(runs)
    events = store.events_of_lint(local.events(run_id), local.lint(run_id))
    said = [event.violation for event in events if event.kind == "violation"]
    return Trajectory(run_id, run_id, trajectories.StepFile(recorded, data, format, progress), said)


def _check_format(target: str, asked: str, told: str) -> None:
    """Raises BadInput where nothing was read as what was asked for, and it looks like another format."""
    if told != asked:
        raise BadInput(
            f"holds no step of the format {asked}",
            where=target,
            remedy=f"It looks like {told}: leave --format out.",
        )


def say_if_plain(found: Trajectory) -> None:
    """On standard error, where no format was recognised in a file."""
    if found.taken_as_plain:
        say(f"note: {found.name}: no known format, read as plain text of one step", err=True)
