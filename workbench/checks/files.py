"""Files of the content as such: known names, no links, no secrets, nothing hidden, sizes to review."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.catalog import Content, did_you_mean
from workbench.checks.finding import Report
from workbench.patterns import find_personal, find_secrets, visible
from workbench.records import BadInput, ContentPaths, read_regular

MOST_BYTES = 500_000
FAMILY_FILES = (
    "family.toml", "deviations.toml", "output-checks.toml", "worked-example.toml", "stages.toml",
    "counterfactuals.toml",
)  # fmt: skip
FAMILY_SQL = ("reference", "naive", "concept", "admissible")
TASK_FILES = ("task.toml", "instruction.md", "operational-spec.md")
SKILL_PLACES = ("SKILL.md", "scripts", "references", "assets")
AUDIT_FOLDERS = ("reviews", "rules", "sessions", "runs")
_OF_DATABASE = re.compile(
    r"(?P<kind>[a-z-]+)(?P<target>\.(adjudicated|accepted-[a-z0-9-]+))?\.[a-z][a-z0-9-]*\.sql"
)
_EXAMPLE = re.compile(r"worked-example\.[a-z][a-z0-9-]*\.toml")


def check_files(content: Content, report: Report) -> None:
    """Everything below tasks/, skills/ and audits/ but hidden files, which editors and git leave."""
    paths = content.paths
    for path in content_files(paths):
        if path.is_symlink():
            report.add("file-link", path, "is a symbolic link")
        elif path.is_file():
            _check_file(path, report)
    _task_tree(content, report)
    for folder in _entries(paths.skills):
        _one_of(folder, SKILL_PLACES, report)
    for path in _entries(paths.audits):
        known = (path.is_file() and path.suffix == ".toml") or path.name in AUDIT_FOLDERS
        if not known:
            report.add("file-unknown", path, "is no audit")


def content_files(paths: ContentPaths) -> Iterator[Path]:
    """Files and links below tasks/, skills/ and audits/, in order; links are not followed."""
    for root in (paths.tasks, paths.skills, paths.audits):
        for folder, names, files in os.walk(root):
            here = Path(folder)
            names[:] = sorted(name for name in names if name[0] != ".")
            links = [name for name in names if (here / name).is_symlink()]
            for name in sorted([*links, *(name for name in files if name[0] != ".")]):
                yield here / name


def _check_file(path: Path, report: Report) -> None:
    size = path.stat().st_size
    if size > MOST_BYTES:
        report.add("file-size", path, f"{size:,} bytes, at most {MOST_BYTES:,}")
        return
    try:
        text = read_regular(path).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        report.unreadable(BadInput("is not text in UTF-8", where=str(path)), path)
        return
    for secret in find_secrets(text)[:1]:
        report.add("file-secret", path, f"holds what looks like a secret ({secret.kind})", line=secret.line)
    for person in find_personal(text):
        report.add("file-personal", path, f"holds what looks like a {person.kind}", line=person.line)
    hidden = [number for number, line in enumerate(text.split("\n"), 1) if _hides(line)]
    if hidden:
        more = f" (and in {len(hidden) - 1} more lines)" if len(hidden) > 1 else ""
        report.add("file-hidden", path, f"holds characters that cannot be seen{more}", line=hidden[0])


def _hides(line: str) -> bool:
    shown = line.rstrip("\r")
    return visible(shown) != shown


def _task_tree(content: Content, report: Report) -> None:
    paths = content.paths
    named = {"primitives": ".sql", "dictionaries": ".toml"}
    collections = {folder.name for folder in paths.collections}
    for path in _entries(paths.tasks):
        if path.name in named:
            for file in _entries(path):
                if file.suffix != named[path.name]:
                    report.add("file-unknown", file, f"is no {named[path.name]} file")
        elif path.name not in collections:
            remedy = did_you_mean(
                path.name, {*named, *collections}, f"Families are in {', '.join(sorted(collections))}."
            )
            report.add("file-unknown", path, "is no folder of families", remedy)
    for collection in paths.collections:
        for folder in _entries(collection):
            if folder != paths.own_databases:
                _family_folder(content, folder, report)
    for file in _entries(paths.own_databases):
        if file.suffix != ".toml":
            report.add("file-unknown", file, "is no declaration of a database")


def _family_folder(content: Content, folder: Path, report: Report) -> None:
    if not folder.is_dir():
        report.add("file-unknown", folder, "is no folder of a family")
        return
    if not (folder / "family.toml").exists():
        report.add(
            "family-files",
            folder / "family.toml",
            "there is no family.toml",
            "Write it, or take the folder out.",
        )
        return
    try:
        listed = content.family(folder.name).tasks
    except BadInput:
        listed = None
    for path in _entries(folder):
        if path.is_dir():
            if listed is not None and path.name not in listed:
                remedy = did_you_mean(path.name, listed)
                report.add("family-task", path / "task.toml", f"the task {path.name} is not listed", remedy)
            _one_of(path, TASK_FILES, report)
        elif not _of_family(path.name):
            known = [*FAMILY_FILES, *(f"{kind}.<database>.sql" for kind in FAMILY_SQL)]
            remedy = did_you_mean(path.name, known, f"Known: {', '.join(known)}.")
            report.add("file-unknown", path, "is no file of a family", remedy)


def _of_family(name: str) -> bool:
    sql = _OF_DATABASE.fullmatch(name)
    if sql:
        return sql["kind"] in FAMILY_SQL and (sql["target"] is None or sql["kind"] == "reference")
    return name in FAMILY_FILES or _EXAMPLE.fullmatch(name) is not None


def _one_of(folder: Path, known: Sequence[str], report: Report) -> None:
    if not folder.is_dir():
        report.add("file-unknown", folder, "is no folder")
        return
    for path in _entries(folder):
        if path.name not in known:
            report.add(
                "file-unknown",
                path,
                "is no file of its folder",
                did_you_mean(path.name, known, f"Known: {', '.join(known)}."),
            )


def _entries(folder: Path) -> list[Path]:
    """What is in a folder, but hidden files and links; nothing where there is no such folder."""
    inside = folder.iterdir() if folder.is_dir() else iter(())
    return sorted(path for path in inside if path.name[0] != "." and not path.is_symlink())
