"""Files, locks, logs, run folders and their index."""

from workbench.store.events import EventLog, follow_events, read_events
from workbench.store.files import atomic_write, disk_error, private_folder, publish_folder, writing
from workbench.store.locks import FileLock, LockHolder, lock_holder
from workbench.store.mounts import NETWORK_FILE_SYSTEMS, file_system

__all__ = [
    "NETWORK_FILE_SYSTEMS",
    "EventLog",
    "FileLock",
    "LockHolder",
    "atomic_write",
    "disk_error",
    "file_system",
    "follow_events",
    "lock_holder",
    "private_folder",
    "publish_folder",
    "read_events",
    "writing",
]
