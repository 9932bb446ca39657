"""Witness cases: minimal rows on which a reference must give a stated value.

``run_witnesses`` loads on first use, so that the worker process starts with little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from workbench.witness.results import ConceptCheck, WitnessResult
from workbench.witness.worker_request import WorkerLimits

if TYPE_CHECKING:
    from workbench.witness.run import run_witnesses

__all__ = ["ConceptCheck", "WitnessResult", "WorkerLimits", "run_witnesses"]


def __getattr__(name: str) -> Any:
    if name != "run_witnesses":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("workbench.witness.run").run_witnesses
