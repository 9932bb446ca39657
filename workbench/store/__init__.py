"""Files, locks, logs, run folders and their index."""

from workbench.store.events import EventLines, EventLog, follow_events, read_events, unreadable_lines
from workbench.store.files import atomic_write, disk_error, private_folder, publish_folder, writing
from workbench.store.health import health
from workbench.store.locks import FileLock, LockHolder, lock_holder, reserve_lock
from workbench.store.logs import get_log
from workbench.store.mounts import NETWORK_FILE_SYSTEMS, file_system
from workbench.store.own_settings import change_settings
from workbench.store.run_files import RUN_FILES, run_file
from workbench.store.run_listing import LISTED, ORDERED, runs_in_order, runs_with_words
from workbench.store.run_rows import going_on
from workbench.store.run_source import LocalRuns, RunSource
from workbench.store.runs import GROUPS, RunStore
from workbench.store.scratch import PROBE_PREFIX, abandoned, mark_owner, owned_folder, owned_name

__all__ = [
    "GROUPS",
    "LISTED",
    "NETWORK_FILE_SYSTEMS",
    "ORDERED",
    "PROBE_PREFIX",
    "RUN_FILES",
    "EventLines",
    "EventLog",
    "FileLock",
    "LocalRuns",
    "LockHolder",
    "RunSource",
    "RunStore",
    "abandoned",
    "atomic_write",
    "change_settings",
    "disk_error",
    "file_system",
    "follow_events",
    "get_log",
    "going_on",
    "health",
    "lock_holder",
    "mark_owner",
    "owned_folder",
    "owned_name",
    "private_folder",
    "publish_folder",
    "read_events",
    "reserve_lock",
    "run_file",
    "runs_in_order",
    "runs_with_words",
    "unreadable_lines",
    "writing",
]
