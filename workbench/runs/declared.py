"""What a run declared and which of its stages diverges first, where its condition asks for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench import ehr
from workbench.catalog import Content
from workbench.ehr.stage_tables import stages_sha256, write_stage_tables
from workbench.records import Condition, Declaration, RunPaths, RunPlan, StageReport, Step, Task
from workbench.runs.context import Context
from workbench.runs.declaration_file import long_numbers, read_declaration
from workbench.runs.setup import Ready
from workbench.runs.views import agents_content, context_of
from workbench.scoring import first_diverging, score_stages
from workbench.store import owned_folder

TARGET = "public-code"
ASKING = frozenset({Condition.WITH_DECLARATION})


@dataclass(frozen=True)
class Declared:
    """Both parts of the record."""

    declaration: Declaration
    stages: StageReport


def declared(
    context: Context,
    plan: RunPlan,
    ready: Ready,
    run: RunPaths,
    steps: Sequence[Step],
    refused: Sequence[str],
    reward: float,
) -> Declared:
    """Read what was collected of the run; the reference's stages are computed anew, outside any sandbox.

    ``refused``: what collecting refused; ``reward``: of the output. Raises BadInput where the family has no
    stages, and Unavailable.
    """
    content = context_of(context, plan).content
    task = content.task(plan.task)
    stages = content.files(task.family).stages().required(task.database)
    asked = agents_content(content, task, plan.schema_variant).files(task.family).stages()
    reference_sql = ready.reference_sql[TARGET]
    concept_sql = ehr.concept_sql_of(task.database, context.data, context.concepts_folder)
    with owned_folder(context.data, "stages") as scratch:
        tables = write_stage_tables(
            context.data, ready.source, stages, reference_sql, concept_sql, scratch, settings=context.settings
        )
        scores = score_stages(
            run.stages, stages, tables, asked=asked.required(task.database), refused=refused, scratch=scratch
        )
    public = long_numbers("\n".join([reference_sql, *_skills(content, task)]))
    return Declared(
        declaration=read_declaration(run.declaration, steps, public),
        stages=StageReport(
            sql_sha256=stages_sha256(stages, reference_sql),
            stages=scores,
            first_diverging_stage=first_diverging(scores, reward),
        ),
    )


def _skills(content: Content, task: Task) -> list[str]:
    return [content.skill(name).text for name in task.skills]
