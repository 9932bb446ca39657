"""Drafts: texts that are not saved, kept in the data directory so that a crash costs nothing."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from workbench.records import BadInput, Clock, DataPaths, Problem, SkillDraft, SystemClock
from workbench.store import atomic_write, private_folder, writing


@dataclass(frozen=True)
class Drafts:
    """The drafts of one content root. Every editor has a file of its own: none writes over another's."""

    root: Path
    data: DataPaths
    clock: Clock

    @classmethod
    def of(cls, root: Path, data: DataPaths, clock: Clock | None = None) -> Drafts:
        """``root``: the content root."""
        return cls(root.resolve(), data, clock or SystemClock())

    def begin(self, skill: str, base: str, text: str) -> SkillDraft:
        """A draft for a new editor; kept only with ``keep``. ``base``: see ``SkillDraft``."""
        return SkillDraft(
            root=str(self.root),
            skill=skill,
            editor=secrets.token_hex(8),
            base=base,
            text=text,
            kept=self.clock.now(),
        )

    def keep(self, draft: SkillDraft, text: str, message: str = "") -> SkillDraft:
        """Write the text as it is now, whole or not at all, and on the disk when this returns.

        Raises Unavailable for a full or read-only disk; the earlier draft then is still there.
        """
        now = draft.model_copy(update={"text": text, "message": message, "kept": self.clock.now()})
        private_folder(self.data.root)
        private_folder(self.data.drafts)
        atomic_write(self._path(now), now.to_json())
        return now

    def drop(self, draft: SkillDraft) -> None:
        """Forget it, once it is saved or its author does not want it."""
        path = self._path(draft)
        with writing(path):
            path.unlink(missing_ok=True)

    def all(self, skill: str = "") -> tuple[list[SkillDraft], list[Problem]]:
        """Drafts of this content root, newest first, of one skill or of all; and what cannot be read."""
        found, problems = [], []
        for path in sorted(self.data.drafts.glob("*.json")):
            try:
                draft = SkillDraft.load(path)
            except BadInput as error:
                problems.append(
                    Problem(what=error.what, where=error.where, remedy="Look at it, then remove it.")
                )
                continue
            if draft.root == str(self.root) and skill in ("", draft.skill):
                found.append(draft)
        return sorted(found, key=lambda draft: draft.kept, reverse=True), problems

    def _path(self, draft: SkillDraft) -> Path:
        return self.data.draft(draft.skill, draft.editor)
