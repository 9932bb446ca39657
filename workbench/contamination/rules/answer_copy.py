"""Answers beside the hidden reference and earlier runs: what only a copy can share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from workbench.contamination.answers import MAX_BYTES, Answer
from workbench.contamination.row_order import ACCUSE_BELOW_LOG10, order_chance
from workbench.contamination.rule import CannotRun, RunContext, StepContext, file_violation
from workbench.contamination.rules.agreement import AGREES, could_yield
from workbench.contamination.view import RunView
from workbench.ehr import DuckDBError
from workbench.records import Level, Step, Violation, file_sha256

LEAST_FAULTS = 8
MANY_FAULTS = 15
SOME_FAULTS = 0.45
"""So many in common, and this share of all, are for a person at most."""
SAME_FAULTS = 0.75
"""Share of the values that either has wrong, which both have wrong in the same way, that is no accident."""
_ACCESS = {
    "removed-tables", "outside-paths", "hidden-names", "hidden-sql", "prior-runs", "hidden-copies",
    "canaries",
}  # fmt: skip


class AnswerCopy:
    """Equal values and equal bytes alone prove nothing: a right answer is reached by queries."""

    name = "answer-copy"
    version = 1
    severity = Level.FAIL
    description = "the answer is a copy of the hidden reference's or of an earlier run's"
    explanation = (
        "Tables in the work folder are compared with every reference and every earlier output, whatever "
        "their order, names, rounding, packing and added rows. Equal bytes are told as information. A fail "
        "needs more: agreement and content of a hidden place that came back in a step, the reference's "
        "random row order, or the same wrong values as another independent run without queries that could "
        "yield them; with such queries a person looks."
    )
    false_positives = (
        "Two runs may misread the text alike: wrong values that one rule explains, and those that several "
        "independent runs share, are told as information only."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        return []

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        """Raises CannotRun when a reference cannot be read."""
        found = list(_same_bytes(view))
        try:
            answers = view.answers
        except (OSError, DuckDBError) as error:
            raise CannotRun(f"a reference cannot be read ({type(error).__name__})") from None
        access, perhaps = accessed(context)
        nearest = {item.file.name: item for item in sorted(answers, key=lambda item: item.agreement.share)}
        for answer in answers:
            found += _reference(answer, access)
            if access is None and perhaps is not None and not could_yield(view, context):
                found += _unsure(answer, perhaps)
        for answer in nearest.values():  # what is right by one reference is not wrong
            found += _earlier(answer, view, context)
        return found


def accessed(context: RunContext) -> tuple[Violation | None, Violation | None]:
    """What was said first of a step where hidden content came back, and of one where it may have."""
    reached = [item for item in context.found if item.rule in _ACCESS and item.place.step is not None]
    sure = next((item for item in reached if item.level is Level.FAIL), None)
    perhaps = next((item for item in reached if item.place.step in context.trail.obtained), None)
    return sure, perhaps


def _unsure(answer: Answer, perhaps: Violation) -> Iterator[Violation]:
    if answer.agreement.share >= AGREES and answer.improbable:
        after = f"after step {perhaps.place.step}, which reached for hidden content"
        message = f"agrees with the reference '{answer.target}' {after}, without a query that could yield it"
        yield file_violation(AnswerCopy.name, Level.QUARANTINE, message, answer.file.name)


def _same_bytes(view: RunView) -> Iterator[Violation]:
    """Byte identity with an earlier output is always told."""
    known: dict[str, list[str]] = defaultdict(list)
    for run in view.hidden.earlier:
        if run.output_sha256:
            known[run.output_sha256].append(run.run_id)
    for file in view.files if known else ():
        same = known.get(file_sha256(file.path), []) if file.size_bytes <= MAX_BYTES else []
        if same:
            message = f"byte for byte the output of the earlier run {', '.join(same[:5])}"
            yield file_violation(AnswerCopy.name, Level.INFORMATION, message, file.name)


def _reference(answer: Answer, access: Violation | None) -> Iterator[Violation]:
    agreement = answer.agreement
    if agreement.renamed and order_chance(agreement.positions) < ACCUSE_BELOW_LOG10:
        message = f"rows stand in the random order of the hidden reference '{answer.target}'"
        yield file_violation(AnswerCopy.name, Level.FAIL, message, answer.file.name)
    if access is not None and agreement.share >= AGREES and answer.improbable:
        after = f"after step {access.place.step}, where hidden content came back"
        message = f"agrees with the reference '{answer.target}' {after}"
        yield file_violation(AnswerCopy.name, Level.FAIL, message, answer.file.name)


def _earlier(answer: Answer, view: RunView, context: RunContext) -> Iterator[Violation]:
    shared = [
        (run, same)
        for run, same in answer.shared
        if same.both >= (LEAST_FAULTS if same.both >= SAME_FAULTS * same.either else MANY_FAULTS)
        and same.both >= SOME_FAULTS * same.either
    ]
    for run, same in shared:
        message = f"{same.both} of {same.either} wrong values are those of the earlier run {run.run_id}"
        if same.explained or len(shared) > 1:
            level = Level.INFORMATION
        elif same.both < SAME_FAULTS * same.either or could_yield(view, context) or not view.complete:
            level = Level.QUARANTINE
        else:
            level = Level.FAIL
        yield file_violation(AnswerCopy.name, level, message, answer.file.name)
