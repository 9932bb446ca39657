"""What is particular to suspicion of infection; what holds for every family is in workbench/checks."""

import re

import pytest

from workbench.catalog import Content
from workbench.records import ColumnType, Mode, Task

FAMILY = "suspicion-infection"
STANDARD, RAW = "mimic-suspicion-infection", "mimic-suspicion-infection-raw"


@pytest.fixture(params=[STANDARD, RAW])
def task(request: pytest.FixtureRequest, content: Content) -> Task:
    return content.task(request.param)


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


def test_the_reference_reads_raw_tables_only_and_gives_the_columns(content: Content, task: Task) -> None:
    from workbench.sql import reads

    sql = content.reference_sql(FAMILY, "public-code", task.database)
    assert reads(sql) == {
        "mimiciv_hosp.prescriptions",
        "mimiciv_hosp.microbiologyevents",
        "mimiciv_icu.icustays",
    }


def test_the_instruction_gives_no_edge_case_away(content: Content, task: Task) -> None:
    text = content.instruction(task.id)
    for detail in ("BASE", "CANCELLED", "midnight", "00:00", "minute", "route"):
        assert detail not in text


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
