"""Every file and folder name of the product. No other module joins a literal file name to a root."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.records.errors import BadInput

MARKER = "workbench.toml"
NATIVE = "native"
"""The schema variant whose names are the published ones."""
BENCHMARK = "m4bench"
"""The collection of the published tasks."""
OWN = "local"
"""The collection of the user's own tasks."""


@dataclass(frozen=True)
class ContentPaths:
    """The content root: tasks, skills, audits, evidence of one checkout or of the installed copy."""

    root: Path
    writable: bool = True

    @property
    def settings(self) -> Path:
        return self.root / MARKER

    @property
    def tasks(self) -> Path:
        return self.root / "tasks"

    @property
    def benchmark_tasks(self) -> Path:
        return self.tasks / BENCHMARK

    @property
    def collections(self) -> tuple[Path, ...]:
        """Folders of family folders: the published benchmark, extensions, the user's own."""
        return (self.benchmark_tasks, self.tasks / "extensions", self.own_tasks)

    @property
    def own_tasks(self) -> Path:
        return self.tasks / OWN

    @property
    def own_databases(self) -> Path:
        """Declarations of databases of the user's own."""
        return self.own_tasks / "databases"

    def own_database(self, name: str) -> Path:
        return self.own_databases / f"{name}.toml"

    @property
    def skills(self) -> Path:
        return self.root / "skills"

    @property
    def audits(self) -> Path:
        return self.root / "audits"

    @property
    def evidence(self) -> Path:
        return self.root / "evidence"

    @property
    def demonstrations(self) -> Path:
        return self.evidence / "demonstration"

    @property
    def demonstration_list(self) -> Path:
        return self.demonstrations / "manifest.json"

    def skill(self, name: str) -> Path:
        return self.skills / name / "SKILL.md"

    def primitives(self, database: str) -> Path:
        """SQL macros that a condition gives agents."""
        return self.tasks / "primitives" / f"{database}.sql"

    @property
    def dictionaries(self) -> Path:
        return self.tasks / "dictionaries"

    def dictionary(self, database: str) -> Path:
        """What the tables and columns of a database mean."""
        return self.dictionaries / f"{database}.toml"

    def audit(self, family: str) -> Path:
        return self.audits / f"{family}.toml"

    def demonstration(self, task: str, condition: str, label: str) -> Path:
        return self.demonstrations / task / f"{condition}.{label}.jsonl"

    def demonstration_script(self, task: str, condition: str, label: str) -> Path:
        return self.demonstrations / task / f"{condition}.{label}.script.toml"


@dataclass(frozen=True)
class FamilyPaths:
    """One family's folder below ``tasks/<collection>/``."""

    folder: Path

    @property
    def collection(self) -> str:
        """``m4bench``, ``extensions`` or ``local``."""
        return self.folder.parent.name

    @property
    def published(self) -> bool:
        """Whether the family is one of the published benchmark."""
        return self.collection == BENCHMARK

    @property
    def own(self) -> bool:
        """Whether the family is the user's own."""
        return self.collection == OWN

    @property
    def family(self) -> Path:
        return self.folder / "family.toml"

    @property
    def deviations(self) -> Path:
        return self.folder / "deviations.toml"

    def reference(self, target: str, database: str) -> Path:
        """``target`` is ``public-code`` (the default), ``adjudicated`` or ``accepted-<name>``."""
        middle = "" if target == "public-code" else f".{target}"
        return self.folder / f"reference{middle}.{database}.sql"

    def admissible(self, database: str) -> Path:
        """SQL for every row that the pinned concept may give where it leaves ties open; may be absent."""
        return self.folder / f"admissible.{database}.sql"

    def concept(self, database: str) -> Path:
        """SQL that gives the pinned concept in the tasks' grain and columns; may be absent."""
        return self.folder / f"concept.{database}.sql"

    def naive(self, database: str) -> Path:
        """SQL as somebody would write it who knows the instruction only."""
        return self.folder / f"naive.{database}.sql"

    def worked_example(self, database: str = "") -> Path:
        """The family's worked example; a further database has its own, ``worked-example.<database>.toml``."""
        middle = f".{database}" if database else ""
        return self.folder / f"worked-example{middle}.toml"

    @property
    def counterfactuals(self) -> Path:
        """Changed rules, to tell whether an agent follows the text; may be absent."""
        return self.folder / "counterfactuals.toml"

    @property
    def output_checks(self) -> Path:
        """Checks of an output that need no reference."""
        return self.folder / "output-checks.toml"

    @property
    def stages(self) -> Path:
        """The intermediate tables of the derivation."""
        return self.folder / "stages.toml"

    def task(self, task: str) -> Path:
        return self.folder / task / "task.toml"

    def instruction(self, task: str) -> Path:
        return self.folder / task / "instruction.md"

    def operational_spec(self, task: str) -> Path:
        return self.folder / task / "operational-spec.md"


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
    def events(self) -> Path:
        return self.folder / "events.jsonl"

    @property
    def material(self) -> Path:
        """What the agent was given to execute: a script's or a recording's bytes."""
        return self.folder / "material"

    @property
    def trajectory(self) -> Path:
        """What the agent printed, byte for byte (stdout)."""
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
STAGES_FOLDER = "stages"
"""Folder of the intermediate tables that such a condition asks for."""


def find_content(start: Path | None = None) -> ContentPaths:
    """The nearest ``workbench.toml`` upward from ``start``, else the installed read-only copy.

    Raises BadInput where the folder that one is in has been removed.
    """
    try:
        here = (start or Path.cwd()).resolve()
    except FileNotFoundError:
        raise BadInput("the folder you are in is gone", remedy="Go to one that exists (cd).") from None
    for folder in (here, *here.parents):
        if (folder / MARKER).is_file():
            return ContentPaths(folder)
    package = Path(__file__).resolve().parent.parent
    installed = package / "content"
    if not installed.is_dir() and (package.parent / MARKER).is_file():
        return ContentPaths(package.parent)
    return ContentPaths(installed, writable=False)


def find_data(content: ContentPaths, environment: Mapping[str, str] | None = None) -> DataPaths:
    """``$WORKBENCH_HOME``, else ``.workbench/`` in the project, else ``$XDG_DATA_HOME/workbench``."""
    environment = os.environ if environment is None else environment
    if environment.get("WORKBENCH_HOME"):
        return DataPaths(Path(environment["WORKBENCH_HOME"]).expanduser().resolve())
    if content.writable:
        return DataPaths(content.root / ".workbench")
    home = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return DataPaths(Path(home) / "workbench")
