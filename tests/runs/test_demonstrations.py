"""Recorded demonstrations: what is said where there is none."""

import pytest

from workbench.catalog import Content
from workbench.records import BadInput, Condition
from workbench.runs.demonstrations import newest_demonstration

RECORDED = "mimic-suspicion-infection, mimic-suspicion-infection-raw"


@pytest.mark.parametrize(
    ("task", "condition", "what", "instead"),
    [
        (
            "mimic-apsiii-24h",
            Condition.NO_SKILL,
            "there is no recorded demonstration of mimic-apsiii-24h, in any condition",
            f"Recorded are {RECORDED}.",
        ),
        (
            "mimic-suspicion-infection",
            Condition.WITH_SKILL_DECOY,
            "no recorded demonstration of mimic-suspicion-infection in condition with-skill-decoy",
            "There is one in no-skill, with-skill.",
        ),
    ],
)
def test_what_there_is_instead_is_said(
    content: Content, task: str, condition: Condition, what: str, instead: str
) -> None:
    with pytest.raises(BadInput) as refused:
        newest_demonstration(content.paths, content.task(task), condition)
    assert refused.value.what == what
    assert refused.value.remedy.startswith(instead)
    assert "--agent script --file FILE" in refused.value.remedy
