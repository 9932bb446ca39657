"""Plan, prepare, execute, score, lint, record one run; follow and sweep runs."""

from workbench.runs.attach import cancel_run, follow_run, launch_run
from workbench.runs.change import Changed, ColumnChange, RunChange, ViolationChange, change_between
from workbench.runs.compare import compare_family
from workbench.runs.conditions import explain as explain_condition
from workbench.runs.context import Context
from workbench.runs.counterfactuals import (
    ListedCounterfactual,
    list_counterfactuals,
    on_source,
    tells_of_change,
    verify_counterfactual,
)
from workbench.runs.demonstrations import Recording, list_demonstrations, newest_demonstration
from workbench.runs.details import detail_lines
from workbench.runs.equality_table import EqualityRow, equality_markdown, equality_rows, files_hash
from workbench.runs.explaining import ExplainedColumn, ExplainedRun, answer_of_run, answer_side, explain_run
from workbench.runs.lint_log import lint_log, not_expected
from workbench.runs.mismatches import run_mismatches
from workbench.runs.plan import PlannedRun, RunRequest, plan_run
from workbench.runs.preflight import preflight
from workbench.runs.preview import ConditionPreview, preview
from workbench.runs.record_demonstration import record_demonstration
from workbench.runs.rehearsal import cells_of, rehearse
from workbench.runs.release_logs import LogToRelease, logs_to_release, sources_to_ask
from workbench.runs.releasing import ReleaseRequest, make_release
from workbench.runs.relint import relint
from workbench.runs.selftest import pairs_to_test, selftest
from workbench.runs.setup import Ready, ensure_ready, ensure_source, is_synthetic, source_for
from workbench.runs.shown_steps import ShowStep, shown_steps
from workbench.runs.summary import (
    chosen_rules_line,
    event_lines,
    identity_lines,
    lint_line,
    lint_lines,
    relint_lines,
    result_lines,
    score_lines,
    violation_line,
)
from workbench.runs.sweep import sweep
from workbench.runs.variant_check import check_variant
from workbench.runs.views import content_of, context_of, counterfactual_of

__all__ = [
    "Changed",
    "ColumnChange",
    "ConditionPreview",
    "Context",
    "EqualityRow",
    "ExplainedColumn",
    "ExplainedRun",
    "ListedCounterfactual",
    "LogToRelease",
    "PlannedRun",
    "Ready",
    "Recording",
    "ReleaseRequest",
    "RunChange",
    "RunRequest",
    "ShowStep",
    "ViolationChange",
    "answer_of_run",
    "answer_side",
    "cancel_run",
    "cells_of",
    "change_between",
    "check_variant",
    "chosen_rules_line",
    "compare_family",
    "content_of",
    "context_of",
    "counterfactual_of",
    "detail_lines",
    "ensure_ready",
    "ensure_source",
    "equality_markdown",
    "equality_rows",
    "event_lines",
    "explain_condition",
    "explain_run",
    "files_hash",
    "follow_run",
    "identity_lines",
    "is_synthetic",
    "launch_run",
    "lint_line",
    "lint_lines",
    "lint_log",
    "list_counterfactuals",
    "list_demonstrations",
    "logs_to_release",
    "make_release",
    "newest_demonstration",
    "not_expected",
    "on_source",
    "pairs_to_test",
    "plan_run",
    "preflight",
    "preview",
    "record_demonstration",
    "rehearse",
    "relint",
    "relint_lines",
    "result_lines",
    "run_mismatches",
    "score_lines",
    "selftest",
    "shown_steps",
    "source_for",
    "sources_to_ask",
    "sweep",
    "tells_of_change",
    "verify_counterfactual",
    "violation_line",
]
