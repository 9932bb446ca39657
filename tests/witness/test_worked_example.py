"""Worked examples: run on the reference, its steps and its concepts, and printed as Markdown."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.catalog import Content, example_markdown
from workbench.ehr import ConceptSql
from workbench.records import BadInput, ContentPaths
from workbench.witness import run_worked_example

ROOT = Path(__file__).resolve().parents[2]
FAMILY = "suspicion-infection"
REFERENCE = """\
WITH charted AS (
  SELECT stay_id, charttime, valuenum FROM mimiciv_icu.chartevents WHERE itemid = 220045
),
highest AS (SELECT stay_id, max(valuenum) AS high, count(unit) AS units FROM (
  SELECT *, NULL AS unit FROM charted) GROUP BY stay_id)
SELECT stay_id, high, long_stay.stay_id IS NOT NULL AS long
FROM mimiciv_icu.icustays LEFT JOIN highest USING (stay_id)
LEFT JOIN mimiciv_derived.long_stay USING (stay_id)
"""
EXAMPLE = """\
schema_version = 1
family = "suspicion-infection"
database = "mimic-iv"
definition = "The highest | heart rate."
mapping = [{ concept = "heart rate", items = "220045", unit = "/min" }]
edge_cases = ["No heart rate."]
sources = ["By hand."]
limits = ["None."]

[[stays]]
id = "plain"
story = "Two heart rates."
tables = [
  { table = "mimiciv_icu.icustays", rows = [{ stay_id = 1, los = 3.0 }] },
  { table = "mimiciv_icu.chartevents", rows = [
    { stay_id = 1, itemid = 220045, valuenum = 80 },
    { stay_id = 1, itemid = 220045, valuenum = 90, charttime = "2180-01-01 10:00:00" },
  ] },
]
intermediate = [
  { step = "charted", rows = [
    { values = { valuenum = 90, charttime = "2180-01-01 10:00:00" } },
    { values = { valuenum = 80 }, null = ["charttime"] },
  ] },
  { step = "mimiciv_derived.long_stay", rows = [{ values = { stay_id = 1 } }] },
]
expected = [{ key = { stay_id = 1 }, values = { high = 90, long = true } }]

[[stays]]
id = "nothing-charted"
story = "No heart rate."
tables = [{ table = "mimiciv_icu.icustays", rows = [{ stay_id = 1 }] }]
intermediate = [{ step = "charted", rows = [] }]
expected = [{ key = { stay_id = 1 }, null = ["high"] }, { key = { stay_id = 2 }, absent = true }]
"""


@pytest.fixture
def small(tmp_path: Path) -> Content:
    """A content root whose family has another reference and a worked example."""
    root = tmp_path / "root"
    folder = root / "tasks" / "m4bench" / FAMILY
    shutil.copytree(ROOT / "tasks" / "m4bench" / FAMILY, folder)
    (root / "workbench.toml").write_text("schema_version = 1\n")
    (folder / "reference.mimic-iv.sql").write_text(REFERENCE)
    (folder / "worked-example.toml").write_text(EXAMPLE)
    return Content(ContentPaths(root))


@pytest.fixture
def concepts(tmp_path: Path) -> ConceptSql:
    file = tmp_path / "long_stay.sql"
    file.write_text(
        "CREATE TABLE mimiciv_derived.long_stay AS SELECT stay_id FROM mimiciv_icu.icustays WHERE los > 2"
    )
    return ConceptSql("by-hand", tmp_path, {"long_stay": file})


def example_file(content: Content) -> Path:
    return content.family_paths(FAMILY).worked_example()


def test_an_example_that_holds(small: Content, concepts: ConceptSql) -> None:
    checks = run_worked_example(small, FAMILY, concept_sql=concepts)
    assert [(check.stay, check.passed, check.details) for check in checks] == [
        ("plain", True, []),
        ("nothing-charted", True, []),
    ]


@pytest.mark.parametrize(
    ("old", "new", "details"),
    [
        ("high = 90", "high = 91", ["high at stay_id 1: expected 91, found 90.0"]),
        (
            "{ values = { valuenum = 80 }",
            "{ values = { valuenum = 81 }",
            [
                "charted: not there: valuenum 81, charttime NULL",
                "charted: not written down: valuenum 80.0, charttime NULL",
            ],
        ),
        ("[{ values = { stay_id = 1 } }]", "[]", ["mimiciv_derived.long_stay: not written down: a row"]),
        ("values = { stay_id = 1 }", "values = { stay = 1 }", ["mimiciv_derived.long_stay: no column stay"]),
    ],
)
def test_an_example_that_does_not_hold(
    small: Content, concepts: ConceptSql, old: str, new: str, details: list[str]
) -> None:
    path = example_file(small)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    plain, other = run_worked_example(small, FAMILY, concept_sql=concepts)
    assert (plain.passed, plain.details, other.passed) == (False, details, True)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('step = "charted"', 'step = "lowest"', "has no step 'lowest'"),
        ("stay_id = 1, los", "stay = 1, los", "has no column stay"),
        ('null = ["charttime"]', 'null = ["stay_id"]', "name different columns"),
        ('database = "mimic-iv"', 'database = "mimic"', "database"),
        ('id = "nothing-charted"', 'id = "plain"', "two stays have the same id"),
        ('family = "suspicion-infection"', 'family = "sofa"', "expected 'suspicion-infection'"),
    ],
)
def test_an_example_that_is_wrong_is_told(
    small: Content, concepts: ConceptSql, old: str, new: str, words: str
) -> None:
    path = example_file(small)
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(BadInput, match=words):
        run_worked_example(small, FAMILY, concept_sql=concepts)


def test_concepts_that_are_not_at_hand_are_told(small: Content) -> None:
    with pytest.raises(BadInput, match="long_stay, which is not at hand"):
        run_worked_example(small, FAMILY)


def test_a_database_without_an_example_is_told(small: Content) -> None:
    with pytest.raises(BadInput, match="no worked example for eicu") as raised:
        small.files(FAMILY).worked_example("eicu")
    assert raised.value.remedy == "There are examples for: mimic-iv."


def test_a_further_database_has_a_file_of_its_own(small: Content) -> None:
    path = small.family_paths(FAMILY).worked_example("eicu")
    path.write_text(EXAMPLE)
    with pytest.raises(BadInput, match="database is 'mimic-iv', expected 'eicu'"):
        small.files(FAMILY).worked_examples()
    path.write_text(EXAMPLE.replace('database = "mimic-iv"', 'database = "eicu"'))
    assert small.files(FAMILY).worked_example("eicu").database == "eicu"


def test_markdown_has_every_part(small: Content) -> None:
    text = example_markdown(small.files(FAMILY).worked_example())
    for line in (
        "# Worked example: suspicion-infection",
        "The highest | heart rate.",
        "| Concept | Items | Unit | Note |",
        "| heart rate | 220045 | /min |  |",
        "| stay_id | itemid | valuenum | charttime |",
        "| 1 | 220045 | 80 |  |",
        "### Step `charted`",
        "| 80 | NULL |",
        "No row.",
        "| stay_id | high | row |",
        "| 2 |  | none |",
        "- No heart rate.",
        "- None.",
    ):
        assert line in text.splitlines()


@pytest.mark.parametrize(("changed", "code"), [(False, 0), (True, 1)])
def test_the_command(
    small: Content,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    changed: bool,
    code: int,
) -> None:
    from workbench.cli import main

    folder = tmp_path / "concepts"
    folder.mkdir()
    (folder / "long_stay.sql").write_text(
        "CREATE TABLE mimiciv_derived.long_stay AS SELECT stay_id FROM mimiciv_icu.icustays WHERE los > 2"
    )
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WORKBENCH_CONCEPTS", str(folder))
    monkeypatch.chdir(small.paths.root)
    if changed:
        example_file(small).write_text(EXAMPLE.replace("high = 90", "high = 91"))
    assert main(["task", "example", FAMILY]) == 0
    assert "# Worked example: suspicion-infection" in capsys.readouterr().out
    assert main(["task", "example", FAMILY, "--check"]) == code
    assert f"2 stays: {2 - code} ok, {code} failed" in capsys.readouterr().out
