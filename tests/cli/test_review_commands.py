"""Caveats, review sessions, run audits and exports on the command line."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import ROOT, Command


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one family, its skill and its audit, in which the commands are given."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    folder = tmp_path / "project"
    shutil.copytree(ROOT / "skills" / "gcs", folder / "skills" / "gcs")
    shutil.copytree(ROOT / "tasks" / "m4bench" / "gcs", folder / "tasks" / "m4bench" / "gcs")
    (folder / "audits").mkdir()
    shutil.copy(ROOT / "audits" / "gcs.toml", folder / "audits")
    (folder / "workbench.toml").touch()
    monkeypatch.chdir(folder)
    for words in ("init -q", "add -A", "commit -q -m first"):
        subprocess.run(["git", *words.split()], check=True)
    return folder


PROPOSED = (
    *("caveat", "add", "gcs", "late-score", "--as", "C1", "--title", "A score an hour late"),
    *("--severity", "minor", "--bias", "late", "--rule", "eicu-number", "--source", "Read in the SQL"),
    *("--explanation", "It counts all the same.", "--at", "skills/gcs/SKILL.md:1"),
)


def test_a_caveat_from_proposal_to_discussion(project: Path, command: Command) -> None:
    assert command(*PROPOSED).out == "gcs late-score: proposed\n"
    assert command("caveat", "discuss", "gcs", "late-score", "--as", "C1", "-m", "Rare, I think.").code == 0
    (item,) = command("caveat", "list", "--text", "RARE", "--json").envelope["items"]
    assert (item["id"], item["status"], item["severity"]) == ("late-score", "proposed", "minor")
    shown = command("caveat", "show", "gcs", "late-score", "--json").envelope["items"][0]
    assert [entry["act"] for entry in shown["entries"]] == ["propose", "comment"]
    assert shown["anchors"][0]["state"] == "same"
    refused = command("caveat", "confirm", "gcs", "late-score", "--as", "C1")
    assert refused.code == 3 and "proposed or edited" in refused.err
    stale = command(
        *("caveat", "edit", "gcs", "late-score", "--as", "C1", "--bias", "both", "--read-hash", "0" * 40)
    )
    assert stale.code == 3 and "changed by somebody else" in stale.err
    edited = command("caveat", "edit", "gcs", "late-score", "--as", "C1", "--bias", "both", "--json")
    assert edited.envelope["items"][0]["status"] == "proposed"
    unknown = command("caveat", "show", "gcs", "late-scor")
    assert unknown.code == 2 and "late-score" in unknown.err


def test_values_are_refused_and_the_message_does_not_repeat_them(project: Path, command: Command) -> None:
    told = command("caveat", "dispute", "gcs", "tube-is-15", "--as", "C1", "-m", "stay 30000153 differs")
    assert told.code == 3 and "30000153" not in told.err + told.out
    with_reason = command(
        *("caveat", "dispute", "gcs", "tube-is-15", "--as", "C1", "-m", "the constant 31536000 differs"),
        *("--force-reason", "seconds of a year"),
    )
    assert with_reason.out == "gcs tube-is-15: disputed\n"


def test_a_witness_case_on_the_spot(project: Path, command: Command) -> None:
    told = command("caveat", "witness", "gcs", "tube-is-15", "--no-concepts", "--json")
    assert told.code == 0
    (first, *_) = told.envelope["items"]
    assert first["tables"][0]["rows"] and first["reference_gives"]["rows"] and first["unmet"] == []
    said = command("caveat", "witness", "gcs", "tube-is-15", "--no-concepts").out
    assert "the reference gives:" in said and "the source definition gives" in said


def test_a_session_and_its_export(project: Path, command: Command) -> None:
    assert command("review", "open", "may", "--as", "C1", "--with", "C2", "--agenda", "The tube").code == 0
    assert command("review", "note", "--as", "C1", "-m", "It counts as awake.").code == 0
    decided = command("review", "decide", "--as", "C1", "--about", "tube-is-15", "-m", "Kept.", "--json")
    assert decided.envelope["items"][0]["events"] == 3
    assert "may: closed, 4 events" in command("review", "close", "--as", "C1").out
    assert command("review", "note", "--as", "C1", "-m", "too late").code == 2
    (item,) = command("review", "list", "--json").envelope["items"]
    assert (item["session"], item["state"], item["decisions"]) == ("may", "closed", 1)
    assert "| C1 | decide | tube-is-15 | Kept. |" in command("review", "export", "may").out.replace("\\", "")


def test_the_audit_is_written_a_file_a_table(project: Path, command: Command, tmp_path: Path) -> None:
    for form, ending in (
        ("markdown", "md"),
        ("csv", "csv"),
        ("latex", "tex"),
        ("html", "html"),
        ("json", "json"),
    ):
        made = command("audit", "export", "--format", form, "--out", str(tmp_path / "out"))
        assert made.code == 0
        text = (tmp_path / "out" / f"caveats.{ending}").read_text()
        assert "tube" in text
    assert command("audit", "export", "--format", "pdf").code == 2
    assert command("audit", "export", "--table", "nothing").code == 2
    (project / "audits" / "gcs.toml").write_text("broken = [")
    assert command("audit", "export", "--table", "caveats").code == 3
