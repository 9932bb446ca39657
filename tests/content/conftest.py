"""Sources of both databases in memory, for the tests that go over all families."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from laboratory import Laboratory

from workbench.ehr import concept_sql_of
from workbench.records import DataPaths, Source, Unavailable


@pytest.fixture(scope="module")
def laboratory(
    shared_home: DataPaths, source_of: Callable[[str], Source]
) -> Iterator[Callable[[str], Laboratory]]:
    """The synthetic source of a database in memory; one a module, as it is large."""
    made: dict[str, Laboratory] = {}

    def of(database: str) -> Laboratory:
        if database not in made:
            try:
                concept_sql = concept_sql_of(database, shared_home)
            except Unavailable as error:
                pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")
            made[database] = Laboratory(shared_home, source_of(database), concept_sql)
        return made[database]

    yield of
    for item in made.values():
        item.close()
