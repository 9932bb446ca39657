"""What a tool of a known agent does: its name and arguments into calls of the normal form.

One table for each family of agents. A tool that no table knows is a command if it takes one, else ``other``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.records import ToolCall, ToolKind
from workbench.trajectories.patches import FileEdit, patch_edits, patched_files
from workbench.trajectories.values import plain_json, text_of

QUOTED_LIMIT = 256 * 1024
"""Characters of a command line that are split by shell rules; a longer one stays as it is."""

_WRAPPER = re.compile(r"^(?:\S*/)?(?:ba|z|da)?sh -l?c ", re.ASCII)
_BLANKS = " \t\r\n"
_PIECE = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^ \t\r\n'"\\]+)""", re.DOTALL)
_DOUBLE_ESCAPE = re.compile(r"""\\(["\\])""")
_SHELL = re.compile(r"^(?:\S*/)?(?:ba|z|da)?sh$", re.ASCII)


@dataclass(frozen=True)
class Tool:
    """What one tool does, and the names of the arguments that say on what; the first one there counts.

    ``edits``: an argument with a list of objects, each an edit of its own. ``patch``: an argument with a
    patch over several files. ``selector``: an argument whose value says which of ``choices`` it is.
    ``inserts``: the content is put into a file and takes the place of nothing.
    """

    kind: ToolKind
    command: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    edits: str = ""
    patch: str = ""
    inserts: bool = False
    selector: str = ""
    choices: Mapping[str, Tool] = field(default_factory=dict)


Tools = Mapping[str, Tool]

_COMMAND = Tool(ToolKind.COMMAND, command=("command", "cmd"))
_PATH = ("file_path", "path", "absolute_path", "filePath", "filename", "file")
_READ = Tool(ToolKind.FILE_READ, path=_PATH)
_SEARCH = Tool(ToolKind.SEARCH, path=("path", "dir_path", "directory"))
_WEB = Tool(ToolKind.WEB)
_AGENT = Tool(ToolKind.AGENT)
_WRITE = Tool(ToolKind.FILE_CHANGE, path=_PATH, content=("content", "file_text", "contents"))
_EDIT = Tool(
    ToolKind.FILE_CHANGE, path=_PATH, content=("new_string", "new_str"), replaced=("old_string", "old_str")
)
EDITOR = Tool(
    ToolKind.OTHER,
    selector="command",
    choices={
        "view": _READ,
        "create": _WRITE,
        "str_replace": _EDIT,
        "insert": Tool(ToolKind.FILE_CHANGE, path=_PATH, content=("new_str", "insert_text"), inserts=True),
        "undo_edit": Tool(ToolKind.FILE_CHANGE, path=_PATH),
        "delete": Tool(ToolKind.FILE_CHANGE, path=_PATH),
    },
)
"""The editor of several agents whose ``command`` says what it does to a file."""

CLAUDE: Tools = {
    "Bash": _COMMAND,
    "bash": _COMMAND,
    "PowerShell": _COMMAND,
    "Monitor": _COMMAND,
    "BashOutput": Tool(ToolKind.OTHER),
    "KillShell": Tool(ToolKind.OTHER),
    "Read": _READ,
    "NotebookRead": Tool(ToolKind.FILE_READ, path=("notebook_path",)),
    "Write": _WRITE,
    "Edit": _EDIT,
    "MultiEdit": Tool(_EDIT.kind, path=_PATH, content=_EDIT.content, replaced=_EDIT.replaced, edits="edits"),
    "NotebookEdit": Tool(
        ToolKind.FILE_CHANGE, path=("notebook_path",), content=("new_source",), inserts=True
    ),
    "str_replace_editor": EDITOR,
    "str_replace_based_edit_tool": EDITOR,
    "Glob": _SEARCH,
    "Grep": _SEARCH,
    "LS": _SEARCH,
    "WebFetch": _WEB,
    "WebSearch": _WEB,
    "web_search": _WEB,
    "web_fetch": _WEB,
    "Task": _AGENT,
    "Agent": _AGENT,
}

CODEX: Tools = {
    "shell": _COMMAND,
    "shell_command": _COMMAND,
    "local_shell": _COMMAND,
    "local_shell_call": _COMMAND,
    "container.exec": _COMMAND,
    "exec_command": _COMMAND,
    "write_stdin": Tool(ToolKind.OTHER),
    "unified_exec": Tool(ToolKind.COMMAND, command=("input",)),
    "apply_patch": Tool(ToolKind.FILE_CHANGE, patch="input"),
    "read_file": _READ,
    "view_image": _READ,
    "list_dir": Tool(ToolKind.SEARCH, path=("dir_path",)),
    "grep_files": _SEARCH,
    "web_search": _WEB,
    "web_search_call": _WEB,
    "spawn_agent": _AGENT,
    "send_input": _AGENT,
}

GEMINI: Tools = {
    "run_shell_command": _COMMAND,
    "read_file": _READ,
    "read_many_files": Tool(ToolKind.FILE_READ),
    "write_file": _WRITE,
    "replace": _EDIT,
    "edit": _EDIT,
    "glob": _SEARCH,
    "list_directory": _SEARCH,
    "search_file_content": _SEARCH,
    "grep_search": _SEARCH,
    "web_fetch": _WEB,
    "google_web_search": _WEB,
    "delegate_to_agent": _AGENT,
    "codebase_investigator": _AGENT,
}


def unwrapped(command: str) -> str:
    """The command inside ``bash -lc '…'``, or the command itself."""
    wrapper = _WRAPPER.match(command) if len(command) <= QUOTED_LIMIT else None
    if wrapper is None:
        return command
    at = len(command) - len(command[wrapper.end() :].lstrip(_BLANKS))
    word = []
    for piece in _PIECE.finditer(command, at):
        if piece.start() != at:
            break
        at = piece.end()
        single, double, escaped, bare = piece.groups()
        word.append(single or _DOUBLE_ESCAPE.sub(r"\1", double or "") or escaped or bare or "")
    return "".join(word) if word and not command[at:].strip(_BLANKS) else command


def made_calls(tools: Tools, call_id: str, name: str, arguments: object) -> list[ToolCall]:
    """One call of a tool, or one for each file or edit where it makes several; all have its id.

    The arguments stand with the first.
    """
    given = arguments if isinstance(arguments, dict) else {}
    tool = _tool(tools, name, given)
    kept = plain_json(given) if isinstance(arguments, dict) else {"value": plain_json(arguments)}
    edits = _edits(tool, given)
    if edits:
        return [
            ToolCall(
                call_id=call_id,
                name=name,
                kind=tool.kind,
                path=edit.path,
                content=edit.content,
                replaced=edit.replaced,
                arguments={} if index else kept,
            )
            for index, edit in enumerate(edits)
        ]
    return [
        ToolCall(
            call_id=call_id,
            name=name,
            kind=tool.kind,
            command=_command(_first(tool.command, given)) if tool.kind is ToolKind.COMMAND else None,
            path=_text(_first(tool.path, given)),
            content=_text(_first(tool.content, given)),
            replaced="" if tool.inserts else _text(_first(tool.replaced, given)),
            arguments=kept,
        )
    ]


def call_count(tools: Tools, name: str, arguments: object) -> int:
    """How many calls ``made_calls`` makes of these."""
    given = arguments if isinstance(arguments, dict) else {}
    tool = tools.get(name)
    if tool is not None and tool.patch:
        return max(patched_files(text_of(given.get(tool.patch))), 1)
    if tool is not None and tool.edits:
        return max(len(_edits(tool, given)), 1)
    return 1


def _tool(tools: Tools, name: str, given: Mapping[str, Any]) -> Tool:
    tool = tools.get(name)
    if tool is None:
        takes_command = ("command" in given or "cmd" in given) and not any(key in given for key in _PATH)
        return _COMMAND if takes_command else Tool(ToolKind.OTHER)
    if tool.selector:
        return tool.choices.get(text_of(given.get(tool.selector)), tool)
    return tool


def _edits(tool: Tool, given: Mapping[str, Any]) -> list[FileEdit]:
    if tool.patch:
        return patch_edits(text_of(given.get(tool.patch)))
    edits = given.get(tool.edits) if tool.edits else None
    if not isinstance(edits, list):
        return []
    path = _text(_first(tool.path, given)) or ""
    return [
        FileEdit(path, _text(_first(tool.content, edit)), _text(_first(tool.replaced, edit)))
        for edit in edits
        if isinstance(edit, dict)
    ]


def _first(names: tuple[str, ...], given: Mapping[str, Any]) -> object:
    return next((given[name] for name in names if given.get(name) is not None), None)


def _text(value: object) -> str | None:
    return None if value is None else text_of(value)


def _command(value: object) -> str | None:
    """A command line; a list of words is joined, and the shell around a command is taken off."""
    if isinstance(value, list):
        words = [text_of(word) for word in value]
        if len(words) == 3 and _SHELL.match(words[0]) and words[1] in ("-c", "-lc"):
            return words[2]
        return shlex.join(words)
    return None if value is None else unwrapped(text_of(value))
