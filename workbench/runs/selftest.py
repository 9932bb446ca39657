"""What shows that a task works: empty output 0, reference 1, naive SQL between, and solvable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench import ehr
from workbench.ehr.connect import identifier, literal
from workbench.ehr.content_sql import refuse_beyond_tables
from workbench.ehr.order_check import depends_on_order
from workbench.ehr.solvable import hash_from_visible
from workbench.ehr.source_views import open_source
from workbench.records import SYNTHETIC_NAME, BadInput, Progress, ScoreReport, SelfTest, Task, silent
from workbench.runs.context import Context
from workbench.runs.setup import Ready, ensure_ready, source_for, unknown_source
from workbench.sandbox import Sandbox
from workbench.scoring import check_output, score_output
from workbench.store import owned_folder, writing

PRIMARY = "public-code"


def selftest(
    context: Context, task: Task, source: str, sandbox: Sandbox, progress: Progress = silent
) -> SelfTest:
    """Test ``task`` on ``source``; what is missing is built first, what is current is kept.

    Raises as ``ensure_ready`` does, and BadInput for SQL of the family that does not run.
    """
    started_s = context.clock.monotonic_s()
    ready = ensure_ready(context, task, source, sandbox, progress)
    reference = ready.references[PRIMARY]
    problems: list[str] = []
    notes: list[str] = []
    rewards: dict[str, float | None] = dict.fromkeys(("empty", "reference", "naive"))
    strict, checked, constants = False, None, []
    if reference.rows == 0:
        notes.append("the source has no rows for this task")
    else:
        constants = _constant_columns(task, ready)
        with owned_folder(context.data, "selftest") as folder:
            progress(f"testing {task.id}: outputs", 1, 3, "steps")
            empty, own = _empty(task, folder), _own(task, ready, folder)
            rewards["empty"] = _score(context, task, ready, empty, folder).reward
            report = _score(context, task, ready, own, folder)
            rewards["reference"], strict = report.reward, report.strict_pass
            checked = _checks(context, task, ready, own, problems)
            rewards["naive"] = _naive(context, task, ready, folder, problems)
    progress(f"testing {task.id}: from what its agent sees", 2, 3, "steps")
    solvable = _solvable(context, task, ready)
    problems += _judge(rewards, strict, solvable, empty_source=reference.rows == 0)
    problems += [*_same_lineage(context, task, ready), *_read_off(context, task, ready)]
    _order_of_rows(context, task, ready, problems, notes)
    if constants:
        notes.append(f"constant, so that it measures coverage only: {', '.join(constants)}")
    return SelfTest(
        task=task.id,
        source=ready.source.name,
        rows=reference.rows,
        empty_reward=rewards["empty"],
        reference_reward=rewards["reference"],
        reference_strict=strict,
        naive_reward=rewards["naive"],
        solvable=solvable,
        checks_passed=checked,
        constant_columns=constants,
        notes=notes,
        problems=problems,
        seconds=context.clock.monotonic_s() - started_s,
    )


def _judge(
    rewards: dict[str, float | None], strict: bool, solvable: bool, *, empty_source: bool
) -> list[str]:
    problems = [] if solvable else ["what its agent sees gives other rows than the reference"]
    if empty_source:
        return problems
    if rewards["empty"] != 0:
        problems.append(f"an empty output scores {rewards['empty']}")
    if rewards["reference"] != 1 or not strict:
        problems.append(f"the reference as output scores {rewards['reference']}, strict: {strict}")
    naive = rewards["naive"]
    if naive is not None and not 0 < naive < 1:
        problems.append(f"the naive derivation scores {naive}, not strictly between 0 and 1")
    return problems


def _score(context: Context, task: Task, ready: Ready, output: Path, folder: Path) -> ScoreReport:
    files = {PRIMARY: ready.reference_files[PRIMARY]}
    return score_output(output, task, files, settings=context.settings, scratch=folder)


def _empty(task: Task, folder: Path) -> Path:
    path = folder / "empty.csv"
    with writing(path):
        path.write_text(",".join(task.required_columns) + "\n", encoding="utf-8")
    return path


def _own(task: Task, ready: Ready, folder: Path) -> Path:
    """The reference's rows as an agent would write them."""
    path = folder / "reference.csv"
    names = ", ".join(identifier(name) for name in task.required_columns)
    file = literal(str(ready.reference_files[PRIMARY]))
    with ehr.connect() as connection, writing(path):
        connection.execute(
            f"COPY (SELECT {names} FROM read_parquet({file})) TO {literal(str(path))} (HEADER)"
        )
    return path


def _naive(context: Context, task: Task, ready: Ready, folder: Path, problems: list[str]) -> float | None:
    """The reward of the naive derivation over the raw tables; None where there is none."""
    files = context.content.files(task.family)
    if not files.paths.naive(task.database).is_file():
        problems.append("there is no naive derivation")
        return None
    sql = files.naive_sql(task.database).rstrip().rstrip(";")
    path = folder / "naive.csv"
    refuse_beyond_tables(sql, str(files.paths.naive(task.database)))
    opened = open_source(context.data, ready.source, settings=context.settings, beside=[path])
    with opened as connection, writing(path):
        try:
            connection.execute(f"COPY (\n{sql}\n) TO {literal(str(path))} (HEADER)")
        except ehr.DuckDBError as error:
            raise BadInput(
                f"does not run ({type(error).__name__})", where=str(files.paths.naive(task.database))
            ) from None
    return _score(context, task, ready, path, folder).reward


def _checks(context: Context, task: Task, ready: Ready, output: Path, problems: list[str]) -> bool | None:
    """Whether the reference passes its family's own reference-free checks."""
    files = context.content.files(task.family)
    checks = files.output_checks().of(task.database) if files.paths.output_checks.is_file() else None
    if checks is None:
        problems.append("there are no output checks")
        return None
    report = check_output(context.data, ready.source, task, checks, output, settings=context.settings)
    problems += [
        f"output check fails on the reference: {finding.check}, {finding.says} ({finding.offending})"
        for finding in report.findings
        if not finding.passed
    ]
    return report.passed


def _solvable(context: Context, task: Task, ready: Ready) -> bool:
    reference = ready.references[PRIMARY]
    found = hash_from_visible(
        context.data,
        ready.database_folder,
        ready.database,
        ready.reference_sql[PRIMARY],
        ehr.concept_sql_of(task.database, context.data, context.concepts_folder),
        reference.columns,
        reference.keys,
        settings=context.settings,
    )
    return found == reference.rows_sha256


def _same_lineage(context: Context, task: Task, ready: Ready) -> list[str]:
    """Scored columns that a table which the agent sees works out in the same way."""
    concepts = ehr.concept_sql_of(task.database, context.data, context.concepts_folder)
    return [
        f"{item.table}.{item.column} works {item.scored_column} out as the task does"
        for item in ehr.same_lineage(task, concepts, list(ready.reference_sql.values()))
    ]


def _read_off(context: Context, task: Task, ready: Ready) -> list[str]:
    """Scored columns whose values stand in a table that the agent sees."""
    found = ehr.find_read_off(
        context.data,
        ready.source,
        task,
        ready.references[PRIMARY],
        ehr.concept_sql_of(task.database, context.data, context.concepts_folder),
        settings=context.settings,
    )
    return [
        f"{item.scored_column} can be read off {item.table}.{item.column} ({item.share:.0%} of telling rows)"
        for item in found
    ]


def _order_of_rows(context: Context, task: Task, ready: Ready, problems: list[str], notes: list[str]) -> None:
    """References whose rows change with the order in which their inputs are stored."""
    concepts = ehr.concept_sql_of(task.database, context.data, context.concepts_folder)
    for target, sql in ready.reference_sql.items():
        found = depends_on_order(
            context.data, ready.source, task, ready.references[target], sql, concepts,
            settings=context.settings,
        )  # fmt: skip
        if found.skipped:
            notes.append(f"not tested in another order of rows: {found.skipped}")
        told = [f"column {name} of {number} rows" for name, number in found.columns.items()]
        told += [f"{found.rows} rows come or go"] if found.rows else []
        if told:
            which = "the reference" if target == PRIMARY else f"the reference {target}"
            problems.append(
                f"{which} depends on the order of rows: {', '.join(told)}; break ties (ORDER BY ...)"
            )


def _constant_columns(task: Task, ready: Ready) -> list[str]:
    """Scored columns that hold one value in every row."""
    names = [column.name for column in task.scored_columns]
    counted = ", ".join(
        f"count(DISTINCT {identifier(name)}) + CAST(count(*) > count({identifier(name)}) AS INTEGER)"
        for name in names
    )
    file = literal(str(ready.reference_files[PRIMARY]))
    with ehr.connect() as connection:
        values = connection.execute(f"SELECT {counted} FROM read_parquet({file})").fetchall()[0]
    return [name for name, number in zip(names, values, strict=True) if number <= 1]


def pairs_to_test(context: Context, tasks: Sequence[Task], sources: Sequence[str]) -> list[tuple[Task, str]]:
    """Each task with each source of its own database. Raises BadInput for a name that is not known."""
    known = {source.name: source.database for source in ehr.readable_sources(context.data)[0]}
    pairs: dict[tuple[str, str], tuple[Task, str]] = {}
    for name in sources:
        if name not in ehr.source_names(context.data) and not SYNTHETIC_NAME.fullmatch(name):
            raise unknown_source(context, name)
        for task in tasks:
            for used in _sources_for(name, task, known):
                if known.get(used, task.database) == task.database:
                    pairs.setdefault((used, task.id), (task, used))
    return list(pairs.values())


def _sources_for(name: str, task: Task, known: Mapping[str, str]) -> list[str]:
    """The source; where no data can be made for the task's database, those that were imported from it, or the
    name alone, which the test then refuses.
    """
    if task.database in ehr.TITLES or not SYNTHETIC_NAME.fullmatch(name):
        return [source_for(name, task)]
    return [source for source, database in known.items() if database == task.database] or [name]
