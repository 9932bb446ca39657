"""docs/your-own-family.md, followed word by word beside the project's skills: commands, files, answers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "your-own-family.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([^`\s]+\.(?:sql|toml|md))`")


@dataclass(frozen=True)
class Block:
    """A fenced block, and the last file named in the paragraph above it."""

    kind: str
    text: str
    file: str


def blocks() -> Iterator[Block]:
    page = PAGE.read_text(encoding="utf-8")
    for found in FENCE.finditer(page):
        above = page[: found.start()].rstrip().rsplit("\n\n", 1)[-1]
        yield Block(found[1], found[2], (NAMED.findall(above) or [""])[-1])


def test_the_page_works_as_it_is_written(tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(ROOT / "skills", root / "skills")
    shutil.copy(ROOT / "workbench.toml", root)
    (root / ".venv").symlink_to(sys.prefix)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    said, written = "", 0
    for block in blocks():
        if block.kind == "sh":
            done = subprocess.run(
                ["bash", "-e", "-c", f". .venv/bin/activate\n{block.text}"],
                cwd=root, env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{block.text}\n{done.stdout}\n{done.stderr}"
            said = done.stdout
        elif block.kind == "text":
            assert [line for line in block.text.splitlines() if line not in said] == [], said
        else:
            path = root / block.file
            assert block.file and path.parent.is_dir(), f"no file is named above:\n{block.text}"
            path.write_text(block.text, encoding="utf-8")
            written += 1
    assert written == 13
    assert "reward 1.000" in PAGE.read_text(encoding="utf-8")


def test_a_reader_of_the_readme_finds_the_page() -> None:
    assert "(docs/your-own-family.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
