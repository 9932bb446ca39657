"""What must stay hidden from one run's agent. Made by the runs, never by walking folders from here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from workbench.contamination.earlier import EarlierRun
from workbench.contamination.fingerprint import Fingerprint, fingerprint
from workbench.records import SKILL_FOLDER, WORK_FOLDER, Mode, Task

DERIVED_SCHEMA = "mimiciv_derived"
SOURCE_SCHEMAS = ("mimiciv_hosp", "mimiciv_icu", "eicu_crd", DERIVED_SCHEMA)

READABLE = (
    "/workspace", "/data", "/tmp", "/home/agent", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
    "/opt/runtime", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout",
    "/dev/stderr", "/dev/fd", "/dev/tty", "/dev/shm", "/etc/os-release", "/etc/debian_version",
    "/etc/lsb-release", "/etc/issue", "/etc/alternatives", "/etc/ld.so.cache", "/etc/ssl", "/etc/localtime",
    "/etc/timezone", "/etc/hostname", "/etc/python3", "/etc/bash.bashrc", "/etc/profile", "/proc/cpuinfo",
    "/proc/meminfo", "/proc/version", "/proc/loadavg", "/proc/uptime", "/proc/self/status",
    "/proc/self/limits", "/sys/fs/cgroup", "/sys/devices/system/cpu",
)  # fmt: skip
"""Files and folders that an agent may read: its own, the database, programs, and facts about the machine."""
WRITABLE = (
    "/workspace", "/tmp", "/home/agent", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd",
    "/dev/shm",
)  # fmt: skip

KeyCheck = Callable[[str], bool]
"""Whether a text holds the run's model key."""


@dataclass(frozen=True)
class SkillMaterial:
    """One skill of the content. ``text``: as an agent would read it; ``canary``: the token planted in it.

    ``allowed``: this run may see it; ``expected``: a run of this condition should open it.
    """

    text: str
    canary: str = ""
    allowed: bool = False
    expected: bool = False


@dataclass(frozen=True)
class HiddenMaterial:
    """What the agent of this task must not see. Never enters a sandbox, a log or an excerpt.

    ``removed_tables``: bare or qualified names. ``reference_sql``, ``reference_files``: by target; the files
    are the private Parquet references with a column ``_canary…``. ``column_names``: names that the output was
    asked to have, with the task's own; ``derived_schemas``: what the schema of derived tables is called.
    ``is_key``: whether a text holds the key. ``condition``: empty where it is not known. ``skills``: every
    skill of the content by name; ``skill_folders``: where the run's own ones lie inside. ``work_folders``:
    what is the agent's own place, whatever things in it are called. ``public_sql``: public concept SQL by
    name. ``other_names``: names of tables in other variants of the schema that this agent was never told.
    ``earlier``: finished runs of the same family, source and variant, made before this one began.
    ``run_canaries``: tokens of earlier runs and of other runs' folders. ``given``: what a person gave the
    agent to execute as it stands: a script, a recording.
    """

    task: Task
    removed_tables: Sequence[str]
    reference_sql: Mapping[str, str] = field(default_factory=dict)
    reference_files: Mapping[str, Path] = field(default_factory=dict)
    column_names: Mapping[str, str] = field(default_factory=dict)
    derived_schemas: tuple[str, ...] = (DERIVED_SCHEMA,)
    allowed_reads: tuple[str, ...] = READABLE
    allowed_writes: tuple[str, ...] = WRITABLE
    is_key: KeyCheck | None = None
    condition: str = ""
    skills: Mapping[str, SkillMaterial] = field(default_factory=dict)
    skill_folders: tuple[str, ...] = (SKILL_FOLDER,)
    work_folders: tuple[str, ...] = (WORK_FOLDER,)
    public_sql: Mapping[str, str] = field(default_factory=dict)
    other_names: frozenset[str] = frozenset()
    earlier: Sequence[EarlierRun] = ()
    run_canaries: frozenset[str] = frozenset()
    given: str = ""

    @cached_property
    def removed(self) -> frozenset[str]:
        """Bare lower-case names of the removed tables."""
        return frozenset(name.lower().rsplit(".", 1)[-1] for name in self.removed_tables)

    def is_removed(self, qualified: str) -> bool:
        """Whether this derived table is not in the task's database; in raw mode none is."""
        schema, _, table = qualified.lower().rpartition(".")
        return schema in self.derived_schemas and (table in self.removed or self.task.mode is Mode.RAW)

    @cached_property
    def fingerprints(self) -> list[Fingerprint]:
        """What tells a copy of each reference; made when first asked for."""
        return [fingerprint(target, path) for target, path in sorted(self.reference_files.items())]


def key_in_text(key: str) -> KeyCheck | None:
    """A check for a key that is at hand; None for no key."""
    return (lambda text: key in text) if len(key) >= 8 else None


def key_by_hash(sha256: str) -> KeyCheck:
    """A check for a key of which only the SHA-256 (hex) is known: words of the text are hashed."""
    word = re.compile(r"[A-Za-z0-9_.~+/=-]{8,512}")

    def check(text: str) -> bool:
        return any(hashlib.sha256(found.encode()).hexdigest() == sha256 for found in set(word.findall(text)))

    return check
