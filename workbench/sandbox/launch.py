"""Starting bubblewrap as the run's user, and watching the started one. Standard library only."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from workbench.sandbox import limits, seccomp
from workbench.sandbox.arguments import bubblewrap_arguments
from workbench.sandbox.bounds import Bounds
from workbench.sandbox.namespace import HostUser, StagingError
from workbench.sandbox.request import StageRequest
from workbench.sandbox.syscalls import drop_capabilities
from workbench.sandbox.work_folder import copy_piece

_SETUP_S = 30.0


class Streams(NamedTuple):
    """Descriptors that the host sent: the seeds' contents, and where output goes."""

    seeds: int
    stdout: int
    stderr: int


class Sandboxed:
    """A started bubblewrap that waits for ``release`` before the agent's command begins."""

    def __init__(self, pid: int, status_fd: int, release_fd: int) -> None:
        self.pid = pid
        self.process_fd = os.pidfd_open(pid)
        self.status_fd = status_fd
        self.first_pid = 0  # PID 1 of the namespace, as seen from here
        self._first_fd = -1
        self._release_fd = release_fd
        self._status = b""

    def find_first(self) -> None:
        """Wait until bubblewrap tells its child. Raises StagingError when it ends before."""
        poller = select.poll()
        poller.register(self.status_fd, select.POLLIN)
        while not self.first_pid:
            if not poller.poll(_SETUP_S * 1000) or not self.read_status():
                raise StagingError("bubblewrap could not make the namespaces")
            self.first_pid = int(self._reported("child-pid") or 0)
        self._first_fd = os.pidfd_open(self.first_pid)

    def release(self) -> None:
        """Let the command begin."""
        os.write(self._release_fd, b"1")
        os.close(self._release_fd)

    def read_status(self) -> bool:
        """Take in what bubblewrap reports; False at its end."""
        piece = os.read(self.status_fd, 4096)
        self._status += piece
        return bool(piece)

    def _reported(self, key: str) -> Any:
        for line in self._status.splitlines():
            with contextlib.suppress(ValueError):
                content = json.loads(line)
                if key in content:
                    return content[key]
        return None

    def kill(self) -> None:
        """End the whole PID namespace, and bubblewrap."""
        for number in (self._first_fd, self.process_fd):
            if number >= 0:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(number, signal.SIGKILL)

    def reap(self) -> tuple[int | None, bool]:
        """The command's exit code (None where there is none), and whether bubblewrap was killed.

        Everything inside is dead when this returns.
        """
        if self._first_fd >= 0:
            ended = select.poll()
            ended.register(self._first_fd, select.POLLIN)
            if not ended.poll(2000):
                self.kill()
                ended.poll(_SETUP_S * 1000)
        killed = os.WIFSIGNALED(os.waitpid(self.pid, 0)[1])
        while self.read_status():
            pass
        code = self._reported("exit-code")
        return None if code is None else int(code), killed


def launch(
    request: StageRequest,
    user: HostUser,
    bounds: Bounds,
    folders: tuple[str, str],
    mounts: Sequence[tuple[str, str]],
    streams: Streams,
    home_offset: int,
) -> Sandboxed:
    """Start bubblewrap. ``folders``: the work folder and the home, empty where one is to be made inside: the
    home files' contents then begin at ``home_offset`` of the seeds.
    """
    work_path, home_path = folders
    kept: list[int] = []

    def data_file(contents: bytes) -> int:
        made = _memory_file(contents)
        kept.append(made)
        return made

    home_contents = [] if home_path else _home_contents(request, streams.seeds, home_offset)
    kept += home_contents
    words = bubblewrap_arguments(request, work_path, mounts, data_file, home_path or home_contents)
    if "system calls" in bounds.enforced:
        rules = seccomp.build_filter(os.uname().machine, uncounted_memory=not bounds.supervised)
        words += ["--seccomp", str(data_file(rules))]
    status_read, status_write = os.pipe()
    block_read, block_write = os.pipe()
    kept += [status_write, block_read]
    words += ["--json-status-fd", str(status_write), "--block-fd", str(block_read)]
    options = data_file(b"".join(word.encode(errors="surrogateescape") + b"\0" for word in words))
    argv = [request.bwrap, "--args", str(options), "--", *request.argv]
    go_read, go_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_bubblewrap(request, user, bounds, argv, go_read, streams, kept)
    for number in (*kept, go_read):
        os.close(number)
    bounds.join_groups(pid)
    os.write(go_write, b"1")
    os.close(go_write)
    return Sandboxed(pid, status_read, block_write)


def _memory_file(contents: bytes) -> int:
    made = os.memfd_create("data")
    view = memoryview(contents)
    while view:
        view = view[os.write(made, view) :]
    os.lseek(made, 0, os.SEEK_SET)
    return made


def _home_contents(request: StageRequest, seeds: int, offset: int) -> list[int]:
    numbers = []
    for file in request.home_files:
        made = _memory_file(b"")
        copy_piece(seeds, offset, file.size, made)
        os.lseek(made, 0, os.SEEK_SET)
        numbers.append(made)
        offset += file.size
    return numbers


def _become_bubblewrap(
    request: StageRequest,
    user: HostUser,
    bounds: Bounds,
    argv: list[str],
    go: int,
    streams: Streams,
    kept: Sequence[int],
) -> NoReturn:
    """In the forked child: wait until it is in its groups, drop everything, become bubblewrap."""
    try:
        if not os.read(go, 1):
            os._exit(127)
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("500")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(streams.stdout, 1)
        os.dup2(streams.stderr, 2)
        for number in kept:
            os.set_inheritable(number, True)
        os.umask(0o022)
        counted = 0 if os.geteuid() == 0 else limits.count_tasks(user.uid)
        limits.set_rlimits(
            processes=counted + request.processes + limits.SANDBOX_PROCESSES,
            file_bytes=request.file_bytes,
            open_files=request.open_files,
            data_bytes=request.memory_bytes if bounds.supervised else None,
        )
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(user.gid, user.gid, user.gid)
            os.setresuid(user.uid, user.uid, user.uid)
        drop_capabilities()
        os.chdir("/")
        os.execve(request.bwrap, argv, {})
    except OSError as error:
        os.write(2, f"sandbox: {error.strerror}\n".encode())
    finally:
        os._exit(127)
