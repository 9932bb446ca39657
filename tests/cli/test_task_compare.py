"""``workbench task compare``: counts, columns and examples of what is unexplained."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.ehr import fetch_concept_sql
from workbench.records import DataPaths, Source, Unavailable

ROOT = Path(__file__).resolve().parents[2]
FAMILY = "suspicion-infection"


@pytest.fixture
def compare(command: Callable[..., Any], synthetic: Source, shared_home: DataPaths) -> Callable[..., Any]:
    try:
        fetch_concept_sql(shared_home)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")
    return lambda *words: command(
        "--home", shared_home.root, "task", "compare", *words, "--source", synthetic.name
    )


def test_a_source_that_is_named_twice_is_compared_once(
    compare: Callable[..., Any], command: Callable[..., Any],
    synthetic: Source, shared_home: DataPaths, changed_root: Path,
) -> None:  # fmt: skip
    twice = ("--source", synthetic.name) * 2
    ended = command("--home", shared_home.root, "task", "equality", *twice, "--json")
    assert ended.code == 0
    assert [(item["family"], item["source"]) for item in ended.envelope["items"]] == [
        (FAMILY, synthetic.name)
    ]


@pytest.fixture
def changed_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A content root with a second reference of the family that has one rule altered."""
    root = tmp_path / "root"
    shutil.copytree(ROOT / "tasks" / "m4bench" / FAMILY, root / "tasks" / "m4bench" / FAMILY)
    (root / "workbench.toml").write_text("schema_version = 1\n")
    folder = root / "tasks" / "m4bench" / FAMILY
    sql = (folder / "reference.mimic-iv.sql").read_text()
    assert "org_itemid <> 90856" in sql
    (folder / "reference.accepted-altered.mimic-iv.sql").write_text(
        sql.replace("org_itemid <> 90856", "org_itemid NOT IN (90856, 90760)")
    )
    monkeypatch.chdir(root)
    return root


def test_an_equal_reference(compare: Callable[..., Any]) -> None:
    ended = compare("suspected_infection", "--json")
    (item,) = ended.envelope["items"]
    assert (ended.code, item["family"], item["target"], item["unexplained"]) == (
        0, FAMILY, "public-code", 0,
    )  # fmt: skip
    assert item["equal"] + item["tied"] == item["rows"] > 500
    assert item["examples"] == []


def test_an_altered_reference_is_found_with_its_columns(
    compare: Callable[..., Any], changed_root: Path
) -> None:
    ended = compare(FAMILY, "--target", "accepted-altered", "--examples", "2")
    assert ended.code == 1
    assert "positive_culture (" in ended.out
    assert "  positive_culture: reference 0, concept 1\n" in ended.out
    assert ended.out.count("subject_id ") == 2


def test_values_are_shown_only_where_asked_for(compare: Callable[..., Any], changed_root: Path) -> None:
    assert ": reference " not in compare(FAMILY, "--target", "accepted-altered").out


def test_a_target_without_a_reference_is_told(compare: Callable[..., Any]) -> None:
    ended = compare(FAMILY, "--target", "accepted-nothing")
    assert ended.code == 2
    assert f"family {FAMILY} has no reference 'accepted-nothing' for mimic-iv" in ended.err
    assert "Its targets: public-code" in ended.err
