"""Tasks on a database of one's own: which source they take, and that they are tested like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr import connect, declaration_text, declare_database, import_source, schema_of
from workbench.records import BadInput, Condition, ContentPaths, DataPaths, SchemaVariant, Settings
from workbench.runs import (
    Context,
    cells_of,
    ensure_ready,
    list_counterfactuals,
    pairs_to_test,
    rehearse,
    selftest,
    source_for,
    verify_counterfactual,
)
from workbench.sandbox import choose_sandbox
from workbench.scaffold import NewTask, new_family, new_skill, new_task


@pytest.fixture
def context(tmp_path: Path) -> Context:
    given = tmp_path / "clinic.duckdb"
    connection = connect(given)
    connection.execute("CREATE TABLE vitals (stay_id VARCHAR NOT NULL, heart_rate DOUBLE)")
    connection.execute("INSERT INTO vitals SELECT 'p' || i % 30, 60 + i % 41 FROM range(400) AS t (i)")
    connection.close()
    paths = ContentPaths(tmp_path / "content")
    paths.own_databases.mkdir(parents=True)
    paths.own_database("clinic").write_text(declaration_text(declare_database(given, "clinic", "")[0]))
    content = Content(paths)
    new_skill(content, "breathing")
    new_family(content, NewTask("pulse", database="clinic"))
    new_task(content, NewTask("pulse"))
    made = Context(content, DataPaths(tmp_path / "home"), Settings())
    import_source(made.data, given, "north", database=schema_of(content, "clinic"))
    return made


def test_no_synthetic_source_stands_for_ones_own(context: Context) -> None:
    own, published = context.content.resolve("pulse")
    with pytest.raises(BadInput, match="is on clinic, and no synthetic data can be made of that"):
        source_for("synthetic-500-1", own)
    assert [source_for("north", own), source_for("synthetic-500-1", published)] == [
        "north",
        "synthetic-500-1",
    ]


def test_the_imported_sources_are_tested(context: Context) -> None:
    own, published = tasks = context.content.resolve("pulse")
    assert pairs_to_test(context, tasks, ["synthetic-500-1"]) == [
        (own, "north"),
        (published, "synthetic-500-1"),
    ]
    assert pairs_to_test(context, tasks, ["north"]) == [(own, "north")]
    done = selftest(context, own, "north", choose_sandbox("auto"))
    assert (done.problems, done.rows, done.reference_reward, done.solvable) == ([], 30, 1.0, True)
    assert done.naive_reward == 0.5


def test_without_an_import_the_test_says_so(tmp_path: Path, context: Context) -> None:
    elsewhere = Context(context.content, DataPaths(tmp_path / "empty"), context.settings)
    own, _ = context.content.resolve("pulse")
    assert pairs_to_test(elsewhere, [own], ["synthetic-500-1"]) == [(own, "synthetic-500-1")]
    with pytest.raises(BadInput, match="no synthetic data can be made"):
        selftest(elsewhere, own, "synthetic-500-1", choose_sandbox("auto"))


def test_a_declaration_that_was_changed_wants_another_import(tmp_path: Path, context: Context) -> None:
    own, _ = context.content.resolve("pulse")
    declared = context.content.paths.own_database("clinic")
    declared.write_text(declared.read_text().replace("heart_rate = ", "rate = "))
    with pytest.raises(BadInput, match="declared otherwise when north was imported") as caught:
        ensure_ready(context, own, "north", choose_sandbox("auto"))
    assert "--name north --database clinic --replace" in caught.value.remedy


def test_a_rehearsal_follows_tables_of_the_usual_schema(context: Context) -> None:
    own, _ = context.content.resolve("pulse")
    cells = cells_of(context, own, list(Condition), list(SchemaVariant))
    assert {variant for _, variant in cells} == {SchemaVariant.NATIVE}
    assert {condition for condition, _ in cells} == set(Condition) - {Condition.WITH_PRIMITIVES}
    done = rehearse(context, own, "north", "auto", condition=Condition.WITH_SKILL)
    assert (done.problems, done.reward) == ([], 1.0)


def test_ties_that_the_reference_leaves_open_are_told(context: Context) -> None:
    own, _ = context.content.resolve("pulse")
    path = context.content.family_paths("pulse").reference("public-code", "clinic")
    sql = path.read_text()
    assert "max(amount)" in sql
    for tied in ("first(amount)", "any_value(amount)", "arg_max(amount, 1)"):
        path.write_text(sql.replace("max(amount)", tied))
        done = selftest(context, own, "north", choose_sandbox("auto"))
        told = [problem for problem in done.problems if "order of rows" in problem]
        assert told == [
            "the reference depends on the order of rows: column highest of 30 rows; break ties (ORDER BY ...)"
        ]
    path.write_text(sql.replace("max(amount)", "avg(amount / 3)"))
    assert "order" not in str(selftest(context, own, "north", choose_sandbox("auto")).problems)


COUNTERFACTUAL = """\
schema_version = 1
family = "pulse"

[[counterfactuals]]
name = "above-eight"
database = "clinic"
rule = "values-there"
says = "Only values above 8 count."
gone = ["WHERE heart_rate IS NOT NULL"]
changes = [
  { in = "reference", find = "WHERE heart_rate IS NOT NULL", put = "WHERE heart_rate > 8" },
]

[counterfactuals.differs]
columns = ["measurements"]
rows = "SELECT stay_id FROM main.vitals WHERE false"
"""


def test_the_worked_example_is_run_under_a_counterfactual(context: Context) -> None:
    """All values of the source are above 8; of the example's two stays one value is not."""
    context.content.family_paths("pulse").counterfactuals.write_text(COUNTERFACTUAL)
    (listed,), _ = list_counterfactuals(context.content, "pulse")
    found = verify_counterfactual(context, listed, "north")
    assert found.changed == 0
    assert found.problems and all(told.startswith("worked example, stay ") for told in found.problems)
    assert "worked example, stay two-values: accepted: not there: stay_id '1', amount 7.0" in found.problems
