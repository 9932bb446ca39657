"""Every rule of every reference matters: altering it changes rows of the synthetic source."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from laboratory import Laboratory, Mutation, mutations, named

from workbench.catalog import Content, rule_names

ALL = mutations()
Reference = Callable[[str, str], tuple[Laboratory, str, str]]


@pytest.fixture(scope="module")
def reference(content: Content, laboratory: Callable[[str], Laboratory]) -> Reference:
    """Laboratory, reference SQL and the table with its rows, which are derived once a family."""
    made: dict[tuple[str, str], str] = {}

    def of(family: str, database: str) -> tuple[Laboratory, str, str]:
        lab = laboratory(database)
        sql = content.reference_sql(family, "public-code", database)
        if (family, database) not in made:
            made[family, database] = f"original_{len(made)}"
            assert lab.derive(sql, made[family, database]) > 0
        return lab, sql, made[family, database]

    return of


@pytest.mark.parametrize("mutation", ALL, ids=named(ALL))
def test_altering_a_rule_changes_rows(reference: Reference, mutation: Mutation) -> None:
    lab, sql, original = reference(mutation.family, mutation.database)
    if mutation.script == "reference":
        assert lab.differs(original, mutation.apply(sql))
    else:
        with lab.altered(mutation, sql):
            assert lab.differs(original, sql)


@pytest.mark.parametrize(("family", "database"), sorted({(item.family, item.database) for item in ALL}))
def test_every_rule_has_a_mutation(content: Content, family: str, database: str) -> None:
    rules = rule_names(content.reference_sql(family, "public-code", database))
    altered = {item.rule for item in ALL if (item.family, item.database) == (family, database)}
    assert set(rules) - altered == set()
    assert {item.rule for item in ALL if item.script == "reference"} <= {
        rule
        for other in {(item.family, item.database) for item in ALL}
        for rule in rule_names(content.reference_sql(other[0], "public-code", other[1]))
    }


def test_every_reference_has_its_mutations(content: Content) -> None:
    tasks = content.tasks()
    assert {(task.family, task.database) for task in tasks} == {(item.family, item.database) for item in ALL}


def test_the_laboratory_notices_nothing_where_nothing_is_altered(reference: Reference) -> None:
    lab, sql, original = reference("suspicion-infection", "mimic-iv")
    assert not lab.differs(original, f"{sql}\n-- the same\n")
