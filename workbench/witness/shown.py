"""One witness case to look at: rows in, what the reference and the concept give, what the definition says."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.catalog import Content
from workbench.ehr import ConceptSql
from workbench.records import WitnessCase
from workbench.records.audit import Cell
from workbench.witness.asking import ask_cases, concept_scripts
from workbench.witness.cases import cases_of, concept_select
from workbench.witness.expect import unmet
from workbench.witness.worker_request import WorkerAnswer, WorkerLimits

Row = dict[str, Cell]


@dataclass(frozen=True)
class GivenRows:
    """What SQL gives on a case's rows, or why it gives nothing. The rows are made up and may be shown."""

    rows: tuple[Row, ...]
    problem: str = ""


@dataclass(frozen=True)
class ShownCase:
    """``case`` holds the rows in and the values expected; ``reference`` and ``concept`` are what came out,
    ``concept`` None where it was not run; ``unmet``: what of the expected values did not come.
    """

    family: str
    caveat: str
    case: WitnessCase
    reference: GivenRows
    concept: GivenRows | None
    unmet: tuple[str, ...]


def show_case(
    content: Content,
    family: str,
    case: str,
    *,
    target: str = "public-code",
    concept_sql: ConceptSql | None = None,
    limits: WorkerLimits | None = None,
) -> ShownCase:
    """Run the family's reference of ``target`` and, with ``concept_sql``, the pinned concept on one case.

    Raises BadInput for an unknown case and for derived tables that are needed and cannot be made.
    """
    [group] = cases_of(content, family, case=case)
    [(caveat, found)] = group.pairs
    scripts = concept_scripts(concept_sql)
    sql = content.reference_sql(family, target, group.task.database)
    [answer] = ask_cases([found], sql, group.schema, scripts, limits)
    concept = concept_select(content, group.task) if concept_sql else ""
    beside = ask_cases([found], concept, group.schema, scripts, limits) if concept else []
    lacking = [answer.problem] if answer.problem else unmet(found.reference, answer.records())
    return ShownCase(
        family, caveat, found, _given(answer), _given(beside[0]) if beside else None, tuple(lacking)
    )


def _given(answer: WorkerAnswer) -> GivenRows:
    return GivenRows(tuple(answer.records()), answer.problem)
