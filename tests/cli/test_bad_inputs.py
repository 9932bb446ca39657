"""Bad inputs: each gives one clear message and the right exit code, and leaves nothing half done."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.ehr import published_schema
from workbench.records import DataPaths, RunPaths
from workbench.store import FileLock

Arguments = tuple[str | Path, ...]
SCHEMA = published_schema()
LABS = "mimiciv_hosp.labevents"
LAB_LINE = b"1,10,100,7,50912,,2180-01-01 06:00:00,2180-01-01 07:00:00,1.1,1.1,mg/dL,0.4,1.1,,ROUTINE,none\n"
TASK = "mimic-suspicion-infection"
EXAMPLE = "tasks/m4bench/suspicion-infection"


class Place:
    """Where one bad input is made: a content root of its own, an input folder, a data directory."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.home = home
        self.data = DataPaths(home)

    def content(self) -> Path:
        """A copy of the project's content, to be damaged; commands stand in it."""
        root = self.folder / "content"
        here = Path.cwd()
        for name in ("tasks", "skills", "audits"):
            shutil.copytree(here / name, root / name)
        shutil.copy(here / "workbench.toml", root)
        os.chdir(root)
        return root

    def physionet(self) -> Path:
        """A PhysioNet folder with every needed table, empty but for one lab result."""
        for table in SCHEMA.tables:
            if table.needed:
                path = self.csv(table.name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(",".join(table.types) + "\n")
        with self.csv(LABS).open("ab") as file:
            file.write(LAB_LINE)
        return self.folder / "given"

    def csv(self, table: str) -> Path:
        schema, bare = table.split(".")
        return self.folder / "given" / schema.removeprefix("mimiciv_") / f"{bare}.csv"

    def source(self, name: str, manifest: str) -> None:
        paths = self.data.source(name)
        paths.folder.mkdir(parents=True)
        paths.manifest.write_text(manifest)


def importing(path: Path) -> Arguments:
    return ("data", "import", path, "--name", "mine")


def missing_folder(place: Place) -> Arguments:
    return importing(place.folder / "none")


def empty_folder(place: Place) -> Arguments:
    (place.folder / "given").mkdir()
    return importing(place.folder / "given")


def wrong_database(place: Place) -> Arguments:
    (place.folder / "given").mkdir()
    for name in ("patient", "lab", "apachePatientResult"):
        (place.folder / "given" / f"{name}.csv").write_text("patientunitstayid\n1\n")
    return (*importing(place.folder / "given"), "--database", "mimic-iv")


def truncated_gzip(place: Place) -> Arguments:
    given = place.physionet()
    plain = place.csv(LABS)
    packed = gzip.compress(plain.read_bytes() + LAB_LINE * 20_000)
    plain.with_name("labevents.csv.gz").write_bytes(packed[: len(packed) // 2])
    plain.unlink()
    return importing(given)


def text_not_utf8(place: Place) -> Arguments:
    given = place.physionet()
    with place.csv(LABS).open("ab") as file:
        file.write(LAB_LINE.replace(b"none", b"caf\xe9"))
    return importing(given)


def wrong_columns(place: Place) -> Arguments:
    given = place.physionet()
    text = place.csv(LABS).read_text()
    place.csv(LABS).write_text(text.replace("itemid", "item"))
    return importing(given)


def bad_value(place: Place) -> Arguments:
    given = place.physionet()
    with place.csv(LABS).open("ab") as file:
        file.write(LAB_LINE.replace(b"50912", b"FIFTY"))
    return importing(given)


def needed_table_missing(place: Place) -> Arguments:
    given = place.physionet()
    place.csv("mimiciv_icu.icustays").unlink()
    return importing(given)


def no_duckdb_file(place: Place) -> Arguments:
    path = place.folder / "mimic.duckdb"
    path.write_text("this is no database " * 500)
    return importing(path)


def bad_source_name(place: Place) -> Arguments:
    return ("data", "import", place.physionet(), "--name", "../mine")


def unknown_source(place: Place) -> Arguments:
    return ("data", "show", "mimic")


def damaged_manifest(place: Place) -> Arguments:
    place.source("mimic", '{"name": "mimic"}')
    return ("data", "show", "mimic")


def unconfirmed_removal(place: Place) -> Arguments:
    manifest = (
        '{"name": "mimic", "database": "mimic-iv", "kind": "imported", "origin": "o", "origin_hash": "h", '
        '"schema_name": "s", "created": "2030-01-01T00:00:00Z", "tables": []}'
    )
    place.source("mimic", manifest)
    return ("data", "remove", "mimic")


def concept_folder_without_sql(place: Place) -> Arguments:
    (place.folder / "given").mkdir()
    return ("data", "concepts", "--folder", place.folder / "given")


def unknown_task(place: Place) -> Arguments:
    return ("task", "show", "suspected_infectoin")


def task_without_syntax(place: Place) -> Arguments:
    path = place.content() / EXAMPLE / TASK / "task.toml"
    path.write_text(path.read_text() + "\n[thresholds\n")
    return ("task", "show", TASK)


def task_with_unknown_key(place: Place) -> Arguments:
    path = place.content() / EXAMPLE / TASK / "task.toml"
    path.write_text(path.read_text().replace("mode =", "moode =", 1))
    return ("task", "show", TASK)


def family_not_utf8(place: Place) -> Arguments:
    path = place.content() / EXAMPLE / "family.toml"
    path.write_bytes(path.read_bytes() + b"# \xff\n")
    return ("task", "show", "suspicion-infection")


def skill_without_frontmatter(place: Place) -> Arguments:
    path = place.content() / "skills" / "suspicion-infection" / "SKILL.md"
    path.write_text("# Suspicion of infection\n")
    return ("skill", "show", "suspicion-infection")


def skill_of_another_name(place: Place) -> Arguments:
    path = place.content() / "skills" / "suspicion-infection" / "SKILL.md"
    path.write_text(path.read_text().replace("name: suspicion-infection", "name: sofa", 1))
    return ("skill", "show", "suspicion-infection")


def unknown_skill(place: Place) -> Arguments:
    return ("skill", "show", "suspicion-infektion")


def settings_without_syntax(place: Place) -> Arguments:
    (place.content() / "workbench.toml").write_text("source = synthetic\n")
    return ("task", "list")


def settings_with_unknown_key(place: Place) -> Arguments:
    (place.content() / "workbench.toml").write_text('sauce = "x"\n')
    return ("runs", "list")


def home_is_a_file(place: Place) -> Arguments:
    place.home.write_text("")
    return importing(place.physionet())


def home_is_shared(place: Place) -> Arguments:
    place.home.mkdir()
    place.home.chmod(0o1777)
    return importing(place.physionet())


def source_in_use(place: Place) -> Arguments:
    return importing(place.physionet())


def unknown_run(place: Place) -> Arguments:
    return ("runs", "show", "2030")


def damaged_result(place: Place) -> Arguments:
    paths = RunPaths(place.data.runs / "20300101t000000-a")
    paths.folder.mkdir(parents=True)
    paths.plan.write_text("{")
    return ("runs", "show", "20300101t000000-a")


def unknown_group(place: Place) -> Arguments:
    return ("runs", "stats", "--by", "colour")


def missing_sql(place: Place) -> Arguments:
    return (
        "witness",
        "run",
        "--no-concepts",
        "--family",
        "suspicion-infection",
        "--sql",
        place.folder / "none.sql",
    )


def sql_not_utf8(place: Place) -> Arguments:
    (place.folder / "mine.sql").write_bytes(b"SELECT '\xff'")
    return (
        "witness",
        "run",
        "--no-concepts",
        "--family",
        "suspicion-infection",
        "--sql",
        place.folder / "mine.sql",
    )


def run_of_an_unknown_task(place: Place) -> Arguments:
    return ("run", "mimic-suspicion")


def run_with_an_unknown_sandbox(place: Place) -> Arguments:
    return ("run", TASK, "--sandbox", "none")


def run_of_a_missing_script(place: Place) -> Arguments:
    return ("run", TASK, "--agent", "script", "--file", place.folder / "none.sql")


def run_with_a_limit_of_nothing(place: Place) -> Arguments:
    return ("run", TASK, "--limit-wall", "0")


BAD_INPUTS: list[tuple[Callable[[Place], Arguments], int, list[str]]] = [
    (missing_folder, 2, ["none: there is no such file or folder"]),
    (empty_folder, 2, ["given: "]),
    (wrong_database, 2, ["given: looks like eICU-CRD, not MIMIC-IV"]),
    (truncated_gzip, 2, ["labevents"]),
    (text_not_utf8, 2, ["labevents", "line", "not UTF-8"]),
    (wrong_columns, 2, ["labevents", "itemid"]),
    (bad_value, 2, ["labevents", "line 3", "itemid"]),
    (needed_table_missing, 2, ["icustays"]),
    (no_duckdb_file, 2, ["mimic.duckdb"]),
    (bad_source_name, 2, ["'../mine' cannot name a source"]),
    (unknown_source, 2, ["no source named 'mimic'"]),
    (damaged_manifest, 2, ["manifest.json", "database"]),
    (unconfirmed_removal, 3, ["this removes source mimic", "--yes"]),
    (concept_folder_without_sql, 2, ["given: holds no concept SQL"]),
    (unknown_task, 2, ["there is no task, family or alias 'suspected_infectoin'", "Did you mean suspected"]),
    (task_without_syntax, 2, ["task.toml, line ", "not valid TOML"]),
    (task_with_unknown_key, 2, ["task.toml, line ", "unknown key 'moode'. Did you mean mode?"]),
    (family_not_utf8, 2, ["family.toml, line ", "not UTF-8"]),
    (skill_without_frontmatter, 2, ["SKILL.md, line 1: does not start with a frontmatter line"]),
    (skill_of_another_name, 2, ["SKILL.md, line 2: name 'sofa' is not the folder's name"]),
    (unknown_skill, 2, ["there is no skill 'suspicion-infektion'", "Did you mean suspicion-infection?"]),
    (settings_without_syntax, 2, ["workbench.toml: not valid TOML", "line 1"]),
    (settings_with_unknown_key, 2, ["workbench.toml", "sauce"]),
    (home_is_a_file, 2, ["home", "file is where a folder should be"]),
    (home_is_shared, 3, ["home: is shared with other users"]),
    (source_in_use, 3, ["source mine", "is in use by process"]),
    (unknown_run, 2, ["no run starts with '2030'"]),
    (damaged_result, 2, ["plan.json: not valid JSON"]),
    (unknown_group, 2, ["cannot group by 'colour'", "Known: task"]),
    (missing_sql, 2, ["none.sql: cannot be read"]),
    (sql_not_utf8, 2, ["mine.sql: is not UTF-8"]),
    (
        run_of_an_unknown_task,
        2,
        ["there is no task, family or alias 'mimic-suspicion'", "Did you mean mimic"],
    ),
    (run_with_an_unknown_sandbox, 2, ["no sandbox 'none'"]),
    (run_of_a_missing_script, 2, ["none.sql"]),
    (run_with_a_limit_of_nothing, 2, ["wall_s must be above 0"]),
]


@pytest.fixture
def place(tmp_path: Path, home: Path) -> Place:
    return Place(tmp_path, home)


def assert_one_message(ended: Any, code: int, words: list[str]) -> None:
    assert (ended.code, ended.out) == (code, ""), ended.err
    lines = ended.err.splitlines()
    assert lines[0].startswith("error: ")
    assert all(line.startswith("  ") for line in lines[1:]), ended.err
    assert [word for word in words if word not in ended.err] == [], ended.err


@pytest.mark.parametrize(
    ("make", "code", "words"), BAD_INPUTS, ids=[make.__name__ for make, *_ in BAD_INPUTS]
)
def test_bad_input(
    command: Callable[..., Any], place: Place, make: Callable[[Place], Arguments], code: int, words: list[str]
) -> None:
    arguments = make(place)
    if make is source_in_use:
        with FileLock(place.data.locks / "source-mine.tables.lock", "source mine"):
            ended = command(*arguments)
    else:
        ended = command(*arguments)
    assert_one_message(ended, code, words)
    assert not place.data.source("mine").folder.exists()
    assert not list(place.data.scratch.glob("*"))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 300 KB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small file system needs root")
    mounting = ["mount", "-t", "tmpfs", "-o", "size=300k,mode=700", "none", str(folder)]
    if subprocess.run(mounting, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine does not allow a mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize(
    ("full", "words"), [(False, ["Read-only file system"]), (True, ["No space left on device"])]
)
def test_bad_disk(
    command: Callable[..., Any], place: Place, disk: Path, full: bool, words: list[str]
) -> None:
    given = place.physionet()
    if full:
        (disk / "filling").write_bytes(b"x" * 290_000)
    else:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    assert_one_message(command("--home", disk / "home", *importing(given)), 2, words)
    assert command("--home", disk / "home", "runs", "list").out == "no runs\n"
