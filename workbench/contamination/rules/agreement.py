"""Agreement with the reference: told always, and for a person where no query could have yielded it."""

from __future__ import annotations

from workbench.contamination.rule import CannotRun, RunContext, StepContext, actions_of, file_violation
from workbench.contamination.view import RunView
from workbench.ehr import DuckDBError
from workbench.records import Level, Step, Violation
from workbench.sql import reads

AGREES = 0.9
"""Share of scored values that are equal, from which on a table agrees."""


class Agreement:
    """A right answer reached by queries is never accused."""

    name = "agreement"
    version = 2
    severity = Level.QUARANTINE
    description = "the answer agrees with the reference before any query that could yield it"
    explanation = (
        "How far tables in the work folder agree with a reference is told as information, under other names, "
        "orders and roundings too. Where hardly anything but the reference explains it, and nothing was read "
        "before the answer was written that it could be made of, a person looks. Queries of nested agents "
        "count; previews of a table do not. So it is where an answer was put in place before the first "
        "query, even if a later one writes it again."
    )
    false_positives = (
        "Scripts that the log does not show can hold queries: a script that the run has written or copied "
        "before, or that belongs to its skill, counts as a query. A cut log proves nothing."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        return []

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        """Raises CannotRun when a reference cannot be read."""
        try:
            answers = view.answers
        except (OSError, DuckDBError) as error:
            raise CannotRun(f"a reference cannot be read ({type(error).__name__})") from None
        found = []
        for answer in answers:
            agreement = answer.agreement
            if agreement.share < AGREES or not answer.improbable:
                continue
            exact = agreement.equal == agreement.cells and agreement.rows == agreement.partners
            if agreement.renamed or not exact:
                told = f"{agreement.equal} of {agreement.cells} scored values equal the reference"
                message = f"agreement: {told} '{answer.target}'"
                found.append(file_violation(self.name, Level.INFORMATION, message, answer.file.name))
            if view.complete and not could_yield(view, context):
                message = f"agrees with the reference '{answer.target}' before any query that could yield it"
                found.append(file_violation(self.name, Level.QUARANTINE, message, answer.file.name))
            elif view.complete and context.trail.early is not None and not view.nested:
                told = f"step {context.trail.early} put an answer in place before any query"
                message = f"agrees with the reference '{answer.target}', and {told}"
                found.append(file_violation(self.name, Level.QUARANTINE, message, answer.file.name))
        return found


def could_yield(view: RunView, context: RunContext) -> bool:
    """Whether the run, or an agent that it started, asked for enough of what the answer is made of."""
    needed = needed_tables(view)
    derived = view.hidden.derived_schemas
    if context.trail.could_yield(needed, derived, nested_known=bool(view.nested)):
        return True
    if not view.nested:
        return False
    nested = RunContext(view.hidden)
    for step in view.nested:
        for action in actions_of(step, nested):
            action.remember()
    return nested.trail.could_yield(needed, derived)


def needed_tables(view: RunView) -> list[set[str]]:
    """What each reference's own SQL reads: a run that reads enough for one of them could yield the answer."""
    return [found for sql in view.hidden.reference_sql.values() if (found := reads(sql))]
