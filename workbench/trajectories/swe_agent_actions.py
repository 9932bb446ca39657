"""SWE-agent's actions: a command line, of which some are commands of its own that read and change files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from workbench.records import ToolCall, ToolKind
from workbench.trajectories.tool_kinds import QUOTED_LIMIT, made_calls
from workbench.trajectories.tool_tables import OPENHANDS

_LINES_REPLACED = re.compile(r"^edit\s+\d+:\d+\s*\n(.*?)(?:\n?end_of_edit\s*)?$", re.DOTALL)
_FLAG = "--"

Fields = dict[str, Any]


def action_call(action: str, call_id: str, open_file: str, folder: str) -> ToolCall:
    """The call that an action is; ``open_file``: the one that the editor had open when it came."""
    name = action.split(None, 1)[0] if action.strip() else ""
    kept: Fields = {"action": action} | ({"cwd": folder} if folder else {})
    own = _OWN.get(name)
    if own is None:
        return ToolCall(call_id=call_id, name="bash", kind=ToolKind.COMMAND, command=action, arguments=kept)
    fields = own(action, _words(action), open_file)
    return ToolCall(call_id=call_id, name=name, arguments=kept, **fields)


def _words(action: str) -> list[str]:
    """The words behind the command's name; none where they cannot be told apart."""
    if len(action) > QUOTED_LIMIT:
        return []
    try:
        return shlex.split(action)[1:]
    except ValueError:
        return []


def _at(words: list[str], index: int) -> str | None:
    return words[index] if index < len(words) else None


def _read(action: str, words: list[str], open_file: str) -> Fields:
    return {"kind": ToolKind.FILE_READ, "path": _at(words, 0) or open_file}


def _scroll(action: str, words: list[str], open_file: str) -> Fields:
    return {"kind": ToolKind.FILE_READ, "path": open_file}


def _search(action: str, words: list[str], open_file: str) -> Fields:
    return {"kind": ToolKind.SEARCH, "path": _at(words, 1) or ""}


def _create(action: str, words: list[str], open_file: str) -> Fields:
    return {"kind": ToolKind.FILE_CHANGE, "path": _at(words, 0) or "", "content": ""}


def _insert(action: str, words: list[str], open_file: str) -> Fields:
    return {"kind": ToolKind.FILE_CHANGE, "path": open_file, "content": _at(words, 0), "replaced": ""}


def _edit(action: str, words: list[str], open_file: str) -> Fields:
    """By line numbers, with the text up to ``end_of_edit``; in newer versions by search and replacement.

    What stood at the line numbers is not told; it is a part of the file in any case.
    """
    lines = _LINES_REPLACED.match(action.strip())
    if lines:
        return {"kind": ToolKind.FILE_CHANGE, "path": open_file, "content": lines[1], "replaced": ""}
    return {
        "kind": ToolKind.FILE_CHANGE,
        "path": open_file,
        "replaced": _at(words, 0) or "",
        "content": _at(words, 1),
    }


def _editor(action: str, words: list[str], open_file: str) -> Fields:
    """``str_replace_editor <what> <path> --option value …``"""
    given: dict[str, Any] = {"command": _at(words, 0), "path": _at(words, 1)}
    for name, value in pairwise(words[2:]):
        if name.startswith(_FLAG):
            given[name.removeprefix(_FLAG)] = value
    call = made_calls(OPENHANDS, "", "str_replace_editor", given)[0]
    return {"kind": call.kind, "path": call.path, "content": call.content, "replaced": call.replaced}


def _other(action: str, words: list[str], open_file: str) -> Fields:
    return {"kind": ToolKind.OTHER}


_OWN: Mapping[str, Callable[[str, list[str], str], Fields]] = {
    "open": _read,
    "goto": _scroll,
    "scroll_up": _scroll,
    "scroll_down": _scroll,
    "find_file": _search,
    "search_dir": _search,
    "search_file": _search,
    "create": _create,
    "insert": _insert,
    "edit": _edit,
    "str_replace_editor": _editor,
    "submit": _other,
    "exit_cost": _other,
    "exit_forfeit": _other,
}
