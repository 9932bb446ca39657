"""Two changed texts and what both began as: what agrees is merged, what does not is told place by place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from workbench.records import BadInput
from workbench.review.git_command import Git
from workbench.review.text_diff import text_lines
from workbench.store import atomic_write

_HEADING = re.compile(r"#{1,6}\s+(.*)")
_RUNS = re.compile(r"[<>=|]{7,}")


class Choice(StrEnum):
    """How a person settles a place."""

    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"
    BASE = "base"


@dataclass(frozen=True)
class Conflict:
    """A place where both sides differ: ``number`` from 1, texts of whole lines, the line of our text at which
    it begins, and the heading above it."""

    number: int
    base: str
    ours: str
    theirs: str
    line: int
    section: str

    @property
    def reason(self) -> str:
        """Why this is no merge that a machine may do."""
        if not self.base:
            return "both sides added text at the same place"
        if not self.ours:
            return "you removed lines that they changed"
        if not self.theirs:
            return "they removed lines that you changed"
        return "both sides changed the same lines"

    def settled(self, choice: Choice) -> str:
        """The text for a choice; ``both``: ours, then theirs."""
        both = self.ours + ("" if self.ours.endswith("\n") or not self.ours else "\n") + self.theirs
        return {Choice.OURS: self.ours, Choice.THEIRS: self.theirs, Choice.BASE: self.base}.get(choice, both)


@dataclass(frozen=True)
class MergedText:
    """Stretches in order: text that is agreed, and conflicts."""

    parts: tuple[str | Conflict, ...]

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(part for part in self.parts if isinstance(part, Conflict))

    def settled(self, choices: Mapping[int, Choice]) -> str:
        """The whole text. Raises BadInput naming the conflicts without a choice."""
        numbers = {conflict.number for conflict in self.conflicts}
        if open_ones := sorted(numbers - set(choices)):
            raise BadInput(
                f"not settled: {', '.join(map(str, open_ones))}",
                remedy="Choose for each: ours, theirs, both or base; or give the whole text.",
            )
        return "".join(
            part if isinstance(part, str) else part.settled(choices[part.number]) for part in self.parts
        )


def merge_texts(git: Git, scratch: Path, base: str, ours: str, theirs: str, *, first: int = 1) -> MergedText:
    """The merge that git makes of three texts. ``scratch``: a folder for three files; ``first``: the number
    of the first conflict.
    """
    size = max((len(run) for text in (base, ours, theirs) for run in _RUNS.findall(text)), default=6) + 1
    paths = [scratch / name for name in ("ours", "base", "theirs")]
    for path, text in zip(paths, (ours, base, theirs), strict=True):
        atomic_write(path, text)
    answer = git.run(
        *("merge-file", "-p", "--diff3", f"--marker-size={size}", "-L", "ours", "-L", "base", "-L", "theirs"),
        *map(str, paths),
        accept=range(128),
    )
    return MergedText(tuple(_parts(text_lines(answer.data.decode("utf-8")), size, first)))


def _parts(lines: Sequence[str], size: int, first: int) -> list[str | Conflict]:
    """``size`` is longer than any run of such characters in the texts, so that only git's marks have it."""
    begin, middle, divide, end = (mark * size for mark in "<|=>")
    parts: list[str | Conflict] = []
    held: dict[str, list[str]] = {"agreed": [], "ours": [], "base": [], "theirs": []}
    side, line, section = "agreed", 1, ""
    for text in lines:
        if text.startswith(begin):
            parts.append("".join(held["agreed"]))
            held, side = {name: [] for name in held}, "ours"
        elif text.startswith(middle):
            side = "base"
        elif text.startswith(divide):
            side = "theirs"
        elif text.startswith(end):
            number = first + sum(isinstance(part, Conflict) for part in parts)
            base, ours, theirs = ("".join(held[name]) for name in ("base", "ours", "theirs"))
            parts.append(Conflict(number, base, ours, theirs, line - len(held["ours"]), section))
            side = "agreed"
        else:
            held[side].append(text)
            line += side in ("agreed", "ours")
            if side == "agreed" and (heading := _HEADING.match(text)):
                section = heading[1].strip()
    return [*parts, "".join(held["agreed"])]
