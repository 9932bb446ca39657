"""Agents' logs: incremental reading, our own format, plain lines."""

from workbench.trajectories.detect import detect_format
from workbench.trajectories.formats import AUTO, READERS, open_reader, read_log, read_trajectory
from workbench.trajectories.reader import TrajectoryReader
from workbench.trajectories.text import step_lines
from workbench.trajectories.writer import end_line, start_line, step_line, trajectory_bytes, write_trajectory

__all__ = [
    "AUTO",
    "READERS",
    "TrajectoryReader",
    "detect_format",
    "end_line",
    "open_reader",
    "read_log",
    "read_trajectory",
    "start_line",
    "step_line",
    "step_lines",
    "trajectory_bytes",
    "write_trajectory",
]
