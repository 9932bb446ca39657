"""SQL on the made-up rows of cases: with the concepts it reads, each case in the locked worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.ehr import DERIVED_SCHEMA, ConceptSql
from workbench.records import BadInput, WitnessCase
from workbench.sql import build_order, reads
from workbench.witness.process import ask_worker
from workbench.witness.rows import case_rows, table_types
from workbench.witness.worker_request import WorkerAnswer, WorkerLimits, WorkerRequest

START_S = 30.0
CASE_S = 5.0
"""A case may have to build twenty concepts first: about a second."""


def ask_cases(
    cases: Sequence[WitnessCase],
    sql: str,
    database: str,
    scripts: Mapping[str, str],
    limits: WorkerLimits | None = None,
) -> list[WorkerAnswer]:
    """What ``sql`` gives on each case's rows; ``scripts`` are the concepts that are at hand, by name.

    Raises BadInput for rows that do not fit the schema, or a concept that is read and not at hand.
    """
    wanted = needed_concepts(sql, scripts)
    return ask_worker(
        WorkerRequest(
            tables=table_types(database),
            extra_schemas=[DERIVED_SCHEMA],
            cases=[case_rows(case, database) for case in cases],
            before={name: scripts[name] for name in build_order({name: scripts[name] for name in wanted})},
            sql=sql,
            limits=limits or WorkerLimits(wall_s=START_S + CASE_S * len(cases)),
        )
    )


def needed_concepts(sql: str, scripts: Mapping[str, str]) -> set[str]:
    """Concepts that ``sql`` reads, with all that they read. Raises BadInput for one that is not there."""
    wanted: set[str] = set()
    waiting = {name for name in reads(sql) if name.startswith(f"{DERIVED_SCHEMA}.")}
    while waiting:
        name = waiting.pop().split(".", 1)[1]
        if name in wanted:
            continue
        if name not in scripts:
            raise BadInput(
                f"the SQL reads {DERIVED_SCHEMA}.{name}, which is not at hand",
                remedy="Give the concept SQL (workbench data concepts), or read raw tables only.",
            )
        wanted.add(name)
        waiting |= {read for read in reads(scripts[name]) if read.startswith(f"{DERIVED_SCHEMA}.")}
    return wanted


def concept_scripts(concept_sql: ConceptSql | None) -> dict[str, str]:
    """The SQL of every concept; empty without a revision."""
    return concept_sql.texts() if concept_sql else {}
