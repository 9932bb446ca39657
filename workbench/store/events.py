"""The event log of one run: appended by its process, followed by any other."""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from workbench.records import (
    BadInput,
    Clock,
    FinishedEvent,
    NoteEvent,
    RunEvent,
    RunResult,
    StageEvent,
    Step,
    StepEvent,
    SystemClock,
    Violation,
    ViolationEvent,
    open_regular,
    read_regular,
)
from workbench.store.files import writing

_EVENT: TypeAdapter[RunEvent] = TypeAdapter(RunEvent)
_SYNC_AFTER_S = 1.0
_POLL_S = 0.05
_PIECE_BYTES = 1024 * 1024
MOST_LINE_BYTES = 16 * 1024 * 1024
"""A line above is as if it were damaged: parsed, it takes several times its size."""
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
_SURROGATE = re.compile("[\ud800-\udfff]")


class EventLog:
    """Appends events as JSON lines; several threads may call it.

    Every line reaches the kernel at once (a killed process loses none); a stage and the end are on disk when
    the call returns, other events at most a second later. Going on after a torn line starts a new
    line. Raises Unavailable if the disk is full or read-only.
    """

    def __init__(self, path: Path, clock: Clock | None = None) -> None:
        self.path = path
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        known = _bytes(path)
        self._sequence = _last_sequence(known)
        self._torn = bool(known) and not known.endswith(b"\n")
        with writing(path):
            self._descriptor = os.open(path, _FLAGS, 0o600)

    def stage(self, name: str, state: Literal["begin", "end"], detail: str = "") -> None:
        """A stage begins or ends."""
        with self._lock:
            self._append(StageEvent(**self._head(), stage=name, state=state, detail=detail), durable=True)

    def step(self, step: Step) -> None:
        """The agent completed a step."""
        with self._lock:
            self._append(StepEvent(**self._head(), step=step))

    def violation(self, violation: Violation) -> None:
        """The lint says something."""
        with self._lock:
            self._append(ViolationEvent(**self._head(), violation=violation))

    def note(self, text: str) -> None:
        """Something a person should see."""
        with self._lock:
            self._append(NoteEvent(**self._head(), text=text))

    def finished(self, result: RunResult) -> None:
        """The last event."""
        with self._lock:
            self._append(FinishedEvent(**self._head(), result=result), durable=True)

    def close(self) -> None:
        """Make everything durable and let go of the file; a second call does nothing."""
        with self._lock:
            if self._descriptor >= 0:
                self._sync()
                os.close(self._descriptor)
                self._descriptor = -1

    def _head(self) -> dict[str, object]:
        return {"sequence": self._sequence + 1, "at": self._clock.now()}

    def _append(self, event: RunEvent, *, durable: bool = False) -> None:
        line = event.model_dump_json().encode() + b"\n"
        rest = b"\n" + line if self._torn else line
        self._torn = True
        with writing(self.path):
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        self._torn = False
        self._sequence = event.sequence
        if durable:
            with writing(self.path):
                self._sync()
        elif self._timer is None:
            self._timer = threading.Timer(_SYNC_AFTER_S, self._sync_later)
            self._timer.daemon = True
            self._timer.start()

    def _sync_later(self) -> None:
        with self._lock:
            self._timer = None
            if self._descriptor >= 0:
                with contextlib.suppress(OSError):  # the next stage or the end tells it
                    os.fsync(self._descriptor)

    def _sync(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        os.fsync(self._descriptor)


def read_events(path: Path) -> list[RunEvent]:
    """All whole events, in order; a torn last line is left out, a missing file is an empty log.

    A damaged line before the end becomes a note that says which.
    """
    return list(EventLines(path).new())


def unreadable_lines(path: Path) -> int:
    """How many lines hold no event, a torn last line too; 0 for a missing file."""
    lines = EventLines(path)
    for _ in lines.new():
        pass
    return lines.damaged + bool(lines.rest_bytes)


def _bytes(path: Path) -> bytes:
    try:
        return read_regular(path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise _unreadable(error, path) from None


def _unreadable(error: OSError, path: Path) -> BadInput:
    what = f"the event log cannot be read ({error.strerror})"
    return BadInput(what, where=str(path), remedy="Move it away: the run is shown without events.")


def _event(line: bytes) -> RunEvent | None:
    """None where the line holds no event. Lone surrogates, which JSON can spell, are spelled out."""
    try:
        return _EVENT.validate_json(line)
    except ValidationError:
        if b"\\u" not in line:
            return None
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
        return _EVENT.validate_json(_SURROGATE.sub(lambda found: f"<U+{ord(found.group()):04X}>", text))
    except (ValueError, RecursionError):
        return None


def follow_events(
    path: Path,
    alive: Callable[[], bool],
    *,
    poll_s: float = _POLL_S,
    look_s: float = _POLL_S,
    lines: EventLines | None = None,
) -> Iterator[RunEvent]:
    """Events as they come, from the first; ends after a FinishedEvent, or when ``alive`` says no and the
    file holds nothing more. The file may still be missing at the start. ``lines`` reads ``path``.

    ``alive`` is asked every ``poll_s``; between two times the file's size alone is looked at, every
    ``look_s``.
    """
    lines = lines or EventLines(path)
    while True:
        living = alive()  # asked before reading: what is written before death is still read after it
        until = time.monotonic() + poll_s
        while True:
            for event in lines.new():
                yield event
                if isinstance(event, FinishedEvent):
                    return
            if not living:
                return
            while (left := until - time.monotonic()) > 0 and not lines.grown:
                time.sleep(min(look_s, left))
            if left <= 0:
                break


class EventLines:
    """Reads on from where it stopped, a piece of the file at a time, whole lines only.

    A line above ``most_bytes`` is not kept, nor parsed: it becomes a note that says how large it is.
    ``damaged``: lines without an event until now; ``rest_bytes``: of a last line that has not ended.
    """

    def __init__(self, path: Path, *, most_bytes: int = MOST_LINE_BYTES) -> None:
        self.damaged = 0
        self.rest_bytes = 0
        self._path = path
        self._most_bytes = most_bytes
        self._offset = 0
        self._line = 0
        self._rest = bytearray()
        self._last: RunEvent | None = None

    def new(self) -> Iterator[RunEvent]:
        """What has come since the last call. Raises BadInput for a file that cannot be read."""
        for piece in self._pieces():
            *whole, rest = piece.split(b"\n")
            for end in whole:
                self._grow(end)
                self._line += 1
                event = self._ended()
                if event is not None:
                    self._last = event
                    yield event
            self._grow(rest)

    @property
    def grown(self) -> bool:
        """Whether there is more than was read; no more is looked at than the file's size."""
        try:
            return self._path.stat().st_size > self._offset
        except OSError:
            return False

    def _pieces(self) -> Iterator[bytes]:
        try:
            with open_regular(self._path) as file:
                file.seek(self._offset)
                while piece := file.read(_PIECE_BYTES):
                    self._offset += len(piece)
                    yield piece
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unreadable(error, self._path) from None

    def _grow(self, piece: bytes) -> None:
        self.rest_bytes += len(piece)
        if self.rest_bytes > self._most_bytes:
            self._rest = bytearray()
        else:
            self._rest += piece

    def _ended(self) -> RunEvent | None:
        line, size = self._rest, self.rest_bytes
        self._rest, self.rest_bytes = bytearray(), 0
        if size <= self._most_bytes:
            if not line.strip():
                return None
            event = _event(bytes(line))
            if event is not None:
                return event
            what = "is damaged"
        else:
            what = f"has {size:,} bytes, too many to be shown"
        self.damaged += 1
        if self._last is None:
            return None
        return NoteEvent(
            sequence=self._last.sequence, at=self._last.at, text=f"line {self._line} of the event log {what}"
        )


def _last_sequence(known: bytes) -> int:
    for line in reversed(known.split(b"\n")):
        try:
            return _EVENT.validate_json(line).sequence
        except ValidationError:
            continue
    return 0
