"""New files of the content: all of them or none, and nothing that is there is written over."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from workbench.records import BadInput, ContentPaths, Refused, read_regular
from workbench.store import atomic_write, publish_folder, writing

MODE = 0o644


def write_content(
    paths: ContentPaths, new: Mapping[Path, str], changed: Mapping[Path, str] | None = None
) -> None:
    """Put the ``new`` files in place, then the ``changed`` ones, which are there already.

    Everything is written beside its place first, so that an error or Ctrl-C leaves what was there. Raises
    BadInput where the content is read-only, Refused where something of a new name is there, Unavailable for
    the disk.
    """
    require_writable(paths)
    refuse_existing(paths, new)
    earlier = {path: read_regular(path) for path in changed or {}}
    with writing(paths.root):
        staging = Path(tempfile.mkdtemp(prefix=".workbench-new-", dir=paths.root))
    placed: list[Path] = []
    try:
        for path, text in new.items():
            draft = staging / path.relative_to(paths.root)
            with writing(draft):
                draft.parent.mkdir(parents=True, exist_ok=True)
                draft.write_text(text, encoding="utf-8")
                draft.chmod(MODE)
        for unit in _units(new):
            _place(staging / unit.relative_to(paths.root), unit)
            placed.append(unit)
        for path, text in (changed or {}).items():
            atomic_write(path, text, mode=MODE)
    except BaseException:
        for unit in placed:
            shutil.rmtree(unit) if unit.is_dir() else unit.unlink(missing_ok=True)
        for path, content in earlier.items():
            if read_regular(path) != content:
                atomic_write(path, content, mode=MODE)
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def require_writable(paths: ContentPaths) -> None:
    """Raises BadInput for the read-only copy inside the installed package."""
    if not paths.writable:
        raise BadInput(
            "the content that comes with the program is read-only",
            where=str(paths.root),
            remedy="Go to a folder with a workbench.toml: a checkout of the project, or an empty folder of "
            "your own in which you make that file.",
        )


def refuse_existing(paths: ContentPaths, files: Iterable[Path]) -> None:
    """Raises Refused that names what of ``files`` is there already."""
    there = [path for path in files if os.path.lexists(path)]
    if there:
        more = f" (and {len(there) - 1} more)" if len(there) > 1 else ""
        raise Refused(
            f"is there already{more}; nothing was written",
            where=there[0].relative_to(paths.root).as_posix(),
            remedy="Choose another name, or remove it first.",
        )


def _units(files: Iterable[Path]) -> list[Path]:
    """The topmost new folder above each file, or the file itself where its folder is there."""
    units: list[Path] = []
    for path in files:
        unit = path
        while not unit.parent.exists():
            unit = unit.parent
        if unit not in units:
            units.append(unit)
    return units


def _place(draft: Path, final: Path) -> None:
    if draft.is_dir():
        _open_to_all(draft)
        publish_folder(draft, final)
    else:
        atomic_write(final, read_regular(draft), mode=MODE)


def _open_to_all(folder: Path) -> None:
    """As git makes folders; this process's mask is for patients' data."""
    for here, _, _ in os.walk(folder):
        Path(here).chmod(0o755)
