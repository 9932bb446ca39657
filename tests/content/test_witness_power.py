"""Witness cases notice deliberate edits of a reference; worked examples and cases hold as they are."""

from __future__ import annotations

import pytest
from laboratory import Mutation, families, mutations, named, tried

from workbench.catalog import Content
from workbench.ehr import ConceptSql, published_schema
from workbench.records import WitnessCase
from workbench.witness import WorkerLimits, run_witnesses, run_worked_example
from workbench.witness.asking import ask_each, concept_scripts
from workbench.witness.expect import unmet
from workbench.witness.worker_request import WorkerAnswer

WITNESSED = [item for item in mutations() if item.witnessed]
LEAST_WITNESSED = 3
TRIED = tried(WITNESSED, 1, lambda item: (item.family, item.database))
"""One edit of each reference, or all of them, which takes some minutes."""
LIMITS = WorkerLimits(wall_s=240.0)
"""The worker's time counts for all cases of a family, and other tests run beside."""


class EditsAsked:
    """What edited references give on the cases that notice them; one worker answers for a reference."""

    def __init__(self, content: Content, concept_sql: ConceptSql) -> None:
        self._content, self._scripts = content, concept_scripts(concept_sql)
        self._asked: dict[tuple[str, str], dict[tuple[str, str], WorkerAnswer]] = {}

    def case(self, mutation: Mutation) -> WitnessCase:
        """The case that is said to notice the edit."""
        caveats = self._content.audit(mutation.family).caveats
        (found,) = (case for caveat in caveats for case in caveat.witness if case.id == mutation.witnessed)
        return found

    def answer(self, mutation: Mutation) -> WorkerAnswer:
        """The edited reference's answer on that case."""
        key = mutation.family, mutation.database
        sql = self._content.reference_sql(mutation.family, "public-code", mutation.database)
        if key not in self._asked:
            edits = {item.apply(sql) for item in TRIED if (item.family, item.database) == key}
            cases = {item.witnessed: self.case(item) for item in TRIED if (item.family, item.database) == key}
            by_edit = ask_each(
                list(cases.values()),
                sorted(edits),
                published_schema(mutation.database),
                self._scripts,
                LIMITS,
            )
            self._asked[key] = {
                (edited, answer.case): answer
                for edited, answers in zip(sorted(edits), by_edit, strict=True)
                for answer in answers
            }
        return self._asked[key][mutation.apply(sql), mutation.witnessed]


@pytest.fixture(scope="module")
def edits_asked(content: Content, concept_sql: ConceptSql) -> EditsAsked:
    return EditsAsked(content, concept_sql)


@pytest.mark.parametrize("mutation", TRIED, ids=named(TRIED))
def test_an_edit_of_the_reference_is_noticed(edits_asked: EditsAsked, mutation: Mutation) -> None:
    assert mutation.script == "reference", "witness cases run on the reference alone"
    answer = edits_asked.answer(mutation)
    assert answer.problem == ""
    assert unmet(edits_asked.case(mutation).reference, answer.records())


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
