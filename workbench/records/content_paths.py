"""Files and folders of the content: tasks, skills, audits, evidence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.records.errors import BadInput

MARKER = "workbench.toml"
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

    @property
    def review_sessions(self) -> Path:
        """Review sessions, a file each."""
        return self.audits / "sessions"

    def review_session(self, name: str) -> Path:
        return self.review_sessions / f"{name}.toml"

    @property
    def run_audits(self) -> Path:
        """Labels and notes on runs, a file a run."""
        return self.audits / "runs"

    def run_audit(self, run: str) -> Path:
        return self.run_audits / f"{run}.toml"

    def reviews(self, skill: str) -> Path:
        """The sign-offs of a skill, a file a reviewer."""
        return self.audits / "reviews" / skill

    def review(self, skill: str, reviewer: str) -> Path:
        return self.reviews(skill) / f"{reviewer}.toml"

    def accepted_rules(self, skill: str) -> Path:
        """Rows of the skill's rule diff that reviewers accept."""
        return self.audits / "rules" / f"{skill}.json"

    def adjudication(self, skill: str) -> Path:
        return self.reviews(skill) / "adjudication.toml"

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
