"""What rules see: the hidden material of a task, and a whole run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from workbench.contamination.files import CollectedFile, collected_files
from workbench.contamination.fingerprint import Fingerprint, fingerprint
from workbench.records import EgressRecord, Mode, Step, Task

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
class HiddenMaterial:
    """What the agent of this task must not see. Never enters a sandbox, a log or an excerpt.

    ``removed_tables``: bare or qualified names. ``reference_sql``, ``reference_files``: by target; the files
    are the private Parquet references with a column ``_canary…``. ``column_names``: names that the output was
    asked to have, with the task's own; ``derived_schemas``: what the schema of derived tables is called.
    ``is_key``: whether a text holds the key.
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


@dataclass(frozen=True)
class RunView:
    """A whole run: its steps in order, the collected work folder, the output in it, the egress log.

    ``egress_valid`` is False where the log's chain is broken; ``egress_reason`` says how.
    """

    steps: Sequence[Step]
    collected: Path | None
    output: Path | None
    egress: Sequence[EgressRecord]
    egress_valid: bool
    hidden: HiddenMaterial
    egress_reason: str = ""

    @cached_property
    def files(self) -> list[CollectedFile]:
        """Collected regular files by name, the output included; no link is followed."""
        return collected_files(self.collected, self.output)


def key_in_text(key: str) -> KeyCheck | None:
    """A check for a key that is at hand; None for no key."""
    return (lambda text: key in text) if len(key) >= 8 else None


def key_by_hash(sha256: str) -> KeyCheck:
    """A check for a key of which only the SHA-256 (hex) is known: words of the text are hashed."""
    word = re.compile(r"[A-Za-z0-9_.~+/=-]{8,512}")

    def check(text: str) -> bool:
        return any(hashlib.sha256(found.encode()).hexdigest() == sha256 for found in set(word.findall(text)))

    return check
