"""Audits: enough witness cases, rules that exist, reported faults answered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from workbench.catalog import Content, read_toml
from workbench.checks.finding import Report
from workbench.records import FamilyAudit

LEAST_WITNESSES = 7
GENERAL = "_general"
"""The audit of what concerns no single family."""
_RULE_ID = re.compile(r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")


def check_audit(content: Content, audit: FamilyAudit, rules: Sequence[str], report: Report) -> None:
    """One family's audit; ``rules`` are those of its references."""
    path = content.paths.audit(audit.family)
    cases = [case.id for caveat in audit.caveats for case in caveat.witness]
    if len(cases) < LEAST_WITNESSES:
        report.add("audit-witnesses", path, f"{len(cases)} witness cases, at least {LEAST_WITNESSES}")
    for caveat in audit.caveats:
        named = [part.strip() for part in caveat.rule.split(",")]
        unknown = [name for name in named if _RULE_ID.match(name) and name not in rules]
        report.none("audit-rules", path, f"caveat {caveat.id} names no rule of the reference", unknown)
        if not caveat.explanation.strip() or not caveat.source.strip():
            report.add("audit-text", path, f"caveat {caveat.id} has no explanation or no source")


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
