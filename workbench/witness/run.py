"""Run a family's witness cases on its reference, or on SQL that somebody brings along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.catalog import Content
from workbench.ehr import ConceptSql
from workbench.records import WitnessCase
from workbench.witness.asking import ask_cases, ask_each, concept_scripts
from workbench.witness.cases import CasesOfOne, cases_of, concept_select, read_sql
from workbench.witness.expect import unmet
from workbench.witness.results import ConceptCheck, WitnessResult
from workbench.witness.worker_request import WorkerAnswer, WorkerLimits


def run_witnesses(
    content: Content,
    family: str,
    *,
    case: str = "",
    sql: Path | None = None,
    target: str = "public-code",
    concept_sql: ConceptSql | None = None,
    hold_concept: bool = True,
    limits: WorkerLimits | None = None,
) -> list[WitnessResult]:
    """Every witness case of ``family``'s caveats, in order, or the one whose id is ``case``.

    Without ``sql`` the reference of ``target`` is run; it passes a case if it gives the stated values and
    not the source definition's. With ``sql`` that file is held against the same values. ``concept_sql`` is
    where the concepts come from that either reads. With ``hold_concept`` the pinned concept (the family's
    ``concept.<database>.sql``, else the concept's table) runs on the same rows too, and passing takes that
    it agrees with the reference, or differs where the case says so. All SQL runs in a locked worker process.
    A case runs over the tables and the reference of its own database; ``sql`` is held against the cases of
    the database whose tables it reads.
    Raises BadInput for an unreadable file, an unknown case, unknown tables or columns in a case, or derived
    tables that are needed and cannot be made.
    """
    text = read_sql(sql) if sql else ""
    results: dict[str, WitnessResult] = {}
    groups = cases_of(content, family, case=case, read_by=text)
    for group in groups:
        chosen = text if sql else content.reference_sql(family, target, group.task.database)
        held = concept_sql if hold_concept else None
        concept = concept_select(content, group.task) if held else ""
        answers, beside = _ask(
            group, chosen, concept, concept_scripts(concept_sql), limits, foreign=bool(sql)
        )
        results |= {
            asked.id: _judge(caveat, asked, answer, by_concept, foreign=bool(sql))
            for (caveat, asked), answer, by_concept in zip(group.pairs, answers, beside, strict=True)
        }
    ordered = [one.id for caveat in content.audit(family).caveats for one in caveat.witness]
    return [results[name] for name in ordered if name in results]


def _ask(
    group: CasesOfOne,
    sql: str,
    concept: str,
    scripts: Mapping[str, str],
    limits: WorkerLimits | None,
    *,
    foreign: bool,
) -> tuple[list[WorkerAnswer], Sequence[WorkerAnswer | None]]:
    """What ``sql`` gives on the cases, and what the pinned concept gives; None where there is none to run."""
    schema = group.schema
    if not concept:
        return ask_cases(group.cases, sql, schema, scripts, limits), [None] * len(group.cases)
    if foreign:
        beside = ask_cases(group.cases, concept, schema, scripts, limits)
        return ask_cases(group.cases, sql, schema, scripts, limits), beside
    answers, beside = ask_each(group.cases, [sql, concept], schema, scripts, limits)
    return answers, beside


def _judge(
    caveat: str, case: WitnessCase, answer: WorkerAnswer, by_concept: WorkerAnswer | None, *, foreign: bool
) -> WitnessResult:
    if answer.problem:
        return WitnessResult(
            case=case.id, caveat=caveat, story=case.story, passed=False, details=[answer.problem]
        )
    rows = answer.records()
    details = unmet(case.reference, rows)
    meets = not unmet(case.definition, rows) if case.definition else None
    if meets and not foreign:
        details.append("the definition's values are met too: the case does not tell them apart")
    check = _check_concept(case, by_concept)
    expected = ConceptCheck.DIFFERS if case.concept_differs else ConceptCheck.AGREES
    if by_concept is not None and by_concept.problem:
        details.append(f"the pinned concept: {by_concept.problem}")
    elif by_concept is not None and check not in (expected, ConceptCheck.OPEN):
        details.append(f"the pinned concept {check} here, where the case says that it {expected}")
        details += unmet(case.reference, by_concept.records())
    return WitnessResult(
        case=case.id,
        caveat=caveat,
        story=case.story,
        passed=not details,
        meets_definition=meets,
        concept=check,
        details=details,
    )


def _check_concept(case: WitnessCase, answer: WorkerAnswer | None) -> ConceptCheck:
    if answer is None:
        return ConceptCheck.NOT_RUN
    if case.concept_open and not answer.problem:
        return ConceptCheck.OPEN
    if answer.problem:
        return ConceptCheck.DIFFERS
    return ConceptCheck.DIFFERS if unmet(case.reference, answer.records()) else ConceptCheck.AGREES
