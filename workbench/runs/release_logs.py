"""What is to be released: recorded runs and files by the names that a person gives, and what they read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.ehr import load_source, readable_sources
from workbench.records import (
    BadInput,
    DataPaths,
    Progress,
    Refused,
    ReleasedRun,
    RunPlan,
    Source,
    file_sha256,
    silent,
)
from workbench.runs.context import Context
from workbench.runs.prompt import build_prompt
from workbench.runs.views import content_of
from workbench.store import LocalRuns, RunStore
from workbench.trajectories import StepFile, log_files


@dataclass(frozen=True)
class LogToRelease:
    """``name`` is that of the released file, without ending; ``public``: texts that anybody may read, whose
    numbers and sentences the agent may repeat."""

    name: str
    path: Path
    format: str = ""
    run: ReleasedRun | None = None
    public: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """Of the log with the files of nested agents beside it. Raises BadInput."""
        digest = hashlib.sha256()
        try:
            for path in log_files(self.path):
                digest.update(bytes.fromhex(file_sha256(path)))
        except OSError as error:
            raise BadInput(f"cannot be read ({error.strerror})", where=str(self.path)) from None
        return digest.hexdigest()

    def opened(self, data: DataPaths, progress: Progress = silent) -> StepFile:
        """The log, to be read. Raises BadInput."""
        return StepFile(self.path, data, self.format, progress)


def logs_to_release(context: Context, targets: Sequence[str], format: str = "") -> list[LogToRelease]:
    """``targets``: run ids or their begins, and paths. A file's own name is not told: it may name somebody.

    Raises BadInput for what is not there and for what is named twice.
    """
    found: list[LogToRelease] = []
    files = 0
    for target in targets:
        path = Path(target).expanduser()
        if path.is_file() or "/" in target or path.suffix:
            if not path.is_file():
                what = "is no regular file" if os.path.lexists(path) else "there is no such file"
                raise BadInput(what, where=target)
            files += 1
            found.append(LogToRelease(f"log-{files:03}", path, format))
        else:
            found.append(_of_run(context, target))
    places = [log.path.resolve() for log in found]
    for log, place in zip(found, places, strict=True):
        if places.count(place) > 1:
            raise BadInput("is named twice", where=str(log.path), remedy="Name each run and file once.")
    return found


def sources_to_ask(context: Context, names: Sequence[str], logs: Sequence[LogToRelease]) -> list[Source]:
    """The named sources, else all of this machine: any of them may have been read.

    Raises BadInput for a name that is none, and Refused where one cannot be asked that has to be.
    """
    if names:
        sources = [load_source(context.data, name) for name in dict.fromkeys(names)]
    else:
        sources, problems = readable_sources(context.data)
        if problems:
            raise Refused(
                f"a source cannot be read, and a log may hold its values ({problems[0].what})",
                where=problems[0].where,
                remedy=f"{problems[0].remedy} Or name the sources that were read: --source NAME.",
            )
    if not sources:
        raise Refused(
            "there is no source to look identifiers up in",
            remedy="Import the database that the agents read (workbench data import), so "
            "that its identifiers are known.",
        )
    there = {source.name for source in sources}
    for log in logs:
        if log.run is not None and log.run.source not in there:
            raise Refused(
                f"the run read the source {log.run.source}, which is not among those that are asked",
                where=log.run.run_id,
                remedy=f"Import it again, or add --source {log.run.source}.",
            )
    return sources


def _of_run(context: Context, target: str) -> LogToRelease:
    store = RunStore(context.data)
    run_id = store.find(target)
    path = store.paths(run_id).trajectory
    if not path.is_file():
        raise BadInput(
            "this run recorded no trajectory",
            where=run_id,
            remedy=f"See `workbench runs show {run_id}` for what became of it.",
        )
    runs = LocalRuns(store)
    plan, result = runs.plan(run_id), runs.result(run_id)
    run = ReleasedRun(
        run_id=run_id,
        task=plan.task,
        condition=plan.condition,
        schema_variant=plan.schema_variant,
        source=plan.source,
        agent=plan.agent.name,
        model=plan.agent.model,
        trial=plan.trial,
        verdict=result.verdict if result else None,
    )
    return LogToRelease(run_id, path, "", run, tuple(_public(context, plan)))


def _public(context: Context, plan: RunPlan) -> Iterator[str]:
    """Texts of the content that the agent was given, or may have been; none where the content has changed."""
    try:
        task = context.content.task(plan.task)
        content = content_of(
            context.content, task=task, counterfactual=plan.counterfactual, schema_variant=plan.schema_variant
        )
        yield build_prompt(content.instruction(task.id), content.dictionary_text(task))
        yield content.operational_spec(task.id)
        for skill in content.skill_names():
            yield from content.skill_files(skill).values()
    except BadInput:
        return
