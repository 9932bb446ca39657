"""Agents' logs: incremental reading, our own format, plain lines, search, any step of a large log."""

from workbench.trajectories.atif_writer import atif_bytes
from workbench.trajectories.call_code import CELLS, call_layers, python_cell
from workbench.trajectories.detect import PLAIN, detect_format
from workbench.trajectories.final_sql import FinalSql, final_sql
from workbench.trajectories.formats import AUTO, READERS, log_files, open_reader, read_log, read_trajectory
from workbench.trajectories.near_names import Named, near_in_runs, near_in_steps
from workbench.trajectories.no_log import check_has_steps, check_is_log
from workbench.trajectories.reader import TrajectoryReader
from workbench.trajectories.search import ALL_STEPS, Found, Hit, Only, search_runs, search_steps
from workbench.trajectories.side_by_side import StepPair, headline, pair_steps
from workbench.trajectories.statements import StepStatement, runs_of_files, step_statements
from workbench.trajectories.stats import TrajectoryStats, not_complete, trajectory_stats, usage_lines
from workbench.trajectories.step_file import StepFile
from workbench.trajectories.step_query import StepQuery
from workbench.trajectories.text import code_lines, step_lines, text_lines
from workbench.trajectories.writer import (
    end_line,
    start_line,
    step_line,
    trajectory_bytes,
    trajectory_lines,
    write_trajectory,
)

__all__ = [
    "ALL_STEPS",
    "AUTO",
    "CELLS",
    "PLAIN",
    "READERS",
    "FinalSql",
    "Found",
    "Hit",
    "Named",
    "Only",
    "StepFile",
    "StepPair",
    "StepQuery",
    "StepStatement",
    "TrajectoryReader",
    "TrajectoryStats",
    "atif_bytes",
    "call_layers",
    "check_has_steps",
    "check_is_log",
    "code_lines",
    "detect_format",
    "end_line",
    "final_sql",
    "headline",
    "log_files",
    "near_in_runs",
    "near_in_steps",
    "not_complete",
    "open_reader",
    "pair_steps",
    "python_cell",
    "read_log",
    "read_trajectory",
    "runs_of_files",
    "search_runs",
    "search_steps",
    "start_line",
    "step_line",
    "step_lines",
    "step_statements",
    "text_lines",
    "trajectory_bytes",
    "trajectory_lines",
    "trajectory_stats",
    "usage_lines",
    "write_trajectory",
]
