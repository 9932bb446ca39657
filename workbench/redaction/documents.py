"""Outputs that show a text given to the agent, such as its instructions: not what tools found in data."""

from __future__ import annotations

import re

from workbench.records import Step, ToolCall, ToolKind

_NAME = re.compile(r"[\w.-]+\.(?:md|rst|sql|toml|py|sh)$", re.IGNORECASE)
_SHOWN = re.compile(
    r"(?:/bin/(?:ba)?sh -l?c ['\"])?(?:cat|less|more|nl -ba|head(?: -n)?(?: -?\d+)?|tail(?: -n)?(?: -?\d+)?"
    r"|sed -n ['\"]?\d+,\d+p['\"]?)\s+['\"]?(?P<path>[\w./-]+)['\"]{0,2}\s*"
)


class Documents:
    """Knows what the agent made itself: a file that it wrote may hold anything."""

    def __init__(self) -> None:
        self._made: set[str] = set()

    def shown_by(self, call: ToolCall | None) -> bool:
        """Whether the call shows one file of words or code, which no call before it spoke of."""
        if call is None:
            return False
        path = ""
        if call.kind is ToolKind.FILE_READ:
            path = call.path or ""
        elif call.kind is ToolKind.COMMAND and (match := _SHOWN.fullmatch((call.command or "").strip())):
            path = match["path"]
        name = path.rpartition("/")[2]
        return bool(_NAME.fullmatch(name)) and name not in self._made

    def went_by(self, step: Step) -> None:
        """Remember the files that a step's calls speak of, but for those that only show one."""
        for call in step.calls:
            if not self.shown_by(call):
                said = f"{call.command or ''} {call.path or ''} {call.content or ''}"
                self._made.update(re.findall(r"[\w-]+(?:\.[\w-]+)*\.(?:md|rst|sql|toml|py|sh)\b", said))
