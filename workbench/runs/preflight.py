"""What can be wrong with a run is said before anything long is made for it."""

from __future__ import annotations

from workbench import ehr
from workbench.records import SYNTHETIC_NAME
from workbench.runs.context import Context
from workbench.runs.plan import PlannedRun
from workbench.runs.prepare import build_launch
from workbench.runs.setup import unknown_source
from workbench.runs.views import context_of
from workbench.sandbox import ensure_python_runtime


def preflight(context: Context, planned: PlannedRun) -> None:
    """Try source, texts, material and agent of a planned run. Raises BadInput or Unavailable."""
    plan = planned.plan
    context = context_of(context, plan)
    task = context.content.task(plan.task)
    if plan.source in ehr.source_names(context.data):
        ehr.load_source(context.data, plan.source)
    elif not SYNTHETIC_NAME.fullmatch(plan.source):
        raise unknown_source(context, plan.source)
    for target in task.targets:
        context.content.reference_sql(task.family, target.name, task.database)
    build_launch(context, plan, planned.material, ensure_python_runtime(context.data))
