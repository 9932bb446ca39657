"""Unsaved text survives whatever ends the app: one file a process, kept while it runs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.records import BadInput, DataPaths, Refused

if TYPE_CHECKING:
    from workbench.records import Draft
    from workbench.store import FileLock


class Recovery:
    """The drafts of this process, and those that dead ones left behind.

    A blank text never takes the place of another: only ``drop`` takes a draft away. The file is written
    atomically and exists only while there are drafts.
    """

    def __init__(self, data: DataPaths) -> None:
        self._folder = data.recovery
        self._name = f"{os.getpid()}-{os.urandom(4).hex()}"
        self._drafts: dict[str, Draft] = {}
        self._written: dict[str, Draft] = {}
        self._lock: FileLock | None = None
        self._held = contextlib.ExitStack()

    @property
    def drafts(self) -> list[Draft]:
        """All drafts, the latest first."""
        return sorted(self._drafts.values(), key=lambda draft: draft.changed, reverse=True)

    def draft(self, key: str) -> Draft | None:
        """The draft of one place."""
        return self._drafts.get(key)

    def keep(self, draft: Draft) -> None:
        """Take over what was typed; ``save`` writes it."""
        before = self._drafts.get(draft.key)
        if before is not None and before.text.strip() and not draft.text.strip():
            return
        self._drafts[draft.key] = draft

    def drop(self, key: str) -> None:
        """The text was saved where it belongs, or thrown away on purpose."""
        self._drafts.pop(key, None)

    def save(self) -> None:
        """Write the file if something changed. Raises what ``atomic_write`` raises."""
        if self._drafts == self._written:
            return
        now = dict(self._drafts)
        if now:
            from workbench.records import RecoveryFile
            from workbench.store import atomic_write

            self._open()
            atomic_write(
                self._path, RecoveryFile(pid=os.getpid(), drafts=list(now.values())).to_json() + "\n"
            )
        else:
            self._path.unlink(missing_ok=True)
        self._written = now

    def close(self) -> None:
        """Save and let go: what is left is taken up by the next app."""
        self.save()
        self._held.close()
        if not self._drafts:
            self._lock_path.unlink(missing_ok=True)

    def take_over(self) -> list[Draft]:
        """Adopt the drafts of dead processes; returns them.

        Each file is renamed before it is read, so that one which makes the app fail is not read twice, and
        removed when its drafts stand in this process's file. One that cannot be read stays, renamed.
        """
        adopted: list[Draft] = []
        for path in self._left_behind():
            from workbench.records import RecoveryFile

            claimed = path.with_suffix(".taken")
            try:
                path.replace(claimed)
                found = RecoveryFile.load(claimed)
            except (OSError, BadInput):
                continue
            adopted += [self._adopt(draft) for draft in found.drafts if draft.text.strip()]
            self.save()
            claimed.unlink(missing_ok=True)
            path.with_suffix(".lock").unlink(missing_ok=True)
        return adopted

    def _adopt(self, draft: Draft) -> Draft:
        """Under its own key; the older of two under another one."""
        mine = self._drafts.get(draft.key)
        if mine is not None and mine.text != draft.text:
            older, newer = sorted((mine, draft), key=lambda item: item.changed)
            number = 2
            while f"{draft.key} #{number}" in self._drafts:
                number += 1
            self._drafts[f"{draft.key} #{number}"] = older.model_copy(
                update={"key": f"{draft.key} #{number}"}
            )
            draft = newer
        self._drafts[draft.key] = draft
        return draft

    def _left_behind(self) -> Iterator[Path]:
        paths = sorted(self._folder.glob("*.json"))
        if not paths:
            return
        from workbench.store import FileLock

        for path in paths:
            if path.stem == self._name:
                continue
            try:
                with FileLock(path.with_suffix(".lock"), "recovery file"):
                    pass
            except Refused:
                continue
            yield path

    def _open(self) -> None:
        from workbench.store import FileLock, private_folder

        if self._lock is None:
            private_folder(self._folder.parent.parent)
            private_folder(self._folder.parent)
            private_folder(self._folder)
            self._lock = FileLock(self._lock_path, "recovery file")
            self._held.enter_context(self._lock)

    @property
    def _path(self) -> Path:
        return self._folder / f"{self._name}.json"

    @property
    def _lock_path(self) -> Path:
        return self._folder / f"{self._name}.lock"
