"""Documents that the workbench alone writes into the audits: written whole, unless changed meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import tomlkit
from pydantic import ValidationError

from workbench.catalog import Content, read_toml
from workbench.records import BadInput, DataPaths, Record, Refused, blob_hash, explain, read_regular
from workbench.review.audit_file import require_unchanged
from workbench.store import FileLock, atomic_write, private_folder

_WAIT_S = 5.0
Document = TypeVar("Document", bound=Record)


@dataclass(frozen=True)
class ReadDocument(Generic[Document]):
    """``value`` is None and ``hash`` empty for a file that is not there."""

    path: Path
    value: Document | None
    hash: str


def read_document(path: Path, model: type[Document]) -> ReadDocument[Document]:
    """The document as it is. Raises BadInput."""
    try:
        data = read_regular(path, follow_link=False)
    except FileNotFoundError:
        return ReadDocument(path, None, "")
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    value = read_toml(path, model, lambda _: data.decode("utf-8", "replace").replace("\r\n", "\n"))
    return ReadDocument(path, value, blob_hash(data))


def write_document(content: Content, data: DataPaths, read: ReadDocument[Document], value: Document) -> None:
    """Put ``value`` in the place of what was read; a kill leaves the old file or the new one.

    Raises Refused where the file is not as it was read and for the installed copy, BadInput for wrong values.
    """
    if not content.paths.writable:
        raise Refused("the installed copy cannot be changed", remedy="Work in a clone of the project.")
    raw = value.model_dump(mode="json", exclude_none=True)
    try:
        type(value).model_validate(raw)
    except ValidationError as error:
        raise BadInput(explain(error), where=read.path.name) from None
    private_folder(data.root)
    private_folder(data.locks)
    name = f"{read.path.parent.name}.{read.path.stem}"
    with FileLock(data.audit_lock(name), f"{read.path.name} of the audits", wait_s=_WAIT_S):
        require_unchanged(read.path, read.hash)
        read.path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(read.path, tomlkit.dumps(raw), mode=0o644)
