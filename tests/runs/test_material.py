"""What the lint of a run compares with, by condition and variant of the schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.contamination import HiddenMaterial
from workbench.ehr import concept_sql_of
from workbench.records import (
    AgentChoice,
    Condition,
    DataPaths,
    RunIdentity,
    RunPlan,
    RunResult,
    SchemaVariant,
    Verdict,
)
from workbench.runs import Context, context_of, preview
from workbench.runs.material import AnswerMaterial, hidden_material
from workbench.runs.views import agents_content
from workbench.store import RunStore, atomic_write

TASK = "mimic-suspicion-infection"
SKILL = "suspicion-infection"
NOON = datetime(2030, 5, 1, 12, tzinfo=UTC)
Gather = Callable[..., HiddenMaterial]


@pytest.fixture
def gather(shared_context: Context, tmp_path: Path) -> Gather:
    """The material of a run without any other runs; concept SQL is that of the shared home."""
    shared = shared_context.data
    data = DataPaths(tmp_path / "home")
    data.root.mkdir()
    concept_sql_of("mimic-iv", shared)
    data.concept_sql.symlink_to(shared.concept_sql)

    def of(condition: Condition = Condition.NO_SKILL, **changes: object) -> HiddenMaterial:
        fields = {
            "run_id": "20300501-120000-ffffff",
            "created": NOON,
            "task": TASK,
            "family": SKILL,
            "condition": condition,
            "source": "synthetic-40-1",
            "agent": AgentChoice(name="codex", model="m"),
            "sandbox": "bubblewrap",
        }
        plan = RunPlan.model_validate(fields | changes)
        context = replace(shared_context, data=data)
        return hidden_material(context_of(context, plan), plan, AnswerMaterial([]))

    return of


def marked(hidden: HiddenMaterial, mark: str) -> list[str]:
    return [name for name, skill in hidden.skills.items() if getattr(skill, mark)]


def test_without_a_skill_all_of_them_are_hidden(gather: Gather, shared_context: Context) -> None:
    hidden = gather()
    assert set(hidden.skills) == set(shared_context.content.skill_names())
    assert (marked(hidden, "allowed"), marked(hidden, "expected")) == ([], [])
    assert len({skill.canary for skill in hidden.skills.values()}) == len(hidden.skills)
    assert all(skill.canary in skill.text for skill in hidden.skills.values())


@pytest.mark.parametrize(
    ("condition", "agent", "allowed", "expected"),
    [
        (Condition.WITH_SKILL, "codex", [SKILL], [SKILL]),
        (Condition.WITH_SKILL, "script", [SKILL], []),
        (Condition.WITH_CHECKS, "codex", [SKILL], [SKILL]),
        (Condition.OPERATIONAL_SPEC, "codex", [], []),
    ],
)
def test_a_condition_allows_what_it_hands_out(
    gather: Gather, condition: Condition, agent: str, allowed: list[str], expected: list[str]
) -> None:
    hidden = gather(condition, agent=AgentChoice(name=agent))
    assert (marked(hidden, "allowed"), marked(hidden, "expected")) == (allowed, expected)


def test_with_all_skills_only_the_right_one_is_expected(gather: Gather) -> None:
    hidden = gather(Condition.WITH_SKILL_ALL)
    assert len(marked(hidden, "allowed")) > 5
    assert marked(hidden, "expected") == [SKILL]


def test_a_decoy_may_stay_closed(gather: Gather, shared_context: Context) -> None:
    hidden = gather(Condition.WITH_SKILL_DECOY)
    assert marked(hidden, "allowed") == [shared_context.content.task(TASK).decoy_skill]
    assert marked(hidden, "expected") == []


def test_a_skill_of_another_text_is_there_with_both(gather: Gather, shared_context: Context) -> None:
    hidden = gather(Condition.WITH_SKILL_RAWSQL)
    given, written = hidden.skills[SKILL], hidden.skills[f"{SKILL} (as written)"]
    assert given.allowed and "SELECT" in given.text
    assert not written.allowed and shared_context.content.skill(SKILL).text.strip() in written.text
    assert given.canary != written.canary


def test_texts_are_as_the_agent_reads_them(gather: Gather, shared_context: Context) -> None:
    """Under a variant's names, with the token that is planted in what it gets."""
    content = shared_context.content
    for variant in (SchemaVariant.NATIVE, SchemaVariant.RESTRUCTURED):
        agents = agents_content(content, content.task(TASK), variant)
        seen = preview(agents, agents.task(TASK), Condition.WITH_SKILL)
        hidden = gather(Condition.WITH_SKILL, schema_variant=variant)
        assert hidden.skills[SKILL].text.encode() in seen.files.values()


def test_names_of_other_variants_are_those_that_this_agent_is_not_told(gather: Gather) -> None:
    native, renamed, merged = (gather(schema_variant=variant).other_names for variant in SchemaVariant)
    assert "mimiciv_icu.icustays" not in native and "icustays" not in native
    assert "mimiciv_icu.icustays" in renamed & merged
    assert native & renamed and not native & renamed >= native  # what only the merged tables are called
    assert all(name == name.lower() for name in native | renamed | merged)


def test_public_sql_is_of_the_concept_and_what_it_builds_on(gather: Gather) -> None:
    assert set(gather().public_sql) == {"suspicion_of_infection", "antibiotic"}
    assert "first_day_urine_output" in gather(task="mimic-sofa-24h", family="sofa").public_sql


def test_earlier_runs_and_whose_work_they_are(gather: Gather, tmp_path: Path) -> None:
    data = DataPaths(tmp_path / "home")
    for number, (agent, demonstration) in enumerate(
        [("codex", False), ("script", False), ("replay", False), ("codex", True), ("command", False)]
    ):
        plan = RunPlan(
            run_id=f"20300501-11000{number}-aaaaaa", created=NOON.replace(hour=11, second=number), task=TASK,
            family=SKILL, condition=Condition.NO_SKILL, source="synthetic-40-1", sandbox="bubblewrap",
            agent=AgentChoice(name=agent), demonstration=demonstration,
        )  # fmt: skip
        paths = RunStore(data).create(plan)
        result = RunResult(
            run_id=plan.run_id, started=NOON, finished=NOON, verdict=Verdict.PUBLISHABLE,
            output_sha256="f" * 64 if number else "",
        )  # fmt: skip
        atomic_write(paths.result, result.to_json())
    earlier = gather().earlier
    assert [run.independent for run in earlier] == [True, False, False, False, True]
    assert [run.output for run in earlier][:2] == [None, data.run(earlier[1].run_id).output]


def test_tokens_are_those_of_other_runs(gather: Gather, tmp_path: Path) -> None:
    data = DataPaths(tmp_path / "home")
    plan = RunPlan(
        run_id="20300501-110000-aaaaaa", created=NOON, task="t", family="other", source="s",
        condition=Condition.NO_SKILL, agent=AgentChoice(name="script"), sandbox="bubblewrap",
    )  # fmt: skip
    paths = RunStore(data).create(plan)
    token = "wbc-" + "b" * 16
    identity = {
        "run_id": plan.run_id,
        "cell": "c" * 16,
        "inputs": {"task": "", "instruction": "", "prompt": ""},
    }
    atomic_write(paths.identity, RunIdentity.model_validate(identity | {"canary": token}).to_json())
    assert gather().run_canaries == {token}
    assert gather(run_id=plan.run_id).run_canaries == frozenset()
