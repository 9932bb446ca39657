"""Formats told from their content, however little of it there is and however it is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.records import BadInput
from workbench.trajectories import detect_format, read_log
from workbench.trajectories.detect import leading_format, wide_text

from .line_logs import CLAUDE_EVENTS, MADE_UP, SAMPLES, real

TIME = "2026-01-01T00:00:00Z"
MINI = {
    "info": {"mini_version": "1.1", "model_stats": {}},
    "messages": [],
    "trajectory_format": "mini-swe-agent-1",
}
DOCUMENTS: list[tuple[str, Any]] = [
    ("gemini-json", {"response": "done", "stats": {"models": {}, "tools": {}}}),
    ("gemini-json", {"session_id": "s", "error": {"type": "FatalInputError", "message": "m", "code": 42}}),
    ("gemini-session", {"sessionId": "s", "projectHash": "h", "startTime": TIME, "messages": []}),
    ("atif", {"schema_version": "ATIF-v1.7", "agent": {"name": "a", "version": "1"}, "steps": []}),
    ("swe-agent", {"trajectory": [{"action": "ls", "observation": "", "response": ""}], "history": []}),
    ("swe-agent", {"environment": "swe_main", "trajectory": [], "history": []}),
    ("mini-swe-agent", MINI),
    ("mini-swe-agent", [{"role": "system", "content": "x"}, {"role": "user", "content": "y"}]),
    ("openhands", {"instance_id": "i", "test_result": {}, "instruction": "x", "history": []}),
    ("claude-stream", CLAUDE_EVENTS),
    ("claude-stream", {"type": "result", "subtype": "success", "num_turns": 1, "result": "done"}),
]  # fmt: skip


@pytest.mark.parametrize("name", MADE_UP)
def test_formats_of_lines(name: str) -> None:
    assert detect_format(MADE_UP[name]) == name


@pytest.mark.parametrize(("name", "document"), DOCUMENTS)
@pytest.mark.parametrize("indent", [None, 2], ids=["one line", "pretty"])
@pytest.mark.parametrize(
    "before", [b"", b"\xef\xbb\xbf", b"Loaded cached credentials.\n\n"], ids=["", "mark", "text"]
)
def test_documents(name: str, document: Any, indent: int | None, before: bytes) -> None:
    assert detect_format(before + json.dumps(document, indent=indent).encode()) == name


def test_one_huge_line_is_told_from_its_head() -> None:
    lines = {
        "openhands": {"instance_id": "i", "test_result": {"git_patch": "x" * 200_000}, "history": []},
        "swe-agent": {"trajectory": [{"action": "ls", "observation": "x" * 200_000}]},
        "gemini-json": {"response": "x" * 200_000, "stats": {"models": {}}},
        "codex-exec": {"type": "item.completed", "item": {"id": "1", "aggregated_output": "x" * 200_000}},
        "claude-stream": CLAUDE_EVENTS * 100,
    }
    for name, document in lines.items():
        assert detect_format(json.dumps(document).encode()) == name


@pytest.mark.parametrize(
    ("first", "name"),
    [
        ({"type": "error", "message": "quota"}, "codex-exec"),
        ({"type": "error", "severity": "error", "message": "quota", "timestamp": TIME}, "gemini-stream"),
        ({"type": "error", "severity": "error", "message": "quota"}, "gemini-stream"),
    ],
)
def test_an_error_alone_is_weak_evidence(first: dict[str, str], name: str) -> None:
    line = json.dumps(first).encode() + b"\n"
    assert leading_format(line) == (name, False)
    for other in ("codex-exec", "gemini-stream", "claude-stream"):
        assert detect_format(line + MADE_UP[other]) == other


def test_one_line_of_most_formats_settles_it() -> None:
    assert leading_format(b'{"type":"thread.started","thread_id":"1"}\n') == ("codex-exec", True)
    assert leading_format(MADE_UP["claude-stream"].split(b"\n")[0]) == ("claude-stream", True)
    assert leading_format(b"nothing known\n") == ("plain", False)


def test_damage_around_events_does_not_hide_them() -> None:
    for name, data in MADE_UP.items():
        assert detect_format(b'\0\0{"type":\n[[[[\n{}\n[]\nnull\n' + data[7:]) == name


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(SAMPLES.rglob("*")) if path.is_file() and path.parent != SAMPLES],
    ids=lambda path: path.name[:30],
)
def test_real_logs_in_whole_and_from_two_kilobytes(path: Path) -> None:
    data, name = real(f"{path.parent.name}/{path.name}"), path.parent.name.replace("_", "-")
    assert leading_format(data) == (name, True)
    assert detect_format(data[:2000]) == name


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_in_words(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(MADE_UP["codex-exec"].decode().encode(encoding))
    assert wide_text(path.read_bytes())
    with pytest.raises(BadInput, match=r"log.jsonl.*UTF-16(?s:.*)iconv"):
        read_log(path)


def test_text_and_packed_files_are_not_taken_for_utf_16() -> None:
    for data in (
        b"",
        b"a",
        bytes(64),
        b"PK\x03\x04\x00\x00\x00\x00" * 8,
        "日本".encode() * 30,
        MADE_UP["codex-exec"],
    ):
        assert not wide_text(data)
