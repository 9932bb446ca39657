"""Files, locks, logs, run folders and their index."""

from workbench.store.data_access import shows_raw
from workbench.store.events import EventLines, EventLog, follow_events, read_events, unreadable_lines
from workbench.store.files import (
    atomic_write,
    disk_error,
    half_written,
    private_folder,
    publish_folder,
    writing,
)
from workbench.store.health import health
from workbench.store.index_refresh import run_names
from workbench.store.known_runs import KnownRun, KnownRuns, known_runs
from workbench.store.lints import events_of_lint, keep_lint, newest_lint, newest_lints
from workbench.store.locks import FileLock, LockHolder, lock_holder, reserve_lock
from workbench.store.logs import get_log
from workbench.store.mounts import NETWORK_FILE_SYSTEMS, file_system
from workbench.store.own_settings import change_settings
from workbench.store.run_files import RUN_FILES, run_file
from workbench.store.run_listing import LISTED, ORDERED, runs_in_order, runs_with_words
from workbench.store.run_rows import going_on
from workbench.store.run_source import LocalRuns, RunSource
from workbench.store.runs import GROUPS, RunStore
from workbench.store.scratch import (
    PROBE_PREFIX,
    abandoned,
    mark_owner,
    owned_folder,
    owned_name,
    remove_abandoned_beside,
)
from workbench.store.search_index import (
    SEARCH,
    FoundStep,
    IndexedLog,
    IndexedStep,
    StepSearch,
    count_steps,
    dead_share,
    forget_logs,
    found_steps,
    indexed_lints,
    indexed_log,
    indexed_stamps,
    indexed_words,
    put_log,
    put_steps,
    put_violations,
    replace_violations,
    start_anew,
)
from workbench.store.sqlite_index import with_index, writing_rows

__all__ = [
    "GROUPS",
    "LISTED",
    "NETWORK_FILE_SYSTEMS",
    "ORDERED",
    "PROBE_PREFIX",
    "RUN_FILES",
    "SEARCH",
    "EventLines",
    "EventLog",
    "FileLock",
    "FoundStep",
    "IndexedLog",
    "IndexedStep",
    "KnownRun",
    "KnownRuns",
    "LocalRuns",
    "LockHolder",
    "RunSource",
    "RunStore",
    "StepSearch",
    "abandoned",
    "atomic_write",
    "change_settings",
    "count_steps",
    "dead_share",
    "disk_error",
    "events_of_lint",
    "file_system",
    "follow_events",
    "forget_logs",
    "found_steps",
    "get_log",
    "going_on",
    "half_written",
    "health",
    "indexed_lints",
    "indexed_log",
    "indexed_stamps",
    "indexed_words",
    "keep_lint",
    "known_runs",
    "lock_holder",
    "mark_owner",
    "newest_lint",
    "newest_lints",
    "owned_folder",
    "owned_name",
    "private_folder",
    "publish_folder",
    "put_log",
    "put_steps",
    "put_violations",
    "read_events",
    "remove_abandoned_beside",
    "replace_violations",
    "reserve_lock",
    "run_file",
    "run_names",
    "runs_in_order",
    "runs_with_words",
    "shows_raw",
    "start_anew",
    "unreadable_lines",
    "with_index",
    "writing",
    "writing_rows",
]
