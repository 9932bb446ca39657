"""Every skill at a glance: draft, in review, signed, stale, and what changed since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.catalog import Content
from workbench.records import Problem, ReviewVerdict, WorkbenchError
from workbench.review.adjudicating import state_of
from workbench.review.sign_offs import ReviewState, opened, sign_offs_of
from workbench.review.signed_content import ContentChange


@dataclass(frozen=True)
class SkillState:
    """``holding``: sign-offs that are not void; ``verdicts``: the open ones of them; ``changes``: what made
    others void, each file once (``UPSTREAM`` for the public code, the dictionary by its file).
    """

    skill: str
    state: ReviewState
    holding: int
    verdicts: Sequence[ReviewVerdict]
    changes: Sequence[ContentChange]

    @property
    def minutes(self) -> float | None:
        """Of the open verdicts together; None without any."""
        return sum(verdict.minutes for verdict in self.verdicts) if self.verdicts else None


def skill_states(content: Content) -> tuple[list[SkillState], list[Problem]]:
    """All skills by name; and those whose sign-offs cannot be read, with why."""
    found: list[SkillState] = []
    problems: list[Problem] = []
    for skill in content.skill_names():
        try:
            known = sign_offs_of(content, skill)
            verdicts = [item.verdict for item in opened(known) if item.verdict is not None]
            changes = {change: None for item in known for change in item.changes}
            found.append(
                SkillState(
                    skill,
                    state_of(content, skill),
                    sum(item.holds for item in known),
                    tuple(verdicts),
                    tuple(sorted(changes, key=lambda change: change.path)),
                )
            )
        except WorkbenchError as error:
            problems.append(Problem(what=error.what, where=error.where or skill, remedy=error.remedy))
    return found, problems
