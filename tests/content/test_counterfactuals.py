"""Every counterfactual: its texts changed alike, its reference different exactly where it is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import pinned
from laboratory import Laboratory

from workbench.catalog import Content, rule_names
from workbench.ehr.connect import literal
from workbench.ehr.declared_difference import difference_in
from workbench.records import (
    UNCHANGED,
    BadInput,
    Condition,
    ContentPaths,
    Counterfactual,
    DataPaths,
    SchemaVariant,
    ScoreReport,
    Source,
    Task,
)
from workbench.runs import ConditionPreview, content_of, preview
from workbench.scoring import check_output, score_output
from workbench.sql import reads
from workbench.witness import run_worked_example

CONTENT = Content(ContentPaths(Path(__file__).resolve().parents[2]))
PRIMARY = "public-code"
QUIET = {"three-points": {"antibiotic_time", "culture_time", "suspected_infection_time"}}
"""Declared columns that change in no row of the synthetic source: only where a later suspicion is taken."""
SILENT = (Condition.NO_SKILL, Condition.WITH_SKILL_DECOY)
"""Conditions that need not tell of the rule."""
OTHERS_TOO = (Condition.WITH_SKILL_ALL, Condition.WITH_SKILL_DECOY)
"""Conditions that give skills of other families, in which the same words mean something else."""


@dataclass(frozen=True)
class Case:
    """A counterfactual and one task that can be run under it."""

    task: Task
    item: Counterfactual

    @property
    def seen(self) -> Content:
        return content_of(CONTENT, task=self.task, counterfactual=self.item.name)

    def __str__(self) -> str:
        return f"{self.task.id}-{self.item.name}"


def cases() -> list[Case]:
    found = []
    for task in CONTENT.tasks():
        items = CONTENT.files(task.family).counterfactuals()
        found += [Case(task, item) for item in items if item.database == task.database]
    return found


EVERY = cases()
ONE_A_REFERENCE = list(
    {(case.task.family, case.task.database, case.item.name): case for case in EVERY}.values()
)
each = pytest.mark.parametrize("case", EVERY, ids=str)
each_reference = pytest.mark.parametrize("case", ONE_A_REFERENCE, ids=str)


def test_many_families_and_both_databases_have_one() -> None:
    assert len({case.task.family for case in EVERY}) >= 10
    assert {case.task.database for case in EVERY} >= {"mimic-iv", "eicu"}


@each_reference
def test_the_reference_differs_exactly_where_declared(
    laboratory: Callable[..., Laboratory], source_of: Callable[[str], Source], shared_home: DataPaths,
    tmp_path: Path, case: Case,
) -> None:  # fmt: skip
    task, item, seen = case.task, case.item, case.seen
    unchanged = seen.reference_sql(task.family, UNCHANGED, task.database)
    changed = seen.reference_sql(task.family, PRIMARY, task.database)
    assert unchanged == CONTENT.reference_sql(task.family, PRIMARY, task.database)
    assert reads(changed) == reads(unchanged), "another table is read: the task may no longer be solvable"
    assert len(rule_names(changed)) == len(rule_names(unchanged))
    lab = laboratory(task.database)
    lab.load(
        {name for text in (unchanged, changed, item.differs.rows) for name in reads(text) if "." in name}
    )
    found = difference_in(lab.connection, task, unchanged, changed, item.differs)
    assert found.problems == []
    assert found.changed >= 10
    assert set(found.columns) == set(item.differs.columns) - QUIET.get(item.name, set())

    files = {}
    for table in ("changed", "unchanged"):
        for suffix, form in ((".csv", "HEADER"), (".parquet", "FORMAT parquet")):
            path = tmp_path / f"{table}{suffix}"
            lab.connection.execute(f"COPY {table} TO {literal(str(path))} ({form})")
        files[table] = tmp_path / f"{table}.parquet"
    references = {PRIMARY: files["changed"], UNCHANGED: files["unchanged"]}
    seen_task = seen.task(task.id)
    followed = score_output(tmp_path / "changed.csv", seen_task, references)
    recalled = score_output(tmp_path / "unchanged.csv", seen_task, references)
    assert rewards(followed)[PRIMARY] == rewards(recalled)[UNCHANGED] == 1.0
    assert max(rewards(followed)[UNCHANGED], rewards(recalled)[PRIMARY]) < 1.0
    assert followed.reward == 1.0 and recalled.reward < 1.0

    checks = seen.files(task.family).output_checks().of(task.database)
    assert checks is not None
    report = check_output(shared_home, source_of(task.database), seen_task, checks, tmp_path / "changed.csv")
    assert [finding.check for finding in report.findings if not finding.passed] == []


def rewards(report: ScoreReport) -> dict[str, float]:
    return {target.target: target.reward for target in report.targets}


@each_reference
def test_its_worked_example_holds(shared_home: DataPaths, case: Case) -> None:
    concepts = pinned("mimic-iv", shared_home)
    found = run_worked_example(case.seen, case.task.family, database=case.task.database, concept_sql=concepts)
    assert [(check.stay, check.details) for check in found if not check.passed] == []


@each
def test_no_text_that_a_run_gets_states_the_old_rule_or_tells_that_it_is_changed(case: Case) -> None:
    seen, before = case.seen, CONTENT.reference_sql(case.task.family, PRIMARY, case.task.database)
    telling = ("counterfactual", "hypothetical", "instead of above", case.item.name)
    for condition in Condition:
        plain = preview(CONTENT, case.task, condition)
        found = preview(seen, seen.task(case.task.id), condition)
        assert list(found.files) == list(plain.files)
        if condition not in SILENT:
            assert (found.prompt, found.files) != (plain.prompt, plain.files), condition
        told = joined(found)
        assert [word for word in telling if word in told.lower()] == [], condition
        if condition not in OTHERS_TOO:
            assert [passage for passage in case.item.gone if one_line(passage) in told] == [], condition
        before += joined(plain)
    before += CONTENT.text(CONTENT.family_paths(case.task.family).output_checks)
    never = [passage for passage in case.item.gone if one_line(passage) not in one_line(before)]
    assert never == [], "that it is gone proves nothing"


@pytest.mark.parametrize("variant", [item for item in SchemaVariant if item is not SchemaVariant.NATIVE])
def test_a_schema_variant_has_the_changed_rule_under_its_own_names(variant: SchemaVariant) -> None:
    for case in ONE_A_REFERENCE[::3]:
        if case.task.database != "mimic-iv":
            continue
        seen = content_of(CONTENT, task=case.task, counterfactual=case.item.name, schema_variant=variant)
        unlike = content_of(CONTENT, task=case.task, schema_variant=variant)
        for condition in (Condition.WITH_SKILL, Condition.WITH_SKILL_RAWSQL, Condition.OPERATIONAL_SPEC):
            found = joined(preview(seen, seen.task(case.task.id), condition))
            assert found != joined(preview(unlike, unlike.task(case.task.id), condition))
            assert [passage for passage in case.item.gone if one_line(passage) in found] == []
            assert "mimiciv_" not in found


def joined(found: ConditionPreview) -> str:
    """Everything that an agent gets, as one line; a dictionary of all tables speaks of other windows."""
    files = {name: text.decode() for name, text in found.files.items() if not name.endswith("dictionary.md")}
    texts = [found.prompt, *found.files, *files.values()]
    return one_line("\n".join(texts))


def one_line(text: str) -> str:
    return " ".join(text.split())


@each_reference
def test_other_texts_stay_as_they_are(case: Case) -> None:
    """Families, skills and tasks that the counterfactual does not name."""
    named = {change.skill for change in case.item.changes if change.skill}
    seen, family, database = case.seen, case.task.family, case.task.database
    skills = zip(seen.skills(), CONTENT.skills(), strict=True)
    assert {skill.name for skill, other in skills if skill.text != other.text} == named
    for task, other in zip(seen.tasks(), CONTENT.tasks(), strict=True):
        own = (task.family, task.database) == (family, database)
        assert own == (task != other)
        assert not own or [target.name for target in task.targets] == [PRIMARY, UNCHANGED]
    for other in CONTENT.families():
        if other.name != family:
            sql = CONTENT.family_paths(other.name).reference(PRIMARY, "mimic-iv")
            assert not sql.is_file() or seen.text(sql) == CONTENT.text(sql)


def test_a_task_of_another_database_does_not_have_it() -> None:
    with pytest.raises(BadInput, match="has no counterfactual"):
        content_of(CONTENT, task=CONTENT.task("eicu-gcs"), counterfactual="three-points")
