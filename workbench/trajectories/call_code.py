"""The code in a call: shell, Python and SQL, whatever the agent calls its tool and its arguments."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.patterns import Layers, command_layers, file_layers, resolve
from workbench.records import WORK_FOLDER, ToolCall, ToolKind

_COMMAND_ARGUMENTS = ("command", "cmd", "script", "input")
_CODE_ARGUMENTS = {
    "code": "cell.py",
    "python": "cell.py",
    "source": "cell.py",
    "new_source": "cell.py",
    "sql": "cell.sql",
    "query": "cell.sql",
}
CELLS = "/dev/cells"
"""Among the files of a run: the code of cells that ran before, whose names the next cell knows."""


def python_cell(call: ToolCall) -> str:
    """The Python that a tool which keeps its session is given; empty for other calls."""
    if call.command or call.content is not None:
        return ""
    found = (call.arguments.get(key) for key, name in _CODE_ARGUMENTS.items() if name == "cell.py")
    return next((text for text in found if isinstance(text, str)), "")


def call_layers(call: ToolCall, files: Mapping[str, str] | None = None) -> Layers:
    """Layers of code, outermost first. ``files``: texts that earlier steps wrote, by absolute path."""
    known = files or {}
    given = str(call.arguments.get("workdir") or call.arguments.get("cwd") or WORK_FOLDER)
    folder = resolve(given, WORK_FOLDER) or WORK_FOLDER
    if call.command:
        return command_layers(call.command, folder, known)
    if call.path and call.content is not None:
        return file_layers(call.path, call.content, folder)
    found: list[Layers] = []
    for key, value in call.arguments.items():
        text = " ".join(map(str, value)) if isinstance(value, list) else value
        if not isinstance(text, str) or call.kind in (ToolKind.FILE_READ, ToolKind.SEARCH):
            continue
        if key in _COMMAND_ARGUMENTS:
            found.append(command_layers(text, folder, known))
        elif key in _CODE_ARGUMENTS:
            before = known.get(CELLS, "") if _CODE_ARGUMENTS[key] == "cell.py" else ""
            found.append(file_layers(_CODE_ARGUMENTS[key], text, folder, known, before))
    return Layers(
        tuple(layer for item in found for layer in item.layers), all(item.complete for item in found)
    )
