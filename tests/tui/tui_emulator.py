"""The app in a real pseudo-terminal, its output read by a terminal emulator."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import app_server
import pyte
from idle import at_work, with_children

ROOT = Path(__file__).resolve().parents[2]
TUI = (sys.executable, "-m", "workbench", "tui")


class Emulated:
    """A process with a controlling terminal of ``size`` (columns, rows).

    Without ``argv`` it is the app, forked from a process that has imported it where the environment allows.
    ``received`` counts its bytes; ``screen`` is what a person would see. Waiting is by polling with a limit.
    """

    def __init__(
        self,
        argv: Sequence[str] | None = None,
        *,
        size: tuple[int, int] = (80, 24),
        environment: Mapping[str, str] | None = None,
        folder: Path = ROOT,
    ) -> None:
        self.size = size
        self.screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self.received = 0
        self.raw = bytearray()
        self.started = time.monotonic()
        self.first_output_s: float | None = None
        self.master, self.slave = pty.openpty()
        self._set_size()
        self.before = termios.tcgetattr(self.slave)
        variables = dict(environment or {})
        forked = None if argv else app_server.start(self.slave, folder, variables)
        self.process = forked or subprocess.Popen(
            list(argv or TUI), stdin=self.slave, stdout=self.slave, stderr=self.slave, cwd=folder,
            env=variables, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip

    def __enter__(self) -> Emulated:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _set_size(self) -> None:
        columns, rows = self.size
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        self.size = (columns, rows)
        self.screen.resize(rows, columns)
        self._set_size()
        os.killpg(self.process.pid, signal.SIGWINCH)

    def read(self, wait_s: float) -> bool:
        """Take what comes within ``wait_s``; False if nothing came."""
        ready, _, _ = select.select([self.master], [], [], wait_s)
        if not ready:
            return False
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:
            return False
        if not data:
            return False
        if self.first_output_s is None:
            self.first_output_s = time.monotonic() - self.started
        self.received += len(data)
        self.raw += data
        self._stream.feed(data)
        return True

    def send(self, keys: str | bytes) -> None:
        os.write(self.master, keys.encode() if isinstance(keys, str) else keys)

    def until(self, met: Callable[[Emulated], bool], limit_s: float = 15.0) -> None:
        """Read until the condition holds."""
        deadline = time.monotonic() + limit_s
        while not met(self):
            if time.monotonic() > deadline:
                raise AssertionError(f"not seen within {limit_s} s; the screen is:\n{self.text}")
            self.read(0.02)

    def wait_for(self, text: str, limit_s: float = 15.0) -> None:
        self.until(lambda emulated: text in emulated.text, limit_s)

    def settle(self, quiet_s: float = 0.25, limit_s: float = 10.0) -> None:
        """Read until nothing has come for ``quiet_s``."""
        deadline = time.monotonic() + limit_s
        while self.read(quiet_s) and time.monotonic() < deadline:
            pass

    def idle(self, quiet_s: float = 0.06, limit_s: float = 30.0) -> None:
        """Read until the app has nothing left to do: no key unread, no thread at work, for ``quiet_s``.

        That is longer than its own timers between a key and what is drawn for it, and as long on a machine
        that is busy with something else: a process that waits for its turn is at work.
        """
        begun = since = time.monotonic()
        while time.monotonic() - since < quiet_s:
            if self.read(0.01) or self._unread() or any(map(at_work, with_children(self.process.pid))):
                since = time.monotonic()
            if since - begun > limit_s:
                raise AssertionError(f"still at work after {limit_s} s; the screen is:\n{self.text}")

    def _unread(self) -> int:
        """Bytes of keys that nobody has taken."""
        waiting = fcntl.ioctl(self.slave, termios.FIONREAD, b"\0\0\0\0")
        return int.from_bytes(waiting, sys.byteorder)

    def spent(self, keys: str | bytes, quiet_s: float | None = None) -> int:
        """Bytes that come for ``keys``, or within ``quiet_s`` after them."""
        before = self.received
        self.send(keys)
        if quiet_s is None:
            self.idle()
        else:
            self.settle(quiet_s)
        return self.received - before

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def cells(self) -> list[list[Any]]:
        """Every cell with colours and attributes."""
        columns, rows = self.size
        return [[self.screen.buffer[y][x] for x in range(columns)] for y in range(rows)]

    def wait(self, limit_s: float = 10.0) -> int:
        """Read until the process has ended; its exit code."""
        deadline = time.monotonic() + limit_s
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                raise AssertionError(f"still running after {limit_s} s; the screen is:\n{self.text}")
            self.read(0.02)
        while self.read(0.05):
            pass
        return self.process.returncode

    def hang_up(self) -> None:
        """Drop the line."""
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = -1

    def end(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for descriptor in (self.master, self.slave):
            if descriptor >= 0:
                os.close(descriptor)
        self.master = self.slave = -1


def environment(home: Path, **changes: str) -> dict[str, str]:
    """A clean environment for the app; an empty value takes a variable away."""
    base = {
        "PATH": os.environ["PATH"], "HOME": str(home), "WORKBENCH_HOME": str(home / "data"),
        "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", "ESCDELAY": "25",
    }  # fmt: skip
    base.update(changes)
    return {name: value for name, value in base.items() if value}
