"""Two logs side by side: which steps of one do what steps of the other do, in the order of both."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process

from workbench.records import Step, ToolCall, ToolKind

ALIKE = 0.5
"""Steps that are less alike are not set beside each other."""
LONGEST = 600
"""Characters of what two steps do that are compared for likeness."""
MOST_CELLS = 1_000_000
"""Of one stretch between steps that are the same in both; of a longer one no pairs are searched."""
_NOT_THE_SAME = 0.99
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class StepPair:
    """Steps that stand side by side; ``left`` or ``right`` is None where there is no like one.

    ``likeness``: from 0 to 1; 1 where both do the same word by word, whatever came back.
    """

    left: Step | None
    right: Step | None
    likeness: float

    @property
    def sign(self) -> str:
        """``=`` the same, ``~`` alike, ``<`` only left, ``>`` only right."""
        if self.left is None or self.right is None:
            return ">" if self.left is None else "<"
        return "=" if self.likeness == 1.0 else "~"


def pair_steps(left: Sequence[Step], right: Sequence[Step]) -> list[StepPair]:
    """Every step of both once, each in its log's order.

    Steps that are the same and occur once in both hold the logs together; between two of these, those pairs
    are chosen that are most alike in sum. A step of the agent is never beside one of the user.
    """
    words = [_does(step) for step in left], [_does(step) for step in right]
    pairs: list[StepPair] = []
    begin = (0, 0)
    for here, there in [*_anchors(*words), (len(left), len(right))]:
        pairs += _stretch(left[begin[0] : here], right[begin[1] : there], words[0][begin[0] : here],
                          words[1][begin[1] : there])  # fmt: skip
        if here < len(left):
            pairs.append(StepPair(left[here], right[there], 1.0))
        begin = (here + 1, there + 1)
    return pairs


def headline(step: Step) -> str:
    """What a step does, on one line: its first command, file or message; neither inert nor cut."""
    for call in step.calls:
        text = _call_words(call)
        more = f" (+{len(step.calls) - 1})" if len(step.calls) > 1 else ""
        return _SPACE.sub(" ", text[:LONGEST]).strip() + more
    text = step.message or step.reasoning or " ".join(item.text[:LONGEST] for item in step.observations)
    return _SPACE.sub(" ", text[:LONGEST]).strip()


def _does(step: Step) -> str:
    """Who acts, and what is done, without what came back, numbers of calls and spacing."""
    parts = [_call_words(call) for call in step.calls] or [step.message or step.reasoning]
    return f"{step.source} {_SPACE.sub(' ', ' '.join(parts)).strip()}"


def _call_words(call: ToolCall) -> str:
    if call.kind is ToolKind.COMMAND and call.command is not None:
        return call.command
    told = (call.path or "", call.content or "", *(f"{value}" for value in call.arguments.values()))
    return " ".join([call.name, *(part for part in told if part)])


def _anchors(left: list[str], right: list[str]) -> list[tuple[int, int]]:
    """Places of texts that occur once in each, the longest run of them that rises in both."""
    once = _once(left), _once(right)
    shared = sorted((place, once[1][text]) for text, place in once[0].items() if text in once[1])
    return _rising(shared)


def _once(texts: list[str]) -> dict[str, int]:
    counted = Counter(texts)
    return {text: place for place, text in enumerate(texts) if counted[text] == 1}


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part in which the second number rises, too (patience sorting)."""
    tails: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (_, there) in enumerate(pairs):
        pile = bisect_left(tails, there)
        before.append(last[pile - 1] if pile else -1)
        if pile == len(tails):
            tails.append(there)
            last.append(at)
        else:
            tails[pile], last[pile] = there, at
    found: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _stretch(
    left: Sequence[Step], right: Sequence[Step], words: list[str], others: list[str]
) -> Iterator[StepPair]:
    chosen = _most_alike(words, others) if words and others and len(words) * len(others) <= MOST_CELLS else []
    begin = (0, 0)
    for here, there, likeness in [*chosen, (len(words), len(others), 0.0)]:
        yield from (StepPair(step, None, 0.0) for step in left[begin[0] : here])
        yield from (StepPair(None, step, 0.0) for step in right[begin[1] : there])
        if here < len(words):
            yield StepPair(left[here], right[there], likeness)
        begin = (here + 1, there + 1)


def _most_alike(words: list[str], others: list[str]) -> list[tuple[int, int, float]]:
    """Pairs in rising order whose likeness is greatest in sum, each at least ``ALIKE``."""
    begins = [[text[:LONGEST] for text in side] for side in (words, others)]
    alike = process.cdist(*begins, scorer=fuzz.ratio, score_cutoff=100 * ALIKE, dtype=np.float32) / 100
    speakers = [[text.split(" ", 1)[0] for text in side] for side in (words, others)]
    alike[np.array(speakers[0])[:, None] != np.array(speakers[1])[None, :]] = 0.0
    best = np.zeros((len(words) + 1, len(others) + 1), dtype=np.float32)
    for row, likeness in enumerate(alike):
        diagonal = np.where(likeness > 0, best[row, :-1] + likeness, 0)
        best[row + 1, 1:] = np.maximum.accumulate(np.maximum(best[row, 1:], diagonal))
    chosen = []
    row, column = len(words), len(others)
    while row and column:
        if best[row, column] == best[row - 1, column]:
            row -= 1
        elif best[row, column] == best[row, column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            same = words[row] == others[column]
            chosen.append((row, column, 1.0 if same else min(float(alike[row, column]), _NOT_THE_SAME)))
    return chosen[::-1]
