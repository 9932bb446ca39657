"""How far reviewers agree, over all skills that two or more have opened verdicts of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.records import ReviewVerdict


@dataclass(frozen=True)
class Agreement:
    """Of one question: ``skills`` with two or more answers, ``pairs`` of answers to the same skill, how many
    are equal, and Krippendorff's alpha for nominal answers; None where all answers there are are the same.
    """

    question: str
    skills: int
    pairs: int
    equal: int
    alpha: float | None


def agreement(verdicts: Sequence[Sequence[ReviewVerdict]]) -> list[Agreement]:
    """One row a question; ``verdicts``: of each skill those that hold and are open."""
    rows = []
    for question in ("decision", "definition_source", "task_framing", "plausibility"):
        answers = [
            [str(getattr(verdict, question)) for verdict in unit] for unit in verdicts if len(unit) > 1
        ]
        pairs = sum(len(unit) * (len(unit) - 1) // 2 for unit in answers)
        equal = sum(count * (count - 1) // 2 for unit in answers for count in Counter(unit).values())
        rows.append(Agreement(question, len(answers), pairs, equal, krippendorff_alpha(answers)))
    return rows


def krippendorff_alpha(units: Sequence[Sequence[str]]) -> float | None:
    """Krippendorff's alpha for nominal data: 1 - observed / expected disagreement.

    ``units``: the answers of each, whoever gave them; units of one answer do not count. None where no two
    different answers are to be had by chance. Source: Krippendorff, Content Analysis (2004), chapter 11.
    """
    paired = [unit for unit in units if len(unit) > 1]
    totals = Counter(answer for unit in paired for answer in unit)
    number = sum(totals.values())
    observed = sum(
        sum(count * (len(unit) - count) for count in Counter(unit).values()) / (len(unit) - 1)
        for unit in paired
    )
    expected = sum(count * (number - count) for count in totals.values())
    return None if expected == 0 else 1.0 - observed * (number - 1) / expected
