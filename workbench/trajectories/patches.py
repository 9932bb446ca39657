"""Patches in the form that Codex's ``apply_patch`` takes: which files change, from what to what."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEADER = re.compile(r"^\*\*\* (Add|Update|Delete) File: ?(.*)$", re.MULTILINE)
_MOVE = "*** Move to: "


class FileEdit(NamedTuple):
    """One file's change: ``content`` takes the place of ``replaced``; None where the log does not say."""

    path: str
    content: str | None
    replaced: str | None


def patched_files(patch: str) -> int:
    """How many files a patch names."""
    return sum(1 for _ in _HEADER.finditer(patch))


def patch_edits(patch: str) -> list[FileEdit]:
    """A patch file by file; empty where it names none.

    ``content`` of a new file is the whole file; of a changed one the new side of its hunks.
    """
    headers = list(_HEADER.finditer(patch))
    ends = [header.start() for header in headers[1:]] + [len(patch)] * bool(headers)
    return [
        _edit(header[1], header[2].strip(), patch[header.end() : end].removeprefix("\n"))
        for header, end in zip(headers, ends, strict=True)
    ]


def _edit(action: str, path: str, body: str) -> FileEdit:
    if action == "Delete":
        return FileEdit(path, None, None)
    new: list[str] = []
    old: list[str] = []
    for line in body.removesuffix("\n").split("\n"):
        if line.startswith(_MOVE):
            path = line.removeprefix(_MOVE).strip()
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith(" "):
            new.append(line[1:])
            old.append(line[1:])
    content = "".join(f"{line}\n" for line in new)
    return FileEdit(path, content, None if action == "Add" else "".join(f"{line}\n" for line in old))
