"""Sources of both databases in memory, for the tests that go over all families."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from laboratory import Laboratory

from workbench.ehr import ConceptSql, concept_sql_of
from workbench.records import DataPaths, Source, Unavailable


def pinned(database: str, data: DataPaths) -> ConceptSql:
    """The pinned concepts, or a skip where they cannot be had."""
    try:
        return concept_sql_of(database, data)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")


@pytest.fixture(scope="module")
def concept_sql(shared_home: DataPaths) -> ConceptSql:
    return pinned("mimic-iv", shared_home)


@pytest.fixture(scope="module")
def laboratory(
    shared_home: DataPaths, source_of: Callable[[str], Source]
) -> Iterator[Callable[..., Laboratory]]:
    """The synthetic source of a database in memory; one a module, as it is large."""
    made: dict[tuple[str, bool], Laboratory] = {}

    def of(database: str, *, shuffled: bool = False) -> Laboratory:
        if (database, shuffled) not in made:
            sql = pinned(database, shared_home)
            source = source_of(database)
            made[database, shuffled] = Laboratory(shared_home, source, sql, shuffled=shuffled)
        return made[database, shuffled]

    yield of
    for item in made.values():
        item.close()
