"""Run a family's witness cases on its reference, or on SQL that somebody brings along."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workbench.catalog import Content
from workbench.ehr import DERIVED_SCHEMA, TITLES, ConceptSql, published_schema
from workbench.records import BadInput, Task, WitnessCase
from workbench.sql import build_order, reads
from workbench.witness.expect import unmet
from workbench.witness.process import ask_worker
from workbench.witness.results import ConceptCheck, WitnessResult
from workbench.witness.rows import case_rows, table_types
from workbench.witness.worker_request import WorkerAnswer, WorkerLimits, WorkerRequest

FOREIGN_SQL_BYTES = 4 * 1024**2


def run_witnesses(
    content: Content,
    family: str,
    *,
    sql: Path | None = None,
    target: str = "public-code",
    concept_sql: ConceptSql | None = None,
    limits: WorkerLimits | None = None,
) -> list[WitnessResult]:
    """Every witness case of ``family``'s caveats, in order.

    Without ``sql`` the reference of ``target`` is run; it passes a case if it gives the stated values and
    not the source definition's. With ``sql`` that file is held against the same values. With
    ``concept_sql`` the pinned concept (the family's ``concept.<database>.sql``, else the concept's table)
    runs on the same rows too, and passing takes that it agrees with the reference, or differs where the case
    says so. All SQL runs in a locked worker process.
    A case runs over the tables and the reference of its own database; ``sql`` is held against the cases of
    the database whose tables it reads.
    Raises BadInput for an unreadable file, unknown tables or columns in a case, or derived tables that
    are needed and cannot be made.
    """
    audit = content.audit(family)
    pairs = [(caveat.id, case) for caveat in audit.caveats for case in caveat.witness]
    if not pairs:
        return []
    tasks = [content.task(name) for name in content.family(family).tasks]
    by_database: dict[str, Task] = {task.database: task for task in reversed(tasks)}
    sorted_out: dict[str, list[tuple[str, WitnessCase]]] = {}
    for pair in pairs:
        sorted_out.setdefault(pair[1].database or tasks[0].database, []).append(pair)
    lost = [case.id for name in sorted_out.keys() - by_database.keys() for _, case in sorted_out[name]]
    if lost:
        raise BadInput(f"no task of {family} has the database of witness case {', '.join(sorted(lost))}")
    text = _read(sql) if sql else ""
    only = _databases_read(text) & sorted_out.keys() or sorted_out.keys()
    results: dict[str, WitnessResult] = {}
    for database in [name for name in sorted_out if name in only]:
        task = by_database[database]
        chosen = text if sql else content.reference_sql(family, target, database)
        bounds = limits or WorkerLimits()
        found = _run_cases(
            content, task, sorted_out[database], chosen, concept_sql, bounds, foreign=bool(sql)
        )
        results |= {result.case: result for result in found}
    return [results[case.id] for _, case in pairs if case.id in results]


def _databases_read(sql: str) -> set[str]:
    read = {name.split(".")[0] for name in reads(sql)}
    return {database for database in TITLES if read.intersection(published_schema(database).schemas)}


def _run_cases(
    content: Content,
    task: Task,
    pairs: list[tuple[str, WitnessCase]],
    text: str,
    concept_sql: ConceptSql | None,
    limits: WorkerLimits,
    *,
    foreign: bool,
) -> list[WitnessResult]:
    """The cases of one database, on ``text`` and beside it on the pinned concept, where there is one."""
    cases = [case for _, case in pairs]
    scripts = _concept_scripts(concept_sql)
    answers = _ask(cases, text, task.database, scripts, limits)
    beside: list[WorkerAnswer | None] = [None] * len(cases)
    if concept_sql is not None:
        concept = content.files(task.family).concept_sql(task.database)
        if task.reference_concept:
            concept = concept or f"SELECT * FROM {DERIVED_SCHEMA}.{task.reference_concept}"
        if concept:
            beside = list(_ask(cases, concept, task.database, scripts, limits))
    return [
        _judge(caveat, case, answer, by_concept, foreign=foreign)
        for (caveat, case), answer, by_concept in zip(pairs, answers, beside, strict=True)
    ]


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
    passed = not details
    if by_concept is not None and check not in (expected, ConceptCheck.OPEN):
        passed = False
        details.append(f"the pinned concept {check} here, where the case says that it {expected}")
        details += [by_concept.problem] if by_concept.problem else unmet(case.reference, by_concept.records())
    return WitnessResult(
        case=case.id,
        caveat=caveat,
        story=case.story,
        passed=passed,
        meets_definition=meets,
        concept=check,
        details=details,
    )


def _check_concept(case: WitnessCase, answer: WorkerAnswer | None) -> ConceptCheck:
    if answer is None:
        return ConceptCheck.NOT_RUN
    if case.concept_open and not answer.problem:
        return ConceptCheck.OPEN
    held = not answer.problem and not unmet(case.reference, answer.records())
    return ConceptCheck.AGREES if held else ConceptCheck.DIFFERS


def _ask(
    cases: list[WitnessCase], sql: str, database: str, scripts: Mapping[str, str], limits: WorkerLimits
) -> list[WorkerAnswer]:
    wanted = _needed(sql, scripts)
    return ask_worker(
        WorkerRequest(
            tables=table_types(database),
            extra_schemas=[DERIVED_SCHEMA],
            cases=[case_rows(case, database) for case in cases],
            before=[scripts[name] for name in build_order({name: scripts[name] for name in wanted})],
            sql=sql,
            limits=limits,
        )
    )


def _needed(sql: str, scripts: Mapping[str, str]) -> set[str]:
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


def _concept_scripts(concept_sql: ConceptSql | None) -> dict[str, str]:
    if concept_sql is None:
        return {}
    return {name: file.read_text(encoding="utf-8") for name, file in concept_sql.scripts.items()}


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > FOREIGN_SQL_BYTES:
            raise BadInput(f"is larger than {FOREIGN_SQL_BYTES} bytes", where=str(file))
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(file)) from None
    except UnicodeDecodeError:
        raise BadInput("is not UTF-8 text", where=str(file)) from None
