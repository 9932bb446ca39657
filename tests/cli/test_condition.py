"""What an agent would get, printed and written out."""

from __future__ import annotations

from pathlib import Path

from workbench.records import Condition, blob_hash

from .conftest import Command

TASK = "mimic-meld-24h-raw"


def test_all_conditions_are_listed(command: Command) -> None:
    items = command("condition", "list", "--json").envelope["items"]
    assert [item["name"] for item in items] == [str(condition) for condition in Condition]
    assert all(item["gives"] for item in items)
    assert "with-skill-decoy" in command("condition", "list").out


def test_a_preview_has_every_byte(command: Command, tmp_path: Path) -> None:
    asked = ("condition", "preview", TASK, "--condition", "with-checks")
    envelope = command(*asked, "--json").envelope
    assert [item["path"] for item in envelope["items"]] == [
        "/workspace/.agents/skills/meld/SKILL.md",
        "/workspace/check_output.py",
    ]
    ended = command(*asked, "--to", tmp_path / "out")
    assert ended.code == 0 and "prompt.md" in ended.out
    prompt = (tmp_path / "out" / "prompt.md").read_bytes()
    assert envelope["summary"]["prompt"].encode() == prompt
    assert envelope["summary"]["prompt_hash"] == blob_hash(prompt)
    for item in envelope["items"]:
        written = (tmp_path / "out" / item["path"].lstrip("/")).read_bytes()
        assert written == item["text"].encode() and item["hash"] == blob_hash(written)
    printed = command(*asked).out
    assert "==> prompt" in printed and "==> /workspace/check_output.py" in printed


def test_what_cannot_be_is_told(command: Command, tmp_path: Path) -> None:
    ended = command("condition", "preview", TASK, "--to", tmp_path)
    assert ended.code == 2 and "Name a folder that is not there" in ended.err
    assert command("condition", "preview", "meldd").code == 2
    assert "with-skill-all" in command("condition", "preview", TASK, "--condition", "x").err
