"""Audits: reported faults answered one by one, ids that mean one thing."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.records import BadInput, FamilyAudit

CASE = {
    "id": "case-1",
    "story": "s",
    "tables": [{"table": "mimiciv_icu.icustays", "rows": [{"stay_id": 1}]}],
    "reference": [{"key": {"stay_id": 1}}],
}
CAVEAT = {
    "id": "caveat-1",
    "title": "t",
    "severity": "minor",
    "bias": "none",
    "rule": "r",
    "evidence": ["code"],
    "source": "s",
    "explanation": "e",
    "witness": [CASE],
}


def audit(**changed: Any) -> FamilyAudit:
    return FamilyAudit.from_raw({"family": "sofa", "caveats": [CAVEAT], **changed}, "sofa.toml")


def test_a_reported_fault_is_a_witness_or_has_a_reason() -> None:
    reported = [{"id": "B004", "witness": "case-1"}, {"id": "L07", "reason": "Of another table."}]
    assert [fault.id for fault in audit(reported=reported).reported] == ["B004", "L07"]
    assert audit(caveats=[], reported=reported[1:]).caveats == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"reported": [{"id": "B004"}]}, "B004 needs a witness or a reason"),
        ({"reported": [{"id": "B004", "reason": " "}]}, "B004 needs a witness or a reason"),
        ({"reported": [{"id": "B004", "witness": "case-1", "reason": "x"}]}, "and not both"),
        ({"reported": [{"id": "B004", "witness": "case-2"}]}, "no witness case of this audit: B004: case-2"),
        ({"reported": [{"id": "B004", "reason": "x"}] * 2}, "reported faults with the same id: B004"),
        ({"reported": [{"id": "b4", "reason": "x"}]}, "reported.0.id"),
        ({"caveats": [CAVEAT, CAVEAT]}, "caveats with the same id: caveat-1"),
        ({"caveats": [CAVEAT, CAVEAT | {"id": "other"}]}, "witness cases with the same id: case-1"),
        ({"caveats": []}, "holds neither caveats nor reported faults"),
    ],
)
def test_an_audit_that_is_not_consistent_is_told(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        audit(**changed)
