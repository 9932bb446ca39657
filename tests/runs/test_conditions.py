"""What each condition gives an agent, and that none tells which one it is."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import sqlglot

from workbench.catalog import Content, read_skill
from workbench.records import (
    CANARY,
    Condition,
    ContentPaths,
    DeclaredField,
    Mode,
    blob_hash,
    skill_canary,
    with_canary,
)
from workbench.runs import explain_condition, preview
from workbench.runs.conditions.with_skill_rawsql import absent_tables, without_comments
from workbench.sql import reads

ROOT = Path(__file__).resolve().parents[2]
CONTENT = Content(ContentPaths(ROOT))
TASKS = [task.id for task in CONTENT.tasks()]
SKILLS = "/workspace/.agents/skills"
TELLING = re.compile(
    r"no-skill|with-skill|with-checks|decoy|rawsql|operational[- ]spec|benchmark|m4bench|"
    r"workbench|public-code|adjudicated|deviations\.toml|-- rule:",
    re.IGNORECASE,
)


def given(text: bytes) -> bytes:
    """A skill's text as an agent gets it."""
    return with_canary(text, skill_canary(blob_hash(text)))


@pytest.mark.parametrize("condition", Condition)
def test_every_task_has_it(condition: Condition) -> None:
    assert explain_condition(condition).endswith(".")
    for task in CONTENT.tasks():
        plain = preview(CONTENT, task, Condition.NO_SKILL)
        found = preview(CONTENT, task, condition)
        assert found.prompt.startswith(plain.prompt.rstrip("\n"))
        if condition is not Condition.NO_SKILL:
            assert found.files or found.prompt != plain.prompt
        assert all(content.decode("utf-8") for content in found.files.values())


@pytest.mark.parametrize("condition", Condition)
def test_nothing_tells_which_condition_it_is(condition: Condition) -> None:
    """Neither a place nor a word of the workbench's own; skills are a clinician's words, given as written."""
    written = {given(skill.text.encode()) for skill in CONTENT.skills()}
    for task in CONTENT.tasks():
        found = preview(CONTENT, task, condition)
        own = [content.decode() for content in found.files.values() if content not in written]
        told = [TELLING.search(text) for text in (found.prompt, *found.files, *own)]
        assert [hit.group() for hit in told if hit] == [], task.id


def test_skills_as_the_task_says() -> None:
    task = CONTENT.task("mimic-sepsis3-raw")
    places = {
        condition: [path for path in preview(CONTENT, task, condition).files if path.endswith("/SKILL.md")]
        for condition in Condition
    }
    own = sorted(f"{SKILLS}/{name}/SKILL.md" for name in task.skills)
    assert len(own) == 3
    assert places[Condition.WITH_SKILL] == places[Condition.WITH_CHECKS] == own
    assert places[Condition.WITH_WORKED_EXAMPLE] == places[Condition.WITH_DECLARATION] == own
    assert places[Condition.WITH_SKILL_DECOY] == [f"{SKILLS}/{task.decoy_skill}/SKILL.md"]
    assert len(places[Condition.WITH_SKILL_ALL]) == 15
    assert places[Condition.NO_SKILL] == places[Condition.OPERATIONAL_SPEC] == []
    for path, content in preview(CONTENT, task, Condition.WITH_SKILL_ALL).files.items():
        assert content == given((ROOT / "skills" / path.split("/")[-2] / "SKILL.md").read_bytes())


@pytest.mark.parametrize("condition", Condition)
def test_every_skill_ends_with_its_token_and_nothing_else_has_one(condition: Condition) -> None:
    for task in CONTENT.tasks():
        found = preview(CONTENT, task, condition)
        skills = {path: text for path, text in found.files.items() if path.startswith(SKILLS)}
        assert set(found.text_hashes) == set(skills)
        tokens = {path: CANARY.findall(text.decode()) for path, text in skills.items()}
        assert tokens == {path: [skill_canary(found.text_hashes[path])] for path in skills}
        others = [found.prompt, *(text.decode() for path, text in found.files.items() if path not in skills)]
        assert not any(CANARY.search(text) for text in others)
        for path, text in skills.items():
            assert text.decode().rstrip().split("\n")[-1] == f"<!-- {tokens[path][0]} -->"


def test_sql_in_a_skills_shell_has_a_token_of_its_own() -> None:
    task = CONTENT.task("mimic-sepsis3-raw")
    seen = [preview(CONTENT, task, item) for item in (Condition.WITH_SKILL, Condition.WITH_SKILL_RAWSQL)]
    assert (
        len({token for found in seen for token in CANARY.findall(str(found.files))}) == len(task.skills) + 1
    )


@pytest.mark.parametrize("task_id", TASKS)
def test_sql_in_a_skills_shell(task_id: str, tmp_path: Path) -> None:
    task = CONTENT.task(task_id)
    ((path, content),) = preview(CONTENT, task, Condition.WITH_SKILL_RAWSQL).files.items()
    folder = tmp_path / path.split("/")[-2]
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(content)
    skill = read_skill(folder / "SKILL.md")
    assert skill.frontmatter == CONTENT.skill(task.skills[0]).frontmatter
    reference = CONTENT.reference_sql(task.family, "public-code", task.database)
    given = skill.body.split("```sql\n")[1].split("\n```")[0]
    same = [sqlglot.parse_one(sql, dialect="duckdb").sql(comments=False) for sql in (reference, given)]
    assert same[0] == same[1] and "--" not in given
    said = re.findall(r"^- `([\w.]+)`$", skill.body, re.MULTILINE)
    derived = [name for name in reads(reference) if name.startswith("mimiciv_derived.")]
    hidden = [name for name in derived if task.mode is Mode.RAW or name.split(".")[1] in task.removed_tables]
    assert said == sorted(hidden) == absent_tables(given, task)


def test_comments_are_lines() -> None:
    assert without_comments("-- head\nSELECT 1 -- kept\n  -- rule: x\n, 2\n") == "SELECT 1 -- kept\n, 2"


@pytest.mark.parametrize("task_id", TASKS)
def test_a_form_and_tables_to_write(task_id: str) -> None:
    """Every stage with its columns in code type, in order; no SQL and no tolerance."""
    task = CONTENT.task(task_id)
    found = preview(CONTENT, task, Condition.WITH_DECLARATION)
    asked = found.prompt.split("## Intermediate tables")[1]
    stages = CONTENT.files(task.family).stages().required(task.database).stages
    assert re.findall(r"^### `(.*)`$", asked, re.MULTILINE) == [stage.name for stage in stages]
    for stage, text in zip(stages, asked.split("### `")[1:], strict=True):
        assert re.findall(r"^\| `(.*?)` \|", text, re.MULTILINE) == stage.column_names
        assert stage.sql.strip().split("\n")[0] not in text and "SELECT" not in text
        assert not any(f"{column.tolerance:g}" in text for column in stage.columns if column.tolerance)
    form = tomllib.loads(found.files["/workspace/declaration-form.toml"].decode())
    assert set(form) == set(DeclaredField)


def test_the_program_of_with_checks_runs_alone() -> None:
    found = preview(CONTENT, CONTENT.task("eicu-oasis"), Condition.WITH_CHECKS)
    program = found.files["/workspace/check_output.py"]
    assert "check_output.py" in found.prompt
    ended = subprocess.run(
        [sys.executable, "-I", "-"], input=program, capture_output=True, check=False, timeout=60
    )
    assert ended.returncode == 2 and b"usage" in ended.stderr


def test_written_out(tmp_path: Path) -> None:
    found = preview(CONTENT, CONTENT.task("mimic-gcs-24h-raw"), Condition.WITH_WORKED_EXAMPLE)
    written = found.write(tmp_path / "new")
    assert written[0].read_text() == found.prompt
    for place, content in found.files.items():
        assert (tmp_path / "new" / place.lstrip("/")).read_bytes() == content
    with pytest.raises(FileExistsError):
        found.write(tmp_path / "new")
