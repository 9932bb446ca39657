"""Witness cases notice deliberate edits of a reference; worked examples and cases hold as they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from laboratory import Mutation, families, mutations, named

from workbench.catalog import Content
from workbench.ehr import ConceptSql
from workbench.witness import WorkerLimits, run_witnesses, run_worked_example

WITNESSED = [item for item in mutations() if item.witnessed]
LEAST_WITNESSED = 3
EVERY_EDIT = "EVERY_EDIT"
"""Environment variable: with it every edit that is ``witnessed`` is tried, which takes some minutes."""


def tried() -> list[Mutation]:
    """The first edits of each reference, or all of them."""
    if os.environ.get(EVERY_EDIT):
        return WITNESSED
    by_reference: dict[tuple[str, str], list[Mutation]] = {}
    for item in WITNESSED:
        by_reference.setdefault((item.family, item.database), []).append(item)
    return [item for edits in by_reference.values() for item in edits[:LEAST_WITNESSED]]


LIMITS = WorkerLimits(wall_s=240.0)
"""The worker's time counts for all cases of a family, and other tests run beside."""


@pytest.mark.parametrize("mutation", tried(), ids=named(tried()))
def test_an_edit_of_the_reference_is_noticed(
    content: Content, concept_sql: ConceptSql, tmp_path: Path, mutation: Mutation
) -> None:
    assert mutation.script == "reference", "witness cases run on the reference alone"
    sql = content.reference_sql(mutation.family, "public-code", mutation.database)
    file = tmp_path / "edited.sql"
    file.write_text(mutation.apply(sql), encoding="utf-8")
    (result,) = run_witnesses(
        content,
        mutation.family,
        case=mutation.witnessed,
        sql=file,
        concept_sql=concept_sql,
        hold_concept=False,
        limits=LIMITS,
    )
    assert not result.passed
    assert "does not run" not in " ".join(result.details)


@pytest.mark.parametrize("family", families())
def test_three_edits_of_every_family_are_witnessed(family: str) -> None:
    assert sum(item.family == family for item in WITNESSED) >= LEAST_WITNESSED


@pytest.mark.parametrize("family", families())
def test_every_case_holds_and_the_concept_agrees_or_the_case_says_otherwise(
    content: Content, concept_sql: ConceptSql, family: str
) -> None:
    results = run_witnesses(content, family, concept_sql=concept_sql, limits=LIMITS)
    assert [(result.case, result.details) for result in results if not result.passed] == []
    assert results


@pytest.mark.parametrize("family", families())
def test_the_worked_example_holds(content: Content, concept_sql: ConceptSql, family: str) -> None:
    examples = content.files(family).worked_examples()
    assert examples
    for example in examples:
        checks = run_worked_example(
            content, family, database=example.database, concept_sql=concept_sql, limits=LIMITS
        )
        assert [(check.stay, check.details) for check in checks if not check.passed] == []


def test_there_are_ninety_witness_cases(content: Content) -> None:
    cases = [
        case for family in families() for caveat in content.audit(family).caveats for case in caveat.witness
    ]
    assert len(cases) >= 90
