"""Every fault of a data dictionary is found: one edit of a copy, one finding with its line and a remedy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.checks.dictionaries import check_dictionary, dictionary_databases
from workbench.checks.finding import Finding, Report
from workbench.checks.rules import RULES
from workbench.records import BadInput, ContentPaths, Task

ROOT = Path(__file__).resolve().parents[2]
PLACE = "tasks/dictionaries/mimic-iv.toml"
STAYS = 'name = "mimiciv_icu.icustays"\n'
ABOUT = 'about = "One row per patient (`subject_id`).'
LOS = 'los = "length of the ICU stay'

Edit = tuple[str, str, str]
"""What is there, what is put for it, and words of the finding."""
EDITS: dict[str, list[Edit]] = {
    "dictionary-text": [
        (f"{LOS}, days with fraction", 'los = "', "the meaning of mimiciv_icu.icustays.los is empty"),
        (ABOUT, 'about = " "\n# ', "'about' of mimiciv_hosp.patients is empty"),
        (ABOUT, f"{ABOUT}{' word' * 150}", "is not one line"),
        (ABOUT, f"{ABOUT}\\nMore.", "is not one line"),
    ],
    "dictionary-words": [
        (ABOUT, f"{ABOUT} As in MIMIC-IV.", "tells which database it is: MIMIC"),
        (ABOUT, f"{ABOUT} Not as in eICU.", "tells which database it is: eICU"),
        (LOS, f"{LOS} (mimic-code)", "tells which database it is: mimic"),
    ],
    "dictionary-names": [
        (ABOUT, f"{ABOUT} See `mimiciv_hosp.people`.", "not there: mimiciv_hosp.people"),
        (ABOUT, f"{ABOUT} See `patients`.", "not there: patients"),
        (ABOUT, f"{ABOUT} See `stay_id`.", "not there: stay_id"),
        (ABOUT, f"{ABOUT} See `anchor_yaer`.", "not there: anchor_yaer"),
        (LOS, f"{LOS}, see `charttime`", "not there: charttime"),
        (LOS, f"{LOS}, see `intime", "a code type that does not end"),
        (LOS, f"{LOS} of stay_id", "outside of code type: stay_id"),
        (LOS, f"{LOS} at the charttime", "outside of code type: charttime"),
        (LOS, f"{LOS} of an itemid", "outside of code type: itemid"),
        (LOS, f"{LOS} in icustays", "outside of code type: icustays"),
        (LOS, f"{LOS}, as in `mimiciv_derived.sofa`", "a task may lack: mimiciv_derived.sofa"),
        ('stay_id = "ICU stay, as', 'stay_id = "ICU stay `stay`, as', "not there: stay"),
    ],
    "dictionary-recipe": [
        (LOS, f"{LOS}, not item 220045", "has item ids: 220045"),
        (LOS, f"{LOS} by GROUP BY", "has words of SQL: GROUP BY"),
    ],
    "dictionary-columns": [
        ('  "los",\n]', '  "los",\n  "warning",\n]', "columns that are not published: warning"),
        ('  "intime",\n  "outtime",\n  "los"', '  "outtime",\n  "intime",\n  "los"', "in another order"),
        ("[columns]\n", '[columns]\nbed = "bed"\n', "no table takes the meaning of bed from here"),
    ],
    "dictionary-tables": [
        (STAYS, 'name = "mimiciv_icu.stays"\n', "lacks tables: mimiciv_icu.icustays"),
        (STAYS, 'name = "mimiciv_icu.stays"\n', "mimiciv_icu.stays is no published table"),
        ('"mimiciv_derived.sofa"', '"mimiciv_derived.sofas"', "lacks concepts: mimiciv_derived.sofa"),
        ('"mimiciv_derived.age"', '"mimiciv_derived.ages"', "lacks concepts: mimiciv_derived.age"),
    ],
}
WITHOUT_LINE = ("lacks tables", "lacks concepts")


@pytest.fixture
def copy(tmp_path: Path) -> Content:
    shutil.copytree(ROOT / "tasks" / "dictionaries", tmp_path / "tasks" / "dictionaries")
    return Content(ContentPaths(tmp_path))


@pytest.fixture(scope="module")
def tasks(content: Content) -> list[Task]:
    return content.tasks()


def found_in(copy: Content, tasks: list[Task]) -> list[Finding]:
    report = Report(copy)
    check_dictionary(copy, "mimic-iv", tasks, report)
    return report.findings


def edited(copy: Content, old: str, new: str) -> int:
    """Puts ``new`` for ``old``, once; the line where that is."""
    path = copy.paths.dictionary("mimic-iv")
    text = path.read_text(encoding="utf-8")
    assert old in text, "the edit does not fit the content any more"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def test_the_dictionary_is_clean(tasks: list[Task], copy: Content) -> None:
    assert found_in(copy, tasks) == []


@pytest.mark.parametrize(("rule", "edit"), [(rule, edit) for rule in EDITS for edit in EDITS[rule]])
def test_an_edit_is_found(tasks: list[Task], copy: Content, rule: str, edit: Edit) -> None:
    old, new, words = edit
    line = edited(copy, old, new)
    told = [item for item in found_in(copy, tasks) if item.rule == rule and words in item.what]
    assert [item.where for item in told] == [PLACE]
    if not told[0].what.startswith(WITHOUT_LINE):
        assert line - 12 <= told[0].line <= line + 1
    assert told[0].remedy
    assert rule in RULES


def test_a_column_too_few(tasks: list[Task], copy: Content) -> None:
    edited(copy, '  "los",\n]', "]")
    edited(copy, f'{LOS}, days with fraction"\n', "")
    assert [item.what for item in found_in(copy, tasks)] == ["mimiciv_icu.icustays lacks columns: los"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('database = "mimic-iv"', 'database = "eicu"', "database"),
        (f'{LOS}, days with fraction"\n', "", "without a meaning: mimiciv_icu.icustays.los"),
        ('  "los",\n]', '  "los",\n  "los",\n]', "columns twice: los"),
        ("about = ", "abuot = ", "Did you mean about"),
    ],
)
def test_what_cannot_be_read(tasks: list[Task], copy: Content, old: str, new: str, words: str) -> None:
    edited(copy, old, new)
    with pytest.raises(BadInput) as raised:
        found_in(copy, tasks)
    assert words in str(raised.value)
    assert "mimic-iv.toml" in raised.value.where


def test_a_dictionary_is_needed_and_others_are_looked_at(copy: Content) -> None:
    folder = copy.paths.dictionaries
    (folder / "mimic-iv.toml").rename(folder / "other.toml")
    assert dictionary_databases(copy) == ["mimic-iv", "other"]


def test_a_database_of_ones_own_can_have_one(copy: Content) -> None:
    paths = copy.paths
    paths.own_databases.mkdir(parents=True)
    (paths.own_databases / "ward.toml").write_text(
        'name = "ward"\ntitle = "Ward"\n[tables."main.beds"]\nbed = "INTEGER"\nfloor = "INTEGER"\n'
    )
    paths.dictionary("ward").write_text(
        'database = "ward"\n[[tables]]\nname = "main.beds"\nabout = "One row per bed."\n'
        'columns = ["bed"]\nmeanings = { bed = "number of the bed" }\n'
    )
    report = Report(copy)
    check_dictionary(copy, "ward", [], report)
    assert [(item.where, item.line, item.what) for item in report.findings] == [
        ("tasks/dictionaries/ward.toml", 3, "main.beds lacks columns: floor")
    ]
