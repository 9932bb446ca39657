"""Files that a person or an agent can put in place are opened by one reader, which waits for no pipe."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "workbench"

OWN = "a file of this package"
KERNEL = "a file of the kernel"
INSIDE = "runs inside a sandbox, where nothing of ours is at hand"
ALLOWED = {
    "agents/codex_runtime.py": OWN,
    "agents/in_sandbox/run_sql.py": INSIDE,
    "agents/in_sandbox_runner.py": INSIDE,
    "agents/runner.py": OWN,
    "agents/script.py": OWN,
    "checks/tasks.py": OWN,
    "contamination/files.py": "its own reader, which waits for no pipe; members of a packed file",
    "ehr/catalog_in_sandbox.py": INSIDE,
    "ehr/schema.py": OWN,
    "ehr/synthetic/scripts.py": OWN,
    "ehr/task_catalog.py": OWN,
    "rules/lexicon.py": OWN,
    "rules/phrases.py": OWN,
    "runs/rehearsal.py": OWN,
    "runs/rehearse_in_sandbox.py": INSIDE,
    "sandbox/limits.py": KERNEL,
    "sandbox/namespace.py": KERNEL,
    "sandbox/runtime.py": "the record of an installed package, by importlib",
    "sandbox/sweep.py": KERNEL,
    "scaffold/template.py": OWN,
    "scoring/irregular.py": "written by ourselves into a new folder",
    "scoring/reference_free.py": OWN,
    "store/mounts.py": KERNEL,
    "store/processes.py": KERNEL,
    "tui/orphans.py": KERNEL,
}
NEVER_WAIT = ("O_NONBLOCK", "O_EXCL", "O_DIRECTORY", "O_PATH", "devnull", "/proc/")
"""One of these in a call of ``os.open``: it makes the file, takes a folder, or waits for nothing."""
READS = ("open", "read_text", "read_bytes")


def of_a_path(call: ast.Call, names: dict[str, str]) -> bool:
    """Whether a call opens a file by itself in a way that may wait."""
    what = call.func
    if isinstance(what, ast.Name):
        return what.id == "open"
    if not isinstance(what, ast.Attribute) or what.attr not in READS:
        return False
    if isinstance(what.value, ast.Name) and what.value.id in ("databases", "self"):
        return False
    if isinstance(what.value, ast.Name) and what.value.id == "os":
        text = ast.unparse(call)
        text += "".join(value for name, value in names.items() if name in text)
        return not any(word in text for word in NEVER_WAIT)
    return True


def direct_opens(text: str) -> Iterator[int]:
    """Lines with such a call."""
    tree = ast.parse(text)
    names = {
        target.id: ast.unparse(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and "os.O_" in ast.unparse(node.value)
    }
    yield from (
        node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and of_a_path(node, names)
    )


def found() -> dict[str, list[int]]:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in ROOT.rglob("*.py")}
    lines = {
        name: list(direct_opens(text)) for name, text in texts.items() if not name.startswith("content/")
    }
    return {name: at for name, at in lines.items() if at}


def test_only_the_one_reader_opens_files_that_others_put_there() -> None:
    assert {name: at for name, at in found().items() if name not in ALLOWED} == {}


def test_every_exception_is_one() -> None:
    assert set(ALLOWED) - set(found()) == set()


def test_what_counts_as_a_direct_open() -> None:
    text = """
open(path)
path.open("rb")
(folder / "x").read_text()
os.open(path, os.O_RDONLY)
_FLAGS = os.O_RDONLY | os.O_NONBLOCK
os.open(path, _FLAGS)
read_text(path)
self.open()
gzip.open(path)
"""
    assert sorted(direct_opens(text)) == [2, 3, 4, 5, 10]
