"""Picks a backend. There is no way of running bare."""

from __future__ import annotations

from workbench.records import BadInput, HealthCheck, HealthState, Refused
from workbench.sandbox.bubblewrap import Bubblewrap
from workbench.sandbox.capabilities import health_of
from workbench.sandbox.protocol import Sandbox

_BACKENDS: tuple[Sandbox, ...] = (Bubblewrap(),)
"""In order of preference."""
AUTOMATIC = "auto"


def choose_sandbox(name: str = AUTOMATIC) -> Sandbox:
    """The backend of that name, or the first that works. Raises BadInput, Refused."""
    if name != AUTOMATIC and name not in [backend.name for backend in _BACKENDS]:
        known = ", ".join([AUTOMATIC, *(backend.name for backend in _BACKENDS)])
        raise BadInput(f"no sandbox {name!r}", remedy=f"Known: {known}.")
    reasons, remedy = [], ""
    for backend in _BACKENDS:
        if name in (AUTOMATIC, backend.name):
            found = backend.capabilities()
            if found.available:
                return backend
            reasons += [f"{backend.name}: {reason}" for reason in found.reasons]
            remedy = remedy or found.remedy
    raise Refused(
        f"nothing here isolates an agent ({'; '.join(reasons)}), and agents never run bare", remedy=remedy
    )


def health() -> list[HealthCheck]:
    """One line a backend; broken when none works."""
    checks = [health_of(backend) for backend in _BACKENDS]
    if all(check.state is HealthState.MISSING for check in checks):
        return [check.model_copy(update={"state": HealthState.BROKEN}) for check in checks]
    return checks
