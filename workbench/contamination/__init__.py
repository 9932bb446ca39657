"""Contamination lint: did a run see or copy what was hidden from it, or leave its bounds?"""

from workbench.contamination.lint import Lint
from workbench.contamination.rule import CannotRun, LintRule, RunContext, StepContext
from workbench.contamination.rules import DEFAULT_RULES
from workbench.contamination.view import HiddenMaterial, RunView, key_by_hash, key_in_text

__all__ = [
    "DEFAULT_RULES",
    "CannotRun",
    "HiddenMaterial",
    "Lint",
    "LintRule",
    "RunContext",
    "RunView",
    "StepContext",
    "key_by_hash",
    "key_in_text",
]
