"""All rules over a run: step by step while it streams, and once more over everything at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType

from workbench.contamination.material import HiddenMaterial
from workbench.contamination.rule import (
    SEVERITY,
    Action,
    CannotRun,
    LintRule,
    RunContext,
    StepContext,
    actions_of,
)
from workbench.contamination.rules import DEFAULT_RULES
from workbench.contamination.view import RunView
from workbench.records import Level, LintReport, Place, RuleOutcome, Step, Violation

IGNORED = "ignored by configuration"
"""The reason in the outcome of a rule that was left out: it never passes."""


class Lint:
    """The lint of one run; keeps what earlier steps said and made.

    A rule that breaks is reported as not run, with the error's class and never its text; the others go on.
    """

    def __init__(self, hidden: HiddenMaterial, rules: Sequence[LintRule] = DEFAULT_RULES) -> None:
        """``rules``: those to run, in order. Every other one gets an outcome that says it was not."""
        self._rules = rules
        self._context = RunContext(hidden)
        self._found: list[Violation] = []
        self._seen_steps: set[int] = set()
        self._broken: dict[str, str] = {}

    def check_step(self, step: Step) -> list[Violation]:
        """What the rules say of one step, in rule order. Call it in the order of the steps, once each."""
        self._seen_steps.add(step.number)
        context = StepContext(actions_of(step, self._context), self._context)
        found: list[Violation] = []
        for rule in self._rules:
            found += self._run(rule, partial(rule.check_step, step, context), Place(step=step.number))
        for action in context.actions:
            self._run(None, partial(_remembered, action), Place(step=step.number))
        self._found += found
        return found

    def check_run(self, view: RunView) -> LintReport:
        """The whole run: steps not seen yet, then files, output and egress.

        A statement about a file that a step already showed, at the same or a worse level, is not repeated.
        """
        for step in view.steps:
            if step.number not in self._seen_steps:
                self.check_step(step)
        said = {(item.rule, item.message, level) for item in self._found for level in _not_worse(item.level)}
        violations = list(self._found)
        for rule in self._rules:
            found = self._run(rule, partial(rule.check_run, view, self._context), Place())
            violations += [item for item in found if (item.rule, item.message, item.level) not in said]
        outcomes = [self._outcome(rule, violations) for rule in self._rules]
        given = {rule.name for rule in self._rules}
        outcomes += [
            RuleOutcome(rule=rule.name, version=rule.version, ran=False, reason=IGNORED)
            for rule in DEFAULT_RULES
            if rule.name not in given
        ]
        return LintReport(verdict=_verdict(outcomes), violations=violations, outcomes=outcomes)

    def _run(
        self, rule: LintRule | None, check: Callable[[], list[Violation]], place: Place
    ) -> list[Violation]:
        name = rule.name if rule else "lint"
        guard = _Guard()
        with guard:
            return check()
        reason = guard.reason
        first = name not in self._broken
        self._broken.setdefault(name, reason)
        if not first or rule is None:
            return []
        message = f"the rule could not be run: {reason}"
        return [Violation(rule=name, level=Level.NOT_RUN, message=message, place=place)]

    def _outcome(self, rule: LintRule, violations: Sequence[Violation]) -> RuleOutcome:
        name = rule.name
        own = [item.level for item in violations if item.rule == name]
        worst = next((level for level in SEVERITY if level in own), None)
        reason = self._broken.get(name) or self._broken.get("lint", "")
        partial = [item.message for item in violations if item.rule == name and item.level is Level.NOT_RUN]
        if not reason and partial:
            reason = partial[0]
        return RuleOutcome(rule=name, version=rule.version, ran=not reason, reason=reason, worst=worst)


class _Guard:
    """Holds any error of a rule back and keeps its class; the text of an error may carry values."""

    def __init__(self) -> None:
        self.reason = ""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if kind is None or not issubclass(kind, Exception):
            return False
        self.reason = str(error) if issubclass(kind, CannotRun) else kind.__name__
        return True


def _remembered(action: Action) -> list[Violation]:
    action.remember()
    return []


def _not_worse(level: Level) -> list[Level]:
    """A fail that was said covers a warn of the same words."""
    return SEVERITY[SEVERITY.index(level) :]


def _verdict(outcomes: Sequence[RuleOutcome]) -> str:
    worst = [item.worst for item in outcomes]
    if Level.FAIL in worst:
        return Level.FAIL.value
    if Level.QUARANTINE in worst:
        return Level.QUARANTINE.value
    if any(not item.ran for item in outcomes):
        return Level.NOT_RUN.value
    return Level.WARN.value if Level.WARN in worst else "clean"
