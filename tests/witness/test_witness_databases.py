"""A family with tasks on two databases: each case runs over the tables and the reference of its own."""

import shutil
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.records import BadInput, ContentPaths
from workbench.witness import run_witnesses

CASE = """schema_version = 1
family = "suspicion-infection"

[[caveats]]
id = "two-databases"
title = "t"
severity = "minor"
bias = "none"
rule = "r"
evidence = ["code"]
source = "s"
explanation = "e"

[[caveats.witness]]
id = "on-eicu"
story = "A stay of eICU-CRD without any coma score."
database = "eicu"
reference = [{ key = { patientunitstayid = 7 }, values = { gcs_min = 15 } }]

[[caveats.witness.tables]]
table = "eicu_crd.patient"
rows = [{ patientunitstayid = 7 }]

[[caveats.witness]]
id = "on-mimic"
story = "A patient without antibiotics has no row."
reference = [{ key = { subject_id = 1 }, absent = true }]

[[caveats.witness.tables]]
table = "mimiciv_hosp.patients"
rows = [{ subject_id = 1 }]
"""


@pytest.fixture
def mixed(content: Content, tmp_path: Path) -> Content:
    """The family of the audit above, with the eICU task and reference of another family beside its own."""
    family = tmp_path / "tasks" / "m4bench" / "suspicion-infection"
    shutil.copytree(content.family_paths("suspicion-infection").folder, family)
    gcs = content.family_paths("gcs").folder
    shutil.copytree(gcs / "eicu-gcs", family / "eicu-gcs")
    shutil.copy(gcs / "reference.eicu.sql", family)
    for file, old, new in (
        (family / "eicu-gcs" / "task.toml", 'family = "gcs"', 'family = "suspicion-infection"'),
        (
            family / "family.toml",
            'tasks = ["mimic-suspicion-infection", ',
            'tasks = ["mimic-suspicion-infection", "eicu-gcs", ',
        ),
    ):
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))
    (tmp_path / "audits").mkdir()
    (tmp_path / "audits" / "suspicion-infection.toml").write_text(CASE)
    return Content(ContentPaths(tmp_path))


def test_each_case_runs_on_the_reference_of_its_database(mixed: Content) -> None:
    results = run_witnesses(mixed, "suspicion-infection")
    assert [(result.case, result.passed, result.details) for result in results] == [
        ("on-eicu", True, []),
        ("on-mimic", True, []),
    ]


@pytest.mark.parametrize(
    ("table", "case"), [("eicu_crd.patient", "on-eicu"), ("mimiciv_hosp.patients", "on-mimic")]
)
def test_foreign_sql_meets_the_cases_of_the_database_it_reads(
    mixed: Content, tmp_path: Path, table: str, case: str
) -> None:
    file = tmp_path / "mine.sql"
    file.write_text(f"SELECT 7 AS patientunitstayid, 3 AS gcs_min, 2 AS subject_id FROM {table}")
    (result,) = run_witnesses(mixed, "suspicion-infection", sql=file)
    assert (result.case, result.passed) == (case, case == "on-mimic")


def test_a_case_of_a_database_without_a_task_is_refused(mixed: Content) -> None:
    family = mixed.family_paths("suspicion-infection").family
    family.write_text(family.read_text().replace('"eicu-gcs", ', ""))
    with pytest.raises(
        BadInput, match="no task of suspicion-infection has the database of witness case on-eicu"
    ):
        run_witnesses(mixed, "suspicion-infection")
