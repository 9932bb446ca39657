"""Contamination lint: did a run see or copy what was hidden from it, or leave its bounds?"""

from workbench.contamination.earlier import EarlierRun
from workbench.contamination.limit import TimeLimit
from workbench.contamination.lint import IGNORED, Lint, verdict_of
from workbench.contamination.material import (
    READABLE,
    WRITABLE,
    HiddenMaterial,
    SkillMaterial,
    key_by_hash,
    key_in_text,
)
from workbench.contamination.partial import PartialMaterial, PartialView, ThinMaterial
from workbench.contamination.registry import rule_named
from workbench.contamination.registry import rules as lint_rules
from workbench.contamination.rule import CannotRun, LintRule, RunContext, StepContext
from workbench.contamination.view import RunView
from workbench.contamination.work_places import work_places

__all__ = [
    "IGNORED",
    "READABLE",
    "WRITABLE",
    "CannotRun",
    "EarlierRun",
    "HiddenMaterial",
    "Lint",
    "LintRule",
    "PartialMaterial",
    "PartialView",
    "RunContext",
    "RunView",
    "SkillMaterial",
    "StepContext",
    "ThinMaterial",
    "TimeLimit",
    "key_by_hash",
    "key_in_text",
    "lint_rules",
    "rule_named",
    "verdict_of",
    "work_places",
]
