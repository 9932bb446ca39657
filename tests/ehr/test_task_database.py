"""What a task's agent gets: built inside the sandbox, shared by links, checked for anything removed."""

import json
import os
import shutil
import subprocess
import sys
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
from workbench.ehr.leak_check import leaks
from workbench.ehr.task_catalog import catalog_plan
from workbench.ehr.task_files import link_files, visible_files
from workbench.records import (
    DATABASE_FILE,
    DATABASE_FOLDER,
    BadInput,
    ConceptSet,
    DataPaths,
    KeptTable,
    KeyColumn,
    Mode,
    Refused,
    ScoredColumn,
    Source,
    Task,
    TaskDatabase,
    Thresholds,
    Unavailable,
    silent,
)
from workbench.sandbox import Mount, Runtime, Sandbox, SandboxSpec, choose_sandbox, ensure_python_runtime

MakeSource = Callable[..., Source]
MakeConcepts = Callable[[Path, dict[str, str]], Path]
SCHEMA = published_schema()
CONCEPTS = {
    "culture_pairs": "SELECT stay_id, valuenum AS value FROM mimiciv_icu.chartevents",
    "pairs_of_stay": "SELECT stay_id, count(*) AS pairs FROM mimiciv_derived.culture_pairs GROUP BY stay_id",
    "heart_rate": "SELECT stay_id, valuenum AS hr FROM mimiciv_icu.chartevents",
}


def task(
    mode: Mode = Mode.STANDARD, removed: tuple[str, ...] = ("culture_pairs", "pairs_of_stay"), **more: object
) -> Task:
    raw = "" if mode is Mode.STANDARD else "-raw"
    return Task(
        id=f"test-task{raw}",
        family="test",
        title="Test",
        database="mimic-iv",
        mode=mode,
        keys=[KeyColumn(name="stay_id")],
        scored_columns=[ScoredColumn(name="value", type="ordered")],
        value_columns=["value"],
        thresholds=Thresholds(key_coverage=1.0, column_accuracy=1.0),
        removed_tables=list(removed),
        skills=["some-skill"],
        decoy_skill="other-skill",
        reference_concept="culture_pairs",
        **more,
    )


@dataclass
class House:
    """A source, its concepts, and a working sandbox."""

    data: DataPaths
    source: Source
    sql: ConceptSql
    sandbox: Sandbox
    runtime: Runtime

    def build(self, wanted: Task) -> TaskDatabase:
        return ensure_task_database(self.data, self.source, wanted, self.sql, self.sandbox)

    def folder(self, wanted: Task) -> Path:
        return self.data.source(self.source.name).task_database(wanted.id)

    def inside(self, wanted: Task, code: str) -> str:
        """What Python code prints inside, with the task database mounted."""
        spec = SandboxSpec(
            argv=(self.runtime.python, "/workspace/code.py"),
            env=self.runtime.env,
            mounts=(*self.runtime.mounts, Mount(self.folder(wanted), DATABASE_FOLDER)),
            work_files={"code.py": code.encode()},
        )
        scratch = self.data.scratch / "inside"
        scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.sandbox.start(spec, scratch) as process:
            said = b"".join(chunk.data for chunk in process.stream())
            process.wait()
        shutil.rmtree(scratch)
        return said.decode()


@pytest.fixture(scope="module")
def house(
    tmp_path_factory: pytest.TempPathFactory,
    shared_home: DataPaths,
    one_stay: MakeSource,
    concept_folder: MakeConcepts,
) -> House:
    try:
        sandbox = choose_sandbox("auto")
        runtime = ensure_python_runtime(shared_home)
    except (Refused, Unavailable) as error:
        pytest.skip(f"no sandbox with Python here: {error.what}")
    root = tmp_path_factory.mktemp("house")
    data = DataPaths(root / "home")
    data.root.mkdir(mode=0o700)
    (data.runtimes).symlink_to(shared_home.runtimes)
    source = one_stay(data, "one")
    sql = fetch_concept_sql(data, concept_folder(root / "mimic-code", CONCEPTS))
    return House(data, source, sql, sandbox, runtime)


LIST = f"""
import duckdb, json, os
c = duckdb.connect({DATABASE_FILE!r}, read_only=True)
tables = "SELECT table_schema || '.' || table_name FROM information_schema.tables ORDER BY ALL"
print(json.dumps([name for name, in c.execute(tables).fetchall()]))
print(c.execute("SELECT count(*), max(valuenum) FROM mimiciv_icu.chartevents").fetchall())
print(json.dumps(sorted(os.listdir('/data/parquet'))))
"""


@pytest.mark.parametrize("mode", list(Mode))
def test_an_agent_sees_the_allowed_tables_and_nothing_else(mode: Mode, house: House) -> None:
    wanted = task(mode)
    database = house.build(wanted)
    derived = ["mimiciv_derived.heart_rate"] if mode is Mode.STANDARD else []
    assert database.tables == sorted([*SCHEMA.names, *derived])
    removed = (
        ["culture_pairs", "pairs_of_stay"] if derived else ["culture_pairs", "heart_rate", "pairs_of_stay"]
    )
    assert database.removed == [f"mimiciv_derived.{name}" for name in removed]

    tables, chart, files = house.inside(wanted, LIST).splitlines()
    assert json.loads(tables) == database.tables
    assert chart == "[(3, 72.0)]"
    assert json.loads(files) == [f"{name}.parquet" for name in database.tables]

    folder = house.folder(wanted)
    for name in database.tables:
        linked = folder / "parquet" / f"{name}.parquet"
        paths = house.data.source("one")
        original = (
            paths.table(name) if name in SCHEMA.names else paths.concept(house.sql.revision, "heart_rate")
        )
        assert linked.samefile(original) and linked.stat().st_mode & 0o777 == 0o644
    assert (folder / "ehr.duckdb").stat().st_mode & 0o777 == 0o644
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    assert str(house.data.root).encode() not in (folder / "ehr.duckdb").read_bytes()


def test_it_is_built_once_and_again_when_something_changed(house: House) -> None:
    wanted = task()
    first = house.build(wanted)
    catalog = house.folder(wanted) / "ehr.duckdb"
    inode = catalog.stat().st_ino
    assert house.build(wanted) == first and catalog.stat().st_ino == inode

    with catalog.open("ab") as file:
        file.write(b"more")
    again = house.build(wanted)
    assert again.database_hash == first.database_hash and catalog.stat().st_ino != inode
    (house.folder(wanted) / "parquet" / "mimiciv_icu.icustays.parquet").unlink()
    assert house.build(wanted).database_hash == first.database_hash
    assert (house.folder(wanted) / "parquet" / "mimiciv_icu.icustays.parquet").exists()

    fewer = house.build(task(removed=("culture_pairs", "pairs_of_stay", "heart_rate")))
    assert fewer.database_hash != first.database_hash


def test_a_task_that_gives_its_target_away_is_refused(house: House) -> None:
    with pytest.raises(Refused, match="pairs_of_stay"):
        house.build(task(removed=("culture_pairs",)))
    kept = [KeptTable(table="pairs_of_stay", reason="Counts only.")]
    assert (
        "mimiciv_derived.pairs_of_stay"
        in house.build(task(removed=("culture_pairs",), kept_tables=kept)).tables
    )
    for wrong, message in (
        (task(removed=("culture_pair",)), "Did you mean culture_pairs"),
        (task(kept_tables=[KeptTable(table="culture_pairs", reason="x")]), "removed and kept at once"),
    ):
        with pytest.raises(BadInput, match=message):
            house.build(wrong)


# The leak check alone, on catalogs written without /data


def concepts_of(house: House) -> ConceptSet:
    """All concepts, the removed ones too; the task's database is there as well."""
    house.build(task())
    return ensure_concepts(house.data, house.source, house.sql)


@pytest.fixture
def clean(house: House, tmp_path: Path) -> tuple[Path, dict[str, str], Path]:
    """A folder as ``ensure_task_database`` makes it, the views in it, and the folder of concepts."""
    files = visible_files(house.data, house.source, task(), house.sql, concepts_of(house))
    folder = tmp_path / "mounted"
    folder.mkdir()
    link_files(files, folder, silent)
    built = house.folder(task())
    shutil.copyfile(built / "ehr.duckdb", folder / "ehr.duckdb")
    inside = {file.table: f"{DATABASE_FOLDER}/parquet/{file.name}" for file in files}
    return folder, inside, house.data.source("one").concepts(house.sql.revision)


def _sql(statement: str) -> Callable[[Path, Path], None]:
    def change(folder: Path, concepts: Path) -> None:
        connection = connect(folder / "ehr.duckdb")
        connection.execute(statement)
        connection.close()

    return change


def _link(name: str) -> Callable[[Path, Path], None]:
    def change(folder: Path, concepts: Path) -> None:
        place = folder / "parquet" / name
        place.unlink(missing_ok=True)
        os.link(concepts / "mimiciv_derived.culture_pairs.parquet", place)

    return change


def _copied(folder: Path, concepts: Path) -> None:
    place = folder / "parquet" / "mimiciv_hosp.omr.parquet"
    place.unlink()
    shutil.copyfile(concepts / "mimiciv_derived.culture_pairs.parquet", place)


def _parquet(options: str, columns: str = "1 AS a") -> Callable[[Path, Path], None]:
    def change(folder: Path, concepts: Path) -> None:
        place = folder / "parquet" / "mimiciv_hosp.omr.parquet"
        place.unlink()
        connect().execute(f"COPY (SELECT {columns}) TO '{place}' (FORMAT parquet{options})")

    return change


def _dropped(folder: Path, concepts: Path) -> None:
    _sql("CREATE TABLE culture_pairs AS SELECT 1 AS a; CHECKPOINT; DROP TABLE culture_pairs")(
        folder, concepts
    )


def _symlink(folder: Path, concepts: Path) -> None:
    place = folder / "parquet" / "mimiciv_hosp.omr.parquet"
    place.unlink()
    place.symlink_to(concepts / "mimiciv_derived.heart_rate.parquet")


LEAKS: dict[str, tuple[Callable[[Path, Path], None], str]] = {
    "a view of that name": (
        _sql("CREATE VIEW mimiciv_icu.culture_pairs AS SELECT 1 AS a"),
        "view culture_pairs mentions culture_pairs",
    ),
    "a table": (_sql("CREATE TABLE culture_pairs (a INTEGER)"), "table culture_pairs mentions"),
    "a macro that tells": (
        _sql("CREATE MACRO hint() AS 'see culture_pairs'"),
        "macro hint mentions culture_pairs",
    ),
    "a comment on a view": (
        _sql("COMMENT ON VIEW mimiciv_icu.icustays IS 'without CULTURE_PAIRS'"),
        "view icustays mentions culture_pairs",
    ),
    "a comment on a column": (
        _sql("COMMENT ON COLUMN mimiciv_icu.icustays.los IS 'as in culture_pairs'"),
        "comment on column los mentions culture_pairs",
    ),
    "a column": (_sql("CREATE TABLE extra (culture_pairs INTEGER)"), "column main.extra.culture_pairs"),
    "a type": (_sql("CREATE TYPE t AS ENUM ('culture_pairs')"), "type t mentions culture_pairs"),
    "another view": (_sql("CREATE VIEW more AS SELECT 1 AS a"), "view main.more is not among"),
    "a view of more": (
        _sql("DROP VIEW mimiciv_icu.icustays; CREATE VIEW mimiciv_icu.icustays AS SELECT 1 AS stay_id"),
        "reads something else",
    ),
    "the file": (_link("mimiciv_derived.culture_pairs.parquet"), "unexpected file"),
    "the file under another name": (_link("mimiciv_hosp.omr.parquet"), "has the content of a removed table"),
    "its copy": (_copied, "has the content of a removed table"),
    "a link out": (_symlink, "is no regular file"),
    "Parquet metadata": (
        _parquet(", KV_METADATA {source: 'mimiciv_derived.culture_pairs'}"),
        "metadata mentions culture_pairs",
    ),
    "a Parquet column": (_parquet("", "1 AS culture_pairs"), "a column name mentions culture_pairs"),
    "bytes of a dropped table": (_dropped, "holds the bytes"),
    "another file": (
        lambda folder, concepts: (folder / "notes.txt").write_text("x"),
        "unexpected file notes.txt",
    ),
    "no catalog": (
        lambda folder, concepts: (folder / "ehr.duckdb").write_bytes(b"x"),
        "not a DuckDB database",
    ),
}


@pytest.mark.parametrize("case", LEAKS)
def test_every_leak_is_seen(case: str, clean: tuple[Path, dict[str, str], Path]) -> None:
    folder, inside, concepts = clean
    removed = ["mimiciv_derived.culture_pairs", "mimiciv_derived.pairs_of_stay"]
    files = [concepts / f"{name}.parquet" for name in removed]
    assert leaks(folder, inside, removed, removed_files=files) == []
    change, expected = LEAKS[case]
    change(folder, concepts)
    found = leaks(folder, inside, removed, removed_files=files)
    assert any(expected in line for line in found), found


def test_declared_tables_may_have_columns_of_that_name(clean: tuple[Path, dict[str, str], Path]) -> None:
    folder, inside, _ = clean
    removed = ["mimiciv_derived.hr"]
    assert leaks(folder, inside, removed, declared=["mimiciv_derived.heart_rate"]) == []
    assert any("mimiciv_derived.heart_rate.hr" in line for line in leaks(folder, inside, removed))


def test_a_copy_is_made_where_links_do_not_work(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(source: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("workbench.ehr.task_files.os.link", forbidden)
    files = visible_files(house.data, house.source, task(), house.sql, concepts_of(house))
    link_files(files, tmp_path, silent)
    for file in files:
        place = tmp_path / "parquet" / file.name
        assert place.read_bytes() == file.path.read_bytes() and place.stat().st_mode & 0o777 == 0o644


@pytest.mark.real
def test_earlier_engines_open_the_catalog(house: House, tmp_path: Path) -> None:
    """DuckDB 1.4 reads it, with the views at their place, in a mount namespace."""
    house.build(task())
    packages = tmp_path / "packages"
    fetched = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(packages), "duckdb==1.4.*"],
        check=False,
        capture_output=True,
        env={name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"},
    )
    if fetched.returncode != 0:
        pytest.skip("duckdb 1.4 cannot be fetched here")
    code = (
        "import duckdb; c = duckdb.connect('/data/ehr.duckdb', read_only=True); "
        "print(duckdb.__version__, c.execute('SELECT count(*) FROM mimiciv_icu.chartevents').fetchall())"
    )
    spec = SandboxSpec(
        argv=(house.runtime.python, "-c", code),
        env={**house.runtime.env, "PYTHONPATH": "/opt/runtime-old"},
        mounts=(
            *house.runtime.mounts,
            Mount(packages, "/opt/runtime-old"),
            Mount(house.folder(task()), DATABASE_FOLDER),
        ),
    )
    with house.sandbox.start(spec, tmp_path) as process:
        said = b"".join(chunk.data for chunk in process.stream()).decode()
        process.wait()
    assert said.startswith("1.4.") and "[(3,)]" in said


def test_the_plan_names_neither_host_nor_task() -> None:
    plan = json.loads(catalog_plan({"mimiciv_icu.icustays": "/data/parquet/mimiciv_icu.icustays.parquet"}))
    assert plan == {
        "storage": "v1.0.0",
        "schemas": ["mimiciv_icu"],
        "views": [["mimiciv_icu", "icustays", "/data/parquet/mimiciv_icu.icustays.parquet"]],
    }
