"""Files, locks, logs, run folders and their index."""

from workbench.store.files import atomic_write, private_folder, publish_folder

__all__ = ["atomic_write", "private_folder", "publish_folder"]
