"""The content hash of an input: equal means an import has nothing to do, whatever the files' times say."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from workbench.ehr.connect import connect
from workbench.ehr.layouts import Form, Layout
from workbench.records import BadInput, open_regular, read_regular

PIECE_BYTES = 8 * 1024**2
IMPORT_VERSION = 1
"""Raised when the importers write other values for the same input, so that an import is done again."""
SUMS = "SHA256SUMS.txt"
SUMS_LINE = re.compile(r"([0-9a-fA-F]{64})\s+\*?(.+)")
QUOTED = re.compile(r"'((?:[^']|'')+)'")


def input_files(layout: Layout) -> list[Path]:
    """Every file that the values come from, each once, in table order.

    For a DuckDB file also its write-ahead log and the files that its views name.
    """
    if layout.form is not Form.DUCKDB:
        return [located.path for located in layout.tables.values()]
    log = layout.root.with_name(layout.root.name + ".wal")
    return [layout.root, *([log] if log.exists() else []), *_files_of_views(layout.root)]


def content_hash(layout: Layout, schema_name: str, tell: Callable[[int], None]) -> str:
    """16 hex digits over the files' contents and what they are; ``tell`` gets bytes read so far.

    Where PhysioNet's list of checksums lies beside the files, they are compared: raises BadInput by table.
    """
    digest = hashlib.sha256(f"{IMPORT_VERSION} {schema_name} {layout.form}\n".encode())
    names = {located.path: name for name, located in layout.tables.items()}
    published = {} if layout.form is Form.DUCKDB else _published_sums(layout)
    done = 0
    for path in input_files(layout):
        try:
            found, done = _file_hash(path, done, tell)
        except OSError as error:
            raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
        if published.get(path, found) != found:
            raise BadInput(
                f"{names[path]}: differs from {SUMS}: an incomplete or damaged download",
                where=str(path),
                remedy="Download the file again.",
            )
        digest.update(f"{names.get(path, '')} {found}\n".encode())
    return digest.hexdigest()[:16]


def _file_hash(path: Path, done: int, tell: Callable[[int], None]) -> tuple[str, int]:
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
            done += len(piece)
            tell(done)
    return digest.hexdigest(), done


def _published_sums(layout: Layout) -> Mapping[Path, str]:
    """Checksums from the nearest list at or below ``layout.root``, by file."""
    wanted = {located.path for located in layout.tables.values()}
    folders = {folder for path in wanted for folder in path.parents if folder.is_relative_to(layout.root)}
    sums: dict[Path, str] = {}
    for folder in sorted(folders):
        listing = folder / SUMS
        if not listing.is_file():
            continue
        for line in read_regular(listing).decode("utf-8", "replace").splitlines():
            match = SUMS_LINE.fullmatch(line.strip())
            if match and folder / match[2] in wanted:
                sums[folder / match[2]] = match[1].lower()
    return sums


def _files_of_views(database: Path) -> list[Path]:
    """Existing files that the text of any view names, globs expanded."""
    connection = connect(database, read_only=True)
    try:
        texts = connection.execute(
            "SELECT sql FROM duckdb_views() WHERE NOT internal ORDER BY sql"
        ).fetchall()
    finally:
        connection.close()
    files: dict[Path, None] = {}
    for (text,) in texts:
        for quoted in QUOTED.findall(str(text)):
            path = database.parent / quoted.replace("''", "'")
            if any(sign in path.name for sign in "*?["):
                files.update(dict.fromkeys(sorted(path.parent.glob(path.name))))
            elif path.is_file():
                files[path] = None
    return list(files)
