"""Stages that cannot be: each gets its finding, at its line, with what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.checks.finding import Finding, Report
from workbench.checks.stages import check_stages
from workbench.ehr import schema_of
from workbench.records import ContentPaths

ROOT = Path(__file__).resolve().parents[2]
CONTENT = Content(ContentPaths(ROOT))
FAMILY = "oasis"
FOLDER = f"tasks/m4bench/{FAMILY}"
FILE = f"{FOLDER}/stages.toml"
FIRST = "SELECT\n  stay_id, heart_rate_lowest,"

EDITS = [
    ("FROM vital\n", "FROM vitals\n", "vitals: the reference has no step 'vitals'", "vital", "sql"),
    (FIRST, "SELECT\n  stay_id, heart_rate_low, heart_rate_lowest,",
     "vitals: no column 'heart_rate_low' in what it reads", "heart_rate_lowest", "sql"),
    (FIRST, "SELECT\n  stay_id,", "vitals: its SQL gives no column heart_rate_lowest", "", "sql"),
    (FIRST, f"{FIRST} 1 AS more,",
     "vitals: its SQL gives more, which is neither key nor column", "leave", "sql"),
    (FIRST, f"WITH x AS (SELECT 1) {FIRST}", "vitals: its SQL is not one SELECT that can be read", "", "sql"),
    (FIRST, f"DROP TABLE x; {FIRST}", "vitals: its SQL is not one SELECT that can be read", "", "sql"),
    (FIRST, f"SELEKT {FIRST}", "vitals: its SQL is not one SELECT that can be read", "", "sql"),
    ("FROM vital\n", "FROM vital INNER JOIN mimiciv_icu.icustay USING (stay_id)\n",
     "vitals: reads mimiciv_icu.icustay, which is no raw table", "mimiciv_icu.icustays", "sql"),
    ("FROM vital\n", "FROM vital INNER JOIN mimiciv_derived.gcs USING (stay_id)\n",
     "vitals: reads mimiciv_derived.gcs, which is no raw table", "from a step", "sql"),
    ("the extremes of its first day.", "the extremes of item 220045.",
     "vitals: an item id in what agents are told", "clinician", "rows"),
    ("the extremes of its first day.", "see chartevents.",
     "vitals: the table chartevents in what agents are told", "clinician", "rows"),
    ('means = "beats per minute"', 'means = "beats of item 220045"',
     "vitals: an item id in what agents are told", "clinician", "columns"),
]  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A content root with the one family."""
    shutil.copytree(ROOT / FOLDER, tmp_path / FOLDER)
    return tmp_path


def findings(root: Path, *databases: str) -> list[Finding]:
    content = Content(ContentPaths(root))
    report = Report(content)
    schemas = {name: schema_of(content, name) for name in databases or ("mimic-iv", "eicu")}
    check_stages(content.files(FAMILY), schemas, report)
    return report.findings


def test_every_family_of_the_project_passes() -> None:
    for family in CONTENT.families():
        report = Report(CONTENT)
        tasks = [CONTENT.task(name) for name in family.tasks]
        schemas = {task.database: schema_of(CONTENT, task.database) for task in tasks}
        check_stages(CONTENT.files(family.name), schemas, report)
        assert report.findings == [], family.name


@pytest.mark.parametrize(("old", "new", "what", "remedy", "key"), EDITS)
def test_one_edit_one_finding(root: Path, old: str, new: str, what: str, remedy: str, key: str) -> None:
    path = root / FILE
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    (found,) = [item for item in findings(root) if item.what == what]
    assert (found.rule, found.where) == ("stages", FILE)
    assert found.remedy and remedy in found.remedy
    assert path.read_text().split("\n")[found.line - 1].startswith(key)


def test_databases_and_missing_files(root: Path) -> None:
    (found,) = findings(root, "mimic-iv")
    assert (found.what, found.remedy) == ("the family has no task on eicu", "Correct `database`.")
    assert (root / FILE).read_text().split("\n")[found.line - 1] == 'database = "eicu"'
    path = root / FILE
    path.write_text(path.read_text().split('\n[[databases]]\ndatabase = "eicu"')[0])
    (found,) = findings(root)
    assert (found.rule, found.what) == ("stages", "no stages for: eicu")
    path.unlink()
    (found,) = findings(root)
    assert (found.rule, found.what) == ("family-files", "there are no stages")


def test_a_family_of_ones_own_needs_none(root: Path) -> None:
    own = root / "tasks" / "local"
    own.mkdir()
    (root / FOLDER).rename(own / FAMILY)
    (own / FAMILY / "stages.toml").unlink()
    assert findings(root) == []


def test_the_line_is_that_of_the_stage_in_a_second_database(root: Path) -> None:
    path = root / FILE
    head, second = path.read_text().split('database = "eicu"')
    path.write_text(head + 'database = "eicu"' + second.replace("FROM vital\n", "FROM vitals\n", 1))
    (found,) = findings(root)
    assert found.line > head.count("\n") + 1
    assert found.what == "vitals: the reference has no step 'vitals'"
