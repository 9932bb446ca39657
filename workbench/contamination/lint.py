"""All rules over a run: step by step while it streams, and once more over everything at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType

from workbench.contamination.late import Late
from workbench.contamination.limit import Overdue, TimeLimit
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
from workbench.patterns import visible
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
        self._late = Late()

    def check_step(self, step: Step, limit: TimeLimit | None = None) -> list[Violation]:
        """What the rules say of one step, in rule order. Call it in the order of the steps, once each.

        A rule that takes longer than ``limit`` is not run on this step, says so, and looks at it again in
        ``check_run``.
        """
        self._seen_steps.add(step.number)
        context = StepContext(actions_of(step, self._context), self._context)
        place = Place(step=step.number)
        found: list[Violation] = []
        for rule in self._rules:
            if limit is not None and self._late.given_up(rule.name, step.number):
                continue
            try:
                found += self._run(rule, partial(rule.check_step, step, context), place, limit)
            except Overdue:
                found.append(self._late.put_off(rule.name, place))
        try:
            for action in context.actions:
                self._run(None, partial(_remembered, action), place, limit)
        except Overdue:
            self._late.everything = True
        self._found += found
        self._context.found += found
        return found

    def check_run(self, view: RunView, limit: TimeLimit | None = None) -> LintReport:
        """The whole run: steps not seen yet, those of nested agents, then files, output and egress.

        A statement about a file that a step already showed, at the same or a worse level, is not repeated.
        A rule that takes longer than ``limit``, with a step or with the whole run, is not run.
        """
        self._catch_up(view, limit)
        for step in view.steps:
            if step.number not in self._seen_steps:
                self.check_step(step, limit)
        self._look_at_nested(view, limit)
        said = {(item.rule, item.message, level) for item in self._found for level in _not_worse(item.level)}
        violations = list(self._found)
        for rule in self._rules:
            try:
                found = self._run(rule, partial(rule.check_run, view, self._context), Place(), limit)
            except Overdue:
                message = "the rule took too long with the whole run"
                found = [Violation(rule=rule.name, level=Level.NOT_RUN, message=message)]
            violations += [item for item in found if (item.rule, item.message, item.level) not in said]
        outcomes = [self._outcome(rule, violations) for rule in self._rules]
        given = {rule.name for rule in self._rules}
        outcomes += [
            RuleOutcome(rule=rule.name, version=rule.version, ran=False, reason=IGNORED)
            for rule in DEFAULT_RULES
            if rule.name not in given
        ]
        return LintReport(verdict=verdict_of(outcomes), violations=violations, outcomes=outcomes)

    def _look_at_nested(self, view: RunView, limit: TimeLimit | None) -> None:
        """Steps out of nested agents' own logs: a statement is about the log, and says which step of it."""
        nested = Lint(view.hidden, self._rules)
        nested._late = Late(last=True)
        nested._context.take_over(self._context)
        for step in view.nested:
            for item in nested.check_step(step, limit):
                message = f"nested agent, step {step.number}: {item.message}"
                place = Place(file=visible(step.agent or "its log"))
                self._found.append(item.model_copy(update={"message": message, "place": place}))
        self._broken = nested._broken | self._broken

    def _catch_up(self, view: RunView, limit: TimeLimit | None) -> None:
        """Steps that a rule had no time for, each with what was known of the run when it was made."""
        late, self._late = self._late, Late(last=True)
        for rule in self._rules:
            steps = late.steps_of(rule.name)
            if not steps and not late.everything:
                continue
            again = Lint(view.hidden, [rule])
            again._late = Late(last=True)
            mine = [item for item in self._found if item.rule == rule.name]
            for step in view.steps:
                found = again.check_step(step, limit)
                if late.everything or step.number in steps:
                    self._found += [item for item in found if item not in mine]
            self._broken |= again._broken
        self._found = [item for item in self._found if item not in late.said]

    def _run(
        self,
        rule: LintRule | None,
        check: Callable[[], list[Violation]],
        place: Place,
        limit: TimeLimit | None = None,
    ) -> list[Violation]:
        name = rule.name if rule else "lint"
        guard = _Guard()
        with guard:
            return check() if limit is None else limit.within(check)
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


def verdict_of(outcomes: Sequence[RuleOutcome]) -> str:
    """The worst of fail, quarantine, not-run, warn, else ``clean``."""
    worst = [item.worst for item in outcomes]
    if Level.FAIL in worst:
        return Level.FAIL.value
    if Level.QUARANTINE in worst:
        return Level.QUARANTINE.value
    if any(not item.ran for item in outcomes):
        return Level.NOT_RUN.value
    return Level.WARN.value if Level.WARN in worst else "clean"
