"""The project's own house rules: licences, machine paths, layout."""

import re
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COPYLEFT = re.compile(r"\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)
LESSER = re.compile(r"\bLGPL|Lesser General Public", re.IGNORECASE)


def closure(name: str, seen: set[str]) -> set[str]:
    """Installed distributions that ``name`` needs, tests' extras included."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in seen:
        return seen
    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return seen
    seen.add(key)
    for requirement in distribution.requires or []:
        if match := re.match(r"[A-Za-z0-9._-]+", requirement):
            closure(match.group(), seen)
    return seen


def licence_of(name: str) -> str:
    """Licence words of a distribution's metadata, without whole licence texts."""
    info = metadata.distribution(name).metadata
    words = [info.get("License-Expression") or "", (info.get("License") or "")[:200]]
    words += [line for line in info.get_all("Classifier") or [] if line.startswith("License")]
    return " | ".join(words)


def test_no_dependency_is_gpl_or_agpl() -> None:
    names = closure("clinical-skills-workbench", set()) - {"clinical-skills-workbench"}
    assert len(names) > 15
    guilty = {
        name: licence
        for name in names
        if COPYLEFT.search(licence := LESSER.sub("", licence_of(name))) and "OR" not in licence
    }
    assert not guilty


def test_the_licence_check_would_see_a_copyleft_licence() -> None:
    assert COPYLEFT.search("License :: OSI Approved :: GNU General Public License v3 (GPLv3)")
    assert COPYLEFT.search("AGPL-3.0-only")
    assert not COPYLEFT.search(LESSER.sub("", "LGPL-2.1-only"))


def tracked() -> list[Path]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def test_no_machine_path_or_home_folder_in_tracked_files() -> None:
    pattern = re.compile(rf"({re.escape(str(ROOT))}|/root/\.|/home/(?!agent\b)[a-z]+/)")
    guilty = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tracked()
        if path.suffix not in {".png", ".svg", ".gz"} and "tests" not in path.parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not guilty


def test_no_module_is_longer_than_400_lines() -> None:
    long = [
        f"{path.relative_to(ROOT)}: {count}"
        for path in sorted((ROOT / "workbench").rglob("*.py"))
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 400
    ]
    assert not long


def test_every_package_is_named_in_the_architecture_page() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    packages = {path.name for path in (ROOT / "workbench").iterdir() if (path / "__init__.py").is_file()}
    assert not {package for package in packages if f"`{package}/`" not in text}
