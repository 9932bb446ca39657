"""SQL on the made-up rows of cases: with the concepts it reads, each case in the locked worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.ehr import DERIVED_SCHEMA, ConceptSql, PublishedSchema
from workbench.records import BadInput, WitnessCase
from workbench.sql import build_order, reads, tables
from workbench.witness.process import ask_worker
from workbench.witness.rows import case_rows, table_types
from workbench.witness.worker_request import ConceptScript, Query, WorkerAnswer, WorkerLimits, WorkerRequest

START_S = 30.0
CASE_S = 5.0
"""A case may have to build twenty concepts first: about a second."""


def ask_cases(
    cases: Sequence[WitnessCase],
    sql: str,
    schema: PublishedSchema,
    scripts: Mapping[str, str],
    limits: WorkerLimits | None = None,
) -> list[WorkerAnswer]:
    """What ``sql`` gives on each case's rows; ``scripts`` are the concepts that are at hand, by name.

    Raises BadInput for rows that do not fit the schema, or a concept that is read and not at hand.
    """
    (answers,) = ask_each(cases, [sql], schema, scripts, limits)
    return answers


def ask_each(
    cases: Sequence[WitnessCase],
    queries: Sequence[str],
    schema: PublishedSchema,
    scripts: Mapping[str, str],
    limits: WorkerLimits | None = None,
) -> list[list[WorkerAnswer]]:
    """As ``ask_cases`` for several queries, which one worker answers; foreign SQL is asked alone, as it may
    bring the worker to an end.
    """
    wanted = [needed_concepts(sql, scripts) for sql in queries]
    order = build_order({name: scripts[name] for name in set().union(*wanted)})
    wall_s = START_S + CASE_S * len(cases) * len(queries)
    return ask_worker(
        WorkerRequest(
            tables=table_types(schema),
            extra_schemas=[DERIVED_SCHEMA],
            cases=[case_rows(case, schema) for case in cases],
            scripts=[_script(name, scripts) for name in order],
            queries=[
                Query(sql=sql, concepts=[name for name in order if name in needed])
                for sql, needed in zip(queries, wanted, strict=True)
            ],
            limits=limits or WorkerLimits(wall_s=wall_s),
        )
    )


def _script(name: str, scripts: Mapping[str, str]) -> ConceptScript:
    table = f"{DERIVED_SCHEMA}.{name}"
    use = tables(scripts[name])
    alone = use.exact and use.creates == {table} and use.changes <= {table} and not use.extensions
    behind = {read for each in needed_concepts(f"FROM {table}", scripts) for read in reads(scripts[each])}
    raw = sorted(read for read in behind if not read.startswith(f"{DERIVED_SCHEMA}."))
    return ConceptScript(name=name, sql=scripts[name], makes=table, behind=raw if alone else None)


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
