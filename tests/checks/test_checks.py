"""Every check finds what it is for: one edit of a copy of the content, one new finding."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.checks import Finding, check_content, published_tasks
from workbench.checks.content import within
from workbench.records import ContentPaths, Mode

ROOT = Path(__file__).resolve().parents[2]
FAMILY = "suspicion-infection"
FOLDER = f"tasks/m4bench/{FAMILY}"
TASK = f"{FOLDER}/mimic-suspicion-infection"
SKILL = f"skills/{FAMILY}/SKILL.md"
AUDIT = f"audits/{FAMILY}.toml"
SQL = f"{FOLDER}/reference.mimic-iv.sql"
NAIVE_FILE = "naive.mimic-iv.sql"
CHECKS_FILE = f"{FOLDER}/output-checks.toml"

NAIVE = "SELECT subject_id, 1 AS ab_id FROM mimiciv_hosp.prescriptions"
CHECKS = """
family = "suspicion-infection"
[[databases]]
database = "mimic-iv"
cohort = "SELECT subject_id FROM mimiciv_hosp.prescriptions"
cohort_keys = ["subject_id"]
cohort_rule = "some"
counts = [{ step = "prescriptions", sql = "SELECT count(*) FROM mimiciv_hosp.prescriptions" }]
"""

Edit = tuple[str, str, str]
EDITS: list[tuple[str, Edit]] = [
    ("skill-length", (SKILL, "## Grain\n", "## Grain\n" + "word " * 6000)),
    ("skill-length", (SKILL, "## Grain\n", "## Grain\n" + "\n" * 500)),
    ("skill-description", (SKILL, "Use when", "When")),
    ("skill-sections", (SKILL, "## Traps", "## Notes")),
    ("skill-code", (SKILL, "## Grain\n", "## Grain\n\n```\nx\n```\n")),
    ("skill-sql", (SKILL, "## Grain\n", "## Grain\n\nUse a LEFT JOIN.\n")),
    ("skill-path", (SKILL, "## Grain\n", "## Grain\n\nSee /data/notes.\n")),
    ("skill-list", (SKILL, "## Grain\n", "## Grain\n\nWindow: admission\n- 6 hours to discharge.\n")),
    ("skill-task", (SKILL, "## Grain\n", "## Grain\n\nWrite output.csv.\n")),
    ("skill-task", (SKILL, "## Grain\n", "## Grain\n\nFor mimic-suspicion-infection-raw.\n")),
    ("unreadable", (SKILL, "license: MIT", "licence: MIT")),
    ("task-published", (f"{TASK}/task.toml", "column_accuracy = 1.0", "column_accuracy = 0.9")),
    ("task-published", (f"{TASK}/task.toml", "published_rows = 949901", "published_rows = 949902")),
    ("task-published", (f"{TASK}/task.toml", '"suspicion_of_infection", "sepsis3"', '"sepsis3"')),
    ("task-published", (f"{TASK}/task.toml", '"sepsis3"]', '"sepsis3", "sofa"]')),
    ("task-published", (f"{TASK}/task.toml", '{ name = "culture_time", type = "time" },', "")),
    ("task-published", (f"{FOLDER}/family.toml", ', "mimic-suspicion-infection-raw"', "")),
    ("task-decoy", (f"{TASK}/task.toml", 'decoy_skill = "urine-output-rate"', 'decoy_skill = "nothing"')),
    ("task-decoy", (f"{TASK}/task.toml", 'decoy_skill = "urine-output-rate"', f'decoy_skill = "{FAMILY}"')),
    ("task-skills", (f"{TASK}/task.toml", f'skills = ["{FAMILY}"]', 'skills = ["urine-output-rate"]')),
    ("task-targets", (f"{TASK}/task.toml", "[[targets]]", '[[targets]]\nname = "accepted-x"\n\n[[targets]]')),
    ("instruction-columns", (f"{TASK}/instruction.md", "`specimen`", "specimen")),
    ("instruction-items", (f"{TASK}/instruction.md", "#", "# 90856")),
    ("instruction-tables", (f"{TASK}/instruction.md", "#", "# microbiologyevents")),
    ("instruction-tables", (f"{TASK}/instruction.md", "#", "# `prescriptions`")),
    ("instruction-sparse", (f"{TASK}/instruction.md", "#", "# mimiciv_hosp")),
    ("instruction-sparse", (f"{TASK}/instruction.md", "#", "# skill")),
    ("instruction-sparse", (f"{TASK}/instruction.md", "#", "# " + "word " * 1000)),
    ("spec-columns", (f"{TASK}/operational-spec.md", "`culture_time`", "culture_time")),
    ("spec-list", (f"{TASK}/operational-spec.md", "# ", "Window: admission\n- 6 hours.\n\n# ")),
    ("spec-items", (f"{TASK}/operational-spec.md", "#", "# 90856")),
    ("spec-recipe", (f"{TASK}/operational-spec.md", "#", "# spec_type_desc")),
    ("spec-recipe", (f"{TASK}/operational-spec.md", "#", "# ORDER BY")),
    ("spec-equal", (f"{TASK}/operational-spec.md", "#", "# Other")),
    ("time-frame", (SQL, "-- rule: equal-minute", "-- rule: equal-second")),
    ("time-frame", (SQL, "-- rule: equal-minute", "-- the rule of equal minutes:")),
    ("unreadable", (SQL, "-- rule: equal-minute", "-- rule: Equal minute")),
    ("reference-reads", (SQL, "mimiciv_icu.icustays", "mimiciv_derived.sofa")),
    (
        "reference-reads",
        (SQL, "mimiciv_icu.icustays AS icu", "(SELECT o2_flow FROM mimiciv_derived.oxygen_delivery) AS icu"),
    ),
    ("reference-reads", (SQL, "mimiciv_icu.icustays", "mimiciv_icu.stays")),
    ("names-apart", (f"{FOLDER}/family.toml", '"suspected-infection"', '"mimic-suspicion-infection"')),
    ("reference-sql", (SQL, "mimiciv_icu.icustays AS icu", "read_csv('/tmp/icu.csv') AS icu")),
    ("naive-sql", (f"{FOLDER}/{NAIVE_FILE}", "mimiciv_hosp.prescriptions", "'/tmp/x.csv'")),
    ("naive-sql", (f"{FOLDER}/{NAIVE_FILE}", "subject_id", "subjectid")),
    ("output-checks", (CHECKS_FILE, "SELECT subject_id FROM", "SELECT subjectid FROM")),
    ("output-checks", (CHECKS_FILE, "FROM mimiciv_hosp.prescriptions\" }", "FROM '/tmp/x.csv'\" }")),
    ("output-checks", (
        CHECKS_FILE, "cohort_rule", 'relations = [{ says = "x", sql = "abid > 0" }]\ncohort_rule'
    )),
    ("naive-reads", (f"{FOLDER}/{NAIVE_FILE}", "mimiciv_hosp.prescriptions", "mimiciv_derived.antibiotic")),
    ("output-checks", (CHECKS_FILE, 'cohort_keys = ["subject_id"]', 'cohort_keys = ["x"]')),
    ("output-checks", (CHECKS_FILE, "prescriptions\" }]", "nowhere\" }]")),
    ("output-checks", (CHECKS_FILE, "cohort_rule", 'ranges = [{ column = "ab_id", low = 1 }]\ncohort_rule')),
    ("output-checks", (
        CHECKS_FILE, "cohort_rule", 'ranges = [{ column = "specimen", high = 1 }]\ncohort_rule'
    )),
    ("output-checks", (
        CHECKS_FILE, "cohort_rule", 'ranges = [{ column = "culture_time", values = [1] }]\ncohort_rule'
    )),
    ("output-checks", (CHECKS_FILE, 'cohort = "SELECT subject_id FROM', 'cohort = "SELEC subject_id FORM')),
    ("output-checks", (CHECKS_FILE, "SELECT count(*) FROM", "SELECT 1; SELECT count(*) FROM")),
    ("output-checks", (
        CHECKS_FILE, "cohort_rule", 'relations = [{ says = "x", sql = "ab_id >" }]\ncohort_rule'
    )),
    ("output-checks", (
        CHECKS_FILE,
        "cohort_rule",
        'relations = [{ says = "x", sql = "ab_id IN (SELECT 1 FROM mimiciv_hosp.services)" }]\ncohort_rule',
    )),
    ("audit-rules", (AUDIT, 'rule = "specimen-is-culture"', 'rule = "no-such-rule"')),
    ("audit-text", (AUDIT, 'source = "', 'source = ""\n# "')),
    ("deviation-witness", (f"{FOLDER}/deviations.toml", "deviations = []", (
        'deviations = [{ id = "x", what = "w", why = "y", columns = ["specimen"], predicate = "true", '
        'witness = "nothing" }]'
    ))),
    ("dictionary-names", ("tasks/dictionaries/mimic-iv.toml", "`stay_id`", "`stay`")),
    ("links", ("README.md", "docs/scoring.md", "docs/nowhere.md")),
]  # fmt: skip


@pytest.fixture
def copy(tmp_path: Path) -> Content:
    return copied(tmp_path)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> set[Finding]:
    """What an unedited copy shows."""
    return set(check_content(copied(tmp_path_factory.mktemp("unedited"))))


def copied(tmp_path: Path) -> Content:
    """The content with one family."""

    def others(folder: str, names: list[str]) -> list[str]:
        inside = Path(folder).relative_to(ROOT).as_posix()
        if inside == "tasks":
            return ["extensions", "local"]
        return [name for name in names if name != FAMILY] if inside == "tasks/m4bench" else []

    for name in ("tasks", "skills", "audits", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=others)
    shutil.copy(ROOT / "README.md", tmp_path)
    (tmp_path / "workbench.toml").touch()
    folder = tmp_path / FOLDER
    (folder / "naive.mimic-iv.sql").write_text(NAIVE)
    (folder / "output-checks.toml").write_text(CHECKS)
    return Content(ContentPaths(tmp_path))


@pytest.mark.parametrize(("rule", "edit"), EDITS, ids=[f"{rule}-{n}" for n, (rule, _) in enumerate(EDITS)])
def test_an_edit_is_found(copy: Content, before: set[Finding], rule: str, edit: Edit) -> None:
    name, old, new = edit
    file = copy.paths.root / name
    text = file.read_text()
    assert old in text, "the edit does not fit the content any more"
    file.write_text(text.replace(old, new))
    found = {item.rule for item in set(check_content(copy)) - before}
    assert rule in found


def test_files_that_are_not_there(copy: Content, before: set[Finding]) -> None:
    folder = copy.paths.root / FOLDER
    for name in ("naive.mimic-iv.sql", "output-checks.toml"):
        (folder / name).unlink()
    (copy.paths.root / AUDIT).unlink()
    found = {(item.rule, item.where) for item in set(check_content(copy)) - before}
    assert {
        ("family-files", f"{FOLDER}/naive.mimic-iv.sql"),
        ("family-files", f"{FOLDER}/output-checks.toml"),
        ("unreadable", AUDIT),
    } <= found


def test_a_part_shows_what_the_whole_shows_of_it(copy: Content) -> None:
    root = copy.paths.root
    for name, edit in ((SKILL, "Use a LEFT JOIN."), (SQL, "-- rule: Odd"), ("docs/scoring.md", "[x](no.md)")):
        with (root / name).open("a") as file:
            file.write(f"\n{edit}\n")
    with (root / AUDIT).open("a") as file:
        file.write('\n[[reported]]\nid = "B103"\nreason = "again"\n')
    whole = check_content(copy)
    assert {SKILL, SQL, AUDIT, "docs/scoring.md"} <= {item.where for item in whole}
    for place in ("skills", SKILL, "audits", FOLDER, "tasks", SQL, "docs", "docs/rule", "README.md", "."):
        assert check_content(copy, places=[place]) == [item for item in whole if within(item.where, place)]


def test_a_fault_answered_twice(copy: Content, before: set[Finding]) -> None:
    with (copy.paths.root / AUDIT).open("a") as file:
        file.write('\n[[reported]]\nid = "B103"\nreason = "again"\n')
    assert "audit-reported" in {item.rule for item in set(check_content(copy)) - before}


def test_the_published_table_is_whole() -> None:
    rows = published_tasks().values()
    assert len(rows) == 28
    assert len({row.family for row in rows}) == 15
    assert sum(row.database == "eicu" for row in rows) == 2
    assert sum(row.mode is Mode.STANDARD for row in rows) == 11
    assert sum(len(row.value_columns) > 0 and row.rows > 40_000 for row in rows) == 28


def test_bounds_on_a_key_are_told_in_words(copy: Content) -> None:
    path = copy.paths.root / CHECKS_FILE
    path.write_text(CHECKS.replace("cohort_rule", 'ranges = [{ column = "ab_id", low = 1 }]\ncohort_rule'))
    told = {finding.what for finding in check_content(copy) if finding.rule == "output-checks"}
    assert told == {"low, high and numbers are for columns of numbers, not for: ab_id (a key)"}
