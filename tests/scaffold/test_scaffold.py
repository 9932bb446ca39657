"""Scaffolds: clean in all checks, whole or not there, and nothing is written over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.checks import check_content
from workbench.records import BadInput, ContentPaths, Refused, Unavailable
from workbench.scaffold import NewTask, new_family, new_skill, new_task, write_content
from workbench.witness import run_witnesses, run_worked_example

WARD = """\
name = "ward"
title = "The ward"

[tables."main.beds"]
bed = "VARCHAR NOT NULL"

[tables."main.scores"]
patient_id = "VARCHAR NOT NULL"
taken = "TIMESTAMP"
pain = "SMALLINT"

[tables."lab.results"]
sample_id = "BIGINT"
patient_id = "VARCHAR"
lactate = "REAL"
"""


@pytest.fixture
def content(tmp_path: Path) -> Content:
    paths = ContentPaths(tmp_path)
    paths.settings.write_text("schema_version = 1\n")
    paths.own_databases.mkdir(parents=True)
    paths.own_database("ward").write_text(WARD)
    made = Content(paths)
    new_skill(made, "breathing")
    return made


def files(content: Content) -> dict[str, str]:
    root = content.paths.root
    return {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("database", ["mimic-iv", "eicu", "ward"])
def test_a_family_is_clean_and_its_made_up_rows_hold(content: Content, database: str) -> None:
    made = new_family(content, NewTask("pain-score", database=database, title='Pain "today"'))
    assert all(path.is_file() for path in made) and len(made) == 10
    assert check_content(content) == []
    task = content.resolve("pain-score")[0]
    assert (task.database, task.title.startswith('Pain "today"')) == (database, True)
    assert [result.passed for result in run_witnesses(content, "pain-score")] == [True]
    assert [stay.passed for stay in run_worked_example(content, "pain-score")] == [True, True]


def test_names_that_mean_something_in_sql_are_quoted(content: Content) -> None:
    text = '\n[tables."main.order"]\ngroup = "VARCHAR NOT NULL"\nmap = "DOUBLE"\n'
    content.paths.own_database("ward").write_text(WARD + text)
    new_family(content, NewTask("low-map", database="ward", table="order", key="group", value="map"))
    assert check_content(content) == []
    assert [result.passed for result in run_witnesses(content, "low-map")] == [True]
    sql = content.reference_sql("low-map", "public-code", "ward")
    assert '"group",\n    "map" AS amount\n  FROM main."order"' in sql


def test_columns_are_found_or_named(content: Content) -> None:
    new_family(content, NewTask("pain-score", database="ward"))
    sql = content.reference_sql("pain-score", "public-code", "ward")
    assert "sample_id,\n    lactate AS amount\n  FROM lab.results" in sql
    new_family(
        content, NewTask("pain", task="ward-pain-worst", database="ward", table="scores", key="patient_id")
    )
    assert "patient_id,\n    pain AS amount\n  FROM main.scores" in content.reference_sql(
        "pain", "public-code", "ward"
    )
    assert content.task("ward-pain-worst").keys[0].type == "text"
    assert check_content(content) == []


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"family": "Pain Score"}, "'Pain Score' cannot name a family"),
        ({"task": "pain_score"}, "'pain_score' cannot name a task"),
        ({"task": "pain"}, "a skill named pain-score would name the task pain"),
        ({"database": "wards"}, "Did you mean ward?"),
        ({"database": "ward", "table": "score"}, "The ward has no table 'score'\n  Did you mean main.scores"),
        ({"database": "ward", "table": "scores", "value": "pian"}, "no column 'pian'\n  Did you mean pain"),
        ({"database": "ward", "table": "scores", "value": "taken"}, "holds no numbers .TIMESTAMP."),
        ({"database": "ward", "table": "beds"}, "main.beds: which columns"),
        ({"database": "ward", "table": "scores", "key": "pain", "value": "pain"}, "key and value at once"),
        ({"decoy": "breath"}, "Did you mean breathing?"),
        ({"title": "a\x1bb"}, "control characters"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_is_written(
    content: Content, asked: dict[str, str], words: str
) -> None:
    before = files(content)
    with pytest.raises(BadInput, match=words):
        new_family(content, NewTask(**{"family": "pain-score", **asked}))
    assert files(content) == before


def test_without_another_skill_there_is_no_decoy(content: Content) -> None:
    content.paths.skill("breathing").unlink()
    with pytest.raises(BadInput, match="no other skill that could be the decoy"):
        new_family(content, NewTask("pain-score"))


@pytest.mark.parametrize("there", ["audits/pain-score.toml", "tasks/local/pain-score/naive.ward.sql"])
def test_nothing_is_written_over(content: Content, there: str) -> None:
    path = content.paths.root / there
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine\n")
    before = files(content)
    with pytest.raises(Refused, match="is there already") as raised:
        new_family(content, NewTask("pain-score", database="ward"))
    assert raised.value.where == there
    assert files(content) == before


def test_a_skill_that_is_there_is_left_as_it_is(content: Content) -> None:
    new_skill(content, "pain-score", description="Count pain. Use when pain is asked for.")
    made = new_family(content, NewTask("pain-score", database="ward"))
    assert content.paths.skill("pain-score") not in made
    assert content.skill("pain-score").frontmatter.description.startswith("Count pain.")
    assert check_content(content) == []


def test_a_further_task_on_the_same_database(content: Content) -> None:
    new_family(content, NewTask("pain-score", database="ward"))
    path = content.family_paths("pain-score").family
    path.write_text(path.read_text().replace("tasks = [", "tasks = [  # in order\n  "))
    with pytest.raises(BadInput, match="has a task ward-pain-score\n  Choose another id"):
        new_task(content, NewTask("pain-score", database="ward"))
    new_task(content, NewTask("pain-score", task="ward-pain-score-again", database="ward", title="Once more"))
    first, second = content.resolve("pain-score")
    assert (second.id, second.title) == ("ward-pain-score-again", "Once more")
    assert second.scored_columns == first.scored_columns
    assert "# in order" in path.read_text()
    assert check_content(content) == []


def test_a_further_database(content: Content) -> None:
    new_family(content, NewTask("pain-score", database="ward"))
    for database in ("mimic-iv", "eicu"):
        new_task(content, NewTask("pain-score", database=database))
    assert [task.database for task in content.resolve("pain-score")] == ["ward", "mimic-iv", "eicu"]
    assert [one.database for one in content.files("pain-score").output_checks().databases] == [
        "ward", "mimic-iv", "eicu",
    ]  # fmt: skip
    assert check_content(content) == []


def test_the_published_families_are_not_added_to(content: Content) -> None:
    new_family(content, NewTask("pain-score", database="mimic-iv"))
    content.paths.benchmark_tasks.mkdir()
    content.family_paths("pain-score").folder.rename(content.paths.benchmark_tasks / "pain-score")
    task = content.paths.benchmark_tasks / "pain-score" / "mimic-pain-score" / "task.toml"
    task.write_text(task.read_text().replace("removed_tables", 'reference_concept = "sofa"\nremoved_tables'))
    with pytest.raises(Refused, match="are the published ones"):
        new_task(content, NewTask("pain-score", database="eicu"))


@pytest.mark.parametrize("title", ["", 'A "quoted" one: with # signs', "-dash first", "Düsseldorf – 37 °C"])
def test_a_skill_is_clean(content: Content, title: str) -> None:
    path = new_skill(content, "pain-score", title=title, database="The ward")
    assert path.name == "SKILL.md"
    assert content.skill("pain-score").frontmatter.metadata == {"database": "The ward"}
    assert check_content(content) == []
    with pytest.raises(Refused, match="is there already"):
        new_skill(content, "pain-score")


@pytest.mark.parametrize(
    ("description", "words"),
    [("Count pain.", "does not say 'Use when'"), ("Use when " + "x" * 1020, "1029 characters")],
)
def test_a_description_that_is_none(content: Content, description: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        new_skill(content, "pain-score", description=description)
    assert content.skill_names() == ["breathing"]


def test_what_is_half_done_is_taken_back(content: Content) -> None:
    root = content.paths.root
    changed, too_long = root / "notes.toml", root / ("x" * 250)
    changed.write_text("old\n")
    too_long.write_text("old\n")
    before = files(content)
    new = {root / "audits" / "x.toml": "x\n", root / "skills" / "x" / "SKILL.md": "x\n"}
    with pytest.raises(BadInput, match="cannot be written"):
        write_content(content.paths, new, {changed: "new\n", too_long: "new\n"})
    assert files(content) == before
    assert [path.name for path in root.iterdir() if path.name.startswith(".")] == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(content: Content) -> None:
    content.paths.root.chmod(0o500)
    try:
        with pytest.raises(Unavailable, match="cannot be written"):
            new_skill(content, "pain-score")
    finally:
        content.paths.root.chmod(0o700)


def test_the_installed_copy_is_read_only(content: Content) -> None:
    with pytest.raises(BadInput, match="is read-only") as raised:
        new_skill(Content(ContentPaths(content.paths.root, writable=False)), "pain-score")
    assert "workbench.toml" in raised.value.remedy


def test_new_files_are_open_as_git_makes_them(content: Content) -> None:
    mask = os.umask(0o077)
    try:
        path = new_skill(content, "pain-score")
    finally:
        os.umask(mask)
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o644, 0o755)
