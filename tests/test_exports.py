"""Packages that import what they export only when it is asked for: their three lists say the same."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "workbench"
LATE = [path.parent.name for path in sorted(PACKAGE.glob("*/__init__.py")) if "exporter(" in path.read_text()]


def _imported(name: str) -> dict[str, str]:
    """Name to module, from the imports that only a type checker sees."""
    tree = ast.parse((PACKAGE / name / "__init__.py").read_text())
    return {
        alias.name: node.module.removeprefix(f"workbench.{name}.")
        for branch in tree.body
        if isinstance(branch, ast.If)
        for node in branch.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def _told(name: str) -> dict[str, str]:
    """Name to module, from the table that is used when the program runs."""
    tree = ast.parse((PACKAGE / name / "__init__.py").read_text())
    call = next(
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "exporter"
    )
    table = ast.literal_eval(call.args[1])
    return {export: module for module, exports in table.items() for export in exports}


def test_records_and_patterns_are_late() -> None:
    assert {"patterns", "records"} <= set(LATE)


@pytest.mark.parametrize("name", LATE)
def test_the_lists_agree(name: str) -> None:
    package = import_module(f"workbench.{name}")
    assert _told(name) == _imported(name)
    assert sorted(_told(name)) == sorted(package.__all__)
    modules = {path.stem for path in (PACKAGE / name).glob("*.py")}
    assert not modules & set(package.__all__), "a module of that name would hide what is exported"
    for export in package.__all__:
        assert getattr(package, export) is getattr(
            import_module(f"workbench.{name}.{_told(name)[export]}"), export
        )
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        package.nothing  # noqa: B018


def test_errors_and_paths_come_without_the_models() -> None:
    code = (
        "import sys; from workbench.patterns import visible; from workbench.records import DataPaths;"
        "sys.exit(any(name in sys.modules for name in ('pydantic', 'workbench.patterns.shell')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
