"""``workbench rules``: rows, rules and marks as a pipe sees them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from workbench.cli.main import build_app

SQL = "SELECT CASE WHEN platelets < 20 THEN 4 END AS coagulation FROM mimiciv_hosp.labevents"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(build_app(), ["rules", *arguments])
    return result.exit_code, result.stdout


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    skill, sql = tmp_path / "SKILL.md", tmp_path / "answer.sql"
    skill.write_text("Platelets below 25: 4.\n")
    sql.write_text(SQL)
    return str(skill), str(sql)


def test_a_skill_against_its_reference_says_both_lines() -> None:
    code, text = run("diff", "sofa", "--kind", "threshold", "--status", "agree", "--json")
    rows = json.loads(text)["items"]
    assert code == 0
    assert {
        "kind": "threshold",
        "status": "agree",
        "first_place": "skills/sofa/SKILL.md:72",
        "second_place": "tasks/m4bench/sofa/reference.mimic-iv.sql:216",
    }.items() <= next(row for row in rows if "< 20 gives 4" in row["first"]).items()


def test_two_files_conflict(files: tuple[str, str]) -> None:
    code, text = run("diff", files[0], "--against", files[1], "--status", "conflict")
    assert code == 0
    assert "< 25 gives 4" in text
    assert "< 20 gives 4" in text


def test_csv_is_whole(files: tuple[str, str]) -> None:
    _, text = run("diff", files[0], "--against", files[1], "--csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["status"] for row in rows if row["kind"] == "threshold"] == ["conflict"]


def test_rules_of_a_file_with_their_lines(files: tuple[str, str]) -> None:
    _, text = run("list", files[1], "--kind", "source", "--json")
    assert [(rule["value"], rule["line"]) for rule in json.loads(text)["items"]] == [("labevents", 1)]


def test_a_specification_against_its_reference() -> None:
    code, text = run("diff", "mimic-sofa-24h-raw", "--coverage", "--json")
    kinds = {one["kind"]: one for one in json.loads(text)["items"]}
    assert code == 0
    assert kinds["threshold"]["agree"] > 0


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["diff", "sofa", "--kind", "colour"], "threshold"),
        (["diff", "sofa", "--status", "colour"], "second-only"),
        (["diff", "sofaa"], "sofa"),
        (["diff", "sofa", "--against", "nowhere.sql"], "no such file"),
    ],
)
def test_wrong_words_are_answered_with_the_right_ones(arguments: list[str], word: str) -> None:
    result = CliRunner().invoke(build_app(), ["rules", *arguments])
    assert result.exit_code != 0
    assert (
        word in f"{result.stdout}{result.stderr}{result.exception} {getattr(result.exception, 'remedy', '')}"
    )


def test_a_file_alone_needs_a_family(files: tuple[str, str]) -> None:
    result = CliRunner().invoke(build_app(), ["rules", "diff", files[1]])
    assert "--family" in str(getattr(result.exception, "remedy", ""))
