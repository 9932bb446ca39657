"""A family's witness cases by database, and the SQL that they are run on."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import Content
from workbench.ehr import DERIVED_SCHEMA, PublishedSchema, schema_of
from workbench.records import BadInput, Task, WitnessCase, read_regular
from workbench.sql import reads

FOREIGN_SQL_BYTES = 4 * 1024**2


@dataclass(frozen=True)
class CasesOfOne:
    """The cases of one database, each with its caveat's id; ``task`` is the family's first one there."""

    task: Task
    schema: PublishedSchema
    pairs: list[tuple[str, WitnessCase]]

    @property
    def cases(self) -> list[WitnessCase]:
        """Without their caveats."""
        return [case for _, case in self.pairs]


def cases_of(content: Content, family: str, *, case: str = "", read_by: str = "") -> list[CasesOfOne]:
    """The family's cases, or the one of that id; if ``read_by`` is SQL that reads some databases' tables, the
    cases of those only.

    Raises BadInput for an unknown id, or a case of a database that no task of the family has.
    """
    tasks = [content.task(name) for name in content.family(family).tasks]
    by_database: dict[str, Task] = {task.database: task for task in reversed(tasks)}
    sorted_out: dict[str, list[tuple[str, WitnessCase]]] = {}
    for caveat in content.audit(family).caveats:
        for found in caveat.witness:
            if case in ("", found.id):
                sorted_out.setdefault(found.database or tasks[0].database, []).append((caveat.id, found))
    if case and not sorted_out:
        raise BadInput(
            f"{family} has no witness case {case!r}", remedy="`workbench witness run` names all cases."
        )
    lost = [found.id for name in sorted_out.keys() - by_database.keys() for _, found in sorted_out[name]]
    if lost:
        raise BadInput(f"no task of {family} has the database of witness case {', '.join(sorted(lost))}")
    schemas = {name: schema_of(content, name) for name in sorted_out}
    only = _databases_read(read_by, schemas) or schemas.keys()
    return [
        CasesOfOne(by_database[name], schemas[name], pairs)
        for name, pairs in sorted_out.items()
        if name in only
    ]


def concept_select(content: Content, task: Task) -> str:
    """SQL that gives the pinned concept in the task's grain; empty where there is no public concept."""
    given = content.files(task.family).concept_sql(task.database)
    if not given and task.reference_concept:
        return f"SELECT * FROM {DERIVED_SCHEMA}.{task.reference_concept}"
    return given


def needs_concepts(content: Content, family: str) -> bool:
    """Whether a reference of the family's witness cases reads concepts."""
    return any(
        reads_concepts(content.reference_sql(family, "public-code", group.task.database))
        for group in cases_of(content, family)
    )


def reads_concepts(sql: str) -> bool:
    """Whether SQL reads any derived table."""
    return any(name.startswith(f"{DERIVED_SCHEMA}.") for name in reads(sql))


def read_sql(file: Path) -> str:
    """SQL that somebody brings along. Raises BadInput: no file, unreadable, too large, not UTF-8."""
    try:
        return read_regular(file, FOREIGN_SQL_BYTES).decode("utf-8")
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise BadInput(f"is larger than {FOREIGN_SQL_BYTES} bytes", where=str(file)) from None
        if error.errno in (errno.EINVAL, errno.EISDIR):
            remedy = "Name a file of SQL."
            raise BadInput("is not a regular file", where=str(file), remedy=remedy) from None
        raise BadInput(f"cannot be read ({error.strerror})", where=str(file)) from None
    except UnicodeDecodeError:
        raise BadInput("is not UTF-8 text", where=str(file)) from None


def _databases_read(sql: str, schemas: Mapping[str, PublishedSchema]) -> set[str]:
    read = reads(sql)
    return {
        database for database, schema in schemas.items() if any(schema.has_schema_of(name) for name in read)
    }
