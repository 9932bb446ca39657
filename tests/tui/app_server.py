"""Starts the app again and again and imports it once: a process that forks for each terminal.

Half of what a start costs is imports. ``python app_server.py DESCRIPTOR`` answers on that socket. A forked
app runs ``workbench.__main__.main`` in the environment, folder and terminal that it was asked for; what has
to be seen of imports, or of the interpreter's own start, needs the real command (``tui_emulator.TUI``).
"""

from __future__ import annotations

import fcntl
import gc
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MAY_DIFFER = {
    *("HOME", "PYTHONPATH", "EDITOR", "WORKBENCH_HOME", "WORKBENCH_THEME", "WORKBENCH_DIFF_OUTPUT"),
    *("WORKBENCH_MODEL_KEY",),
}
"""Variables that nothing reads while it is imported; with any other one the app is not forked."""
MESSAGE_BYTES = 1 << 16
LOOK_S = 0.01


class Forked:
    """A started app, with what is used of ``subprocess.Popen``."""

    def __init__(self, control: socket.socket, pid: int) -> None:
        self._control = control
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, or the negative number of a signal; None while it runs."""
        if self.returncode is None:
            self.returncode = _ask(self._control, {"ended": self.pid})
        return self.returncode

    def wait(self) -> int:
        """Until it has ended; the exit code."""
        while (code := self.poll()) is None:
            time.sleep(LOOK_S)
        return code


def start(slave: int, folder: Path, environment: Mapping[str, str]) -> Forked | None:
    """The app with that terminal and working folder; None where the environment is not one to fork for."""
    fixed = tuple(sorted(item for item in environment.items() if item[0] not in MAY_DIFFER))
    if fixed != USUAL:
        return None
    control = _server(fixed)
    return Forked(control, _ask(control, {"folder": str(folder), "environment": dict(environment)}, slave))


USUAL = tuple(
    sorted(
        {
            "PATH": os.environ["PATH"], "TERM": "xterm-256color", "COLORTERM": "truecolor",
            "LC_ALL": "C.UTF-8", "ESCDELAY": "25",
        }.items()
    )
)  # fmt: skip
"""The environment that the app is imported in."""


@cache
def _server(environment: tuple[tuple[str, str], ...]) -> socket.socket:
    """The server's socket; the server ends when that is closed, at the latest with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    _, slave = pty.openpty()  # its streams are a terminal's, as the app's are
    with theirs:
        subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            stdin=slave, stdout=slave, stderr=slave, cwd=ROOT, env=dict(environment),
            start_new_session=True, pass_fds=[theirs.fileno()],
        )  # fmt: skip
    return ours


def _ask(control: socket.socket, request: dict[str, Any], *descriptors: int) -> Any:
    socket.send_fds(control, [json.dumps(request).encode()], descriptors)
    answer = control.recv(MESSAGE_BYTES)
    assert answer, "the process that starts apps has ended"
    return json.loads(answer)


def serve(control: socket.socket) -> dict[str, Any] | None:
    """Answer until the other end is closed (None); in a forked process, what it was asked for."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, MESSAGE_BYTES, 1)
        if not message:
            return None
        request = json.loads(message)
        answer = None
        if "ended" in request:
            pid, status = os.waitpid(request["ended"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        else:
            assert len(list(Path("/proc/self/task").iterdir())) == 1, "a fork needs a process without threads"
            (slave,) = descriptors
            answer = os.fork()
            if answer == 0:
                control.close()
                _take(slave)
                return dict(request)
            os.close(slave)
        control.send(json.dumps(answer).encode())


def _take(slave: int) -> None:
    """Make the terminal this process's own, with a session of its own."""
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for number in (0, 1, 2):
        os.dup2(slave, number)
    os.close(slave)


def main() -> int:
    """Import the app; in each forked process run it."""
    control = socket.socket(fileno=int(sys.argv[1]))
    sys.path[0] = str(ROOT)
    from workbench.tui.terminal import Terminal, prepare_environment

    prepare_environment(Terminal())
    for module in walk_packages(import_module("workbench.tui").__path__, "workbench.tui."):
        import_module(module.name)
    from workbench.catalog import Content
    from workbench.records import ContentPaths

    Content(ContentPaths(ROOT)).entries()  # which makes what checks them
    app = import_module("workbench.__main__")
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    request = serve(control)
    if request is None:
        return 0
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.argv = [str(app.__file__), "tui"]
    code: int = app.main()
    return code


if __name__ == "__main__":
    sys.exit(main())
