"""Databases of the user's own: which are declared, and one of them."""

from __future__ import annotations

from workbench.catalog.documents import read_toml
from workbench.catalog.family_files import same_as_place
from workbench.catalog.names import did_you_mean
from workbench.catalog.toml_lines import line_of
from workbench.records import PUBLISHED_DATABASES, BadInput, ContentPaths, FamilyPaths, OwnDatabase, Task


def own_database_names(paths: ContentPaths) -> list[str]:
    """Names of the declared databases, whether they can be read or not."""
    return sorted(path.stem for path in paths.own_databases.glob("[!._]*.toml"))


def read_own_database(paths: ContentPaths, name: str) -> OwnDatabase:
    """One declaration. Raises BadInput: not declared, or not what a declaration has to be."""
    known = own_database_names(paths)
    if name not in known:
        raise BadInput(
            f"there is no database {name!r}",
            where=str(paths.own_databases),
            remedy=did_you_mean(name, [*PUBLISHED_DATABASES, *known], _declare(name)),
        )
    path = paths.own_database(name)
    declared = read_toml(path, OwnDatabase)
    same_as_place(declared.name, name, "name", path)
    return declared


def require_own_database(paths: ContentPaths, family: FamilyPaths, task: Task, text: str) -> None:
    """Raises BadInput, with the line in ``text``, where the task may not name its database."""
    known = own_database_names(paths) if family.own else []
    if task.database in known:
        return
    otherwise = _declare(task.database) if family.own else f"Known: {', '.join(PUBLISHED_DATABASES)}."
    raise BadInput(
        f"database: there is no {task.database!r}",
        where=f"{family.task(task.id)}, line {line_of(text, ('database',))}",
        remedy=did_you_mean(task.database, [*PUBLISHED_DATABASES, *known], otherwise),
    )


def _declare(name: str) -> str:
    return f"Declare it: workbench data schema FILE.duckdb --name {name}"
