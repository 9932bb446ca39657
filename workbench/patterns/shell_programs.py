"""Which program a command runs, with which words, and where its paths lead."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import lru_cache

from workbench.patterns.shell_records import Command
from workbench.patterns.shell_words import UNKNOWN, Word

SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "ash", "busybox"}

# Programs that run another: options that take a value, and how many plain words come before the other's name.
_WRAPPERS: dict[str, tuple[set[str], int]] = {
    "sudo": ({"-u", "-g", "-C", "-h", "-p"}, 0),
    "doas": ({"-u"}, 0),
    "env": ({"-u", "-C", "-S"}, 0),
    "timeout": ({"-k", "-s"}, 1),
    "nice": ({"-n"}, 0),
    "ionice": ({"-c", "-n"}, 0),
    "stdbuf": ({"-i", "-o", "-e"}, 0),
    "taskset": (set(), 1),
    "chrt": (set(), 1),
    "nohup": (set(), 0),
    "setsid": (set(), 0),
    "time": ({"-f", "-o"}, 0),
    "exec": ({"-a"}, 0),
    "command": (set(), 0),
    "builtin": (set(), 0),
    "unbuffer": (set(), 0),
    "xargs": ({"-I", "-n", "-P", "-d", "-L", "-a", "-s", "-E"}, 0),
    "parallel": ({"-j"}, 0),
    "chroot": (set(), 1),
    "unshare": (set(), 0),
    "strace": ({"-o", "-e", "-p"}, 0),
    "watch": ({"-n"}, 0),
}


def unwrapped(words: Sequence[Word]) -> tuple[Word, ...]:
    """The words from the real program on: without ``sudo``, ``env A=b``, ``timeout 10`` and their like."""
    rest = tuple(words)
    for _ in range(len(_WRAPPERS)):
        if not rest:
            return rest
        wrapper = _WRAPPERS.get(program_name(rest[0].text))
        if wrapper is None:
            return rest
        with_value, plain = wrapper
        position = 1
        while position < len(rest):
            word = rest[position].text
            if word.startswith("-") and len(word) > 1:
                position += 2 if word in with_value else 1
            elif re.match(r"[A-Za-z_]\w*=", word):
                position += 1
            elif plain:
                plain -= 1
                position += 1
            else:
                break
        if position >= len(rest):
            return rest
        rest = rest[position:]
    return rest


@lru_cache(maxsize=4096)
def program_name(word: str) -> str:
    """``/usr/bin/Python3.11`` and ``python3`` are ``python``; other names lose their folder only."""
    name = word.rsplit("/", 1)[-1]
    return re.sub(r"^(python|pip|node)[\d.]*$", r"\1", name)


def program(command: Command) -> str:
    """Name of the program that a command runs, unwrapped; empty for none."""
    words = unwrapped(command.argv)
    return program_name(words[0].text) if words else ""


def arguments(command: Command) -> tuple[Word, ...]:
    """The words after the program's name."""
    return unwrapped(command.argv)[1:]


def resolve(path: str, folder: str | None) -> str | None:
    """Absolute, normalised path; None when it depends on a folder that is not known.

    ``..`` is taken away by text, and globs stay.
    """
    if path.startswith(UNKNOWN) or not path:
        return None
    if not path.startswith("/"):
        if folder is None:
            return None
        path = f"{folder}/{path}"
    normal = posixpath.normpath(path)
    return "/" + normal.lstrip("/") if normal.startswith("//") else normal
