"""Sources on disk: list, show, remove, and put a finished one in place."""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from workbench.records import SOURCE_NAME, BadInput, DataPaths, Problem, Source, TableFile, file_sha256
from workbench.store import (
    FileLock,
    atomic_write,
    mark_owner,
    owned_name,
    private_folder,
    publish_folder,
    writing,
)

LOCKED_PARTS = ("tables", "concepts", "references", "variants", "task-databases", "identifiers")
"""What is locked apart from each other: one part can be built while another is read."""
SHARED_MODE = 0o644
"""Tables are linked into folders that an agent's user reads; the folders above them are private."""


def check_name(name: str) -> str:
    """``name`` if it can name a source. Raises BadInput."""
    if not SOURCE_NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} cannot name a source",
            remedy="Use up to 64 lower-case letters, digits, '-' and '_', starting with a letter or digit.",
        )
    return name


def source_names(data: DataPaths) -> list[str]:
    """Names of all sources, damaged ones too."""
    return [manifest.parent.name for manifest in _manifests(data)]


def readable_sources(data: DataPaths) -> tuple[list[Source], list[Problem]]:
    """The sources whose manifests can be read, in name order, and what is wrong with the others."""
    sources, problems = [], []
    for manifest in _manifests(data):
        try:
            sources.append(_load(manifest))
        except BadInput as error:
            problems.append(Problem(what=error.what, where=error.where, remedy=error.remedy))
    return sources, problems


def _load(manifest: Path) -> Source:
    try:
        return Source.load(manifest)
    except BadInput as error:
        name = manifest.parent.name
        away = (
            f"workbench data remove {name} --yes"
            if SOURCE_NAME.fullmatch(name)
            else f"delete {manifest.parent}"
        )
        remedy = f"Remove it ({away}), and make or import the source again."
        raise BadInput(error.what, where=error.where, remedy=remedy) from None


def _manifests(data: DataPaths) -> list[Path]:
    if not data.sources.is_dir():
        return []
    folders = sorted(path for path in data.sources.iterdir() if path.is_dir())
    manifests = [data.source(path.name).manifest for path in folders]
    return [path for path in manifests if SOURCE_NAME.fullmatch(path.parent.name) or os.path.lexists(path)]


def load_source(data: DataPaths, name: str) -> Source:
    """One source's manifest. Raises BadInput with the names there are."""
    if check_name(name) not in (known := source_names(data)):
        near = difflib.get_close_matches(name, known, n=1)
        if near:
            remedy = f"Did you mean {near[0]}?"
        elif known:
            remedy = f"There are: {', '.join(known)}."
        else:
            remedy = "Make one: workbench data synth, or workbench data import FOLDER."
        raise BadInput(f"no source named {name!r}", remedy=remedy)
    return _load(data.source(name).manifest)


def source_lock(data: DataPaths, name: str, part: str, *, wait_s: float = 0.0) -> FileLock:
    """The lock of one part of a source (``LOCKED_PARTS``); entering raises Refused naming the holder."""
    private_folder(data.root)
    return FileLock(data.locks / f"source-{name}.{part}.lock", f"source {name} ({part})", wait_s=wait_s)


@contextmanager
def whole_source_lock(data: DataPaths, name: str) -> Iterator[None]:
    """All parts of a source locked: nobody builds from it. Raises Refused naming the holder."""
    with ExitStack() as stack:
        for part in LOCKED_PARTS:
            stack.enter_context(source_lock(data, name, part))
        yield


def remove_source(data: DataPaths, name: str) -> None:
    """Remove a source, a damaged one too, with its concepts, references and task databases.

    Raises BadInput if there is none and Refused while a process builds from it. Runs that are under way keep
    the files they have mounted. Of a link, the link is removed.
    """
    size_of_source(data, name)
    with whole_source_lock(data, name):
        going = _take_away(data, name)
        if going.is_dir() and not going.is_symlink():
            shutil.rmtree(going, ignore_errors=True)
        else:
            going.unlink(missing_ok=True)


def size_of_source(data: DataPaths, name: str) -> str:
    """Its number of tables, or that it is damaged, in words. Raises BadInput if there is none."""
    try:
        return f"{len(load_source(data, name).tables)} tables"
    except BadInput:
        if not os.path.lexists(data.source(check_name(name)).folder):
            raise
        return "damaged: its manifest cannot be read"


@contextmanager
def scratch_folder(data: DataPaths, label: str) -> Iterator[Path]:
    """An empty private folder for half-made things, gone afterwards.

    ``label`` belongs to the holder of a lock: what a killed holder left under it is removed first.
    """
    private_folder(data.root)
    folder = data.scratch / label
    _remove_tree(folder)
    try:
        private_folder(folder)
        with writing(folder):
            mark_owner(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def table_file(path: Path, table: str, rows: int, *, empty_because_missing: bool = False) -> TableFile:
    """The manifest's line of a finished Parquet file, which becomes readable through links."""
    with writing(path):
        path.chmod(SHARED_MODE)
    return TableFile(
        table=table,
        rows=rows,
        bytes=path.stat().st_size,
        sha256=file_sha256(path),
        empty_because_missing=empty_because_missing,
    )


def publish_source(data: DataPaths, source: Source, made: Path) -> Source:
    """Put the folder ``made`` (with its ``tables/``) in place under ``source.name``, manifest included.

    Returns it as read back. An earlier source of that name is replaced with all that was derived from it. The
    caller holds ``whole_source_lock`` or knows that nothing of that name exists.
    """
    final = data.source(source.name)
    atomic_write(made / final.manifest.name, source.to_json() + "\n")
    private_folder(data.sources)
    earlier = _take_away(data, source.name) if final.folder.exists() else None
    try:
        publish_folder(made, final.folder)
    except BaseException:
        if earlier and not final.folder.exists():
            earlier.rename(final.folder)
        raise
    if earlier:
        shutil.rmtree(earlier, ignore_errors=True)
    return Source.load(final.manifest)


def _take_away(data: DataPaths, name: str) -> Path:
    """Rename a source out of sight in one step, so that a crash leaves no half source under the name."""
    private_folder(data.scratch)
    going = data.scratch / owned_name(f"removed-{name}")
    folder = data.source(name).folder
    with writing(folder):
        folder.rename(going)
    return going


def _remove_tree(folder: Path) -> None:
    if folder.exists():
        with writing(folder):
            shutil.rmtree(folder)
