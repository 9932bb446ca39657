"""Content under the names of a schema variant, as an agent reads it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from workbench.catalog import Content, FamilyFiles
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.variants import (
    SchemaNames,
    dictionary_markdown,
    new_markdown,
    new_sql,
    new_words,
    schema_names,
)
from workbench.records import (
    BadInput,
    Condition,
    DatabaseChecks,
    DatabaseStages,
    Dictionary,
    ExampleStay,
    Expectation,
    Family,
    FamilyPaths,
    FamilyStages,
    IntermediateStep,
    KeptTable,
    Mode,
    OutputChecks,
    SchemaVariant,
    Stage,
    Task,
    WitnessRows,
    WorkedExample,
)
from workbench.records.audit import Cell


def names_of(content: Content, task: Task, variant: SchemaVariant) -> SchemaNames | None:
    """The names that the task's agent sees; None for the published ones. Raises BadInput."""
    if variant is SchemaVariant.NATIVE:
        return None
    if not content.paths.dictionary(task.database).is_file():
        raise BadInput(
            f"there is no schema variant of {task.database}: it has no dictionary",
            where=f"task {task.id}",
            remedy=f"Run it with --schema {SchemaVariant.NATIVE}.",
        )
    return _names(content.dictionary(task.database).to_json(), variant)


@cache
def _names(dictionary_json: str, variant: SchemaVariant) -> SchemaNames:
    return schema_names(Dictionary.model_validate_json(dictionary_json), variant)


class VariantContent(Content):
    """``content`` with other names for schemas, tables and columns, those of outputs included."""

    def __init__(self, content: Content, names: SchemaNames, dictionary: Dictionary) -> None:
        super().__init__(content.paths)
        self.names = names
        self._content, self._dictionary = content, dictionary
        self._renamed: dict[Path, tuple[str, str]] = {}
        self._dictionaries: dict[str, str] = {}
        self._described: dict[str, list[str]] = {}
        self._bare_tables = frozenset(table.split(".")[1] for table in names.tables)

    def text(self, path: Path) -> str:
        """Markdown and SQL renamed, other files as they are."""
        text = self._content.text(path)
        if path.suffix not in (".md", ".sql"):
            return text
        known = self._renamed.get(path)
        if known is None or known[0] != text:
            written = (
                new_markdown(text, self.names)
                if path.suffix == ".md"
                else new_sql(text, self.names, self._bare_tables)
            )
            self._renamed[path] = known = (text, written)
        return known[1]

    def files(self, family: str) -> FamilyFiles:
        """The files of the family's folder, renamed."""
        files = self._content.files(family)
        tasks = [self._content.task(name) for name in self._content.family(family).tasks]
        labels = frozenset(name for task in tasks for name in task.required_columns)
        return _Files(files.paths, self.text, original=files, names=self.names, labels=labels)

    def schema_name(self, published: str) -> str:
        """What a published schema is called."""
        return self.names.schemas.get(published, published)

    def dictionary_text(self, task: Task) -> str:
        """Every table and column that the task's agent sees."""
        if task.id not in self._dictionaries:
            self._dictionaries[task.id] = self._written(task)
        return self._dictionaries[task.id]

    def _written(self, task: Task) -> str:
        published = self._content.task(task.id)
        hidden = {f"{DERIVED_SCHEMA}.{name}" for name in published.removed_tables}
        raw = published.mode is Mode.RAW
        tables = [
            entry.name
            for entry in self._dictionary.tables
            if entry.name not in hidden and not (raw and entry.name.startswith(f"{DERIVED_SCHEMA}."))
        ]
        return dictionary_markdown(self._dictionary, self.names, tables, written=self._described)

    def stored_reference(self, target: str) -> str:
        """References do not depend on names."""
        return self._content.stored_reference(target)

    def allow(self, condition: Condition) -> None:
        """Raises BadInput where the content beneath refuses."""
        self._content.allow(condition)

    def _task(self, paths: FamilyPaths, family: Family, task_id: str) -> Task:
        task = self._content.task(task_id)
        column = self.names.column
        return task.model_copy(
            update={
                "keys": [key.model_copy(update={"name": column(key.name)}) for key in task.keys],
                "scored_columns": [
                    item.model_copy(update={"name": column(item.name)}) for item in task.scored_columns
                ],
                "value_columns": [column(name) for name in task.value_columns],
                "further_columns": [column(name) for name in task.further_columns],
                "removed_tables": [self._derived(name) for name in task.removed_tables],
                "kept_tables": [
                    KeptTable(table=self._derived(kept.table), reason=kept.reason)
                    for kept in task.kept_tables
                ],
            }
        )

    def _derived(self, bare: str) -> str:
        return self.names.table(f"{DERIVED_SCHEMA}.{bare}").bare


@dataclass(frozen=True, kw_only=True)
class _Files(FamilyFiles):
    """``original``: the same files with published names. ``labels``: columns of the outputs, whose names
    stand in SQL and in rows of steps as texts, too.
    """

    original: FamilyFiles
    names: SchemaNames
    labels: Collection[str]

    def reference_sql(self, target: str, database: str) -> str:
        return new_sql(self.original.reference_sql(target, database), self.names, self.labels)

    def output_checks(self) -> OutputChecks:
        checks = self.original.output_checks()
        return checks.model_copy(
            update={"databases": [_checks(item, self.names) for item in checks.databases]}
        )

    def stages(self) -> FamilyStages:
        stages = self.original.stages()
        return stages.model_copy(
            update={"databases": [_stages(item, self.names) for item in stages.databases]}
        )

    def worked_example(self, database: str = "") -> WorkedExample:
        example, names = self.original.worked_example(database), self.names
        return example.model_copy(
            update={
                "definition": new_words(example.definition, names),
                "mapping": [
                    item.model_copy(
                        update={"items": new_words(item.items, names), "note": new_words(item.note, names)}
                    )
                    for item in example.mapping
                ],
                "edge_cases": [new_words(text, names) for text in example.edge_cases],
                "sources": [new_words(text, names) for text in example.sources],
                "limits": [new_words(text, names) for text in example.limits],
                "stays": [_stay(stay, names, self.labels) for stay in example.stays],
            }
        )


def _checks(checks: DatabaseChecks, names: SchemaNames) -> DatabaseChecks:
    return checks.model_copy(
        update={
            "cohort": new_sql(checks.cohort, names),
            "cohort_keys": [names.column(key) for key in checks.cohort_keys],
            "ranges": [
                item.model_copy(update={"column": names.column(item.column)}) for item in checks.ranges
            ],
            "relations": [
                item.model_copy(update={"says": new_words(item.says, names), "sql": new_sql(item.sql, names)})
                for item in checks.relations
            ],
            "counts": [
                item.model_copy(
                    update={
                        "step": new_words(item.step, names),
                        "says": new_words(item.says, names),
                        "sql": new_sql(item.sql, names),
                    }
                )
                for item in checks.counts
            ],
        }
    )


def _stages(stages: DatabaseStages, names: SchemaNames) -> DatabaseStages:
    return stages.model_copy(update={"stages": [_stage(stage, names) for stage in stages.stages]})


def _stage(stage: Stage, names: SchemaNames) -> Stage:
    """As an agent is asked for it; its SQL is for the published names and not for agents."""
    return stage.model_copy(
        update={
            "name": names.word(stage.name),
            "rows": new_words(stage.rows, names),
            "keys": [
                key.model_copy(update={"name": names.word(key.name), "means": new_words(key.means, names)})
                for key in stage.keys
            ],
            "columns": [
                item.model_copy(update={"name": names.word(item.name), "means": new_words(item.means, names)})
                for item in stage.columns
            ],
        }
    )


def _stay(stay: ExampleStay, names: SchemaNames, labels: Collection[str]) -> ExampleStay:
    return stay.model_copy(
        update={
            "story": new_words(stay.story, names),
            "tables": [_rows(given, names) for given in stay.tables],
            "intermediate": [_step(step, names, labels) for step in stay.intermediate],
            "expected": [_expected(item, names) for item in stay.expected],
        }
    )


def _rows(given: WitnessRows, names: SchemaNames) -> WitnessRows:
    new = names.table(given.table)
    kind: dict[str, Cell] = {names.kind_column: new.kind} if new.kind else {}
    return WitnessRows(table=new.name, rows=[kind | _cells(row, names) for row in given.rows])


def _step(step: IntermediateStep, names: SchemaNames, labels: Collection[str]) -> IntermediateStep:
    known = names.tables.get(step.step)
    return step.model_copy(
        update={
            "step": known.name if known else names.word(step.step),
            "rows": [
                row.model_copy(
                    update={
                        "values": {
                            name: names.word(value) if isinstance(value, str) and value in labels else value
                            for name, value in _cells(row.values, names).items()
                        },
                        "null": [names.word(name) for name in row.null],
                    }
                )
                for row in step.rows
            ],
        }
    )


def _expected(item: Expectation, names: SchemaNames) -> Expectation:
    return item.model_copy(
        update={
            "key": _cells(item.key, names),
            "values": _cells(item.values, names),
            "null": [names.word(name) for name in item.null],
        }
    )


def _cells(cells: Mapping[str, Cell], names: SchemaNames) -> dict[str, Cell]:
    return {names.word(name): value for name, value in cells.items()}
