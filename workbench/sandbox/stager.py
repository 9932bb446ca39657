"""The process that builds one sandbox and outlives its agent. Standard library only.

Started by the host process with one end of a socket. It enters a private mount namespace, stages
what is mounted, starts bubblewrap as an unprivileged user, supervises it, and then keeps the work
folder readable until it is told to go. It goes at once, and everything with it, when the host
process ends (seen by a pidfd and by the closed socket).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any

from workbench.sandbox.bounds import Bounds
from workbench.sandbox.launch import Sandboxed, Streams, launch
from workbench.sandbox.limits import SUPERVISOR_INTERVAL_S
from workbench.sandbox.listener import listen_inside
from workbench.sandbox.namespace import HostUser, Staging, StagingError, choose_user, enter
from workbench.sandbox.passing import receive
from workbench.sandbox.request import PASSED_FILES, StageRequest
from workbench.sandbox.work_folder import (
    WATCH_INTERVAL_S,
    WorkFolder,
    make_home,
    make_work_folder,
    seed,
    used_bytes,
)

_AFTER_KILL_S = 5.0


class Stager:
    """One run, from request to the host's goodbye."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        message, files = receive(control, PASSED_FILES)
        if not message or len(files) != PASSED_FILES:
            raise SystemExit(0)
        text, seeds, stdout, stderr = files
        self._streams = Streams(seeds, stdout, stderr)
        self._request = StageRequest.from_json(os.pread(text, os.fstat(text).st_size, 0))
        self._host = os.pidfd_open(self._request.host_pid)
        if os.getppid() != self._request.host_pid:
            raise SystemExit(0)
        self._bounds = Bounds(self._request)
        self._sandboxed: Sandboxed | None = None
        self._host_gone = False
        self._ended_by = ""

    def run(self) -> None:
        """Build, tell, supervise, tell, linger, clean."""
        try:
            work, home, sandboxed = self._build()
            sandboxed.release()
            started = time.monotonic()
            folder = os.open(work.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            self._supervise(sandboxed, folder if work.watched else None, started + self._request.wall_s)
            ended = self._end(sandboxed, time.monotonic() - started)
            homes = [os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)] if home else []
            self._tell("ended", folder, *homes, **ended)
            self._linger()
        except (StagingError, OSError) as error:
            if self._sandboxed is not None:
                self._sandboxed.kill()
            remedy = error.remedy if isinstance(error, StagingError) else ""
            with contextlib.suppress(OSError):
                self._tell("failed", what=str(error), remedy=remedy)
        finally:
            self._bounds.remove_groups()

    def _tell(self, event: str, *passed: int, **content: Any) -> None:
        message = {"event": event, **content}
        socket.send_fds(self._control, [json.dumps(message).encode()], list(passed))

    def _build(self) -> tuple[WorkFolder, str, Sandboxed]:
        """The work folder, the home (empty where it is made inside), and what was started."""
        request, bounds = self._request, self._bounds
        user = choose_user(int(request.token, 16))
        staging = self._stage(user)
        mounts = [(staging.stage(source), target) for source, target in request.mounts]
        work = make_work_folder(staging, request.scratch, request.work_bytes, request.without)
        home_offset = seed(work.path, user, request.work_files, self._streams.seeds, 0)
        home = make_home(staging, request.home_bytes, request.without)
        if home:
            seed(home, user, request.home_files, self._streams.seeds, home_offset)
        bounds.make_groups()
        bounds.describe(work, staging)
        sandboxed = launch(request, user, bounds, (work.path, home), mounts, self._streams, home_offset)
        self._sandboxed = sandboxed
        os.close(self._streams.stdout)
        os.close(self._streams.stderr)
        sandboxed.find_first()
        listener = None
        if request.gateway_port is not None:
            listener = listen_inside(sandboxed.first_pid, request.gateway_port)
        self._tell("ready", *([listener.fileno()] if listener else []), pid=sandboxed.pid)
        if listener is not None:
            listener.close()
        return work, home, sandboxed

    def _stage(self, user: HostUser) -> Staging:
        request = self._request
        folder = ""
        if "namespace" not in request.without:
            try:
                folder = enter(user, [request.scratch, *(source for source, _ in request.mounts)])
            except OSError:
                if os.geteuid() == 0:
                    raise StagingError(
                        "root without the right to mount cannot prepare a sandbox",
                        "Start as an ordinary user, or give the container CAP_SYS_ADMIN.",
                    ) from None
        return Staging(folder, user)

    def _supervise(self, sandboxed: Sandboxed, watched: int | None, deadline: float) -> None:
        """Until bubblewrap has ended, for whatever reason; ``watched`` is a work folder without a quota."""
        poller = select.poll()
        for number in (self._control.fileno(), self._host, sandboxed.process_fd, sandboxed.status_fd):
            poller.register(number, select.POLLIN)
        next_look = next_measure = time.monotonic()
        while True:
            now = time.monotonic()
            if now >= deadline:
                self._stop(sandboxed, "wall")
            if self._bounds.supervised and now >= next_look:
                self._bounds.look_at_memory(sandboxed.first_pid)
                next_look = time.monotonic() + SUPERVISOR_INTERVAL_S
            if watched is not None and now >= next_measure:
                if used_bytes(watched, self._request.work_bytes) > self._request.work_bytes:
                    self._stop(sandboxed, "disk")
                next_measure = time.monotonic() + WATCH_INTERVAL_S
            waits = [now + _AFTER_KILL_S if self._ended_by else deadline]
            waits += [next_look] if self._bounds.supervised else []
            waits += [next_measure] if watched is not None else []
            ready = {number for number, _ in poller.poll(max(0.0, min(waits) - time.monotonic()) * 1000 + 1)}
            if sandboxed.status_fd in ready and not sandboxed.read_status():
                poller.unregister(sandboxed.status_fd)
            if sandboxed.process_fd in ready:
                return
            if self._host in ready or self._control.fileno() in ready:
                self._obey(sandboxed)

    def _obey(self, sandboxed: Sandboxed) -> None:
        message = self._hear()
        if message is None:
            self._host_gone = True
            self._stop(sandboxed, "cancelled")
        elif message["do"] == "stop":
            self._stop(sandboxed, str(message["why"]))

    def _hear(self) -> dict[str, Any] | None:
        """The host's next word; None when it is gone or says goodbye."""
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        poller.register(self._host, select.POLLIN)
        poller.poll()
        try:
            text = self._control.recv(4096, socket.MSG_DONTWAIT)
        except OSError:
            return None
        message: dict[str, Any] = json.loads(text) if text else {"do": "quit"}
        return None if message["do"] == "quit" else message

    def _stop(self, sandboxed: Sandboxed, why: str) -> None:
        self._ended_by = self._ended_by or why
        sandboxed.kill()

    def _end(self, sandboxed: Sandboxed, wall_s: float) -> dict[str, Any]:
        """What happened; everything inside is dead when this returns."""
        exit_code, killed = sandboxed.reap()
        used = self._bounds.used()
        cut_off = exit_code == 128 + signal.SIGKILL or killed
        began = exit_code is not None or killed
        if self._ended_by and cut_off:
            exit_code = None  # by our own signal, whether or not its init could still tell
        if not self._ended_by and used["memory_kills"] and cut_off:
            self._ended_by = "memory"
        self._bounds.remove_groups()
        return {
            "exit_code": exit_code,
            "began": began,
            "ended_by": self._ended_by,
            "wall_s": wall_s,
            "enforced": self._bounds.enforced,
            "reasons": self._bounds.reasons,
            **used,
        }

    def _linger(self) -> None:
        """Keep the namespace, and so the work folder, until the host says goodbye or is gone."""
        while not self._host_gone and self._hear() is not None:
            pass


def main() -> None:
    """Serve the one host that started this process; its socket is the first argument."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    Stager(control).run()
    os._exit(0)  # nothing to flush: the interpreter's own end would only take time
