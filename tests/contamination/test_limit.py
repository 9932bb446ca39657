"""Rules that take too long: ended while the run streams, told, and looked at again at its end."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

import pytest

from workbench.contamination import HiddenMaterial, Lint, RunContext, RunView, StepContext, TimeLimit
from workbench.contamination.late import MOST_TRIES
from workbench.contamination.limit import Overdue
from workbench.records import Level, Place, Step, Violation

StepMaker = Callable[..., Step]
LIMIT_S = 0.05


def busy() -> int:
    count = 0
    while True:
        count += 1


def test_a_look_in_time_gives_what_it_found() -> None:
    with TimeLimit(LIMIT_S) as limit:
        assert [limit.within(lambda number=number: number) for number in range(100)] == list(range(100))
        with pytest.raises(KeyError):
            limit.within(lambda: {}["missing"])


def test_a_look_that_hangs_is_ended_and_the_next_one_is_not() -> None:
    with TimeLimit(LIMIT_S) as limit:
        for _ in range(3):
            began = time.monotonic()
            with pytest.raises(Overdue):
                limit.within(busy)
            assert time.monotonic() - began < 20 * LIMIT_S
            assert limit.within(lambda: "well") == "well"


def test_no_handler_of_errors_keeps_it_going() -> None:
    def stubborn() -> None:
        while True:
            with contextlib.suppress(Exception):
                busy()

    with TimeLimit(LIMIT_S) as limit, pytest.raises(Overdue):
        limit.within(stubborn)


def test_nothing_is_ended_after_its_look() -> None:
    """Looks that take about as long as they may: each ends or is ended, and nothing comes behind it."""
    ended = 0
    with TimeLimit(0.01) as limit:
        for number in range(150):
            pause = 0.006 + 0.012 * (number % 10) / 10
            try:
                limit.within(lambda pause=pause: time.sleep(pause))
            except Overdue:
                ended += 1
            sum(range(2000))  # here it would hit
    assert 0 < ended < 150


def test_only_the_thread_that_looks_is_ended() -> None:
    told: list[str] = []

    def other() -> None:
        until = time.monotonic() + 6 * LIMIT_S
        while time.monotonic() < until:
            sum(range(100))
        told.append("whole")

    thread = threading.Thread(target=other)
    thread.start()
    with TimeLimit(LIMIT_S) as limit, pytest.raises(Overdue):
        limit.within(busy)
    thread.join()
    assert told == ["whole"]


class SlowAtFirst:
    """Hangs at the given steps the first time that it sees them; says how many tables the agent made."""

    name, version, severity = "slow", 1, Level.WARN
    description = explanation = false_positives = "x"

    def __init__(self, *slow: int) -> None:
        self._slow = set(slow)

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        if step.number in self._slow:
            self._slow.remove(step.number)
            busy()
        message = f"{len(context.run.own)} tables before"
        return [Violation(rule=self.name, level=Level.WARN, message=message, place=Place(step=step.number))]

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        return []


class Quick(SlowAtFirst):
    name = "quick"


@pytest.fixture
def streamed(
    hidden: HiddenMaterial, command_step: StepMaker
) -> Callable[[SlowAtFirst, int], tuple[list[Violation], list[Violation], bool]]:
    """What was said while a run of so many steps streamed, and at its end; and whether the rule ran."""

    def stream(rule: SlowAtFirst, count: int) -> tuple[list[Violation], list[Violation], bool]:
        steps = [
            command_step(number, f"duckdb own.db -c 'CREATE TABLE t{number} AS SELECT 1'")
            for number in range(1, count + 1)
        ]
        lint = Lint(hidden, [rule, Quick()])
        with TimeLimit(LIMIT_S) as limit:
            shown = [item for step in steps for item in lint.check_step(step, limit)]
            report = lint.check_run(RunView(steps, None, None, [], True, hidden), limit)
        outcome = next(item for item in report.outcomes if item.rule == rule.name)
        return shown, report.violations, outcome.ran

    return stream


def said(violations: list[Violation], rule: str = "slow") -> list[tuple[int | None, str, str]]:
    return sorted(
        (item.place.step or 99, item.level.value, item.message.split(":")[0])
        for item in violations
        if item.rule == rule
    )


def test_what_took_too_long_is_told_and_looked_at_again(streamed: Callable[..., tuple]) -> None:
    shown, at_end, ran = streamed(SlowAtFirst(2), 3)
    assert said(shown) == [
        (1, "warn", "0 tables before"),
        (2, "not-run", "the rule took too long with this step"),
        (3, "warn", "2 tables before"),
    ]
    assert said(at_end) == [(number, "warn", f"{number - 1} tables before") for number in (1, 2, 3)]
    assert ran
    assert said(shown, "quick") == said(at_end, "quick") == said(at_end)


def test_a_rule_that_is_always_slow_is_given_up_until_the_end(streamed: Callable[..., tuple]) -> None:
    shown, at_end, ran = streamed(SlowAtFirst(*range(1, MOST_TRIES + 1)), 29)
    assert said(shown) == [
        (number, "not-run", "the rule took too long with this step") for number in range(1, MOST_TRIES + 1)
    ]
    assert "those after it" in [item for item in shown if item.rule == "slow"][-1].message
    assert said(at_end) == [(number, "warn", f"{number - 1} tables before") for number in range(1, 30)]
    assert ran


class Hanging(SlowAtFirst):
    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        return [] if step.number < 3 else [self] * busy()

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        return [self] * busy()


def test_a_rule_that_hangs_to_the_end_did_not_run(streamed: Callable[..., tuple]) -> None:
    shown, at_end, ran = streamed(Hanging(), 29)
    assert [number for number, *_ in said(shown)] == [3, 4, 5]
    assert [(number, level) for number, level, _ in said(at_end)[:3]] == [
        (number, "not-run") for number in (3, 4, 5)
    ]
    last = [item.message for item in at_end if item.rule == "slow"]
    assert last[-2:] == [
        "the rule took too long with this step and was not tried on later ones",
        "the rule took too long with the whole run",
    ]
    assert not ran
    assert len(said(at_end, "quick")) == 29


def test_a_rule_that_breaks_at_the_second_look_did_not_run(streamed: Callable[..., tuple]) -> None:
    class Broken(SlowAtFirst):
        def check_step(self, step: Step, context: StepContext) -> list[Violation]:
            if step.number == 2 and not self._slow:
                raise RuntimeError("x")
            return super().check_step(step, context)

    shown, at_end, ran = streamed(Broken(2), 3)
    assert said(shown)[1] == (2, "not-run", "the rule took too long with this step")
    assert said(at_end)[1] == (2, "not-run", "the rule could not be run")
    assert not ran


def test_what_steps_build_on_is_read_again_where_that_took_too_long(
    hidden: HiddenMaterial, command_step: StepMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.contamination.rule import Action

    slow, remember = [1], Action.remember

    def remembered(action: Action) -> None:
        if slow:
            slow.pop()
            busy()
        remember(action)

    monkeypatch.setattr(Action, "remember", remembered)
    steps = [command_step(1, "duckdb own.db -c 'CREATE TABLE t AS SELECT 1'"), command_step(2, "ls", "x")]
    lint = Lint(hidden, [Quick()])
    with TimeLimit(LIMIT_S) as limit:
        shown = [item for step in steps for item in lint.check_step(step, limit)]
    assert said(shown, "quick")[1] == (2, "warn", "0 tables before")
    report = lint.check_run(RunView(steps, None, None, [], True, hidden))
    assert (2, "warn", "1 tables before") in said(report.violations, "quick")
