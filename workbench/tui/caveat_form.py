"""The fields of a caveat as a person fills them in, and where a flagged one begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.records import BadInput, Bias, EvidenceKind, Severity
from workbench.tui.caveat_changes import Flagged
from workbench.tui.context import AppContext

if TYPE_CHECKING:
    from workbench.records import Caveat


@dataclass(frozen=True)
class CaveatField:
    """``choices``: the values there are; empty where it is typed."""

    name: str
    hint: str
    choices: tuple[str, ...] = ()


FIELDS = (
    CaveatField("title", "what is wrong, in one line"),
    CaveatField("severity", "judged effect on cohort or score", tuple(Severity)),
    CaveatField("bias", "which way the value leans", tuple(Bias)),
    CaveatField("rule", "the affected rule, or several with commas"),
    CaveatField("explanation", "what follows from it, without values of patients"),
    CaveatField("source", "where it is known from"),
    CaveatField("evidence", f"with commas: {', '.join(EvidenceKind)}"),
)
NEW = (
    CaveatField("family", "whose reference it is about, or _general"),
    CaveatField("id", "short name: small letters, digits and -"),
    *FIELDS,
)
CHANGED = (*FIELDS, CaveatField("why", "why it is changed"))
_BEGIN = {"severity": "minor", "bias": "none", "evidence": "review"}


def begun(flagged: Flagged) -> dict[str, str]:
    """The values a new caveat begins with."""
    return {**_BEGIN, "family": flagged.family, **flagged.values}


def values_of(caveat: Caveat) -> dict[str, str]:
    """What a caveat says now, by field."""
    said = caveat.model_dump(mode="json")
    texts = {field.name: said[field.name] for field in FIELDS if field.name != "evidence"}
    return {**texts, "evidence": ", ".join(said["evidence"])}


def family_of(context: AppContext, flagged: Flagged) -> str:
    """Whose reference a line or a run is about; empty where that is not known. In a thread."""
    from workbench import rules
    from workbench.store import LocalRuns, RunStore

    try:
        for file, _ in flagged.anchors:
            parts = file.split("/")
            if parts[0] == "tasks" and len(parts) > 3:
                return parts[2]
            tasks = rules.tasks_of_skill(context.content, parts[1]) if parts[0] == "skills" else []
            if tasks:
                return tasks[0].family
        if flagged.run:
            plan = LocalRuns(RunStore(context.data, context.clock)).plan(flagged.run)
            return context.content.task(plan.task).family
    except BadInput:
        pass
    return ""


def flagged_of(arguments: Mapping[str, object]) -> Flagged:
    """Out of a screen's arguments: ``family``, ``values``, ``anchors`` (file and line), ``run``, ``step``."""
    values, anchors, step = arguments.get("values"), arguments.get("anchors"), arguments.get("step")
    places = [one for one in anchors if isinstance(one, list | tuple)] if isinstance(anchors, list) else []
    return Flagged(
        str(arguments.get("family") or ""),
        {str(key): str(value) for key, value in values.items()} if isinstance(values, dict) else {},
        tuple((str(file), int(line)) for file, line in places),
        str(arguments.get("run") or ""),
        step if isinstance(step, int) else 0,
    )
