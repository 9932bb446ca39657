"""A stored file that is not what its manifest says: told, never opened, made again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.ehr import ensure_concepts, fetch_concept_sql, import_source, make_synthetic
from workbench.ehr.concept_build import load_concepts
from workbench.ehr.source_views import open_source
from workbench.ehr.stored_files import tables_hold, why_damaged
from workbench.ehr.task_files import visible_files
from workbench.records import BadInput, ConceptSet, DataPaths, Mode, Source

from .test_task_database import task

MakeSource = Callable[..., Source]
MakeConcepts = Callable[[Path, dict[str, str]], Path]
Spoil = Callable[[Path], None]
TABLE = "mimiciv_icu.chartevents"


def to_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def to_link(path: Path) -> None:
    kept = path.with_suffix(".kept")
    path.rename(kept)
    path.symlink_to(kept)


def cut(path: Path) -> None:
    os.truncate(path, 100)


NOT_REGULAR = "is not a regular file"
SPOILT = pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (to_pipe, NOT_REGULAR),
        (to_folder, NOT_REGULAR),
        (to_link, NOT_REGULAR),
        (cut, "has 100 bytes and not the "),
        (Path.unlink, "is not there"),
    ],
)


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    made = DataPaths(tmp_path / "home")
    made.root.mkdir(mode=0o700)
    return made


@SPOILT
def test_a_damaged_table_is_told_where_a_source_is_opened(
    data: DataPaths,
    one_stay: MakeSource,
    concept_folder: MakeConcepts,
    tmp_path: Path,
    spoil: Spoil,
    why: str,
) -> None:
    source = one_stay(data, "one")
    sql = fetch_concept_sql(data, concept_folder(tmp_path / "code", {"one": "SELECT 1 AS stay_id"}))
    path = data.source("one").table(TABLE)
    spoil(path)
    none = ConceptSet(revision=sql.revision, source_hash="", duckdb_version="", concepts=[])
    for told in (
        lambda: open_source(data, source).__enter__(),
        lambda: visible_files(data, source, task(Mode.RAW, removed=()), sql, none),
        lambda: ensure_concepts(data, source, sql),
    ):
        with pytest.raises(BadInput) as caught:
            told()
        assert caught.value.what.startswith(f"source one: the file of {TABLE} {why}")
        assert caught.value.where == str(path)
        assert caught.value.remedy == "Import it again: workbench data import PATH --name one."


@pytest.mark.parametrize("spoil", [to_pipe, to_link, cut, Path.unlink])
def test_a_damaged_concept_is_built_again(
    data: DataPaths, one_stay: MakeSource, concept_folder: MakeConcepts, tmp_path: Path, spoil: Spoil
) -> None:
    source = one_stay(data, "one")
    rates = "SELECT stay_id, valuenum AS hr FROM mimiciv_icu.chartevents"
    sql = fetch_concept_sql(data, concept_folder(tmp_path / "code", {"rates": rates}))
    built = ensure_concepts(data, source, sql)
    path = data.source("one").concept(sql.revision, "rates")
    spoil(path)
    left = load_concepts(data, source, sql.revision)
    assert left is not None and left.concepts == []
    assert ensure_concepts(data, source, sql) == built
    assert not why_damaged(path, built.concepts[0].bytes)


def test_a_concept_that_became_a_pipe_is_not_opened(data: DataPaths, one_stay: MakeSource) -> None:
    source = one_stay(data, "one")
    path = data.source("one").concept("r", "rates")
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    with (
        pytest.raises(BadInput, match=rf"mimiciv_derived\.rates {NOT_REGULAR}"),
        open_source(data, source, concept_revision="r", concepts=["rates"]),
    ):
        pass


@pytest.mark.parametrize("spoil", [to_pipe, to_folder, cut, Path.unlink])
def test_what_is_damaged_is_made_again_by_the_command_that_the_message_names(
    data: DataPaths, spoil: Spoil
) -> None:
    source = make_synthetic(data, 2, 1, name="mine")
    path = data.source("mine").table("mimiciv_hosp.admissions")
    spoil(path)
    with pytest.raises(BadInput) as caught, open_source(data, source):
        pass
    assert caught.value.remedy == (
        "Make it again: workbench data synth --database mimic-iv --stays 2 --seed 1 --name mine."
    )
    assert make_synthetic(data, 2, 1, name="mine").content_hash == source.content_hash
    assert tables_hold(data, source)


def test_a_damaged_import_is_imported_again(data: DataPaths, one_stay: MakeSource) -> None:
    one_stay(data, "given")
    given = data.source("given").tables
    source = import_source(data, given, "mine")
    made = data.source("mine").manifest.stat().st_ino
    assert import_source(data, given, "mine") == source
    assert data.source("mine").manifest.stat().st_ino == made
    cut(data.source("mine").table(TABLE))
    assert import_source(data, given, "mine").content_hash == source.content_hash
    assert tables_hold(data, source)
