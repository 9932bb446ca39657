"""What is written down in TOML about a family, as Markdown for a person to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from workbench.catalog.markdown_tables import Row, table_lines
from workbench.records import (
    Caveat,
    DatabaseChecks,
    Deviation,
    Expectation,
    Family,
    FamilyAudit,
    FamilyDeviations,
    OutputChecks,
    OutputRange,
    Severity,
    WitnessCase,
)

_MOST_COLUMNS = 5
_MOST_UPRIGHT = 4
WORST_FIRST = (Severity.MAJOR, Severity.MODERATE, Severity.MINOR)


def family_markdown(family: Family) -> str:
    """Definition, grain, aliases, and when the inputs of each rule become known."""
    rows: list[Row] = [
        {"Rule": item.rule, "Knowable": item.knowable, "Delay": item.delay, "Note": item.note}
        for item in family.time_frame
    ]
    return _text(
        f"# {_words(family.title)}",
        _words(family.summary),
        f"Definition: {_words(family.definition_source)}",
        f"Grain: {_words(family.grain)}",
        f"Other names: {', '.join(family.aliases) or 'none'}",
        "## When inputs become known",
        "\n".join(table_lines(rows)),
        "## Sources",
        _bullets(family.sources),
    )


def deviations_markdown(found: FamilyDeviations) -> str:
    """Each deviation with its reason, the rows that may differ for it, and its witness case."""
    head = f"# Deviations from the pinned concept: {found.family}"
    if not found.deviations:
        return _text(head, "None: the reference equals the pinned concept.")
    return _text(head, *(block for item in found.deviations for block in _deviation(item)))


def checks_markdown(checks: OutputChecks) -> str:
    """What an output must satisfy whatever its reference, database by database."""
    head = f"# Output checks: {checks.family}"
    told = "They need no reference: `workbench task check-output TASK FILE` runs them."
    return _text(head, told, *(block for item in checks.databases for block in _database(item)))


def caveats_markdown(audit: FamilyAudit) -> str:
    """Each caveat under its id, each of its witness cases under the case's."""
    cases = sum(len(caveat.witness) for caveat in audit.caveats)
    return _text(
        f"# Caveats of the reference: {audit.family}",
        f"Caveats: {severities_told(audit)}. Witness cases: {cases}. "
        f"`workbench witness run --family {audit.family}` executes the cases; all rows are made up.",
        *(block for caveat in audit.caveats for block in _caveat(caveat)),
        *_reported(audit),
    )


def severities_told(audit: FamilyAudit) -> str:
    """``3 major, 5 moderate``; ``none`` where there is no caveat."""
    counts = Counter(caveat.severity for caveat in audit.caveats)
    return ", ".join(f"{counts[item]} {item}" for item in WORST_FIRST if counts[item]) or "none"


def _deviation(item: Deviation) -> Iterator[str]:
    yield f"## {item.id}"
    yield _words(item.what)
    yield f"Why: {_words(item.why)}"
    yield f"Columns: {_names(item.columns)}. Witness case: {item.witness}"
    yield f"Rows that may differ for this reason (r: reference, c: concept):\n\n{_sql(item.predicate)}"


def _database(checks: DatabaseChecks) -> Iterator[str]:
    rule = "each of them exactly once" if checks.cohort_rule == "all" else "only such keys"
    yield f"## {checks.database}"
    yield f"Cohort: the output has {rule}, by {_names(checks.cohort_keys)}."
    yield _sql(checks.cohort)
    if checks.ranges:
        yield "### Ranges"
        yield "\n".join(table_lines([_range(item) for item in checks.ranges]))
    if checks.relations:
        yield "### Relations"
    for relation in checks.relations:
        unless = " A condition that gives NULL counts as held." if relation.null_holds else ""
        yield f"{_words(relation.says)}.{unless}"
        yield _sql(relation.sql)
    if checks.counts:
        yield "### Counts to compare with one's own"
    for count in checks.counts:
        yield f"{_words(count.step)}{f' ({_words(count.says)})' if count.says else ''}"
        yield _sql(count.sql)


def _range(item: OutputRange) -> Row:
    values = ", ".join("NULL" if value is None else str(value) for value in item.values)
    low, high = ("" if bound is None else f"{bound:g}" for bound in (item.low, item.high))
    return {
        "Column": item.column,
        "From": low,
        "To": high,
        "Values": values,
        "May be empty": "yes" if item.nulls else "no",
    }


def _caveat(caveat: Caveat) -> Iterator[str]:
    yield f"## {caveat.id}"
    yield f"**{_words(caveat.title)}**"
    yield f"{caveat.severity}; bias: {caveat.bias}; status: {caveat.status}; rule: {_words(caveat.rule)}"
    yield _words(caveat.explanation)
    yield f"Evidence: {', '.join(caveat.evidence)}. {_words(caveat.source)}"
    for case in caveat.witness:
        yield from _case(case)


def _case(case: WitnessCase) -> Iterator[str]:
    yield f"### {case.id}"
    yield f"{_words(case.story)}{f' (database: {case.database})' if case.database else ''}"
    for given in case.tables:
        yield f"`{given.table}`"
        yield "\n".join(table_lines(_upright(given.rows)))
    yield "The reference gives:"
    yield "\n".join(table_lines([expected_row(item) for item in case.reference]))
    if case.definition:
        source = f" ({_words(case.definition_source)})" if case.definition_source else ""
        yield f"The source definition gives{source}:"
        yield "\n".join(table_lines([expected_row(item) for item in case.definition]))
    if case.concept_differs:
        yield "The pinned concept gives another value."
    if case.concept_open:
        yield "The pinned concept leaves a tie open here: its value is arbitrary."


def _upright(rows: Sequence[Row]) -> Sequence[Row]:
    """Few rows of many columns with a line a column instead."""
    columns = dict.fromkeys(name for row in rows for name in row)
    if len(columns) <= _MOST_COLUMNS or len(rows) > _MOST_UPRIGHT:
        return rows
    numbered = list(enumerate(rows, 1))
    return [
        {"column": name, **{f"row {at}": row[name] for at, row in numbered if name in row}}
        for name in columns
    ]


def expected_row(item: Expectation) -> Row:
    """One expected row: its key, then its values, or that there is none."""
    values: Row = {**item.values, **dict.fromkeys(item.null)}
    return {**item.key, **({"row": "none"} if item.absent else values)}


def _reported(audit: FamilyAudit) -> Iterator[str]:
    if not audit.reported:
        return
    yield "## Reported faults"
    yield _bullets(
        [
            f"{fault.id}: witness case {fault.witness}" if fault.witness else f"{fault.id}: {fault.reason}"
            for fault in audit.reported
        ]
    )


def _text(*blocks: str) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def _words(text: str) -> str:
    """Words of a TOML string as one paragraph."""
    return " ".join(text.split())


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _bullets(items: Sequence[str]) -> str:
    return "\n".join(f"- {_words(item)}" for item in items)


def _sql(sql: str) -> str:
    return f"```sql\n{sql.strip()}\n```"
