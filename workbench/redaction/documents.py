"""Outputs that show a text given to the agent, such as its instructions: not what tools found in data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.records import Step, ToolCall, ToolKind

_ENDS = r"(?:md|rst|sql|toml|ya?ml|py|sh|r|js|tsx?|ini|cfg|html|css)"
_NAME = re.compile(rf"[\w.-]+\.{_ENDS}$", re.IGNORECASE)
_ENDING = re.compile(rf"\.{_ENDS}\b", re.IGNORECASE)
_BEFORE_ENDING = re.compile(r"[\w-]+(?:\.[\w-]+){0,4}$")
LONGEST_NAME = 200
"""Characters."""
_PARTS = re.compile(r"\s*(?:&&|;|\n)\s*")
_SHOWN = re.compile(
    r"(?:cat|less|more|nl -ba|head(?: -n)?(?: -?\d+)?|tail(?: -n)?(?: -?\d+)?|sed -n ['\"]?\d+,\d+p['\"]?)"
    r"\s+(?P<paths>['\"]?[\w./-]+['\"]?(?:\s+[\w./-]+){0,20})(?:\s*\|\s*(?:head|tail)(?: -n)? ?-?\d*)?"
)
_SILENT = re.compile(r"(?:cd|pwd|ls|echo|wc|true|set)\b[^|<>$`]*")
LONGEST = 2_000
"""Characters of a command; a longer one does more than show files."""


class Documents:
    """Knows what the agent made itself: a file that it wrote may hold anything."""

    def __init__(self) -> None:
        self._made: set[str] = set()

    def shown_by(self, call: ToolCall | None) -> bool:
        """Whether the call shows only files of words or code, of which no call before it spoke."""
        if call is None:
            return False
        names = [path.rpartition("/")[2].strip("'\"") for path in _paths(call)]
        return bool(names) and all(_NAME.fullmatch(name) and name not in self._made for name in names)

    def went_by(self, step: Step) -> None:
        """Remember the files that a step's calls speak of, but for those that only show one."""
        for call in step.calls:
            if not self.shown_by(call):
                said = f"{call.command or ''} {call.path or ''} {call.content or ''}"
                self._made.update(_written(said))


def _written(said: str) -> Iterator[str]:
    """Names of files in a text: the ending first, which is rare, then what stands before it."""
    for ending in _ENDING.finditer(said):
        if before := _BEFORE_ENDING.search(said[max(ending.start() - LONGEST_NAME, 0) : ending.start()]):
            yield before[0] + ending[0]


def _paths(call: ToolCall) -> list[str]:
    """The files that a call shows; none where it does anything else."""
    if call.kind is ToolKind.FILE_READ:
        return [call.path or ""]
    if call.kind is not ToolKind.COMMAND or len(call.command or "") > LONGEST:
        return []
    found: list[str] = []
    for part in _PARTS.split((call.command or "").strip()):
        if match := _SHOWN.fullmatch(part):
            found += match["paths"].split()
        elif not _SILENT.fullmatch(part):
            return []
    return found
