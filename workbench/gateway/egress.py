"""The egress log: one line a request, each holding the hash of the line before, the last one closing."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path
from typing import Any

from workbench.records import GENESIS, BadInput, Clock, EgressRecord, WorkbenchError, read_regular


class EgressLog:
    """Appends to a new file, mode 0600; every line is on disk before ``write`` returns."""

    def __init__(self, path: Path, clock: Clock) -> None:
        """Raises WorkbenchError if the file exists or cannot be made."""
        self._clock = clock
        self._guard = threading.Lock()
        self._sequence = 0
        self._previous = GENESIS
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._file = os.open(path, flags, 0o600)
        except OSError as error:
            raise WorkbenchError(
                f"the egress log cannot be made ({error.strerror})", where=str(path)
            ) from None

    @property
    def head(self) -> str:
        """Hash of the last line."""
        return self._previous

    @property
    def lines(self) -> int:
        """How many lines were written."""
        return self._sequence

    def write(self, **values: Any) -> None:
        """Append one line; ``values`` are fields of EgressRecord."""
        with self._guard:
            record = EgressRecord(
                sequence=self._sequence + 1, at=self._clock.now(), previous=self._previous, **values
            )
            record = record.model_copy(update={"hash": line_hash(record)})
            data = record.to_json(indent=None).encode() + b"\n"
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
            self._sequence, self._previous = record.sequence, record.hash

    def close(self, reason: str = "") -> None:
        """The closing line; nothing can be added after it."""
        self.write(method="-", path="-", allowed=True, reason=reason, closing=True)
        os.close(self._file)


def line_hash(record: EgressRecord) -> str:
    """The hash that a record must carry."""
    return hashlib.sha256(record.model_copy(update={"hash": ""}).to_json(indent=None).encode()).hexdigest()


def read_egress(path: Path) -> list[EgressRecord]:
    """The lines as they are, unverified. Raises BadInput naming a line that is no record."""
    records = []
    for number, line in enumerate(_read(path).splitlines(), start=1):
        records.append(EgressRecord.from_json(line, f"{path}, line {number}"))
    return records


def verify_egress(path: Path) -> tuple[bool, str]:
    """Whether nothing was edited, removed, added or reordered since; else which line shows it."""
    try:
        data = _read(path)
    except BadInput as error:
        return False, error.what
    previous = GENESIS
    closed = False
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        try:
            record = EgressRecord.from_json(line, "")
        except BadInput:
            return False, f"line {number} is not a record"
        if closed:
            return False, f"line {number} follows the closing line"
        if record.sequence != number or record.previous != previous:
            return False, f"line {number} does not follow the line before it"
        if record.hash != line_hash(record) or line != record.to_json(indent=None).encode():
            return False, f"line {number} was changed"
        previous, closed = record.hash, record.closing
    if not data.endswith(b"\n") and data:
        return False, "the last line is cut"
    return (True, "") if closed else (False, "the closing line is missing")


def _read(path: Path) -> bytes:
    try:
        return read_regular(path)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
