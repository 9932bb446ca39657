"""What bounds one run, by which means, and what is missing. Standard library only: the stager runs this."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any

from workbench.sandbox import limits, seccomp
from workbench.sandbox.namespace import Staging
from workbench.sandbox.request import StageRequest
from workbench.sandbox.work_folder import WorkFolder


class Bounds:
    """``enforced`` and ``reasons`` as in ``SandboxReport``."""

    def __init__(self, request: StageRequest) -> None:
        self.request = request
        self.groups: list[limits.Group] = []
        self.enforced: dict[str, str] = {}
        self.reasons: list[str] = []
        self._peak_bytes = 0
        self._kills = 0

    def group(self, controller: str) -> limits.Group | None:
        """The group that limits ``controller``, where there is one."""
        return next((group for group in self.groups if controller in group.controllers), None)

    @property
    def supervised(self) -> bool:
        """Whether memory must be looked at from here."""
        return self.group("memory") is None

    def make_groups(self) -> None:
        """Make the planned control groups, as many as can be made."""
        if "groups" in self.request.without:
            return
        for version, folder, controllers in self.request.groups:
            group = limits.Group(version, folder, controllers)
            with contextlib.suppress(OSError):
                limits.make_group(group, self.request.memory_bytes, self.request.processes)
                self.groups.append(group)

    def join_groups(self, pid: int) -> None:
        """Put a process into all groups; one that does not take it is dropped."""
        for group in list(self.groups):
            try:
                limits.join_group(group, pid)
            except OSError:
                self.groups.remove(group)
                limits.remove_group(group.path)
        self._describe_groups()

    def remove_groups(self) -> None:
        """End what is left in them and remove them."""
        for group in self.groups:
            limits.remove_group(group.path)

    def describe(self, work: WorkFolder, staging: Staging) -> None:
        """Say what is enforced, and what is not."""
        enforced = self.enforced
        enforced["isolation"] = "bubblewrap, own host user" if os.geteuid() == 0 else "bubblewrap"
        enforced["network"] = "own namespace"
        enforced["wall time"] = "stager"
        enforced["work folder"] = work.means
        machine = os.uname().machine
        if machine in seccomp.ARCHITECTURES:
            enforced["system calls"] = "seccomp"
        else:
            self.reasons.append(f"system calls are not filtered on {machine}")
        if "--size" in self.request.options:
            enforced["other folders"] = "sized tmpfs"
        else:
            self.reasons.append("this bubblewrap cannot bound /tmp and the home (0.7 or newer can)")
        if staging.folder and not staging.notes:
            enforced["host paths"] = "hidden"
        self._describe_groups()

    def _describe_groups(self) -> None:
        memory, processes = self.group("memory"), self.group("pids")
        self.enforced["memory"] = f"cgroup v{memory.version}" if memory else "supervisor"
        self.enforced["processes"] = f"cgroup v{processes.version}" if processes else "rlimit"

    def look_at_memory(self, first_pid: int) -> None:
        """The supervisor's turn: end the largest process when all together are over the limit."""
        processes = limits.namespace_memory(first_pid)
        total = sum(item.held_bytes for item in processes)
        self._peak_bytes = max(self._peak_bytes, total)
        if total <= self.request.memory_bytes:
            return
        chosen = limits.largest(processes, first_pid)
        if chosen is not None:
            self._kills += 1
            with contextlib.suppress(ProcessLookupError):
                os.kill(chosen, signal.SIGKILL)

    def used(self) -> dict[str, Any]:
        """Peak bytes (None where not kept) and how many processes were ended for want of memory."""
        memory = self.group("memory")
        if memory is None:
            return {"peak": self._peak_bytes, "memory_kills": self._kills}
        return {"peak": limits.peak_bytes(memory), "memory_kills": limits.memory_kills(memory)}
