"""What a condition adds to a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from workbench.records import blob_hash, skill_canary, with_canary

_MARKED = ".md"


@dataclass(frozen=True)
class Delivery:
    """``prompt_addition`` follows the instruction; ``skill_files`` are relative to the agent's skill folder,
    ``work_files`` to the work folder. ``skill_files`` are as written: ``given_skill_files`` is what an agent
    gets.
    """

    prompt_addition: str = ""
    skill_files: Mapping[str, bytes] = field(default_factory=dict)
    work_files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def skill_canaries(self) -> dict[str, str]:
        """The token of each Markdown file of a skill; of a text, whatever run gets it."""
        return {
            name: skill_canary(blob_hash(text))
            for name, text in self.skill_files.items()
            if PurePosixPath(name).suffix.lower() == _MARKED
        }

    @property
    def given_skill_files(self) -> dict[str, bytes]:
        """The files of the skills, each Markdown file with its token in a comment at the end."""
        tokens = self.skill_canaries
        return {
            name: with_canary(text, tokens[name]) if name in tokens else text
            for name, text in self.skill_files.items()
        }
