"""A task says which pinned concept it is compared with, unless its database has none."""

import pytest
from pydantic import ValidationError

from workbench.catalog import Content
from workbench.records import Task


@pytest.mark.parametrize(("task", "needed"), [("mimic-suspicion-infection", True), ("eicu-gcs", False)])
def test_only_a_mimic_task_needs_its_concept(content: Content, task: str, needed: bool) -> None:
    fields = content.task(task).model_dump(exclude={"reference_concept"})
    if needed:
        with pytest.raises(ValidationError, match="names the reference_concept"):
            Task.model_validate(fields)
    else:
        assert Task.model_validate(fields).reference_concept == ""
