"""What this machine's sandboxes can do, found by trying."""

from __future__ import annotations

import functools
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.records import HealthCheck, HealthState, Unavailable
from workbench.sandbox.bubblewrap import INSTALL, Bubblewrap, find_bubblewrap
from workbench.sandbox.protocol import Capabilities, Sandbox, SandboxSpec
from workbench.store import PROBE_PREFIX, owned_name

if TYPE_CHECKING:
    from workbench.records import SandboxReport

_LOOK = (
    "/bin/sh",
    "-c",
    "grep -E '^(Seccomp|NoNewPrivs|CapEff|CapBnd):' /proc/self/status; ls -A /proc/self/fd",
)
_NAMESPACE_REMEDY = (
    "Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, or on Ubuntu an AppArmor "
    "profile for bwrap), or start the workbench where they are allowed; in a container, with "
    "--security-opt seccomp=unconfined --cap-add SYS_ADMIN."
)


@functools.cache
def probe(sandbox: Bubblewrap) -> Capabilities:
    """Run a look at itself inside, with the default limits; what the report says was enforced is true."""
    if sys.platform != "linux":
        return Capabilities(False, False, ["bubblewrap needs Linux"], remedy="Use --sandbox docker.")
    if find_bubblewrap() is None:
        return Capabilities(False, False, ["bubblewrap is not installed"], remedy=INSTALL)
    with tempfile.TemporaryDirectory(prefix=f"{owned_name(PROBE_PREFIX)}@") as folder:
        try:
            with sandbox.start(SandboxSpec(argv=_LOOK), Path(folder, "scratch")) as process:
                said = b"".join(chunk.data for chunk in process.stream() if chunk.stream == "stdout")
                report = process.wait()
        except Unavailable as error:
            return Capabilities(False, False, [error.what], remedy=_NAMESPACE_REMEDY)
    return _judge(report, dict(line.split(":\t") for line in said.decode().splitlines() if ":\t" in line))


def _judge(report: SandboxReport, status: dict[str, str]) -> Capabilities:
    reasons = list(report.reasons)
    if report.exit_code != 0 or int(status.get("CapEff", "1"), 16) or status.get("NoNewPrivs") != "1":
        return Capabilities(False, False, ["a program inside still had privileges"], report.enforced)
    if status.get("Seccomp") != "2" and "system calls" in report.enforced:
        reasons.append("the system call filter was not applied")
    remedy = "Use bubblewrap 0.8 or newer on x86_64 or aarch64." if reasons else ""
    return Capabilities(True, bool(reasons), reasons, report.enforced, remedy)


def health_of(sandbox: Sandbox) -> HealthCheck:
    """One backend as doctor shows it."""
    found = sandbox.capabilities()
    state = (
        HealthState.MISSING
        if not found.available
        else HealthState.LIMITED
        if found.degraded
        else HealthState.OK
    )
    means = ", ".join(f"{aspect}: {means}" for aspect, means in found.enforced.items())
    detail = "; ".join([*found.reasons, *([means] if means else [])])
    return HealthCheck(name=f"sandbox {sandbox.name}", state=state, detail=detail, remedy=found.remedy)
