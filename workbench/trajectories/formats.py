"""Which reader a log needs, and reading it whole."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path

from workbench.records import BadInput, Step, TrajectorySummary, mark_length, open_regular
from workbench.trajectories.detect import (
    HEAD_BYTES,
    INSPECT_EVAL,
    PLAIN,
    detect_format,
    leading_format,
    wide_text,
)
from workbench.trajectories.document_reader import DocumentReader
from workbench.trajectories.line_reader import LineReader
from workbench.trajectories.reader import TrajectoryReader
from workbench.trajectories.readers.atif import AtifReader
from workbench.trajectories.readers.claude_session import ClaudeSessionReader
from workbench.trajectories.readers.claude_stream import ClaudeStreamReader
from workbench.trajectories.readers.codex_exec import CodexExecReader
from workbench.trajectories.readers.codex_rollout import CodexRolloutReader
from workbench.trajectories.readers.gemini_json import GeminiJsonReader
from workbench.trajectories.readers.gemini_session import GeminiSessionReader
from workbench.trajectories.readers.gemini_stream import GeminiStreamReader
from workbench.trajectories.readers.inspect_eval import InspectEvalReader, read_eval
from workbench.trajectories.readers.mini_swe_agent import MiniSweAgentReader
from workbench.trajectories.readers.openhands import OpenHandsReader
from workbench.trajectories.readers.plain import PlainReader
from workbench.trajectories.readers.swe_agent import SweAgentReader
from workbench.trajectories.readers.workbench import WorkbenchReader

AUTO = "auto"
PIECE_BYTES = 1024 * 1024
MOST_FILES = 1_000
"""Files of nested agents that are read of one log."""

_LINE_READERS: tuple[type[LineReader], ...] = (
    CodexExecReader, CodexRolloutReader, ClaudeStreamReader, ClaudeSessionReader, GeminiStreamReader,
    GeminiSessionReader, WorkbenchReader,
)  # fmt: skip
LINE_READERS = {reader.format: reader for reader in _LINE_READERS}
"""Formats of one event a line: they can be counted, marked and resumed."""
_DOCUMENT_READERS: tuple[type[DocumentReader], ...] = (
    AtifReader, GeminiJsonReader, MiniSweAgentReader, OpenHandsReader, SweAgentReader,
)  # fmt: skip
READERS: dict[str, Callable[[], TrajectoryReader]] = {
    **LINE_READERS,
    **{reader.format: reader for reader in _DOCUMENT_READERS},
    INSPECT_EVAL: InspectEvalReader,
    PLAIN: PlainReader,
}
FROM_PATH: dict[str, Callable[[Path], tuple[list[Step], TrajectorySummary]]] = {INSPECT_EVAL: read_eval}
"""Formats that need a file to seek in. Raise BadInput."""


class AutoReader:
    """Holds the head of a log back until its format shows, then reads like that format's reader."""

    def __init__(self) -> None:
        self._head = b""
        self._whole = 0
        self._reader: TrajectoryReader | None = None

    def feed(self, data: bytes) -> list[Step]:
        if self._reader is not None:
            return self._reader.feed(data)
        self._head += data
        whole = self._head.rfind(b"\n") + 1
        if whole == self._whole and len(self._head) < HEAD_BYTES:
            return []
        self._whole = whole
        found, settled = leading_format(self._head[:whole])
        if not settled and len(self._head) < HEAD_BYTES:
            return []
        return self._begin(found if settled else detect_format(self._head))

    def close(self) -> list[Step]:
        steps = [] if self._reader is not None else self._begin(detect_format(self._head))
        return steps + (self._reader.close() if self._reader is not None else [])

    def summary(self) -> TrajectorySummary:
        return (self._reader or PlainReader()).summary()

    def _begin(self, name: str) -> list[Step]:
        self._reader = READERS.get(name, PlainReader)()
        head, self._head = self._head, b""
        return self._reader.feed(head)


def open_reader(name: str) -> TrajectoryReader:
    """A reader for a format's name; ``auto`` tells it from the content. Raises BadInput."""
    if name == AUTO:
        return AutoReader()
    if name not in READERS:
        raise BadInput(
            f"unknown trajectory format {name!r}", remedy=f"Known formats: {', '.join([*READERS, AUTO])}."
        )
    return READERS[name]()


def log_files(path: Path) -> list[Path]:
    """The files that one log is made of: its main file, and those of nested agents beside it."""
    beside = path.with_suffix("") / "subagents"
    try:
        nested = sorted(islice(beside.rglob("agent-*.jsonl"), MOST_FILES))
    except OSError:
        nested = []
    return [path, *nested]


def read_log(path: Path, format: str = "") -> tuple[list[Step], TrajectorySummary]:
    """Read a log with all its files; without ``format``, told from its content.

    Raises BadInput where the main file cannot be read; a file beside it that cannot is left out.
    """
    return _read(log_files(path), format)


def read_trajectory(path: Path, format: str = "") -> tuple[list[Step], TrajectorySummary]:
    """Read one file; without ``format``, told from its content. Raises BadInput if it cannot be read.

    The mark of a run, before what its agent printed, is passed over.
    """
    return _read([path], format)


def _read(files: list[Path], format: str) -> tuple[list[Step], TrajectorySummary]:
    path = files[0]
    try:
        with open_regular(path) as file:
            head = file.read(HEAD_BYTES)
            head = head[mark_length(head) :]
            name = format if format and format != AUTO else format_of_head(head, path)
            if name in FROM_PATH:
                return FROM_PATH[name](path)
            reader = open_reader(name)
            steps = reader.feed(head)
            while piece := file.read(PIECE_BYTES):
                steps += reader.feed(piece)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    if isinstance(reader, ClaudeSessionReader):
        for nested in files[1:]:
            steps += _nested(reader, nested)
    steps += reader.close()
    return steps, reader.summary()


def _nested(reader: LineReader, path: Path) -> list[Step]:
    """The steps of a file beside the main one; none where it cannot be read."""
    steps = reader.next_file(path.name)
    with suppress(OSError), open_regular(path, follow_link=False) as file:
        while piece := file.read(PIECE_BYTES):
            steps += reader.feed(piece)
    return steps


def format_of_head(head: bytes, path: Path) -> str:
    """The format of a log that begins so. Raises BadInput for an encoding that is not read."""
    if wide_text(head):
        raise BadInput(
            "written in UTF-16, which is not read here",
            where=str(path),
            remedy="Write it in UTF-8, for example: iconv -f UTF-16 -t UTF-8.",
        )
    found = detect_format(head)
    return found if found in READERS or found in FROM_PATH else PLAIN
