"""What an agent would get under a condition, byte for byte, without running anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import Content
from workbench.records import SKILL_FOLDER, WORK_FOLDER, Condition, Task, blob_hash
from workbench.runs.conditions import deliver
from workbench.runs.prompt import build_prompt
from workbench.store import atomic_write, private_folder

PROMPT = "prompt.md"


@dataclass(frozen=True)
class ConditionPreview:
    """``files`` maps the place inside the sandbox to the content, as the agent gets it.

    ``text_hashes``: of files that are given with a token, the hash of the text as written, which counts for
    a run's identity. An agent with a skill folder of its own gets the skills there, under equal names and
    with equal bytes.
    """

    task: str
    condition: Condition
    prompt: str
    files: dict[str, bytes]
    text_hashes: dict[str, str]

    def write(self, folder: Path) -> list[Path]:
        """The prompt as ``prompt.md`` and each file at its place below ``folder``, which must be new.

        Raises FileExistsError.
        """
        folder.mkdir(mode=0o700)
        written = [folder / PROMPT, *(folder / place.lstrip("/") for place in self.files)]
        for path, content in zip(written, [self.prompt.encode(), *self.files.values()], strict=True):
            private_folder(path.parent)
            atomic_write(path, content)
        return written


def preview(content: Content, task: Task, condition: Condition) -> ConditionPreview:
    """Raises BadInput where the content lacks what the condition needs."""
    delivery = deliver(condition, content, task)
    files = {f"{WORK_FOLDER}/{name}": text for name, text in delivery.work_files.items()}
    files |= {f"{SKILL_FOLDER}/{name}": text for name, text in delivery.given_skill_files.items()}
    return ConditionPreview(
        task=task.id,
        condition=condition,
        prompt=build_prompt(content.instruction(task.id), delivery.prompt_addition),
        files=dict(sorted(files.items())),
        text_hashes={
            f"{SKILL_FOLDER}/{name}": blob_hash(delivery.skill_files[name])
            for name in delivery.skill_canaries
        },
    )
