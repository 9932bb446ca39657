"""Every fault of a counterfactual is found: one edit of a copy, one finding with its line and a remedy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.checks.counterfactuals import check_counterfactuals
from workbench.checks.finding import Finding, Report
from workbench.checks.rules import RULES
from workbench.records import BadInput, Condition, ContentPaths
from workbench.runs import content_of, preview

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "tasks/m4bench/gcs"
FILE = f"{FOLDER}/counterfactuals.toml"
IN_INSTRUCTION = 'in = "instruction", find = "# Glasgow Coma Scale of the first day"'
ENDS = "stay.intime + INTERVAL"

Edit = tuple[str, str, str]
"""What is there, what is put for it, and words of the finding."""
EDITS: dict[str, list[Edit]] = {
    "change": [
        (IN_INSTRUCTION, IN_INSTRUCTION.replace("Coma", "Comma"), "stands 0 times in"),
        (IN_INSTRUCTION, 'in = "instruction", find = "response"', "times in"),
        (IN_INSTRUCTION, f"count = 2, {IN_INSTRUCTION}", "stands 1 times in"),
        (IN_INSTRUCTION, f'task = "mimic-gcs", {IN_INSTRUCTION}', "no such task on mimic-iv: mimic-gcs"),
        ('find = "of the first ICU day with"', 'find = "first-day GCS"', "that another change is in, too"),
        ('skill = "gcs", find = "of', 'skill = "gsc", find = "of', "no skill 'gsc'"),
        ('database = "mimic-iv"', 'database = "own"', "the family has no task on own"),
        (f'put = "{ENDS} 12 HOUR"', f'put = "{ENDS} ("', "not one statement that can be read"),
        ('put = "the lowest of six', 'put = "\\"\\nwindow = \\"the lowest of six', "unknown key 'window'"),
    ],
    "gone": [
        ('gone = ["24 hours"', 'gone = ["six hours"', "'six hours' still stands in"),
        ('gone = ["24 hours"', 'gone = ["25 hours"', "'25 hours' never stood in any text"),
        ('put = "from 6 hours before to 12 hours after admission"', 'put = "24 hours."', "instruction.md"),
    ],
    "rule": [('rule = "first-day-window"', 'rule = "first-day-windows"', "no rule 'first-day-windows'")],
    "differs": [
        ('columns = ["gcs_min", ', 'columns = ["gcs_max", ', "no scored columns of mimic-gcs-24h-raw"),
        ("WITH scored AS (", "WITH scored IS (", "not one statement that can be read"),
        ("FROM mimiciv_icu.icustays AS", "FROM mimiciv_icu.stays AS", "not published: mimiciv_icu.stays"),
    ],
}  # fmt: skip


@pytest.fixture
def copy(tmp_path: Path) -> Content:
    shutil.copytree(ROOT / FOLDER, tmp_path / FOLDER)
    for name in ("gcs", "suspicion-infection"):
        shutil.copytree(ROOT / "skills" / name, tmp_path / "skills" / name)
    return Content(ContentPaths(tmp_path))


def found_in(copy: Content) -> list[Finding]:
    report = Report(copy)
    check_counterfactuals(copy, copy.family_paths("gcs"), copy.tasks(), report)
    return report.findings


def edited(copy: Content, old: str, new: str) -> int:
    """Puts ``new`` for ``old``, once; the line where that is."""
    path = copy.paths.root / FILE
    text = path.read_text(encoding="utf-8")
    assert old in text, "the edit does not fit the content any more"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def test_what_is_there_is_clean(copy: Content) -> None:
    assert found_in(copy) == []


@pytest.mark.parametrize(("rule", "edit"), [(rule, edit) for rule in EDITS for edit in EDITS[rule]])
def test_an_edit_is_found(copy: Content, rule: str, edit: Edit) -> None:
    old, new, words = edit
    line = edited(copy, old, new)
    found = found_in(copy)
    told = [item for item in found if item.rule == f"counterfactual-{rule}" and words in item.what]
    assert [item.where for item in told] == [FILE], found
    assert told[0].what.startswith("first-12-hours: ") and told[0].remedy
    assert f"counterfactual-{rule}" in RULES
    if rule != "gone" and "read" not in told[0].what and "window'" not in told[0].what:
        assert line - 1 <= told[0].line <= line + 1


def test_a_declaration_made_from_the_reference_is_found(copy: Content) -> None:
    path = copy.paths.root / FILE
    text = path.read_text(encoding="utf-8")
    start = text.index('rows = """')
    end = text.index('"""', start + 10)
    reference = (copy.paths.root / FOLDER / "reference.mimic-iv.sql").read_text(encoding="utf-8")
    path.write_text(f'{text[:start]}rows = """{reference}{text[end:]}', encoding="utf-8")
    assert [item.what for item in found_in(copy)] == [
        "first-12-hours: `rows` is made from the reference, so that it proves nothing"
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('family = "gcs"', 'family = "gsc"', "family is 'gsc', expected 'gcs' from its place"),
        ('{ in = "task", find', '{ in = "tasks", find', "Input should be 'reference', 'task'"),
        (", count = 2 }", ", cuont = 2 }", "Did you mean count"),
        ('{ in = "task", find', "{ find", "key 'counterfactuals.0.changes.3.in' is missing"),
        ('"skill", skill = "gcs", find', '"skill", find', "skill is named where a skill is changed"),
        ('"reference", find', '"reference", task = "x", find', "task is named for task, instruction"),
        ('put = "from 6 hours before to 12', 'put = "from 6 hours before to 24', "find and put are equal"),
        ('hours"\ndatabase = "eicu"', 'hours"\ndatabase = "mimic-iv"', "twice on one database"),
        ('name = "first-12-hours"', 'name = "First 12"', "should match pattern"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(copy: Content, old: str, new: str, words: str) -> None:
    edited(copy, old, new)
    with pytest.raises(BadInput) as raised:
        found_in(copy)
    assert words in str(raised.value)
    assert "counterfactuals.toml" in raised.value.where


def test_a_condition_that_it_refuses_is_told_and_others_go_on(copy: Content) -> None:
    task = copy.task("eicu-gcs")
    why = 'refuses = [{ condition = "with-checks", why = "A count has the old window." }]'
    edited(copy, 'database = "eicu"', f'database = "eicu"\n{why}')
    assert found_in(copy) == []
    seen = content_of(copy, task=task, counterfactual="first-12-hours")
    assert preview(seen, task, Condition.WITH_SKILL).files
    with pytest.raises(BadInput, match="cannot be run under with-checks: A count has the old window"):
        preview(seen, task, Condition.WITH_CHECKS)
    assert preview(copy, task, Condition.WITH_CHECKS).files


def test_a_run_tells_the_same_fault_at_the_same_line(copy: Content) -> None:
    old, new, words = EDITS["change"][0]
    line = edited(copy, old, new)
    with pytest.raises(BadInput) as raised:
        content_of(copy, task=copy.task("mimic-gcs-24h-raw"), counterfactual="first-12-hours")
    assert words in raised.value.what
    assert raised.value.where == f"{copy.paths.root / FILE}, line {line}"
    assert raised.value.remedy
