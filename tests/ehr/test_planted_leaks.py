"""A leak planted while a task's database is made is found and told, under whatever names it has."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from workbench.ehr import (
    ConceptSql,
    connect,
    ensure_concepts,
    ensure_task_database,
    fetch_concept_sql,
    published_schema,
)
from workbench.ehr.variants import SchemaNames, schema_names
from workbench.records import (
    DataPaths,
    Dictionary,
    KeyColumn,
    Mode,
    Refused,
    SchemaVariant,
    ScoredColumn,
    Source,
    TableEntry,
    Task,
    TaskDatabase,
    Thresholds,
    Unavailable,
)
from workbench.sandbox import Sandbox, choose_sandbox, ensure_python_runtime

TARGET = "mimiciv_derived.culture_pairs"
OTHER = "mimiciv_hosp.omr"
CONCEPTS = {
    "culture_pairs": "SELECT stay_id, valuenum * 2 + 0.25 AS pairs FROM mimiciv_icu.chartevents",
    "heart_rate": "SELECT stay_id, valuenum AS hr FROM mimiciv_icu.chartevents",
}
TASK = Task(
    id="test-planted",
    family="test",
    title="Test",
    database="mimic-iv",
    mode=Mode.STANDARD,
    keys=[KeyColumn(name="stay_id")],
    scored_columns=[ScoredColumn(name="pairs", type="ordered")],
    value_columns=["pairs"],
    thresholds=Thresholds(key_coverage=1.0, column_accuracy=1.0),
    removed_tables=["culture_pairs"],
    skills=["some-skill"],
    decoy_skill="other-skill",
    reference_concept="culture_pairs",
)


@dataclass
class Place:
    """Where leaks are planted: the database of one schema variant, clean, with its catalog set aside."""

    data: DataPaths
    source: Source
    sql: ConceptSql
    sandbox: Sandbox
    names: SchemaNames | None
    catalog: Path

    @property
    def variant(self) -> SchemaVariant:
        return self.names.variant if self.names else SchemaVariant.NATIVE

    @property
    def manifest(self) -> Path:
        return self.data.source(self.source.name).task_database_manifest(TASK.id, self.variant)

    def build(self) -> TaskDatabase:
        return ensure_task_database(self.data, self.source, TASK, self.sql, self.sandbox, names=self.names)

    def table(self, published: str) -> str:
        return self.names.table(published).name if self.names else published

    def column(self, published: str) -> str:
        return self.names.column(published) if self.names else published

    @property
    def bare_target(self) -> str:
        return self.table(TARGET).split(".")[1]

    def target(self) -> Path:
        return self.data.source(self.source.name).concept(self.sql.revision, "culture_pairs")

    def visible(self, published: str) -> Path:
        paths = self.data.source(self.source.name)
        return (
            paths.variant_table(self.variant, self.table(published)) if self.names else paths.table(published)
        )


def dictionary() -> Dictionary:
    tables = [TableEntry(name=t.name, about="x", columns=list(t.types)) for t in published_schema().tables]
    tables += [
        TableEntry(name=TARGET, about="x", columns=["stay_id", "pairs"]),
        TableEntry(name="mimiciv_derived.heart_rate", about="x", columns=["stay_id", "hr"]),
    ]
    columns = {name: "x" for table in tables for name in table.columns}
    return Dictionary(database="mimic-iv", columns=columns, tables=tables)


@pytest.fixture(scope="module", params=list(SchemaVariant))
def place(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    shared_home: DataPaths,
    one_stay: Callable[..., Source],
    concept_folder: Callable[[Path, dict[str, str]], Path],
) -> Place:
    try:
        sandbox = choose_sandbox("auto")
        ensure_python_runtime(shared_home)
    except (Refused, Unavailable) as error:
        pytest.skip(f"no sandbox with Python here: {error.what}")
    root = tmp_path_factory.mktemp("planted")
    data = DataPaths(root / "home")
    data.root.mkdir(mode=0o700)
    data.runtimes.symlink_to(shared_home.runtimes)
    source = one_stay(data, "one", 40)
    sql = fetch_concept_sql(data, concept_folder(root / "mimic-code", CONCEPTS))
    ensure_concepts(data, source, sql)
    native = request.param is SchemaVariant.NATIVE
    names = None if native else schema_names(dictionary(), request.param)
    made = Place(data, source, sql, sandbox, names, root / "clean.duckdb")
    made.build()
    shutil.copyfile(data.source("one").task_database(TASK.id, made.variant) / "ehr.duckdb", made.catalog)
    return made


Plant = Callable[[Place, Path], None]


def in_catalog(statement: Callable[[Place], str]) -> Plant:
    """Into the catalog, which stands in ``folder``."""

    def plant(place: Place, folder: Path) -> None:
        with connect(folder / "ehr.duckdb") as connection:
            connection.execute(statement(place))

    return plant


def in_files(select: str, name: str = "") -> Plant:
    """Over an allowed table's file, or as a file of its own name: ``select`` over {target}."""

    def plant(place: Place, folder: Path) -> None:
        file = folder / "parquet" / f"{name or place.table(OTHER)}.parquet"
        file.unlink(missing_ok=True)
        with connect() as connection:
            query = select.format(target=f"read_parquet('{place.target()}')")
            connection.execute(f"COPY ({query}) TO '{file}' (FORMAT parquet)")

    return plant


def linked(place: Place, folder: Path) -> None:
    file = folder / "parquet" / f"{place.table(OTHER)}.parquet"
    file.unlink()
    file.hardlink_to(place.target())


def worked_out(place: Place) -> str:
    """The target's own SQL over a file that the agent has, in the names it has."""
    value, stay = place.column("valuenum"), place.column("stay_id")
    file = place.visible("mimiciv_icu.chartevents")
    return f"SELECT {stay}, {value} * 2 + 0.25 AS n FROM read_parquet('{file}')"


PLANTED: dict[str, tuple[Plant, str]] = {
    "the target under another name": (linked, "has the content of a removed table"),
    "its columns renamed": (
        in_files("SELECT stay_id AS a, pairs AS b FROM {target}"),
        "does not hold the table",
    ),
    "its rows shuffled": (in_files("SELECT * FROM {target} ORDER BY hash(pairs)"), "does not hold the table"),
    "its values rounded": (
        in_files("SELECT stay_id, round(pairs) AS v FROM {target}"),
        "does not hold the table",
    ),
    "a file more": (in_files("FROM {target}", "more"), "unexpected file parquet/more.parquet"),
    "a view over an allowed file": (
        in_catalog(lambda place: f"CREATE VIEW more AS {worked_out(place)}"),
        "view main.more is not among the allowed tables",
    ),
    "an allowed view that gives it": (
        in_catalog(
            lambda place: (
                f"DROP VIEW {place.table(OTHER)}; CREATE VIEW {place.table(OTHER)} AS {worked_out(place)}"
            )
        ),
        "reads something else than its own file",
    ),
    "a table in the catalog": (
        in_catalog(lambda place: f"CREATE TABLE more AS {worked_out(place)}"),
        "table more is not allowed",
    ),
    "its values in a type": (
        in_catalog(lambda _: "CREATE TYPE t AS ENUM ('140.25')"),
        "type t is not allowed",
    ),
    "a macro that gives it": (
        in_catalog(lambda place: f"CREATE MACRO more() AS TABLE {worked_out(place)}"),
        "macro more is not allowed",
    ),
    "a macro that works a value out": (
        in_catalog(lambda _: "CREATE MACRO more(v) AS v * 2 + 0.25"),
        "macro more is not allowed",
    ),
    "a comment that names it": (
        in_catalog(lambda place: f"COMMENT ON VIEW {place.table(OTHER)} IS 'as {place.bare_target.upper()}'"),
        "mentions",
    ),
    "a comment that holds its SQL": (
        in_catalog(lambda place: f"COMMENT ON VIEW {place.table(OTHER)} IS 'select v * 2 + 0.25'"),
        "a comment on view",
    ),
    "a comment on a column": (
        in_catalog(
            lambda place: (
                f"COMMENT ON COLUMN {place.table('mimiciv_icu.icustays')}.{place.column('los')} IS 'v * 2'"
            )
        ),
        "a comment on column",
    ),
    "a schema of its name": (
        in_catalog(lambda place: f"CREATE SCHEMA {place.bare_target}"),
        "is not among those of the allowed tables",
    ),
    "a table that was dropped": (
        in_catalog(
            lambda place: (
                f"CREATE TABLE {place.bare_target} (a INT); CHECKPOINT; DROP TABLE {place.bare_target}"
            )
        ),
        "holds the bytes of the name",
    ),
}


@pytest.fixture
def build_with(place: Place, monkeypatch: pytest.MonkeyPatch) -> Callable[[Plant | None], TaskDatabase]:
    """Builds anew with something planted; the catalog is a copy of the clean one, not written again."""

    def build(plant: Plant | None) -> TaskDatabase:
        def catalog(made: Path, views: object, sandbox: object, runtime: object, scratch: Path) -> Path:
            shutil.copyfile(place.catalog, made / "ehr.duckdb")
            if plant:
                plant(place, made)
            return (made / "ehr.duckdb").rename(scratch / "planted.duckdb")

        place.manifest.unlink(missing_ok=True)
        monkeypatch.setattr("workbench.ehr.task_database.write_catalog", catalog)
        return place.build()

    return build


@pytest.mark.parametrize("case", PLANTED)
def test_a_planted_leak_is_refused(
    place: Place, build_with: Callable[[Plant | None], TaskDatabase], case: str
) -> None:
    plant, expected = PLANTED[case]
    with pytest.raises(Refused, match="shows what was removed") as caught:
        build_with(plant)
    assert expected in caught.value.what
    assert not place.manifest.exists()


def test_nothing_planted_is_nothing_found(
    place: Place, build_with: Callable[[Plant | None], TaskDatabase]
) -> None:
    assert place.table("mimiciv_derived.heart_rate") in build_with(None).tables
