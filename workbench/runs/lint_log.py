"""A log of any agent linted without a recorded run: what steps alone can show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.contamination import (
    IGNORED,
    READABLE,
    WRITABLE,
    HiddenMaterial,
    Lint,
    PartialView,
    ThinMaterial,
    TimeLimit,
    lint_rules,
    verdict_of,
    work_places,
)
from workbench.ehr import concept_sql_of, concept_texts
from workbench.ehr.task_files import removed_tables
from workbench.records import (
    WORK_FOLDER,
    Level,
    LintReport,
    Mode,
    RuleOutcome,
    SchemaVariant,
    Step,
    Task,
    Thresholds,
    Violation,
)
from workbench.runs.context import Context
from workbench.runs.material import other_names
from workbench.runs.relint import RULE_LIMIT_S

NO_RUN = "needs a recorded run: a log alone does not have it"
STEPS_ONLY = "looked at the steps alone: files, output, egress and score need a recorded run"
NO_TASK = "needs to know which task the log is of: name it with --task"
_NOT_EXPECTED = (NO_RUN, STEPS_ONLY, NO_TASK)
_OF_RUN = (
    "reference_files", "condition", "skills", "earlier", "run_canaries",
)  # fmt: skip
_OF_TASK = ("task", "removed_tables", "reference_sql", "public_sql", "column_names", "other_names")
_OF_VIEW = ("collected", "output", "egress", "egress_valid", "home", "score")


def lint_log(
    context: Context,
    steps: Sequence[Step],
    *,
    complete: bool = True,
    task: str = "",
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> LintReport:
    """What the selected rules (none named: all) say of the steps of a log.

    ``task``: the id of the one that the log is of, under the published names; without one no table is known
    to be hidden. Rules that need more are told as not run. Raises BadInput.
    """
    rules = lint_rules(select, ignore)
    known = _known(context, task) | _at_home(steps)
    outcomes: list[RuleOutcome] = []
    found: list[Violation] = []
    with TimeLimit(RULE_LIMIT_S) as limit:
        for rule in rules:
            hidden = ThinMaterial(**known)  # of its own: what one rule worked out is not seen by another
            report = Lint(hidden, [rule]).check_run(_view(steps, hidden, complete=complete), limit)
            outcome = next(item for item in report.outcomes if item.rule == rule.name)
            if hidden.asked and (outcome.ran or outcome.reason == STEPS_ONLY):
                reason = NO_TASK if NO_TASK in hidden.asked else NO_RUN
                outcome = outcome.model_copy(update={"ran": False, "reason": reason})
            said = [item for item in report.violations if not _says_only_that(item)]
            looked = not outcome.ran and (outcome.reason == STEPS_ONLY or bool(said))
            outcomes.append(outcome.model_copy(update={"steps_only": looked}))
            found += said
    given = {rule.name for rule in rules}
    outcomes += [
        RuleOutcome(rule=rule.name, version=rule.version, ran=False, reason=IGNORED)
        for rule in lint_rules()
        if rule.name not in given
    ]
    found.sort(key=lambda item: item.place.step or 0)
    return LintReport(verdict=verdict_of(outcomes), violations=found, outcomes=outcomes)


def _view(steps: Sequence[Step], hidden: HiddenMaterial, *, complete: bool) -> PartialView:
    return PartialView(
        steps=steps,
        collected=None,
        output=None,
        egress=[],
        egress_valid=True,
        hidden=hidden,
        complete=complete,
        absent=dict.fromkeys(_OF_VIEW, STEPS_ONLY),
    )


def _at_home(steps: Sequence[Step]) -> dict[str, Any]:
    """Fields of ``ThinMaterial``: a foreign agent's own working folder is its place, as ours is for a run."""
    own = work_places(steps)
    return {
        "work_folders": (WORK_FOLDER, *own),
        "allowed_reads": (*READABLE, *own),
        "allowed_writes": (*WRITABLE, *own),
    }


def not_expected(reason: str) -> bool:
    """Whether a rule did not run for want of a recorded run or of a task, as it must be with a log alone."""
    return reason in _NOT_EXPECTED


def _says_only_that(violation: Violation) -> bool:
    """Whether it repeats what the outcome of its rule says."""
    return violation.level is Level.NOT_RUN and violation.message.endswith(_NOT_EXPECTED)


def _known(context: Context, name: str) -> dict[str, Any]:
    """The fields of ``ThinMaterial``."""
    absent = dict.fromkeys(_OF_RUN, NO_RUN)
    if not name:
        absent |= dict.fromkeys(_OF_TASK, NO_TASK)
        return {"task": _PLACEHOLDER, "removed_tables": [], "absent": absent}
    task = context.content.task(name)
    concepts = concept_sql_of(task.database, context.data, context.concepts_folder)
    return {
        "task": task,
        "removed_tables": removed_tables(task, concepts),
        "reference_sql": {
            target.name: context.content.reference_sql(task.family, target.name, task.database)
            for target in task.targets
        },
        "public_sql": concept_texts(concepts, task.reference_concept),
        "column_names": {},
        "other_names": other_names(context.content, task, SchemaVariant.NATIVE),
        "absent": absent,
    }


_PLACEHOLDER = Task.model_construct(
    id="none", family="none", title="none", database="mimic-iv", mode=Mode.STANDARD, keys=[],
    scored_columns=[], value_columns=[], skills=[], decoy_skill="",
    thresholds=Thresholds(key_coverage=1.0, column_accuracy=1.0), removed_tables=[],
)  # fmt: skip
"""Stands where a task must be; whoever asks for it is told that there is none."""
