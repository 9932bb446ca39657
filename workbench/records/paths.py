"""Files and folders of the data directory, and places inside a sandbox.

With ``content_paths`` these are all file names of the product: no other module joins a literal one to a root.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.records.content_paths import ContentPaths

NATIVE = "native"
"""The schema variant whose names are the published ones."""


@dataclass(frozen=True)
class SourcePaths:
    """One imported or synthetic source; immutable once renamed into place."""

    folder: Path

    @property
    def manifest(self) -> Path:
        return self.folder / "manifest.json"

    @property
    def tables(self) -> Path:
        return self.folder / "tables"

    def table(self, qualified: str) -> Path:
        """``qualified`` is ``<schema>.<table>``."""
        return self.tables / f"{qualified}.parquet"

    def concepts(self, revision: str) -> Path:
        return self.folder / "concepts" / revision

    def concept(self, revision: str, name: str) -> Path:
        return self.concepts(revision) / f"mimiciv_derived.{name}.parquet"

    def concept_manifest(self, revision: str) -> Path:
        return self.concepts(revision) / "manifest.json"

    @property
    def identifiers(self) -> Path:
        """Private (mode 0700): which identifiers and times the source has, for redaction to ask."""
        return self.folder / "identifiers"

    @property
    def identifier_manifest(self) -> Path:
        return self.identifiers / "manifest.json"

    def identifier_values(self, kind: str) -> Path:
        """The distinct values of a kind (``numbers``, ``keys``, ``days``, …), sorted."""
        return self.identifiers / f"{kind}.parquet"

    def references(self) -> Path:
        return self.folder / "references"

    def reference(self, family: str, target: str) -> Path:
        return self.references() / family / f"{target}.parquet"

    def reference_manifest(self, family: str, target: str) -> Path:
        return self.references() / family / f"{target}.json"

    def variant(self, variant: str) -> Path:
        """What a schema variant adds to the source."""
        return self.folder / "variants" / variant

    def variant_table(self, variant: str, qualified: str) -> Path:
        """``qualified`` is the variant's ``<schema>.<table>``."""
        return self.variant(variant) / "tables" / f"{qualified}.parquet"

    def variant_manifest(self, variant: str) -> Path:
        return self.variant(variant) / "manifest.json"

    def task_databases(self, variant: str = NATIVE) -> Path:
        return (self.folder if variant == NATIVE else self.variant(variant)) / "task-databases"

    def task_database(self, task: str, variant: str = NATIVE) -> Path:
        """Folder that is mounted read-only at ``DATABASE_FOLDER``."""
        return self.task_databases(variant) / task

    def task_database_manifest(self, task: str, variant: str = NATIVE) -> Path:
        return self.task_databases(variant) / f"{task}.json"


@dataclass(frozen=True)
class RunPaths:
    """One run's folder."""

    folder: Path

    @property
    def plan(self) -> Path:
        return self.folder / "plan.json"

    @property
    def identity(self) -> Path:
        return self.folder / "identity.json"

    @property
    def result(self) -> Path:
        return self.folder / "result.json"

    @property
    def lints(self) -> Path:
        """Re-lints, a file each, numbered in the order in which they were made."""
        return self.folder / "lints"

    def lint(self, number: int) -> Path:
        return self.lints / f"{number:04d}.json"

    @property
    def events(self) -> Path:
        return self.folder / "events.jsonl"

    @property
    def material(self) -> Path:
        """What the agent was given to execute: a script's or a recording's bytes."""
        return self.folder / "material"

    @property
    def trajectory(self) -> Path:
        """The run's mark (``run_mark``) as its first line, then what the agent printed, byte for byte."""
        return self.folder / "trajectory.jsonl"

    @property
    def stderr(self) -> Path:
        return self.folder / "agent.stderr"

    @property
    def egress(self) -> Path:
        return self.folder / "egress.jsonl"

    @property
    def collected(self) -> Path:
        """Copied results, regular files only."""
        return self.folder / "collected"

    @property
    def home(self) -> Path:
        """What was left in the agent's home: regular files, without those that are as they were given."""
        return self.folder / "home"

    @property
    def output(self) -> Path:
        return self.collected / "output.csv"

    @property
    def declaration(self) -> Path:
        return self.collected / DECLARATION_NAME

    @property
    def stages(self) -> Path:
        """Intermediate tables, ``<stage>.csv`` each."""
        return self.collected / STAGES_FOLDER

    @property
    def lock(self) -> Path:
        return self.folder / "run.lock"

    @property
    def sandbox(self) -> Path:
        """Private scratch of the backend (quota image, leftovers record)."""
        return self.folder / "sandbox"

    @property
    def process_log(self) -> Path:
        return self.folder / "process.log"


@dataclass(frozen=True)
class ReleasePaths:
    """What is kept here of one release: its salt, which never leaves, and while it is made its files."""

    folder: Path

    @property
    def record(self) -> Path:
        return self.folder / "release.json"

    @property
    def files(self) -> Path:
        return self.folder / "files"


@dataclass(frozen=True)
class DataPaths:
    """The data directory (mode 0700): sources, runs, index, logs, caches. Never a tracked folder."""

    root: Path

    @property
    def sources(self) -> Path:
        return self.root / "sources"

    def source(self, name: str) -> SourcePaths:
        return SourcePaths(self.sources / name)

    @property
    def concept_sql(self) -> Path:
        """Unpacked pinned concept SQL, a folder a revision."""
        return self.root / "concept-sql"

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    def run(self, run_id: str) -> RunPaths:
        return RunPaths(self.runs / run_id)

    @property
    def index(self) -> Path:
        return self.root / "index.sqlite"

    @property
    def search_index(self) -> Path:
        """Words of the steps of all runs."""
        return self.root / "search.sqlite"

    @property
    def offset_indexes(self) -> Path:
        """Where steps begin in large logs, a file a log."""
        return self.root / "offset-indexes"

    @property
    def settings(self) -> Path:
        """The user's own settings, above those of the project."""
        return self.root / "settings.toml"

    @property
    def settings_lock(self) -> Path:
        return self.locks / "settings.lock"

    @property
    def terminal_session(self) -> Path:
        """Where the terminal app was left."""
        return self.root / "terminal" / "session.json"

    @property
    def recovery(self) -> Path:
        """Unsaved work of terminal apps, a file a process."""
        return self.root / "terminal" / "recovery"

    @property
    def drafts(self) -> Path:
        """Texts of skills that are in no version yet, a file an editor."""
        return self.root / "drafts"

    def draft(self, skill: str, editor: str) -> Path:
        return self.drafts / f"{skill}.{editor}.json"

    def draft_lock(self, skill: str, editor: str) -> Path:
        """Held while that editor is open."""
        return self.drafts / f"{skill}.{editor}.lock"

    @property
    def reviewers(self) -> Path:
        """Private: who the reviewers' identifiers stand for."""
        return self.root / "reviewers.json"

    @property
    def reviewers_lock(self) -> Path:
        return self.locks / "reviewers.lock"

    def audit_lock(self, name: str) -> Path:
        """Held while a file of the audits is written by the workbench."""
        return self.locks / f"audit.{name}.lock"

    @property
    def sealed_verdicts(self) -> Path:
        """Private: verdicts that are sealed, a file a seal."""
        return self.root / "sealed-verdicts"

    def sealed_verdict(self, skill: str, reviewer: str, seal: str) -> Path:
        return self.sealed_verdicts / f"{skill}.{reviewer}.{seal[:16]}.json"

    @property
    def releases(self) -> Path:
        return self.root / "releases"

    def release(self, name: str) -> ReleasePaths:
        return ReleasePaths(self.releases / name)

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def locks(self) -> Path:
        return self.root / "locks"

    @property
    def runtimes(self) -> Path:
        """What is mounted read-only for agents, keyed by lock hash."""
        return self.root / "runtimes"

    @property
    def scratch(self) -> Path:
        """Half-made things; anything here may be removed when its owner is dead."""
        return self.root / "scratch"


WORK_FOLDER = "/workspace"
"""Where an agent works; names neither task nor condition."""
DATABASE_FOLDER = "/data"
"""Where the task database and its Parquet files are mounted read-only."""
DATABASE_FILE = "/data/ehr.duckdb"
RUNTIME_FOLDER = "/opt/runtime"
"""Where the agents' Python packages and command line tools are mounted read-only."""
SKILL_FOLDER = "/workspace/.agents/skills"
"""Default place of injected skills; an agent may ask for another."""
OUTPUT_NAME = "output.csv"
DECLARATION_NAME = "declaration.toml"
"""What an agent declares before it derives anything, where its condition asks for that."""
RELEASE_MANIFEST = "manifest.json"
"""Of a release, beside its files."""
STAGES_FOLDER = "stages"
"""Folder of the intermediate tables that such a condition asks for."""


def find_data(content: ContentPaths, environment: Mapping[str, str] | None = None) -> DataPaths:
    """``$WORKBENCH_HOME``, else ``.workbench/`` in the project, else ``$XDG_DATA_HOME/workbench``."""
    environment = os.environ if environment is None else environment
    if environment.get("WORKBENCH_HOME"):
        return DataPaths(Path(environment["WORKBENCH_HOME"]).expanduser().resolve())
    if content.writable:
        return DataPaths(content.root / ".workbench")
    home = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return DataPaths(Path(home) / "workbench")
