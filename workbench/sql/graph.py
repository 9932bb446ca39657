"""Which concept scripts must run before which."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.records import BadInput
from workbench.sql.tables import tables

DERIVED_SCHEMA = "mimiciv_derived"


def reads(sql: str) -> set[str]:
    """Tables that a script reads: lower-case ``<schema>.<table>``, or ``<table>`` where no schema is named.

    Without CTEs, without what the script itself creates before reading it, without what it only drops.
    """
    return set(tables(sql).reads)


def build_order(scripts: Mapping[str, str]) -> list[str]:
    """Names so that each comes after those it reads as ``mimiciv_derived.<name>``; alphabetical where free.

    Tables that no script of the mapping makes are taken as given. Raises BadInput naming a cycle.
    """
    waiting = {
        name: {other for other in scripts if other != name and f"{DERIVED_SCHEMA}.{other.lower()}" in read}
        for name, read in ((name, reads(sql)) for name, sql in scripts.items())
    }
    order: list[str] = []
    while waiting:
        ready = sorted(name for name, needs in waiting.items() if not needs & waiting.keys())
        if not ready:
            raise BadInput(
                f"scripts read each other in a circle: {' -> '.join(_circle(waiting))}",
                remedy="Break the circle: one of these must not read the next.",
            )
        order.append(ready[0])
        del waiting[ready[0]]
    return order


def _circle(waiting: Mapping[str, set[str]]) -> list[str]:
    """One cycle among scripts that all wait, first name repeated at its end."""
    path = [min(waiting)]
    while True:
        following = min(waiting[path[-1]] & waiting.keys())
        if following in path:
            return [*path[path.index(following) :], following]
        path.append(following)
