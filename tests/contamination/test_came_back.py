"""What came back is looked at, whatever the code looks like; own tables and own columns are no matter."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.contamination import HiddenMaterial, Lint
from workbench.contamination.pieces import held_in_pieces
from workbench.patterns import command_layers
from workbench.records import Level, Step, Violation

RunCommand = Callable[..., list[Violation]]
StepMaker = Callable[..., Step]
DUCKDB = "duckdb -readonly /data/ehr.duckdb"
ABSENT = "Catalog Error: Table with name suspicion_of_infection does not exist!"


def _said(found: list[Violation], rule: str = "came-back") -> list[Level]:
    return [item.level for item in found if item.rule == rule]


def test_an_error_that_names_a_hidden_table_warns(run_command: RunCommand) -> None:
    assert _said(run_command(f'{DUCKDB} "$(cat /tmp/q)"', ABSENT, 1)) == [Level.WARN]
    assert _said(run_command("cat notes.txt", ABSENT)) == []


def test_an_own_table_of_that_name_is_no_matter(hidden: HiddenMaterial, command_step: StepMaker) -> None:
    lint = Lint(hidden)
    made = f'{DUCKDB} -c "CREATE TEMP TABLE suspicion_of_infection AS SELECT 1 AS a"'
    lint.check_step(command_step(1, made))
    assert _said(lint.check_step(command_step(2, f'{DUCKDB} "$(cat /tmp/q)"', ABSENT, 1))) == []


def test_a_hidden_name_that_the_run_never_wrote_goes_to_a_person(run_command: RunCommand) -> None:
    listing = f'{DUCKDB} -c "SELECT view_name FROM duckdb_views()"'
    assert _said(run_command(listing, "vitals\nsuspicion_of_infection")) == [Level.QUARANTINE]
    assert _said(run_command(listing, "vitals\nantibiotic")) == []


def test_pieces_count_where_a_derived_name_is_not_known(run_command: RunCommand) -> None:
    code = f'A=suspicion; B=infection; T=$(mystery $A of $B); {DUCKDB} "FROM mimiciv_derived.$T"'
    assert _said(run_command(code, "10001884,3,1\n10001885,1,0")) == [Level.QUARANTINE]
    assert _said(run_command(code.replace("suspicion", "sofa"), "10001884,3,1\n10001885,1,0")) == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a = 'suspic'; b = 'ion_of_'; c = 'infection'", "suspicion_of_infection"),
        ("x = 'noitcefni'; y = 'fo'; z = 'noicipsus'", "suspicion_of_infection"),
        ("# suspicion of infection\nx = 1", ""),
        ("df['suspected_infection'] = 1", ""),
    ],
)  # fmt: skip
def test_pieces_cover_a_name_in_both_directions(code: str, expected: str) -> None:
    assert held_in_pieces(["suspicion_of_infection"], code, ["suspected_infection"]) == expected


@pytest.mark.parametrize(
    "question",
    [
        "SELECT table_name FROM duckdb_columns() WHERE column_name = 'suspected_infection'",
        "SELECT table_name FROM information_schema.tables WHERE length(table_name) = 22",
        "SELECT name FROM sqlite_master WHERE name LIKE 's_sp_c_on%'",
    ],
)  # fmt: skip
def test_the_catalog_asked_without_the_name_warns(run_command: RunCommand, question: str) -> None:
    assert _said(run_command(f'{DUCKDB} -c "{question}"'), "catalog-probing") == [Level.WARN]


def test_the_catalog_asked_for_other_columns_is_honest(run_command: RunCommand) -> None:
    question = "SELECT table_name FROM duckdb_columns() WHERE column_name = 'spec_type_desc'"
    assert _said(run_command(f'{DUCKDB} -c "{question}"'), "catalog-probing") == []


@pytest.mark.parametrize(
    "command",
    [
        "awk 'BEGIN{OFS=\"_\"; print \"FROM a.b\",\"c\"}' | duckdb x.db",
        "T=$(paste -d_ p q); duckdb x.db \"FROM $T\"",
        "sed -e 's/@/b_/' -e 's/%/c/' t | duckdb x.db",
        "cut -d: -f2 u | duckdb x.db",
    ],
)  # fmt: skip
def test_programs_over_known_files_are_followed(command: str) -> None:
    files = {
        "/workspace/p": "a.b\n",
        "/workspace/q": "c\n",
        "/workspace/t": "FROM a.@%",
        "/workspace/u": "x:FROM a.b_c\n",
    }
    layers = command_layers(command, files=files).layers
    assert [layer.text.strip() for layer in layers if layer.kind == "sql"] == ["FROM a.b_c"]


def test_hostile_texts_are_looked_at_within_bounds(run_command: RunCommand) -> None:
    for command in (
        "awk '" + 'BEGIN{print "a"}' * 5_000 + "' | duckdb x.db",
        f'{DUCKDB} "FROM mimiciv_derived.$(mystery)" # ' + "suspicion " * 50_000,
    ):
        assert _said(run_command(command, "suspicio " * 100_000)) == []
