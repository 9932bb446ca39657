"""Tasks in schema variants: what agents get, and runs of a solver that follows it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr.variants import names_left, undescribed
from workbench.records import BadInput, Condition, ContentPaths, SchemaVariant
from workbench.runs import Context, check_variant, preview, rehearse
from workbench.runs.views import VariantContent, agents_content
from workbench.sandbox import choose_sandbox

VARIANTS = [SchemaVariant.OBFUSCATED, SchemaVariant.RESTRUCTURED]
ALL = bool(os.environ.get("EVERY_CELL"))
"""Every task under every condition in every variant; else each condition once or twice, tasks in turn."""


def variant_content(content: Content, task_id: str, variant: SchemaVariant) -> VariantContent:
    agents = agents_content(content, content.task(task_id), variant)
    assert isinstance(agents, VariantContent)
    return agents


@pytest.mark.parametrize("variant", VARIANTS)
def test_nothing_that_an_agent_gets_tells_a_published_name(content: Content, variant: SchemaVariant) -> None:
    """Under any condition of any task: prompt, places and texts; the dictionary has all that is visible."""
    tasks = [task.id for task in content.tasks() if task.database == "mimic-iv"]
    assert len(tasks) >= 26
    agents = variant_content(content, tasks[0], variant)
    told: dict[str, list[str]] = {}
    read: set[str] = set()
    for name in tasks:
        for condition in Condition:
            seen = preview(agents, agents.task(name), condition)
            texts = {"prompt": seen.prompt, **{place: text.decode() for place, text in seen.files.items()}}
            for place, text in texts.items():
                if text not in read and (left := names_left(text, agents.names)):
                    told[f"{name}, {condition}, {place}"] = left
                read.add(text)
            assert "/workspace/dictionary.md" in seen.files and "dictionary.md" in seen.prompt
    assert told == {}


def test_the_task_asks_for_renamed_columns(content: Content) -> None:
    agents = variant_content(content, "mimic-sofa-24h", SchemaVariant.OBFUSCATED)
    published, asked = content.task("mimic-sofa-24h"), agents.task("mimic-sofa-24h")
    assert len(asked.required_columns) == len(published.required_columns) == 10
    assert not set(asked.required_columns) & set(published.required_columns)
    prompt = preview(agents, asked, Condition.NO_SKILL).prompt
    assert all(f"| `{name}` |" in prompt for name in asked.required_columns)


def test_the_dictionary_has_what_the_task_leaves(content: Content) -> None:
    agents = variant_content(content, "mimic-sofa-24h", SchemaVariant.OBFUSCATED)
    names = agents.names
    for task_id, tables in (("mimic-sofa-24h", 91), ("mimic-sofa-24h-raw", 31)):
        text = agents.dictionary_text(agents.task(task_id))
        assert text.count("\n## `") == tables
        assert names.tables["mimiciv_derived.sofa"].name not in text
    shown = [new.name for table, new in names.tables.items() if not table.startswith("mimiciv_derived")]
    assert undescribed(agents.dictionary_text(agents.task("mimic-sofa-24h-raw")), names, shown) == []


def test_a_database_without_a_dictionary_has_no_variant(content: Content) -> None:
    with pytest.raises(BadInput, match="no schema variant of eicu"):
        agents_content(content, content.task("eicu-gcs"), SchemaVariant.OBFUSCATED)


@pytest.mark.parametrize(
    ("task_id", "variant"), [("mimic-meld-24h", VARIANTS[0]), ("mimic-charlson-raw", VARIANTS[1])]
)
def test_a_task_in_a_variant_is_the_same_task(
    ready_context: Context, task_id: str, variant: SchemaVariant
) -> None:
    task = ready_context.content.task(task_id)
    found = check_variant(
        ready_context, task, ready_context.settings.source, variant, choose_sandbox("bubblewrap")
    )
    assert found.problems == [] and 0 < found.added_share <= 1.2


def cells() -> list[tuple[str, Condition, SchemaVariant]]:
    content = Content(ContentPaths(Path(__file__).resolve().parents[2]))
    tasks = [task for task in content.tasks() if task.database == "mimic-iv"]
    if ALL:
        every = [
            (task.id, condition, variant)
            for task in content.tasks()
            for condition in Condition
            for variant in SchemaVariant
            if task.database == "mimic-iv" or variant is SchemaVariant.NATIVE
        ]
        return every
    turn = [(tasks[(3 * place) % len(tasks)].id, condition) for place, condition in enumerate(Condition)]
    return [(*cell, list(SchemaVariant)[place % 3]) for place, cell in enumerate(turn)] + [
        ("eicu-gcs", Condition.WITH_DECLARATION, SchemaVariant.NATIVE)
    ]


@pytest.mark.parametrize(("task_id", "condition", "variant"), cells())
def test_a_solver_can_follow_what_it_is_given(
    ready_context: Context, task_id: str, condition: Condition, variant: SchemaVariant
) -> None:
    found = rehearse(
        ready_context,
        ready_context.content.task(task_id),
        ready_context.settings.source,
        "bubblewrap",
        condition=condition,
        schema_variant=variant,
    )
    assert found.problems == [] and found.reward == 1.0
    assert "instruction" in found.followed
    assert ("dictionary" in found.followed) == (variant is not SchemaVariant.NATIVE)
