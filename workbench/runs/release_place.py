"""Where a release goes: a new folder, of whole files or none, and nothing of an interrupted one beside it."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from workbench.records import (
    RELEASE_MANIFEST,
    BadInput,
    DataPaths,
    Refused,
    ReleaseManifest,
    ReleasePaths,
    open_regular,
)
from workbench.store import atomic_write, owned_name, publish_folder, remove_abandoned_beside, writing

PIECE_BYTES = 1024 * 1024


def refuse_place(out: Path, data: DataPaths) -> None:
    """Raise BadInput where ``out`` is taken or cannot be made, and what its disk says where it cannot be
    written: before anything is read."""
    if os.path.lexists(out) and not (out.is_dir() and not out.is_symlink() and not any(out.iterdir())):
        raise BadInput("is there already", where=str(out), remedy="Name a new folder, or remove that one.")
    above = out.parent
    if not above.is_dir():
        raise BadInput("the folder above it is not there", where=str(out), remedy="Make it first.")
    if above.resolve().is_relative_to(data.root.resolve()):
        raise BadInput(
            "is in the data directory, which holds what may not leave",
            where=str(out),
            remedy="Name a folder somewhere else.",
        )
    if not os.access(above, os.W_OK | os.X_OK):
        raise BadInput(
            "the folder above it cannot be written",
            where=str(out),
            remedy="Name a folder of your own, or correct its permissions.",
        )


def put_in_place(manifest: ReleaseManifest, kept: ReleasePaths, out: Path) -> None:
    """Copy what was checked beside ``out`` under a hidden name, make it durable, and rename it.

    What a killed process left there is removed: its name says whose it was. Raises Refused where a file is
    not what was checked.
    """
    begin = f".{out.name}.release"
    remove_abandoned_beside(out.parent, begin)
    part = out.parent / owned_name(begin)
    try:
        with writing(out):
            part.mkdir(mode=0o700)
        for one in manifest.files:
            digest = hashlib.sha256()
            atomic_write(part / one.file, _pieces(kept.files / one.file, digest))
            if digest.hexdigest() != one.sha256:
                raise Refused(
                    "a file was changed after it was checked",
                    where=one.file,
                    remedy="Make the release again.",
                )
        atomic_write(part / RELEASE_MANIFEST, manifest.to_json() + "\n")
        publish_folder(part, out)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _pieces(path: Path, digest: hashlib._Hash) -> Iterator[bytes]:
    with open_regular(path) as file:
        for piece in iter(partial(file.read, PIECE_BYTES), b""):
            digest.update(piece)
            yield piece
