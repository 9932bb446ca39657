"""The rows of every reference depend on neither the stored order of its inputs nor the number of threads."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from laboratory import Laboratory, targets

from workbench.catalog import Content
from workbench.ehr.row_hash import rows_sha256


@pytest.mark.parametrize(("family", "database", "target"), targets())
def test_rows_are_the_same_in_any_order_and_with_any_threads(
    content: Content, laboratory: Callable[..., Laboratory], family: str, database: str, target: str
) -> None:
    sql = content.reference_sql(family, target, database)
    task = next(task for task in content.resolve(family) if task.database == database)
    hashes = {}
    for threads, shuffled in ((1, False), (4, True), (1, True), (4, False)):
        lab = laboratory(database, shuffled=shuffled)
        lab.connection.execute(f"SET threads = {threads}")
        assert lab.derive(sql, "answer") > 0
        keys = [key.name for key in task.keys]
        columns = [str(row[0]) for row in lab.connection.execute("DESCRIBE answer").fetchall()]
        hashes[threads, shuffled] = rows_sha256(lab.connection, "answer", columns, keys)
    assert len(set(hashes.values())) == 1, hashes


@pytest.mark.parametrize(
    ("family", "database", "target"), [item for item in targets() if item[2] != "public-code"]
)
def test_another_target_says_something_else(
    content: Content, laboratory: Callable[..., Laboratory], family: str, database: str, target: str
) -> None:
    lab = laboratory(database)
    columns = next(task for task in content.resolve(family) if task.database == database).required_columns
    names = ", ".join(f'"{name}"' for name in columns)
    public = content.reference_sql(family, "public-code", database).rstrip().rstrip(";")
    other = content.reference_sql(family, target, database).rstrip().rstrip(";")
    lab.derive(f"SELECT {names} FROM (\n{public}\n)", "public_rows")
    assert lab.differs("public_rows", f"SELECT {names} FROM (\n{other}\n)")
