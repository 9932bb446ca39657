"""Content as one run reads it: its texts changed, so that every condition works as it does without."""

from __future__ import annotations

from dataclasses import replace

from workbench.catalog import Content
from workbench.records import RunPlan, SchemaVariant, Task
from workbench.runs.context import Context
from workbench.runs.views.counterfactual import CounterfactualContent, counterfactual_of


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
    return content


def context_of(context: Context, plan: RunPlan) -> Context:
    """``context`` with the content that the planned run reads. Raises BadInput as ``content_of``."""
    content = content_of(
        context.content,
        task=context.content.task(plan.task),
        counterfactual=plan.counterfactual,
        schema_variant=plan.schema_variant,
    )
    return replace(context, content=content)


__all__ = ["CounterfactualContent", "content_of", "context_of", "counterfactual_of"]
