"""Every rule of every reference matters: altering it changes rows of the synthetic source.

One edit of each rule is tried; all of them with ``EVERY_EDIT=1``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from laboratory import Laboratory, Mutation, mutations, named, tried
from steps_apart import StepsApart

from workbench.catalog import Content, rule_names

ALL = mutations()
NAMES = dict(zip(ALL, named(ALL), strict=True))
TRIED = tried(ALL, 1, lambda item: (item.family, item.database, item.rule))


class References:
    """References in a laboratory: each derived once; of the last one asked for, the steps apart."""

    def __init__(self, content: Content, laboratory: Callable[[str], Laboratory]) -> None:
        self._content, self._laboratory = content, laboratory
        self._derived: dict[tuple[str, str], str] = {}
        self._last: tuple[tuple[str, str], StepsApart] | None = None

    def whole(self, family: str, database: str) -> tuple[Laboratory, str, str]:
        """Laboratory, reference SQL and the table with its rows."""
        lab = self._laboratory(database)
        sql = self._content.reference_sql(family, "public-code", database)
        if (family, database) not in self._derived:
            table = f"original_{len(self._derived)}"
            assert lab.derive(sql, table) > 0
            self._derived[family, database] = table
        return lab, sql, self._derived[family, database]

    def apart(self, family: str, database: str) -> StepsApart:
        """The steps of the reference, which give the very rows of the whole statement."""
        if self._last is None or self._last[0] != (family, database):
            lab, sql, original = self.whole(family, database)
            if self._last is not None:
                self._last[1].close()
            steps = StepsApart(lab.connection, f"steps_of_{original}", sql)
            self._last = (family, database), steps
            assert not lab.differs(original, steps.edited(lambda text: text))
        return self._last[1]


@pytest.fixture(scope="module")
def references(content: Content, laboratory: Callable[[str], Laboratory]) -> References:
    return References(content, laboratory)


@pytest.mark.parametrize("mutation", TRIED, ids=NAMES.get)
def test_altering_a_rule_changes_rows(references: References, mutation: Mutation) -> None:
    lab, sql, original = references.whole(mutation.family, mutation.database)
    if mutation.script == "reference":
        mutation.apply(sql)
        steps = references.apart(mutation.family, mutation.database)
        assert lab.differs(original, steps.edited(mutation.replaced))
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


def test_the_laboratory_notices_nothing_where_nothing_is_altered(references: References) -> None:
    lab, sql, original = references.whole("suspicion-infection", "mimic-iv")
    assert not lab.differs(original, f"{sql}\n-- the same\n")
