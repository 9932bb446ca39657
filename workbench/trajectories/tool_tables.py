"""Tools of agents that are known from whole-document logs, and the tools of an agent by its name."""

from __future__ import annotations

from workbench.records import ToolKind
from workbench.trajectories.tool_kinds import CLAUDE, CODEX, EDITOR, GEMINI, Tool, Tools

_COMMAND = Tool(ToolKind.COMMAND, command=("command", "cmd", "input"))
_WEB = Tool(ToolKind.WEB)
_AGENT = Tool(ToolKind.AGENT)
_PATH = ("path", "file_path", "filename", "file")

OPENHANDS: Tools = {
    "execute_bash": _COMMAND,
    "terminal": _COMMAND,
    "str_replace_editor": EDITOR,
    "file_editor": EDITOR,
    "edit_file": Tool(ToolKind.FILE_CHANGE, path=_PATH, content=("content",), inserts=True),
    "browser": _WEB,
    "browse": _WEB,
    "delegate": _AGENT,
    "delegate_to_browsing_agent": _AGENT,
}

INSPECT: Tools = {
    "bash": _COMMAND,
    "bash_session": Tool(ToolKind.COMMAND, command=("input",)),
    "text_editor": EDITOR,
    "read_file": Tool(ToolKind.FILE_READ, path=_PATH),
    "list_files": Tool(ToolKind.SEARCH, path=("path",)),
    "grep": Tool(ToolKind.SEARCH, path=("path",)),
    "web_search": _WEB,
    "web_browser_go": _WEB,
    "web_browser_click": _WEB,
    "web_browser_type": _WEB,
    "web_browser_type_submit": _WEB,
    "web_browser_scroll": _WEB,
    "web_browser_back": _WEB,
    "web_browser_forward": _WEB,
    "web_browser_refresh": _WEB,
    "task": _AGENT,
}

ALL_TOOLS: Tools = {**CODEX, **GEMINI, **INSPECT, **OPENHANDS, **CLAUDE}
"""For logs whose agent may be any."""

_BY_AGENT = (("claude", CLAUDE), ("codex", CODEX), ("gemini", GEMINI), ("openhands", OPENHANDS))


def tools_of(agent: str) -> Tools:
    """The tools of an agent, told by the beginning of its name; all known tools where that is none known."""
    known = agent.lower()
    return next((tools for name, tools in _BY_AGENT if known.startswith(name)), ALL_TOOLS)
