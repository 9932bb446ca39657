"""Audits: enough witness cases, rules that exist, rows that fit the tables, reported faults answered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.catalog import Content, did_you_mean, read_toml
from workbench.checks.finding import Place, Report
from workbench.ehr import PublishedSchema, schema_of
from workbench.records import FamilyAudit, Task, WitnessRows

LEAST_WITNESSES = 7
LEAST_OWN_WITNESSES = 1
"""For a family of the user's own."""
GENERAL = "_general"
"""The audit of what concerns no single family."""
_RULE_ID = re.compile(r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")


def check_audit(
    content: Content, audit: FamilyAudit, tasks: Sequence[Task], rules: Sequence[str], report: Report
) -> None:
    """One family's audit; ``rules`` are those of its references."""
    path = content.paths.audit(audit.family)
    cases = [case.id for caveat in audit.caveats for case in caveat.witness]
    least = LEAST_OWN_WITNESSES if content.family_paths(audit.family).own else LEAST_WITNESSES
    if len(cases) < least:
        report.add("audit-witnesses", path, f"{len(cases)} witness cases, at least {least}")
    schemas = {task.database: schema_of(content, task.database) for task in reversed(tasks)}
    first = tasks[0].database
    for place, caveat in enumerate(audit.caveats):
        named = [part.strip() for part in caveat.rule.split(",")]
        unknown = [name for name in named if _RULE_ID.match(name) and name not in rules]
        report.none(
            "audit-rules", path, f"caveat {caveat.id} names no rule of the reference", unknown,
            did_you_mean(unknown[0], rules) if unknown else "", ("caveats", place, "rule"),
        )  # fmt: skip
        if not caveat.explanation.strip() or not caveat.source.strip():
            what = f"caveat {caveat.id} has no explanation or no source"
            report.add("audit-text", path, what, line=("caveats", place))
        for number, case in enumerate(caveat.witness):
            at = ("caveats", place, "witness", number)
            schema = schemas.get(case.database or first)
            if schema is None:
                what = f"case {case.id}: no task is on {case.database}"
                report.add("audit-database", path, what, line=(*at, "database"))
                continue
            check_rows("audit-rows", f"case {case.id}", case.tables, schema, path, at, report)


def check_rows(
    rule: str,
    what: str,
    tables: Sequence[WitnessRows],
    schema: PublishedSchema,
    path: Path,
    at: Place,
    report: Report,
) -> None:
    """Made-up rows name tables and columns of the database."""
    for number, given in enumerate(tables):
        if given.table not in schema.names:
            remedy = did_you_mean(given.table, schema.names)
            lost = f"{what}: there is no table {given.table}"
            report.add(rule, path, lost, remedy, (*at, "tables", number, "table"))
            continue
        known = schema.table(given.table).types
        unknown = sorted({name for row in given.rows for name in row} - set(known))
        remedy = did_you_mean(unknown[0], known, f"Columns: {', '.join(known)}.") if unknown else ""
        lost = f"{what}: {given.table} has no columns"
        report.none(rule, path, lost, unknown, remedy, (*at, "tables", number, "rows"))


def check_strays(content: Content, families: Sequence[str], report: Report) -> None:
    """Every audit is about a family that is there."""
    for path in sorted(content.paths.audits.glob("[!.]*.toml")):
        if path.stem not in (*families, GENERAL):
            report.add(
                "audit-family", path, f"there is no family {path.stem}", did_you_mean(path.stem, families)
            )


def general_audit(content: Content) -> FamilyAudit | None:
    """Reported faults that concern no family, if that file is there. Raises BadInput."""
    path = content.paths.audit(GENERAL)
    return read_toml(path, FamilyAudit) if path.is_file() else None


def check_reported(content: Content, audits: Mapping[str, FamilyAudit], report: Report) -> None:
    """What the general audit answers is answered in no family's. A fault may concern several families."""
    general = audits.get(GENERAL)
    if general is None:
        return
    for family, audit in audits.items():
        twice = {fault.id for fault in audit.reported} & {fault.id for fault in general.reported}
        if family != GENERAL:
            path = content.paths.audit(family)
            report.none("audit-reported", path, "answered in the general audit, too", sorted(twice))
