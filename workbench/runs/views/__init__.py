"""Content as one run reads it: its texts changed, so that every condition works as it does without."""

from __future__ import annotations

from workbench.catalog import Content
from workbench.records import SchemaVariant, Task
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


__all__ = ["CounterfactualContent", "content_of", "counterfactual_of"]
