"""What a streaming lint had no time for, and looks at again when the run has ended."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.records import Level, Place, Violation

MOST_TRIES = 3
"""A rule that took too long with so many steps is not tried on further ones."""


@dataclass
class Late:
    """Steps by rule. ``said``: what was told of them; ``everything``: what a step builds on was not read.

    ``last``: nobody looks at them again.
    """

    last: bool = False
    everything: bool = False
    said: list[Violation] = field(default_factory=list)
    _steps: dict[str, set[int]] = field(default_factory=dict)

    def put_off(self, rule: str, place: Place) -> Violation:
        """The rule took too long with a step."""
        steps = self._steps.setdefault(rule, set())
        steps.add(place.step or 0)
        given_up = len(steps) == MOST_TRIES
        if self.last:
            message = "the rule took too long with this step" + (
                " and was not tried on later ones" * given_up
            )
        else:
            also = " and at those after it" * given_up
            message = f"the rule took too long with this step: it looks at it{also} when the run has ended"
        said = Violation(rule=rule, level=Level.NOT_RUN, message=message, place=place)
        self.said.append(said)
        return said

    def given_up(self, rule: str, step: int) -> bool:
        """Whether the rule is not tried any more; then it is late with this step, too."""
        steps = self._steps.get(rule, set())
        if len(steps) < MOST_TRIES:
            return False
        steps.add(step)
        return True

    def steps_of(self, rule: str) -> set[int]:
        """Numbers of the steps that the rule has still to look at."""
        return self._steps.get(rule, set())
