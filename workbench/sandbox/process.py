"""One sandbox seen from the host process: the other end of the stager's socket."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from workbench.records import Limits, SandboxReport, Unavailable
from workbench.sandbox.collect import collect_results
from workbench.sandbox.limits import remove_group
from workbench.sandbox.output import OutputBuffer
from workbench.sandbox.passing import receive
from workbench.sandbox.protocol import Chunk
from workbench.sandbox.request import StageRequest
from workbench.sandbox.sweep import Leftovers, boot_id, mark, remove_leftovers, write_leftovers

_PACKAGE_ROOT = Path(__file__).resolve().parents[2]
_STUBS = """
import sys, types
for name in ("workbench", "workbench.sandbox"):
    stub = types.ModuleType(name)
    stub.__path__ = [sys.argv[2] + "/" + name.replace(".", "/")]
    sys.modules[name] = stub
from workbench.sandbox.stager import main
main()
"""
"""Imports the stager without the packages' ``__init__``, which would load all of the workbench."""
HOME_BYTES = 64 * 1024**2
HOME_ENTRIES = 2_000
"""Of an agent's home, no more is copied."""
_READY_S = 60.0
_GOODBYE_S = 15.0
_SETUP_MESSAGES = ("bwrap: ", "sandbox: ")


@dataclass(frozen=True)
class _Message:
    content: dict[str, Any]
    files: list[int]


class BubblewrapProcess:
    """A started sandbox; see ``SandboxProcess``."""

    def __init__(self, request: StageRequest, seeds: bytes, limits: Limits, scratch: Path) -> None:
        self._limits = limits
        self._scratch = scratch
        self._groups = [Path(folder) for _, folder, _ in request.groups]
        self._listener: socket.socket | None = None
        self._work_folder: int | None = None
        self._home: int | None = None
        self._report: SandboxReport | None = None
        self._closed = False
        self._lock = threading.Lock()
        self._buffer = OutputBuffer(limits.output_bytes, lambda: self._send("stop", "output"))
        leftovers = Leftovers(
            boot=boot_id(), host=mark(os.getpid()), groups=[str(folder) for folder in self._groups]
        )
        write_leftovers(scratch, leftovers)
        self._control, far_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_READY_S)
        self._complaints = os.memfd_create("stager")
        with far_end:
            self._stager = self._start(far_end)
        try:
            self._send_request(request, seeds)
            ready = self._receive()
            if ready.content["event"] != "ready":
                self.close()
                raise self._not_set_up(ready.content["what"], ready.content["remedy"])
            if ready.files:
                self._listener = socket.socket(fileno=ready.files[0])
            processes = [mark(self._stager.pid), mark(ready.content["pid"])]
            write_leftovers(scratch, leftovers.model_copy(update={"processes": processes}))
        except BaseException:
            self.close()
            raise
        self._control.settimeout(None)

    def _start(self, far_end: socket.socket) -> subprocess.Popen[bytes]:
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        if "LD_LIBRARY_PATH" in os.environ:  # a relocated Python finds its library by it
            environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        return subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _STUBS, str(far_end.fileno()), str(_PACKAGE_ROOT)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._complaints,
            env=environment,
            cwd="/",
            pass_fds=[far_end.fileno()],
            start_new_session=True,
        )

    def _send_request(self, request: StageRequest, seeds: bytes) -> None:
        out_read, out_write = os.pipe()
        error_read, error_write = os.pipe()
        sent = [_in_memory(request.to_json()), _in_memory(seeds), out_write, error_write]
        try:
            socket.send_fds(self._control, [b"request"], sent)
        except OSError:
            pass  # the stager is gone: the next receive says so
        finally:
            for number in sent:
                os.close(number)
        self._buffer.pump("stdout", out_read)
        self._buffer.pump("stderr", error_read)

    def _receive(self) -> _Message:
        """The stager's next word. Raises Unavailable when it is gone or says nothing for too long."""
        try:
            text, files = receive(self._control, 2)
        except OSError:
            text, files = b"", []
        if not text:
            complaint = os.pread(self._complaints, 4096, 0).decode(errors="replace").strip()
            last = complaint.splitlines()[-1] if complaint else "no reason given"
            raise Unavailable(
                f"the sandbox's stager ended: {last}", remedy="Run 'workbench doctor' and try again."
            )
        return _Message(json.loads(text), files)

    def _send(self, what: str, why: str = "") -> None:
        with contextlib.suppress(OSError):
            self._control.send(json.dumps({"do": what, "why": why}).encode())

    @property
    def listener(self) -> socket.socket | None:
        """Listens inside, accepted here; the caller closes it."""
        return self._listener

    def stream(self) -> Iterator[Chunk]:
        """Output until everything inside has ended."""
        return self._buffer.read()

    def stop(self, reason: str) -> None:
        """End everything inside now; ``reason`` is for the caller's own record."""
        self._send("stop", "cancelled")

    def wait(self) -> SandboxReport:
        """Wait for the end. Raises Unavailable when the sandbox could not be set up."""
        with self._lock:
            if self._report is None:
                self._report = self._read_report()
        return self._report

    def _not_set_up(self, what: str, remedy: str = "") -> Unavailable:
        said = self._buffer.error_head.decode(errors="replace").splitlines()
        reason = next((line for line in said if line.startswith(_SETUP_MESSAGES)), what)
        return Unavailable(
            f"the sandbox could not begin: {reason}", remedy=remedy or "Run 'workbench doctor'."
        )

    def _read_report(self) -> SandboxReport:
        self._buffer.drop()
        message = self._receive()
        ended = message.content
        if ended["event"] != "ended":
            raise Unavailable(f"the sandbox failed: {ended['what']}", remedy=ended["remedy"])
        self._work_folder, self._home = [*message.files, None, None][:2]
        exit_code, ended_by = ended["exit_code"], ended["ended_by"]
        if not ended["began"]:
            raise self._not_set_up("bubblewrap ended before the command began")
        number = 9 if exit_code is None else exit_code - 128 if exit_code > 128 else None
        return SandboxReport(
            backend="bubblewrap",
            degraded=bool(ended["reasons"]),
            reasons=ended["reasons"],
            enforced=ended["enforced"],
            exit_code=exit_code,
            signal=number,
            ended_by=ended_by,
            wall_s=round(ended["wall_s"], 3),
            peak_memory_bytes=ended["peak"],
        )

    def collect(self, into: Path) -> list[str]:
        """Copy regular results; see ``collect_results``."""
        self.wait()
        if self._work_folder is None:
            raise Unavailable("the sandbox is closed: nothing can be collected any more")
        return collect_results(self._work_folder, into, self._limits)

    def collect_home(self, into: Path) -> list[str]:
        """Copy regular files of the agent's home; see ``SandboxProcess``."""
        self.wait()
        if self._home is None:
            return ["unreadable: ."]
        limits = self._limits
        bounded = {
            "collect_bytes": min(limits.collect_bytes, HOME_BYTES),
            "collect_entries": min(limits.collect_entries, HOME_ENTRIES),
        }
        return collect_results(self._home, into, limits.model_copy(update=bounded))

    def close(self) -> None:
        """End what still runs, remove what is left on the host."""
        if self._closed:
            return
        self._closed = True
        for opened in (self._work_folder, self._home):
            if opened is not None:
                os.close(opened)
        self._work_folder = self._home = None
        self._send("quit")
        self._control.close()
        try:
            self._stager.wait(_GOODBYE_S)
        except subprocess.TimeoutExpired:
            self._stager.kill()
            self._stager.wait()
        self._buffer.drop()
        os.close(self._complaints)
        for folder in self._groups:
            remove_group(folder)
        remove_leftovers(self._scratch)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _in_memory(contents: bytes) -> int:
    made = os.memfd_create("request")
    view = memoryview(contents)
    while view:
        view = view[os.write(made, view) :]
    return made
