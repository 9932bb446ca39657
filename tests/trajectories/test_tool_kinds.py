"""What tools of known agents do: commands without their shell, edits one by one, patches file by file."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.records import ToolKind
from workbench.trajectories.patches import patch_edits, patched_files
from workbench.trajectories.tool_kinds import CLAUDE, CODEX, GEMINI, Tools, call_count, made_calls, unwrapped

from .line_logs import PATCH


@pytest.mark.parametrize(
    ("tools", "name", "arguments", "expected"),
    [
        (CLAUDE, "Bash", {"command": "ls"}, (ToolKind.COMMAND, "ls", None, None, None)),
        (CLAUDE, "Read", {"file_path": "f"}, (ToolKind.FILE_READ, None, "f", None, None)),
        (CLAUDE, "Write", {"file_path": "f", "content": ""}, (ToolKind.FILE_CHANGE, None, "f", "", None)),
        (CLAUDE, "Task", {"prompt": "p"}, (ToolKind.AGENT, None, None, None, None)),
        (CLAUDE, "str_replace_based_edit_tool", {"command": "create", "path": "f", "file_text": "x"},
         (ToolKind.FILE_CHANGE, None, "f", "x", None)),
        (CLAUDE, "str_replace_based_edit_tool", {"command": "view", "path": "f"},
         (ToolKind.FILE_READ, None, "f", None, None)),
        (CLAUDE, "NotebookEdit", {"notebook_path": "n", "new_source": "x"},
         (ToolKind.FILE_CHANGE, None, "n", "x", "")),
        (CLAUDE, "mcp__db__query", {"sql": "SELECT 1"}, (ToolKind.OTHER, None, None, None, None)),
        (CLAUDE, "mcp__shell__run", {"command": "ls"}, (ToolKind.COMMAND, "ls", None, None, None)),
        (CODEX, "shell", {"command": ["bash", "-c", "a;b"]}, (ToolKind.COMMAND, "a;b", None, None, None)),
        (CODEX, "shell", {"command": ["ls", "a b"]}, (ToolKind.COMMAND, "ls 'a b'", None, None, None)),
        (CODEX, "shell", {"command": "bash -lc 'pwd'"}, (ToolKind.COMMAND, "pwd", None, None, None)),
        (CODEX, "exec_command", {"cmd": "pwd"}, (ToolKind.COMMAND, "pwd", None, None, None)),
        (CODEX, "shell", "not json", (ToolKind.COMMAND, None, None, None, None)),
        (GEMINI, "replace", {"file_path": "f", "old_string": "a", "new_string": "b"},
         (ToolKind.FILE_CHANGE, None, "f", "b", "a")),
        (GEMINI, "google_web_search", {"query": "q"}, (ToolKind.WEB, None, None, None, None)),
    ],
)  # fmt: skip
def test_one_call(tools: Tools, name: str, arguments: Any, expected: tuple[Any, ...]) -> None:
    [call] = made_calls(tools, "1", name, arguments)
    assert (call.kind, call.command, call.path, call.content, call.replaced) == expected
    assert call.arguments == (arguments if isinstance(arguments, dict) else {"value": arguments})


def test_several_edits_are_several_calls_of_one_id() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]
    given_ = {"file_path": "f", "edits": edits}
    calls = made_calls(CLAUDE, "1", "MultiEdit", given_)
    assert [(call.call_id, call.path, call.replaced, call.content) for call in calls] == [
        ("1", "f", "a", "b"),
        ("1", "f", "c", "d"),
    ]
    assert [call.arguments for call in calls] == [given_, {}]


def test_a_patch_is_a_call_for_each_file() -> None:
    calls = made_calls(CODEX, "1", "apply_patch", {"input": PATCH})
    assert [(call.path, call.replaced, call.content) for call in calls] == [
        ("a.sql", None, "SELECT 1;\n"),
        ("b.py", "x\ny\n", "x\nz\n"),
    ]
    moved = (
        "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+*** Add File: no\n*** Delete File: c\n"
    )
    assert patch_edits(moved) == [("b", "*** Add File: no\n", "x\n"), ("c", None, None)]
    assert patch_edits("no patch") == []


ARGUMENTS = st.one_of(
    st.none(),
    st.text(),
    st.dictionaries(
        st.sampled_from(["command", "cmd", "edits", "input", "path", "file_path", "content"]),
        st.one_of(
            st.none(),
            st.integers(),
            st.text(),
            st.sampled_from(["view", PATCH, "*** Add File: x", "*** Delete File: y\n*** Add File: z\n+1"]),
            st.lists(st.one_of(st.text(), st.dictionaries(st.just("new_string"), st.text())), max_size=4),
        ),
    ),
)


@given(st.sampled_from([CLAUDE, CODEX, GEMINI]), ARGUMENTS, st.data())
def test_the_count_is_that_of_the_calls_made(tools: Tools, arguments: Any, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([*tools, "unknown"]))
    assert call_count(tools, name, arguments) == len(made_calls(tools, "1", name, arguments))


@given(st.text())
def test_patches_are_counted_as_they_are_cut(patch: str) -> None:
    assert patched_files(patch) == len(patch_edits(patch))


@given(st.text(alphabet="ab '\"\\\n\t$`é|;#", max_size=14))
def test_the_shell_is_taken_off_as_a_shell_reads_words(line: str) -> None:
    command = "bash -lc " + line
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    assert unwrapped(command) == (words[2] if len(words) == 3 else command)
