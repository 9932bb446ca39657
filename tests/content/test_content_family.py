"""What agents and reviewers read about the family: complete, sparse where it must be, without SQL."""

import re

import pytest
from markdown_it import MarkdownIt

from workbench.catalog import Content
from workbench.ehr import DERIVED_SCHEMA, published_schema
from workbench.records import ColumnType, Mode, Task

FAMILY = "suspicion-infection"
STANDARD, RAW = "mimic-suspicion-infection", "mimic-suspicion-infection-raw"
SKILLS = ["suspicion-infection", "urine-output-rate"]
MAX_LINES, MAX_TOKENS = 500, 5_000
SQL_WORDS = re.compile(
    r"\b(SELECT|FROM \w+\.|GROUP BY|ORDER BY|PARTITION BY|LEFT JOIN|INNER JOIN|COALESCE)\b"
)
ITEM_ID = re.compile(r"\b\d{5,6}\b")
SHARED_WORDS = {"prescriptions", "services", "admissions", "patients", "transfers"}
"""Table names that are plain words too; they still may not stand in code type."""


@pytest.fixture(params=[STANDARD, RAW])
def task(request: pytest.FixtureRequest, content: Content) -> Task:
    return content.task(request.param)


def tokens(text: str) -> int:
    """An upper estimate: every word piece of up to four letters, every digit group, every sign."""
    return len(re.findall(r"[A-Za-z]{1,4}|\d{1,3}|[^\sA-Za-z\d]", text))


def table_names() -> set[str]:
    return {table.bare for table in published_schema().tables}


def test_the_two_tasks_are_the_published_ones(content: Content) -> None:
    standard, raw = content.resolve("suspected_infection")
    assert [standard.id, raw.id] == [STANDARD, RAW]
    for task in (standard, raw):
        assert [key.name for key in task.keys] == ["subject_id", "ab_id"]
        assert task.value_columns == ["suspected_infection", "positive_culture", "specimen"]
        assert {column.name: column.type for column in task.scored_columns} == {
            "suspected_infection": ColumnType.ORDERED,
            "positive_culture": ColumnType.ORDERED,
            "specimen": ColumnType.TEXT,
            "antibiotic": ColumnType.TEXT,
            "antibiotic_time": ColumnType.TIME,
            "suspected_infection_time": ColumnType.TIME,
            "culture_time": ColumnType.TIME,
        }
        assert {column.tolerance for column in task.scored_columns} == {0.0}
        assert task.further_columns == ["stay_id", "hadm_id"]
        assert task.published_rows == 949_901
        assert task.reference_concept == "suspicion_of_infection"
    assert (standard.mode, raw.mode) == (Mode.STANDARD, Mode.RAW)
    assert standard.removed_tables == ["suspicion_of_infection", "sepsis3"]
    assert raw.removed_tables == ["suspicion_of_infection", "sepsis3", "antibiotic"]
    assert (standard.thresholds.key_coverage, standard.thresholds.column_accuracy) == (1.0, 1.0)
    assert (raw.thresholds.key_coverage, raw.thresholds.column_accuracy) == (1.0, 0.85)


def test_the_decoy_is_another_familys_skill_and_there(content: Content, task: Task) -> None:
    assert task.decoy_skill not in task.skills
    for name in (*task.skills, task.decoy_skill):
        assert content.skill(name).name == name


def test_the_reference_reads_raw_tables_only_and_gives_the_columns(content: Content, task: Task) -> None:
    from workbench.sql import reads

    sql = content.reference_sql(FAMILY, "public-code", task.database)
    assert reads(sql) == {
        "mimiciv_hosp.prescriptions",
        "mimiciv_hosp.microbiologyevents",
        "mimiciv_icu.icustays",
    }


def test_the_instruction_names_the_output_and_no_dataset_detail(content: Content, task: Task) -> None:
    text = content.instruction(task.id)
    assert [name for name in task.required_columns if f"`{name}`" not in text] == []
    words = set(re.findall(r"[a-z_0-9]+", text.lower()))
    assert words & (table_names() - SHARED_WORDS) == set()
    assert set(re.findall(r"`([^`]+)`", text)) & table_names() == set()
    assert "mimiciv_" not in text
    assert DERIVED_SCHEMA not in text
    assert not ITEM_ID.search(text)
    assert "skill" not in text.lower()
    for detail in ("BASE", "CANCELLED", "midnight", "00:00", "minute", "route"):
        assert detail not in text


def test_the_specification_has_every_column_and_no_recipe(content: Content, task: Task) -> None:
    text = content.operational_spec(task.id)
    assert [name for name in task.required_columns if f"`{name}`" not in text] == []
    assert not ITEM_ID.search(text)
    words = set(re.findall(r"[a-z_0-9]+", text.lower()))
    columns = {name for table in published_schema().tables for name in table.types}
    allowed = {"subject_id", "stay_id", "hadm_id", "drug", "route", "comments"}
    recipe = {word for word in words & columns if "_" in word or word.endswith("time")} - allowed
    assert recipe == set()
    assert words & (table_names() - SHARED_WORDS) == set()
    assert not SQL_WORDS.search(text)
    assert "```" not in text


def test_both_tasks_share_one_specification(content: Content) -> None:
    assert content.operational_spec(STANDARD) == content.operational_spec(RAW)


@pytest.mark.parametrize("name", SKILLS)
def test_a_skill_is_free_of_sql_paths_and_task_names(content: Content, name: str) -> None:
    skill = content.skill(name)
    fences = [token for token in MarkdownIt().parse(skill.body) if token.type in ("fence", "code_block")]
    assert fences == []
    assert not SQL_WORDS.search(skill.body)
    assert not re.search(r"(^|\s)(/|\.\./|~/)\w", skill.text)
    assert [task.id for task in content.tasks() if task.id in skill.text] == []
    for word in ("output.csv", "reference", "benchmark", "reward", "mimiciv_"):
        assert word not in skill.text


@pytest.mark.parametrize("name", SKILLS)
def test_a_skill_keeps_the_formats_limits(content: Content, name: str) -> None:
    skill = content.skill(name)
    assert skill.text.count("\n") < MAX_LINES
    assert tokens(skill.text) < MAX_TOKENS
    assert "Use when" in skill.frontmatter.description
    assert not re.search(r"[<>]", skill.frontmatter.description)


@pytest.mark.parametrize("name", SKILLS)
@pytest.mark.parametrize(
    "section",
    ["Definition and source", "Grain", "Inputs", "Missing data", "Traps", "What this does not claim"],
)
def test_a_skill_has_its_sections(content: Content, name: str, section: str) -> None:
    assert f"\n## {section}\n" in content.skill(name).body


def test_skill_and_specification_carry_the_references_list_of_antibiotics(content: Content) -> None:
    sql = content.reference_sql(FAMILY, "public-code", "mimic-iv")
    values = sql[sql.index("VALUES") : sql.index("),\n\npreparation")]
    fragments = re.findall(r"\('([^']+)'\)", values)
    assert len(fragments) == len(set(fragments)) == 148
    for text in (content.skill(FAMILY).body, content.operational_spec(STANDARD)):
        flat = " ".join(text.split())
        assert ", ".join(fragments) in flat


def test_deviations_are_declared_empty(content: Content) -> None:
    assert content.deviations(FAMILY).deviations == []
