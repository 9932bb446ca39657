"""How foreign code touches paths, one record for shell and Python alike."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from workbench.patterns.shell_words import UNKNOWN


class Access(StrEnum):
    """What is done to a path."""

    READ = "read"
    LIST = "list"
    ENTER = "enter"
    WRITE = "write"


@dataclass(frozen=True)
class PathUse:
    """``path`` is absolute and normalised; globs stay, UNKNOWN stands where it is not knowable.

    ``by`` names the program or call. ``recursive``: the whole tree below is gone through.
    ``pattern``: the whole glob, where ``path`` is only the folder in which it begins.
    """

    path: str
    access: Access
    by: str
    line: int = 1
    recursive: bool = False
    pattern: str = ""


_PATH_START = re.compile(r"(?:/|~/|\.\./|\./)|\.\.$|~$|/$")
_NOT_IN_PATHS = re.compile(r"[\s\"'`<>|;&()\\^$!,]|\\.")


def path_like(word: str) -> bool:
    """Whether a bare word names a path by its looks: from a root, a home, ``./`` or ``../``; no address."""
    if not word or len(word) > 4096 or word in ("/", "//") or word.startswith("//"):
        return False
    return bool(_PATH_START.match(word)) and not _NOT_IN_PATHS.search(word.replace(UNKNOWN, ""))
