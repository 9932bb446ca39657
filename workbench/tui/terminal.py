"""What the terminal at hand can do, and whether the app can be drawn on it at all."""

from __future__ import annotations

import codecs
import locale
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.records import FrameSettings, Unavailable

if TYPE_CHECKING:
    from workbench.records import Settings

FEW_CHARACTERS = ("linux", "vt100", "vt102", "vt220", "ansi", "cons25")
"""Terminals whose font lacks most signs, whatever the locale says."""

_ASCII_LOCALES = ("C", "POSIX")
_COERCED = ("C.UTF-8", "C.utf8", "UTF-8")


@dataclass(frozen=True)
class Terminal:
    """How to draw.

    ``slow``: the SSH profile (no animation, no mouse, no blinking, few frames a second).
    ``colours``: 0 (none), 16, 256 or 2**24.
    """

    slow: bool = False
    colours: int = 2**24
    ascii: bool = False
    diff_output: bool = True

    @property
    def frames_a_second(self) -> int:
        return 20 if self.slow else 60

    @property
    def bytes_a_second(self) -> int:
        """At most this many to the terminal, 0 for no limit: a held key must not fill the line's buffers."""
        return 48_000 if self.slow else 0


def detect(settings: Settings | FrameSettings, environment: Mapping[str, str] | None = None) -> Terminal:
    """Read the environment; settings win."""
    environment = os.environ if environment is None else environment
    return adapted(Terminal(colours=_colours(environment)), settings, environment)


def adapted(
    terminal: Terminal, settings: Settings | FrameSettings, environment: Mapping[str, str] | None = None
) -> Terminal:
    """The same terminal with these settings; ``auto`` asks the environment."""
    environment = os.environ if environment is None else environment
    remote = bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))
    few = environment.get("TERM", "") in FEW_CHARACTERS or ascii_locale(environment)
    return replace(
        terminal,
        slow=_chosen(settings.ssh_profile, remote),
        ascii=_chosen(settings.ascii, few),
        diff_output=settings.diff_output,
    )


def ascii_locale(environment: Mapping[str, str], *, c_at_start: bool = bool(sys.flags.utf8_mode)) -> bool:
    """Whether the locale speaks ASCII only (C, POSIX, none at all).

    ``c_at_start``: Python found such a locale, takes UTF-8 in its place, and may have put that into LC_CTYPE.
    """
    everything = environment.get("LC_ALL", "")
    if everything:
        return everything in _ASCII_LOCALES
    characters, language = environment.get("LC_CTYPE", ""), environment.get("LANG", "")
    if characters in _ASCII_LOCALES:
        return True
    if characters and not (c_at_start and characters in _COERCED):
        return False
    if language:
        return language in _ASCII_LOCALES
    return c_at_start and "PYTHONUTF8" not in environment


def _chosen(value: str, usual: bool) -> bool:
    return usual if value == "auto" else value == "on"


def check_terminal(environment: Mapping[str, str] | None = None) -> None:
    """Raise Unavailable, naming the plain commands, where the app cannot be drawn."""
    environment = os.environ if environment is None else environment
    if not (sys.__stdin__ and sys.__stdin__.isatty() and sys.__stderr__ and sys.__stderr__.isatty()):
        raise Unavailable(
            "the app needs a terminal, and this is none", where="workbench tui", remedy=plain_commands()
        )
    kind = environment.get("TERM", "")
    if kind in {"", "dumb", "unknown"}:
        raise Unavailable(
            f"this terminal cannot place text (TERM={kind or 'not set'})",
            where="workbench tui",
            remedy=plain_commands(),
        )
    encoding = sys.__stderr__.encoding or "ascii"
    spoken = locale.getpreferredencoding(False)
    for name in (encoding, spoken):
        if codecs.lookup(name).name != "utf-8":
            raise Unavailable(
                f"the locale's encoding is {name}, the app needs UTF-8",
                where="workbench tui",
                remedy=f"Set LC_ALL=C.UTF-8 (or another UTF-8 locale). {plain_commands()}",
            )


def plain_commands() -> str:
    """Where to start without the app."""
    program = program_name(sys.argv[0])
    return (
        f"Every screen has a plain command: `{program} --help`; `{program} runs list`, `{program} task list`,"
        f" `{program} data list` and `{program} skill list` are the places to start."
    )


def program_name(started: str, path: str | None = None) -> str:
    """How the program is typed: by its name where the path has it, else as it was started (``argv[0]``)."""
    import shutil

    file = Path(started)
    if file.name != "workbench":
        return "python -m workbench"
    if shutil.which("workbench", path=path) is not None:
        return "workbench"
    here = Path.cwd()
    return str(file.relative_to(here)) if file.is_relative_to(here) else started


def prepare_environment(terminal: Terminal) -> None:
    """Set what Textual reads when it is imported; call before that."""
    os.environ["TEXTUAL_FPS"] = str(terminal.frames_a_second)
    os.environ["TEXTUAL_ANIMATIONS"] = "none"
    os.environ.pop("TEXTUAL", None)  # devtools
    os.environ.pop("TEXTUAL_THEME", None)
    if terminal.slow:
        os.environ["TEXTUAL_SMOOTH_SCROLL"] = "0"


def _colours(environment: Mapping[str, str]) -> int:
    if environment.get("NO_COLOR"):
        return 0
    if environment.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return 2**24
    kind = environment.get("TERM", "")
    if kind.endswith(("-direct", "-truecolor")) or "kitty" in kind:
        return 2**24
    return 256 if "256" in kind else 16
