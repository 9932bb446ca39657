"""The program's own log: rotating JSON lines with ids and counts, never a value from data.

What is written is closed: a fixed message, ids under known names, numbers, and of an error its class and the
places in the code. The text of an error is not written: it may carry what a file held.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import logging
import os
import re
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.records import DataPaths, WorkbenchError, utc_text
from workbench.store.files import private_folder

ID_NAMES = frozenset(
    {
        "agent", "cell", "command", "concept", "condition", "database", "family", "recording", "revision",
        "rule", "run", "sandbox", "skill", "source", "stage", "state", "table", "target", "task", "verdict",
    }
)  # fmt: skip
"""What may be named in ``ids``."""

_MESSAGE = re.compile(r"[a-z][a-z ,-]{0,79}")
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,99}|[0-9]{8}t[0-9]{6}[a-z0-9-]*|[0-9a-f]{16,64}")
_COUNT_NAME = re.compile(r"(?!.*_id$)[a-z][a-z0-9_]{0,39}")
_WITHHELD = "(withheld)"
_FILE_BYTES = 1_000_000
_OLD_FILES = 4
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC

_open: dict[Path, logging.Logger] = {}


def get_log(data: DataPaths) -> logging.Logger:
    """The log below ``data.logs``; ``extra={"ids": {...}, "counts": {...}}`` carries what is told.

    A log that cannot be written never stops the work.
    """
    folder = data.logs.absolute()
    if folder not in _open:
        log = logging.Logger("workbench", level=logging.INFO)
        log.addHandler(_Handler(folder))
        _open[folder] = log
    return _open[folder]


class _Handler(logging.Handler):
    """Appends under a lock, so that several processes share the files and rotate them once."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._file = folder / "workbench.jsonl"

    def emit(self, record: logging.LogRecord) -> None:
        line = json.dumps(_document(record)).encode() + b"\n"
        with contextlib.suppress(OSError, WorkbenchError):
            private_folder(self._folder)
            with os.fdopen(os.open(self._folder / ".lock", _FLAGS, 0o600), "ab") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if self._file.exists() and self._file.stat().st_size + len(line) > _FILE_BYTES:
                    self._rotate()
                descriptor = os.open(self._file, _FLAGS, 0o600)
                try:
                    os.write(descriptor, line)
                finally:
                    os.close(descriptor)

    def _rotate(self) -> None:
        names = [self._file, *(self._folder / f"workbench.{age}.jsonl" for age in range(1, _OLD_FILES + 1))]
        for newer, older in reversed(list(itertools.pairwise(names))):
            if newer.exists():
                newer.replace(older)


def _document(record: logging.LogRecord) -> dict[str, Any]:
    message = record.msg if isinstance(record.msg, str) and not record.args else ""
    document: dict[str, Any] = {
        "at": utc_text(datetime.fromtimestamp(record.created, UTC)),
        "level": record.levelname.lower(),
        "pid": record.process,
        "message": message if _MESSAGE.fullmatch(message) else _WITHHELD,
        "ids": _ids(getattr(record, "ids", None)),
        "counts": _counts(getattr(record, "counts", None)),
    }
    if record.exc_info and record.exc_info[0] is not None:
        document["error"] = record.exc_info[0].__name__
        frames = traceback.extract_tb(record.exc_info[2])
        document["places"] = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return document


def _ids(given: object) -> dict[str, str]:
    if not isinstance(given, dict):
        return {}
    return {
        name: value if isinstance(value, str) and _ID.fullmatch(value) else _WITHHELD
        for name, value in given.items()
        if name in ID_NAMES
    }


def _counts(given: object) -> dict[str, int | float]:
    if not isinstance(given, dict):
        return {}
    return {
        name: value
        for name, value in given.items()
        if isinstance(name, str) and _COUNT_NAME.fullmatch(name) and isinstance(value, int | float)
    }
