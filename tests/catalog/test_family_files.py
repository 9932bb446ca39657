"""Files of a family's folder: some have to be there, some may be."""

from __future__ import annotations

import pytest

from workbench.catalog import Content, FamilyFiles
from workbench.records import BadInput, ContentPaths

SOURCES = 'sources = ["A paper."]\n'


@pytest.fixture
def files(root: ContentPaths) -> FamilyFiles:
    return Content(root).files("small-family")


def test_what_may_be_absent_is_empty(files: FamilyFiles) -> None:
    assert files.concept_sql("mimic-iv") == files.admissible_sql("mimic-iv") == ""
    assert files.worked_examples() == []
    with pytest.raises(BadInput, match="has no worked example") as raised:
        files.worked_example()
    assert raised.value.remedy == "There are examples for: none."


def test_what_is_there_is_read(files: FamilyFiles) -> None:
    folder = files.paths.folder
    for name, sql in (("concept", "SELECT 2"), ("admissible", "SELECT 3"), ("naive", "SELECT 4")):
        (folder / f"{name}.mimic-iv.sql").write_text(sql)
    (folder / "reference.adjudicated.mimic-iv.sql").write_text("SELECT 5")
    assert files.concept_sql("mimic-iv") == "SELECT 2"
    assert files.admissible_sql("mimic-iv") == "SELECT 3"
    assert files.naive_sql("mimic-iv") == "SELECT 4"
    assert files.reference_sql("adjudicated", "mimic-iv") == "SELECT 5"
    assert files.concept_sql("eicu") == ""


@pytest.mark.parametrize("database", ["mimic-iv", "eicu"])
def test_a_naive_derivation_is_asked_for_by_name(files: FamilyFiles, database: str) -> None:
    with pytest.raises(BadInput, match=f"naive.{database}.sql: there is no such file"):
        files.naive_sql(database)


def test_deviations_belong_to_their_folder(files: FamilyFiles) -> None:
    files.paths.deviations.write_text('family = "other"\n')
    with pytest.raises(BadInput, match="family is 'other', expected 'small-family' from its place"):
        files.deviations()


def test_a_family_names_its_sources(root: ContentPaths, files: FamilyFiles) -> None:
    assert Content(root).family("small-family").sources == []
    path = files.paths.family
    path.write_text(
        path.read_text(encoding="utf-8").replace("tasks =", f"{SOURCES}tasks ="), encoding="utf-8"
    )
    assert Content(root).family("small-family").sources == ["A paper."]
