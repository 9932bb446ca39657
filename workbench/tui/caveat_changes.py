"""Changes of caveats out of the app: each at the reviewer's desk, words held against the real sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.records import BadInput, WorkbenchError
from workbench.tui.context import AppContext

if TYPE_CHECKING:
    from workbench.records import Caveat
    from workbench.review import AuditText, FoundAnchor, ReviewDesk
    from workbench.witness import ShownCase


@dataclass(frozen=True)
class ReadCaveat:
    """``hash``: of the audit's file as it was read; ``anchors`` as their lines are found now."""

    family: str
    caveat: Caveat
    hash: str
    anchors: list[FoundAnchor]


@dataclass(frozen=True)
class Flagged:
    """What a new caveat begins with, from where it was flagged: files with lines, a run's step."""

    family: str
    values: Mapping[str, str] = field(default_factory=dict)
    anchors: tuple[tuple[str, int], ...] = ()
    run: str = ""
    step: int = 0


@contextmanager
def desk(context: AppContext, reviewer: str) -> Iterator[ReviewDesk]:
    """In a thread. Raises Refused where a source cannot be read."""
    from workbench import review

    with review.source_lookup(context.data, context.settings) as lookup:
        yield review.ReviewDesk(context.content, context.data, reviewer, lookup, clock=context.clock)


def read_caveat(context: AppContext, family: str, name: str) -> ReadCaveat:
    """In a thread. Raises BadInput."""
    from workbench import review

    read = review.open_audit(context.content, family)
    caveat = read.caveat(name)
    anchors = [review.find_anchor(context.content, anchor) for anchor in caveat.anchors]
    return ReadCaveat(read.family, caveat, read.hash, anchors)


def act(context: AppContext, read: ReadCaveat, what: str, reviewer: str, text: str) -> str:
    """Confirm, dispute, resolve, retain or comment; what to say of it. Raises as ``act_on_caveat``."""
    from workbench import review
    from workbench.records import CaveatAct

    def change(at: ReviewDesk) -> AuditText:
        name = read.caveat.id
        return review.act_on_caveat(at, read.family, name, CaveatAct(what), text, expected=read.hash)

    return _told(context, reviewer, read.caveat.id, change)


def edit_values(
    context: AppContext, read: ReadCaveat, reviewer: str, values: Mapping[str, str], why: str
) -> str:
    """Change what differs; ``evidence`` is a list with commas. Raises as ``edit_caveat``."""
    from workbench import review

    changes: dict[str, str | list[str]] = {**values}
    if "evidence" in values:
        changes["evidence"] = _parts(values["evidence"])

    def change(at: ReviewDesk) -> AuditText:
        return review.edit_caveat(at, read.family, read.caveat.id, changes, why=why, expected=read.hash)

    return _told(context, reviewer, read.caveat.id, change)


def add_values(context: AppContext, flagged: Flagged, reviewer: str, values: Mapping[str, str]) -> str:
    """Propose a caveat with its anchors and, of a step, the link to it. Raises as ``add_caveat``."""
    from workbench import review
    from workbench.records import Bias, EvidenceLink, Severity

    name = values["id"]
    if values["severity"] not in {*Severity} or values["bias"] not in {*Bias}:
        raise BadInput("severity or bias is none that is known", remedy="Choose one of the list.")

    def change(at: ReviewDesk) -> AuditText:
        made = review.add_caveat(
            at,
            flagged.family,
            name,
            title=values["title"],
            severity=Severity(values["severity"]),
            bias=Bias(values["bias"]),
            rule=values["rule"],
            explanation=values["explanation"],
            source=values["source"],
            evidence=_parts(values["evidence"]),
            anchors=flagged.anchors,
        )
        if flagged.run:
            link = EvidenceLink(kind="run", target=flagged.run, step=flagged.step or None)
            made = review.link_caveat(at, flagged.family, name, link)
        return made

    return _told(context, reviewer, name, change)


def run_cases(context: AppContext, read: ReadCaveat) -> dict[str, ShownCase]:
    """All witness cases of the caveat, on the spot; without the pinned concept where it is not at hand."""
    from workbench import ehr, witness

    folder = context.of_runs().concepts_folder
    try:
        pinned = ehr.fetch_concept_sql(context.data, folder)
    except WorkbenchError:
        pinned = None
    return {
        case.id: witness.show_case(context.content, read.family, case.id, concept_sql=pinned)
        for case in read.caveat.witness
    }


def _told(context: AppContext, reviewer: str, name: str, change: Callable[[ReviewDesk], AuditText]) -> str:
    with desk(context, reviewer) as at:
        return f"{name}: {change(at).caveat(name).review.value}"


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
