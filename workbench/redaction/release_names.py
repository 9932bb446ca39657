"""Names of persons and machines that a release may not tell: those of this machine, and those a log tells."""

from __future__ import annotations

import contextlib
import getpass
import re
import socket
from collections.abc import Iterable
from pathlib import Path

from workbench.redaction.people import COMMON

FEWEST_LETTERS = 4
"""A shorter name is also a piece of other words; it may not be the owner of a home folder."""
GENERIC = frozenset(
    (
        *(
            "root",
            "user",
            "users",
            "username",
            "ubuntu",
            "debian",
            "admin",
            "administrator",
            "agent",
            "agents",
        ),
        *("runner", "node", "coder", "developer", "vscode", "codespace", "jovyan", "workspace", "claude"),
        *("codex", "gemini", "openhands", "sandbox", "docker", "container", "app", "dev", "test", "tester"),
        *(
            "default",
            "public",
            "shared",
            "guest",
            "home",
            "local",
            "localhost",
            "nobody",
            "nonroot",
            "system",
        ),
        *(
            "your",
            "yourname",
            "you",
            "me",
            "name",
            "someone",
            "example",
            "linuxbrew",
            "python",
            "git",
            "data",
        ),
        *("host", "server", "machine", "computer", "laptop", "main", "master", "github", "gitlab", "origin"),
        *(
            "mimic",
            "mimiciv",
            "eicu",
            "duckdb",
            "workbench",
            "postgres",
            "mysql",
            "conda",
            "pypi",
            "www",
            "http",
            "https",
            "mailto",
            "service",
            "build",
            "demo",
        ),
    )
)
"""Names that accounts have whoever uses them, and words that stand where names do."""
_NAME = r"[^\W\d][\w.-]{1,62}"
_HOME = re.compile(rf"(?:/home/|/Users/|[A-Za-z]:\\{{1,2}}Users\\{{1,2}})({_NAME})")
_PROMPT = re.compile(rf"^[ \t]*(?:\([^)\n]{{1,40}}\) )?({_NAME})@({_NAME}):[^\n]{{0,200}}?[$#]", re.M)
_SETTING = re.compile(rf"^(?:export )?(?:USER|LOGNAME|USERNAME)=['\"]?({_NAME})", re.M)
_MACHINE = re.compile(rf"^(?:export )?HOSTNAME=['\"]?({_NAME})|^Linux ({_NAME}) \d", re.M)


def names_of_machine() -> frozenset[str]:
    """The user's name, the name of the home folder and the machine's name, as far as they tell anything."""
    host = socket.gethostname()
    found = [Path.home().name, host, host.partition(".")[0]]
    with contextlib.suppress(KeyError, OSError):  # an account may have no name
        found.append(getpass.getuser())
    return telling(found)


def names_told(text: str) -> frozenset[str]:
    """Names that a raw log tells as such: owners of home folders, prompts, settings of a shell, ``uname``."""
    found = [match[1] for match in _HOME.finditer(text)] if "/" in text or "\\" in text else []
    found += [name for match in _PROMPT.finditer(text) for name in match.groups()] if "@" in text else []
    found += [match[1] for match in _SETTING.finditer(text)]
    found += [name for match in _MACHINE.finditer(text) for name in match.groups() if name]
    return telling(found)


def telling(names: Iterable[str], fewest: int = FEWEST_LETTERS) -> frozenset[str]:
    """Names without those that tell nothing."""
    bare = (name.strip("._-") for name in names)
    return frozenset(
        name
        for name in bare
        if len(name) >= fewest and name.lower() not in GENERIC | COMMON and not name.isdigit()
    )


def homes_in(text: str) -> bool:
    """Whether a text has the path of somebody's own folder."""
    return any(telling([match[1]], fewest=2) for match in _HOME.finditer(text))


def pattern_of(names: frozenset[str]) -> re.Pattern[str] | None:
    """Finds any of the names, standing alone and as they were told: in other letters they may be words."""
    if not names:
        return None
    words = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])")
