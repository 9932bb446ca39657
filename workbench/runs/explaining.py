"""Which rules explain that columns of a run's output are wrong: its SQL held against the reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.records import BadInput, RunResult, StepEvent, TargetScore
from workbench.rules import (
    PUBLIC_CODE,
    Comparison,
    Row,
    Side,
    SourceText,
    compare,
    reference_side,
    rows_by_column,
)
from workbench.runs.context import Context
from workbench.runs.views import context_of
from workbench.store import EventLines, LocalRuns, RunStore
from workbench.trajectories import FinalSql, final_sql


@dataclass(frozen=True)
class ExplainedColumn:
    """``share``: of the reference's rows in which the column is right; ``rows`` of the rule diff, the nearest
    first: those that have a part in the fewest columns."""

    column: str
    share: float
    rows: list[Row]


@dataclass(frozen=True)
class ExplainedRun:
    """``columns``: those that are not right everywhere; empty where all are. ``comparison``: the whole diff,
    the agent's SQL first."""

    run_id: str
    target: str
    answer: FinalSql
    comparison: Comparison
    columns: list[ExplainedColumn]
    notes: list[str] = field(default_factory=list)


def answer_of_run(context: Context, run_id: str) -> FinalSql:
    """The SQL that the run's answer came from. Raises BadInput where its log shows none."""
    paths = RunStore(context.data, context.clock).paths(run_id)
    steps = (event.step for event in EventLines(paths.events).new() if isinstance(event, StepEvent))
    found = final_sql(steps)
    if found is None:
        raise BadInput("no query is in the steps of this run", where=run_id)
    return found


def answer_side(run_id: str, answer: FinalSql) -> Side:
    """The agent's SQL as one side of a rule diff."""
    return Side("agent", (SourceText(f"{run_id}.sql", answer.sql),))


def explain_run(context: Context, run_id: str, target: str = PUBLIC_CODE) -> ExplainedRun:
    """Each wrong column with the rules that may explain it, by which lines work it out on both sides.

    Nothing is run and no value is read. Raises BadInput for an unknown run or target, one that was not
    scored, and one without SQL.
    """
    runs = LocalRuns(RunStore(context.data, context.clock))
    plan, result = runs.plan(run_id), runs.result(run_id)
    score = _score(run_id, result, target)
    content = context_of(context, plan).content
    answer = answer_of_run(context, run_id)
    second = reference_side(content, [content.task(plan.task)], target)
    comparison = compare(answer_side(run_id, answer), second)
    shares = _shares(score)
    found = rows_by_column(comparison, shares)
    return ExplainedRun(
        run_id, target, answer, comparison,
        [ExplainedColumn(column, share, found[column]) for column, share in shares.items()],
        list(_notes(answer, plan.schema_variant)),
    )  # fmt: skip


def _score(run_id: str, result: RunResult | None, target: str) -> TargetScore:
    if result is None or result.score is None or result.why_not_scored:
        raise BadInput("the run was not scored", where=run_id)
    scores = {one.target: one for one in result.score.targets}
    if target not in scores:
        remedy = f"It has: {', '.join(scores)}."
        raise BadInput(f"the run has no score against {target!r}", where=run_id, remedy=remedy)
    return scores[target]


def _shares(score: TargetScore) -> Mapping[str, float]:
    wrong = [column for column in score.columns if column.match_rate < 1]
    return {column.column: column.match_rate for column in sorted(wrong, key=lambda item: item.match_rate)}


def _notes(answer: FinalSql, variant: str) -> list[str]:
    told = []
    if not answer.names_output:
        told.append("no call with a query names the output: the longest query of the run is taken")
    if variant != "native":
        told.append("the run saw other names: they are held against the published ones as they are")
    return told
