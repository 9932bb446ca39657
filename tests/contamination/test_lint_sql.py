"""The hidden SQL printed or copied, and likeness to public SQL, which is information."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.contamination import HiddenMaterial, Lint
from workbench.records import LintReport, Step

StepMaker = Callable[..., Step]
LintFolder = Callable[..., LintReport]
PUBLIC = """
SELECT ab.subject_id, ROW_NUMBER() OVER (PARTITION BY ab.subject_id ORDER BY ab.starttime) AS ab_id
FROM mimiciv_derived.antibiotic AS ab
"""


@pytest.fixture
def material(hidden: HiddenMaterial) -> HiddenMaterial:
    return replace(hidden, public_sql={"suspicion_of_infection": PUBLIC})


def _said(report: LintReport, rule: str = "hidden-sql") -> list[tuple[int | None, str]]:
    return [(item.place.step, item.level.value) for item in report.violations if item.rule == rule]


def _numbered(sql: str) -> str:
    return "\n".join(f"{number:4}  {line}" for number, line in enumerate(sql.splitlines(), 1))


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda sql: sql,
    "with numbers": _numbered,
    "in part": lambda sql: "\n".join(sql.splitlines()[:14]),
    "Base64": lambda sql: base64.b64encode(sql.encode()).decode(),
    "reversed": lambda sql: "\n".join(line[::-1] for line in sql.splitlines()),
    "hexadecimal": lambda sql: sql.encode().hex(),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_hidden_sql_that_comes_back_fails(
    material: HiddenMaterial, command_step: StepMaker, form: Callable[[str], str]
) -> None:
    text = form(material.reference_sql["public-code"])
    found = Lint(material).check_step(command_step(1, "show-me", text))
    assert [(item.rule, item.level.value) for item in found] == [("hidden-sql", "fail")]


def test_hidden_sql_under_other_names_is_for_a_person(
    material: HiddenMaterial, command_step: StepMaker
) -> None:
    text = material.reference_sql["public-code"].lower()
    for old, new in {
        "abx": "q",
        "cultures": "w",
        "specimen": "kind",
        " c.": " z.",
        "subject_id": "pid",
    }.items():
        text = text.replace(old, new)
    found = Lint(material).check_step(command_step(1, "show-me", text))
    assert [(item.rule, item.level.value) for item in found] == [("hidden-sql", "quarantine")]


def test_what_the_agent_wrote_itself_and_public_sql_may_be_printed(
    material: HiddenMaterial, command_step: StepMaker
) -> None:
    lint = Lint(material)
    own = material.reference_sql["public-code"].replace("mimiciv_derived.suspicion_of_infection", "mine")
    lint.check_step(command_step(1, f"cat > q.sql <<'E'\n{own}\nE", ""))
    assert lint.check_step(command_step(2, "cat q.sql", own)) == []
    assert Lint(material).check_step(command_step(1, "cat notes", PUBLIC)) == []


def test_copies_fail_after_access_and_are_for_a_person_without(
    material: HiddenMaterial, command_step: StepMaker, lint_folder: LintFolder
) -> None:
    sql = material.reference_sql["public-code"].replace("mimiciv_derived.suspicion_of_infection", "mine")
    copied = command_step(2, f"duckdb own.db <<'E'\n{sql}\nE", "")
    shown = command_step(1, "show-me", material.reference_sql["public-code"])
    assert _said(lint_folder(None, [shown, copied], hidden=material)) == [(1, "fail"), (2, "fail")]
    assert _said(lint_folder(None, [copied], hidden=material)) == [(2, "quarantine")]
    renamed = sql
    for old, new in {
        "abx": "ab",
        "cultures": "micro",
        "c.": "k.",
        "specimen": "spec",
        "MAX(": "MIN(",
    }.items():
        renamed = renamed.replace(old, new)
    own = command_step(1, f"duckdb o.db <<'E'\n{renamed}\nE")
    assert _said(lint_folder(None, [own], hidden=material)) == []


def test_a_file_with_the_hidden_sql_that_the_run_did_not_write_fails(
    material: HiddenMaterial, command_step: StepMaker, lint_folder: LintFolder, tmp_path: Path
) -> None:
    sql = material.reference_sql["public-code"]
    (tmp_path / "notes.txt").write_text(sql)
    found = [item for item in lint_folder(tmp_path, hidden=material).violations if item.rule == "hidden-sql"]
    assert [(item.level.value, item.place.file) for item in found] == [("fail", "notes.txt")]
    wrote = command_step(1, f"cat > notes.txt <<'E'\n{sql}\nE", "")
    said = lint_folder(tmp_path, [wrote], hidden=material)
    assert "fail" not in {level for _, level in _said(said)}


def test_recall_of_public_sql_is_information_with_its_parts(
    hidden: HiddenMaterial, command_step: StepMaker, lint_folder: LintFolder
) -> None:
    sql = hidden.reference_sql["public-code"]
    material = replace(hidden, reference_sql={}, public_sql={"suspicion_of_infection": sql})
    mine = sql.replace("mimiciv_derived.suspicion_of_infection", "mine").replace("abx", "ab")
    report = lint_folder(None, [command_step(1, f"duckdb own.db <<'E'\n{mine}\nE", "")], hidden=material)
    assert _said(report, "sql-similarity") == [(1, "information")]
    message = next(item.message for item in report.violations if item.rule == "sql-similarity")
    assert "the public SQL 'suspicion_of_infection'" in message and "parts alike: ab (line" in message
    assert report.verdict == "clean"
