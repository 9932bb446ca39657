"""Labels, notes and kinds of failure on runs, each bound to the log that was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from workbench.catalog import Content
from workbench.records import (
    BadInput,
    DataPaths,
    FailureKind,
    Problem,
    RunAudit,
    RunMark,
    WorkbenchError,
    explain,
    file_sha256,
)
from workbench.review.audit_documents import read_document, write_document
from workbench.review.private_text import require_no_values
from workbench.review.review_desk import ReviewDesk, require_desk
from workbench.store import RunStore


@dataclass(frozen=True)
class KnownMark:
    """``same_log``: whether the run's log here is the one that was looked at; None where it is not here."""

    mark: RunMark
    same_log: bool | None


def mark_run(
    desk: ReviewDesk,
    run: str,
    kind: Literal["label", "note", "failure"],
    *,
    label: str = "",
    failure: FailureKind | None = None,
    text: str = "",
    step: int | None = None,
) -> RunAudit:
    """Add a mark to a run of this machine (its id, or the start of it).

    Raises BadInput for an unknown run or a mark that says nothing, Refused for words with values.
    """
    require_desk(desk)
    store = RunStore(desk.data)
    found = store.find(run)
    log = store.paths(found).trajectory
    if not log.is_file():
        raise BadInput("the run has no log", where=found, remedy="Mark a run that an agent worked in.")
    require_no_values(text, lookup=desk.lookup, allowed=desk.allowed)
    try:
        mark = RunMark(
            kind=kind,
            by=desk.reviewer,
            at=desk.clock.now(),
            trajectory=file_sha256(log),
            label=label or None,
            failure=failure,
            step=step,
            text=text.strip(),
            allowed=desk.allowed.strip(),
        )
        read = read_document(desk.content.paths.run_audit(found), RunAudit)
        before = read.value or RunAudit(run=found)
    except ValidationError as error:
        raise BadInput(explain(error), remedy="A label has lower-case letters, digits, hyphens.") from None
    grown = before.model_copy(update={"marks": [*before.marks, mark]})
    write_document(desk.content, desk.data, read, grown)
    return grown


def marks_of(content: Content, data: DataPaths, run: str) -> list[KnownMark]:
    """The marks on a run, oldest first; none where there are none. Raises BadInput for a damaged file."""
    if not run.replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise BadInput(f"{run[:80]!r} is no run's id", remedy="See workbench runs list.")
    read = read_document(content.paths.run_audit(run), RunAudit)
    log = data.run(run).trajectory
    now = file_sha256(log) if read.value and log.is_file() else ""
    marks = read.value.marks if read.value else []
    return [KnownMark(mark, mark.trajectory == now if now else None) for mark in marks]


def list_run_audits(content: Content) -> tuple[list[RunAudit], list[Problem]]:
    """All run audits by run, and files that cannot be read."""
    found: list[RunAudit] = []
    problems: list[Problem] = []
    for path in sorted(content.paths.run_audits.glob("[!.]*.toml")):
        try:
            read = read_document(path, RunAudit)
            if read.value is not None and read.value.run != path.stem:
                raise BadInput("is not the run that its name says", where=str(path))
            found += [read.value] if read.value else []
        except WorkbenchError as error:
            problems.append(Problem(where=error.where, what=error.what, remedy=error.remedy))
    return found, problems
