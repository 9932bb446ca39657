"""What changes on the witness cases: with another revision of the concepts, or with somebody's SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from workbench.catalog import Content
from workbench.ehr import ConceptSql
from workbench.records import BadInput, Part
from workbench.records.audit import Cell
from workbench.witness.asking import ask_cases, concept_scripts
from workbench.witness.cases import CasesOfOne, cases_of, concept_select, read_sql, reads_concepts
from workbench.witness.expect import same, shown
from workbench.witness.worker_request import WorkerAnswer, WorkerLimits

Row = dict[str, Cell]


class CaseChange(Part):
    """One case; ``changed`` says, a line each, where the two sides differ. Witness rows are made up."""

    case: str
    caveat: str
    changed: list[str] = []


def changes_by_sql(
    content: Content,
    family: str,
    sql: Path,
    *,
    case: str = "",
    concept_sql: ConceptSql | None = None,
    limits: WorkerLimits | None = None,
) -> list[CaseChange]:
    """The reference's rows beside those of somebody's SQL, case by case, in the columns that both have.

    Raises BadInput as ``run_witnesses`` does.
    """
    text = read_sql(sql)
    scripts = concept_scripts(concept_sql)
    found = []
    for group in cases_of(content, family, case=case, read_by=text):
        reference = content.reference_sql(family, "public-code", group.task.database)
        before = ask_cases(group.cases, reference, group.schema, scripts, limits)
        after = ask_cases(group.cases, text, group.schema, scripts, limits)
        found += _changes(group, "", before, after)
    return found


def changes_by_revision(
    content: Content,
    family: str,
    concept_sql: ConceptSql,
    other: ConceptSql,
    *,
    case: str = "",
    limits: WorkerLimits | None = None,
) -> list[CaseChange]:
    """The pinned concept, and a reference that reads concepts, with two revisions of the concept SQL.

    A concept that the other revision lacks counts as a change. Raises BadInput as ``run_witnesses`` does.
    """
    scripts, others = concept_scripts(concept_sql), concept_scripts(other)
    found: dict[str, CaseChange] = {}
    for group in cases_of(content, family, case=case):
        reference = content.reference_sql(family, "public-code", group.task.database)
        for what, sql in (("concept", concept_select(content, group.task)), ("reference", reference)):
            if not reads_concepts(sql):
                continue
            before = ask_cases(group.cases, sql, group.schema, scripts, limits)
            after = _ask_or_tell(group, sql, others, limits)
            for change in _changes(group, f"{what}: ", before, after, all_columns=True):
                earlier = found.get(change.case)
                lines = [*(earlier.changed if earlier else []), *change.changed]
                found[change.case] = change.model_copy(update={"changed": lines})
    return list(found.values())


def _ask_or_tell(
    group: CasesOfOne, sql: str, scripts: Mapping[str, str], limits: WorkerLimits | None
) -> list[WorkerAnswer]:
    """As ``ask_cases``; a concept that is not at hand is a problem of every case."""
    try:
        return ask_cases(group.cases, sql, group.schema, scripts, limits)
    except BadInput as error:
        return [WorkerAnswer(case=case.id, problem=error.what) for case in group.cases]


def _changes(
    group: CasesOfOne,
    what: str,
    before: Sequence[WorkerAnswer],
    after: Sequence[WorkerAnswer],
    *,
    all_columns: bool = False,
) -> list[CaseChange]:
    keys = [key.name for key in group.task.keys]
    return [
        CaseChange(
            case=case.id,
            caveat=caveat,
            changed=[what + line for line in _differences(one, other, keys, all_columns=all_columns)],
        )
        for (caveat, case), one, other in zip(group.pairs, before, after, strict=True)
    ]


def _differences(
    before: WorkerAnswer, after: WorkerAnswer, keys: Sequence[str], *, all_columns: bool
) -> Iterator[str]:
    """Where two answers differ in the columns that both have, row by row of the same key.

    With ``all_columns`` one that only the first has is a difference, too.
    """
    if before.problem or after.problem:
        if before.problem != after.problem:
            yield f"before: {before.problem or 'rows'}; now: {after.problem or 'rows'}"
        return
    shared = [name for name in before.columns if name in after.columns]
    lacking = [name for name in keys if name not in shared]
    if lacking:
        yield f"no key {', '.join(lacking)} on both sides, so that rows cannot be compared"
        return
    if all_columns:
        yield from (f"column {name}: gone" for name in before.columns if name not in shared)
    left = after.records()
    for row in before.records():
        key = {name: row[name] for name in keys}
        there = [other for other in left if all(same(row[name], other[name]) for name in keys)]
        if not there:
            yield f"row at {_told(key)}: gone"
            continue
        nearest = max(there, key=lambda other: sum(same(row[name], other[name]) for name in shared))
        left.remove(nearest)
        for name in shared:
            if not same(row[name], nearest[name]):
                yield f"{name} at {_told(key)}: {shown(row[name])}, now {shown(nearest[name])}"
    for row in left:
        yield f"row at {_told({name: row[name] for name in keys})}: new"


def _told(key: Row) -> str:
    return ", ".join(f"{name} {shown(value)}" for name, value in key.items())
