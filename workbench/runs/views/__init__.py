"""Content as one run reads it: its texts changed, so that every condition works as it does without."""

from __future__ import annotations

from dataclasses import replace

from workbench.catalog import Content
from workbench.records import RunPlan, SchemaVariant, Task
from workbench.runs.context import Context
from workbench.runs.views.counterfactual import CounterfactualContent, counterfactual_of
from workbench.runs.views.schema_variant import VariantContent, names_of


def content_of(
    content: Content,
    *,
    task: Task,
    counterfactual: str = "",
    schema_variant: SchemaVariant = SchemaVariant.NATIVE,
) -> Content:
    """The content that a run of ``task`` reads: first the changed rule, then the names of the variant.

    Raises BadInput for a counterfactual that the task does not have, or that does not fit its texts.
    """
    if counterfactual:
        content = CounterfactualContent(content, task, counterfactual_of(content, task, counterfactual))
    return agents_content(content, task, schema_variant)


def agents_content(content: Content, task: Task, schema_variant: SchemaVariant) -> Content:
    """``content`` under the names that the agent of ``task`` sees. Raises BadInput without a dictionary."""
    names = names_of(content, task, schema_variant)
    return VariantContent(content, names, content.dictionary(task.database)) if names else content


def context_of(context: Context, plan: RunPlan) -> Context:
    """``context`` with the content of the planned run under the published names, which references and scores
    have whatever the agent sees. Raises BadInput as ``content_of``.
    """
    task = context.content.task(plan.task)
    content = content_of(context.content, task=task, counterfactual=plan.counterfactual)
    return replace(context, content=content)


__all__ = [
    "CounterfactualContent",
    "VariantContent",
    "agents_content",
    "content_of",
    "context_of",
    "counterfactual_of",
    "names_of",
]
