"""Sources from the command line: made, listed, shown, imported, removed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import data
from workbench.ehr import published_schema
from workbench.records import Progress

Run = Callable[..., Any]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """A PhysioNet folder with every needed table and one patient."""
    for table in published_schema().tables:
        if table.needed:
            schema, bare = table.name.removeprefix("mimiciv_").split(".")
            folder = tmp_path / "given" / schema
            folder.mkdir(parents=True, exist_ok=True)
            line = "5,F,61,2150,2011 - 2013,\n" if bare == "patients" else ""
            (folder / f"{bare}.csv").write_text(",".join(table.types) + "\n" + line)
    return tmp_path / "given"


def test_import_list_show_remove(command: Run, given: Path, home: Path) -> None:
    imported = command("data", "import", given, "--name", "mine", "--json")
    assert imported.code == 0
    (source,) = imported.envelope["items"]
    assert (source["name"], source["kind"], source["rows"]) == ("mine", "imported", 1)
    again = command("data", "import", given, "--name", "mine", "--json").envelope["items"]
    assert again == [source]
    assert command("data", "list", "--json").envelope["items"] == [source]
    tables = {
        item["table"]: item["rows"] for item in command("data", "show", "mine", "--json").envelope["items"]
    }
    assert tables["mimiciv_hosp.patients"] == 1
    assert len(tables) == source["tables"]
    assert command("data", "remove", "mine", "--yes").out == "removed mine\n"
    assert command("data", "list").out.startswith("no sources")
    assert not (home / "sources" / "mine").exists()


def test_another_input_replaces_a_source_only_when_told_to(command: Run, given: Path, home: Path) -> None:
    before = command("data", "import", given, "--name", "mine", "--json").envelope["items"]
    with (given / "hosp" / "patients.csv").open("a") as file:
        file.write("6,M,70,2150,2011 - 2013,\n")
    refused = command("data", "import", given, "--name", "mine")
    assert refused.code == 3
    assert "another input" in refused.err and "--name" in refused.err and "--replace" in refused.err
    assert command("data", "list", "--json").envelope["items"] == before
    (source,) = command("data", "import", given, "--name", "mine", "--replace", "--json").envelope["items"]
    assert source["rows"] == 2
    again = command("data", "import", given, "--name", "mine", "--json")
    assert again.code == 0 and again.envelope["items"] == [source]


def test_text_says_which_tables_were_not_in_the_input(command: Run, given: Path) -> None:
    out = command("data", "import", given, "--name", "mine").out
    assert "mimiciv_icu.caregiver" in out.split("empty, as the input has no such table: ")[1]


def test_no_path_and_no_value_reach_manifest_or_log(command: Run, given: Path, home: Path) -> None:
    command("data", "import", given, "--name", "mine")
    text = (home / "sources" / "mine" / "manifest.json").read_text()
    text += (home / "logs" / "workbench.jsonl").read_text()
    assert "source imported" in text
    assert str(given) not in text
    assert "2011 - 2013" not in text


@contextmanager
def cancelling() -> Iterator[Progress]:
    """As if Ctrl-C came at the first sign of progress."""

    def cancel(label: str, done: float, total: float, unit: str) -> None:
        raise KeyboardInterrupt

    yield cancel


def test_ctrl_c_leaves_the_previous_state(
    command: Run, given: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = command("data", "import", given, "--name", "mine", "--json").envelope["items"]
    with (given / "hosp" / "patients.csv").open("a") as file:
        file.write("6,M,70,2150,2011 - 2013,\n")
    monkeypatch.setattr(data, "progress_line", cancelling)
    for arguments in (("import", given, "--name", "mine", "--replace"), ("synth", "--stays", "5")):
        ended = command("data", *arguments)
        assert (ended.code, ended.out, ended.err) == (1, "", "error: cancelled\n")
    assert command("data", "list", "--json").envelope["items"] == before
    assert not list((home / "scratch").glob("*"))


def test_synthetic_sources_are_the_same_by_seed(command: Run, tmp_path: Path) -> None:
    made = [
        command("--home", tmp_path / name, "data", "synth", "--stays", "5", "--seed", "3", "--json")
        for name in ("one", "two")
    ]
    hashes = {ended.envelope["items"][0]["content_hash"] for ended in made}
    assert len(hashes) == 1
    assert command("--home", tmp_path / "one", "data", "list").out.splitlines()[1].startswith("synthetic-5-3")


def test_what_is_told_of_a_source_fits_a_terminal(
    command: Run, given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    imported = command("data", "import", given, "--name", "mine").out
    assert "empty, as the input has no such table: " in imported
    assert max(map(len, imported.splitlines())) <= 80
    listed = command("data", "list")
    assert listed.out.splitlines()[1].startswith("mine ")
    assert max(map(len, (listed.out + listed.err).splitlines())) <= 80
    shown = command("data", "show", "mine").out
    (created,) = [line for line in shown.splitlines() if line.startswith("created ")]
    assert created.endswith("Z")


def test_synthetic_eicu_and_an_import_told_as_eicu(command: Run, given: Path, home: Path) -> None:
    (made,) = command("data", "synth", "--database", "eicu", "--stays", 12, "--json").envelope["items"]
    assert (made["name"], made["database"], made["tables"]) == ("synthetic-eicu-12-1", "eicu", 31)
    tables = command("data", "show", made["name"], "--json").envelope["items"]
    assert {item["table"]: item["rows"] for item in tables}["eicu_crd.patient"] == 12
    refused = command("data", "import", given, "--name", "mine", "--database", "eicu")
    assert refused.code == 2 and "looks like MIMIC-IV, not eICU-CRD" in refused.err
    again = command("data", "import", home / "sources" / made["name"] / "tables", "--name", "again", "--json")
    (source,) = again.envelope["items"]
    assert (source["database"], source["rows"]) == ("eicu", made["rows"])


def _torn(manifest: Path) -> None:
    manifest.write_text("{")


def _gone(manifest: Path) -> None:
    manifest.unlink()


def _pipe(manifest: Path) -> None:
    manifest.unlink()
    os.mkfifo(manifest)


@pytest.mark.parametrize("damage", [_torn, _gone, _pipe])
def test_a_damaged_source_can_be_removed(
    command: Run, given: Path, home: Path, damage: Callable[[Path], None]
) -> None:
    command("data", "import", given, "--name", "mine")
    command("data", "import", given, "--name", "other")
    damage(home / "sources" / "mine" / "manifest.json")
    listed = command("data", "list")
    assert (listed.code, "other" in listed.out, "mine/manifest.json" in listed.err) == (1, True, True)
    assert "workbench data remove mine --yes" in listed.err
    assert command("data", "show", "mine").code == 2
    refused = command("data", "remove", "mine")
    assert refused.code == 3 and "damaged" in refused.err
    assert (home / "sources" / "mine").is_dir()
    assert command("data", "remove", "mine", "--yes").out == "removed mine\n"
    assert [path.name for path in (home / "sources").iterdir()] == ["other"]
    assert command("data", "remove", "mine", "--yes").code == 2
    assert command("data", "list").code == 0


@pytest.mark.parametrize("name", ["mine", "gone"])
def test_removing_follows_no_link(command: Run, given: Path, home: Path, name: str) -> None:
    command("data", "import", given, "--name", "other")
    kept = home.parent / "kept"
    kept.mkdir()
    (kept / "precious").write_text("x")
    (home / "sources" / "mine").symlink_to(kept)
    (home / "sources" / "gone").symlink_to(home / "nowhere")
    (home / "sources" / "other" / "manifest.json").unlink()
    (home / "sources" / "other" / "link").symlink_to(kept)
    for each in (name, "other"):
        assert command("data", "remove", each, "--yes").out == f"removed {each}\n"
        assert not os.path.lexists(home / "sources" / each)
    assert (kept / "precious").read_text() == "x"
    assert list((home / "scratch").iterdir()) == []


@pytest.mark.parametrize("name", ["..", ".", "../sources/other", "", "other/tables"])
def test_removing_stays_within_the_folder_of_sources(
    command: Run, given: Path, home: Path, name: str
) -> None:
    command("data", "import", given, "--name", "other")
    assert command("data", "remove", name, "--yes").code == 2
    assert (home / "sources" / "other" / "manifest.json").is_file()


def test_a_damaged_source_does_not_stop_work_on_another(command: Run, given: Path, home: Path) -> None:
    command("data", "import", given, "--name", "mine")
    _torn(home / "sources" / "mine" / "manifest.json")
    missing = command("run", "mimic-suspicion-infection", "--source", "none-such")
    assert missing.code == 2 and "no source named 'none-such'" in missing.err and "mine" in missing.err
    torn = command("run", "mimic-suspicion-infection", "--source", "mine")
    assert torn.code == 2 and "mine/manifest.json" in torn.err and "data remove mine" in torn.err
