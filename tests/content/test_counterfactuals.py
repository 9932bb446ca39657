"""Every counterfactual: its texts changed alike, its reference different exactly where it is declared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from laboratory import Laboratory

from workbench.catalog import Content
from workbench.ehr.declared_difference import difference_in
from workbench.records import ContentPaths
from workbench.runs import content_of
from workbench.sql import reads

CONTENT = Content(ContentPaths(Path(__file__).resolve().parents[2]))
ALL = [
    (family.name, item.database, item.name)
    for family in CONTENT.families()
    for item in CONTENT.files(family.name).counterfactuals()
]


@pytest.mark.parametrize(("family", "database", "name"), ALL)
def test_the_reference_differs_exactly_where_declared(
    content: Content, laboratory: Callable[..., Laboratory], family: str, database: str, name: str
) -> None:
    task = next(task for task in content.tasks() if (task.family, task.database) == (family, database))
    seen = content_of(content, task=task, counterfactual=name)
    sql = {target: seen.reference_sql(family, target, database) for target in ("unchanged", "public-code")}
    item = next(
        i for i in content.files(family).counterfactuals() if (i.database, i.name) == (database, name)
    )
    lab = laboratory(database)
    lab.load({table for text in (*sql.values(), item.differs.rows) for table in reads(text) if "." in table})
    found = difference_in(lab.connection, task, sql["unchanged"], sql["public-code"], item.differs)
    assert found.problems == []
    assert found.changed > 0
    print(family, database, found)
