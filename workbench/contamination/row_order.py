"""Whether rows stand in the private reference's random order: a proof by counting, or nothing.

The reference's order is random and unknown to the agent, so the positions of an honest output's rows in it
are a random permutation, whatever the output is sorted by. For a random permutation of n rows, the chance
that some k of them stand in rising order is at most C(n, k) / k!: each set of k rises with chance 1 / k!.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

MAX_ROWS = 200_000
"""Rows of the output that are looked at, from its beginning."""
ACCUSE_BELOW_LOG10 = -12.0
"""Log10 of the chance below which the order is no accident."""


def longest_rising(positions: Sequence[int]) -> int:
    """Length of the longest strictly rising subsequence; n log n."""
    tails: list[int] = []
    for position in positions:
        place = bisect_left(tails, position)
        if place == len(tails):
            tails.append(position)
        else:
            tails[place] = position
    return len(tails)


def log10_chance(rows: int, rising: int) -> float:
    """Upper bound of the log10 chance that ``rising`` of ``rows`` rows stand so by accident."""
    if rising > rows or rows < 1:
        return 0.0
    chosen = math.lgamma(rows + 1) - math.lgamma(rising + 1) - math.lgamma(rows - rising + 1)
    return min(0.0, (chosen - math.lgamma(rising + 1)) / math.log(10))


def order_chance(positions: Sequence[int]) -> float:
    """Log10 chance of an order this close to the reference's, forwards or backwards, by accident."""
    longest = max(longest_rising(positions), longest_rising([-position for position in positions]))
    return min(0.0, log10_chance(len(set(positions)), longest) + math.log10(2))
