"""Witness cases: minimal rows on which a reference must give a stated value.

What runs cases loads on first use, so that the worker process starts with little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from workbench.witness.results import ConceptCheck, WitnessResult, why_none_ran
from workbench.witness.worker_request import WorkerLimits

if TYPE_CHECKING:
    from workbench.witness.cases import needs_concepts
    from workbench.witness.revisions import CaseChange, changes_by_revision, changes_by_sql
    from workbench.witness.run import run_witnesses
    from workbench.witness.shown import GivenRows, ShownCase, show_case
    from workbench.witness.worked_example import ExampleCheck, run_worked_example

_HOME = {
    "CaseChange": "revisions",
    "ExampleCheck": "worked_example",
    "GivenRows": "shown",
    "ShownCase": "shown",
    "changes_by_revision": "revisions",
    "changes_by_sql": "revisions",
    "needs_concepts": "cases",
    "run_witnesses": "run",
    "run_worked_example": "worked_example",
    "show_case": "shown",
}

__all__ = [
    "CaseChange",
    "ConceptCheck",
    "ExampleCheck",
    "GivenRows",
    "ShownCase",
    "WitnessResult",
    "WorkerLimits",
    "changes_by_revision",
    "changes_by_sql",
    "needs_concepts",
    "run_witnesses",
    "run_worked_example",
    "show_case",
    "why_none_ran",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
