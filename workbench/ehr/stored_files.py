"""Stored tables beside what their manifest says: regular files of the recorded size. None is opened."""

from __future__ import annotations

import stat
from pathlib import Path

from workbench.records import BadInput, DataPaths, Source


def why_damaged(path: Path, size: int | None = None) -> str:
    """What is wrong with a stored file, in words; empty for a regular file of ``size`` bytes."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return "is not there"
    except OSError as error:
        return f"cannot be looked at ({error.strerror})"
    if not stat.S_ISREG(found.st_mode):
        return "is not a regular file"
    if size is not None and found.st_size != size:
        return f"has {found.st_size:,} bytes and not the {size:,} of the manifest"
    return ""


def tables_hold(data: DataPaths, source: Source) -> bool:
    """Whether all tables of a source are as its manifest says."""
    return not _damaged_table(data, source)


def check_tables(data: DataPaths, source: Source) -> None:
    """Raises BadInput for the first table whose file is missing, no regular file, or of another size."""
    if found := _damaged_table(data, source):
        path, why = found
        raise BadInput(
            f"source {source.name}: the file of {path.stem} {why}", where=str(path), remedy=_again(source)
        )


def check_concepts(data: DataPaths, source: Source, files: dict[str, Path]) -> None:
    """Raises BadInput for the first concept (name to file) without a regular file."""
    for name, path in files.items():
        if why := why_damaged(path):
            raise BadInput(
                f"source {source.name}: the file of {name} {why}",
                where=str(path),
                remedy=f"Build it again: workbench data concepts --source {source.name}.",
            )


def _damaged_table(data: DataPaths, source: Source) -> tuple[Path, str] | None:
    paths = data.source(source.name)
    for table in source.tables:
        path = paths.table(table.table)
        if why := why_damaged(path, table.bytes):
            return path, why
    return None


def _again(source: Source) -> str:
    if source.kind == "imported":
        return f"Import it again: workbench data import PATH --name {source.name}."
    numbers = " ".join(f"--{part.replace('=', ' ')}" for part in source.origin.split())
    return f"Make it again: workbench data synth --database {source.database} {numbers} --name {source.name}."
