"""The draft of one open editor: written from any thread, never an older text over a newer one."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from workbench.records import Refused
from workbench.tui.context import AppContext

if TYPE_CHECKING:
    from workbench.records import SkillDraft
    from workbench.store import FileLock


class DraftKeeper:
    """``review.Drafts`` is the one place where it is kept; a lock says that this editor is alive.

    ``taken_up``: a draft that an editor left behind, which goes on here.
    """

    def __init__(self, context: AppContext, skill: str) -> None:
        """Raises WorkbenchError for a skill that cannot be read."""
        from workbench.records import blob_hash, read_regular
        from workbench.review import Drafts

        path = context.content.paths.skill(skill)
        data = read_regular(path, follow_link=False) if path.exists() else b""
        self.file_text = data.decode("utf-8").replace("\r\n", "\n")
        self._data = context.data
        self._drafts = Drafts.of(context.content.paths.root, context.data, context.clock)
        self._guard = threading.Lock()
        self._held = contextlib.ExitStack()
        self._number = 0
        self.taken_up = False
        draft = self._left_behind(skill)
        if draft is None:
            draft = self._drafts.begin(skill, blob_hash(data) if data else "", self.file_text)
            self._hold(draft)
        self.draft = draft

    @property
    def skill(self) -> str:
        return self.draft.skill

    def keep(self, text: str, number: int, message: str | None = None) -> bool:
        """Write ``text``, the ``number``th of this editor, unless a later one is written already or nothing
        differs. Raises Unavailable.
        """
        with self._guard:
            if number < self._number or text == self.draft.text:
                return False
            self._number = number
            told = self.draft.message if message is None else message
            self.draft = self._drafts.keep(self.draft, text, told)
            return True

    def write(self) -> None:
        """Have it on the disk although nothing was typed: what comes next reads it there."""
        with self._guard:
            self.draft = self._drafts.keep(self.draft, self.draft.text, self.draft.message)

    def drop(self) -> None:
        """The text is not wanted any more."""
        with self._guard:
            self._drafts.drop(self.draft)
            self._number += 1_000_000

    def release(self) -> None:
        """The editor is closed: whoever opens the skill next goes on with what is kept."""
        self._held.close()
        with contextlib.suppress(OSError):
            self._lock_of(self.draft).path.unlink()

    def _left_behind(self, skill: str) -> SkillDraft | None:
        """The newest that no living editor has."""
        for draft in self._drafts.all(skill)[0]:
            if self._hold(draft):
                self.taken_up = True
                return draft
        return None

    def _hold(self, draft: SkillDraft) -> bool:
        try:
            self._held.enter_context(self._lock_of(draft))
        except Refused:
            return False
        return True

    def _lock_of(self, draft: SkillDraft) -> FileLock:
        from workbench.store import FileLock

        return FileLock(self._data.draft_lock(draft.skill, draft.editor), "draft")


def still_there(context: AppContext, draft: SkillDraft) -> SkillDraft | None:
    """The draft as it is on the disk; None once it was saved or dropped."""
    from workbench.review import Drafts

    found = Drafts.of(context.content.paths.root, context.data).all(draft.skill)[0]
    return next((item for item in found if item.editor == draft.editor), None)
