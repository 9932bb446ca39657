"""Shell text as the simple commands it would run, shells inside shells included."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from workbench.patterns.shell_reader import MAX_COMMANDS, Reader
from workbench.patterns.shell_records import Command, Session
from workbench.patterns.shell_words import UNKNOWN, Variables, Word, alternatives, printed

MAX_SHELL_DEPTH = 6
"""``bash -c "bash -c …"``."""

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


_LOOP_INPUT = re.compile(
    r"\bdone[ \t]*(?:<<<[ \t]*(?P<word>'[^']{0,2000}'|\"[^\"]{0,2000}\"|[^\s;|&]+)"
    r"|<<-?[ \t]*['\"]?(?P<mark>\w+)['\"]?[ \t]*\n(?P<body>.{0,2000}?)\n[ \t]*(?P=mark)\b)",
    re.DOTALL,
)
"""What a ``while read`` loop is given behind its end."""


@dataclass(frozen=True)
class ShellScript:
    """Every simple command in the order in which it is read, those of inner shells behind the outer one.

    ``complete`` is False where a size or depth limit cut something off.
    """

    commands: tuple[Command, ...]
    complete: bool


def read_shell(
    text: str, folder: str | None = "/workspace", variables: Mapping[str, str] | None = None
) -> ShellScript:
    """Read shell text; runs nothing, never raises. ``folder`` is where the shell starts.

    Each call is a fresh shell: a ``cd`` or an assignment of an earlier text is not known here.
    """
    start = Session(folder, Variables({name: (value,) for name, value in (variables or {}).items()}))
    collector = _Collector()
    collector.read(text, start, depth=0)
    commands = collector.commands
    if commands:
        commands[-1] = replace(commands[-1], masked=False)
    return ShellScript(tuple(commands), collector.complete)


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


def standard_input(command: Command, depth: int = 0) -> str | None:
    """The text a command reads on its standard input, where the script itself holds it.

    Pipes are followed through programs that only decode or change a text.
    """
    if command.heredocs:
        return command.heredocs[-1].body
    before = command.reads_from
    if before is None:
        return None
    name, words = program(before), [word.text for word in arguments(before)]
    if name == "echo":
        return " ".join(word for word in words if not re.fullmatch(r"-[neE]+", word)) + "\n"
    if name == "printf" and words:
        if len(re.findall(r"%[sbdq]", words[0])) == len(words) - 1:
            return printed((name, *words), None)
        return "\n".join(words[1:])
    if name in ("cat", "tee") and before.heredocs:
        return before.heredocs[-1].body
    if depth > MAX_SHELL_DEPTH or any(item.operator != "<" for item in before.redirects):
        return None
    return printed((name, *words), standard_input(before, depth + 1))


class _Collector:
    """Keeps commands in order, follows inner shells, and does what a command does to its shell."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.complete = True
        self._depth = 0
        self._given = ""

    def read(self, text: str, session: Session, depth: int, first_line: int = 1) -> None:
        if depth > MAX_SHELL_DEPTH:
            self.complete = False
            return
        outer, self._depth = self._depth, depth
        self._given = " ".join(
            (found["body"] or found["word"] or "").strip("'\"") for found in _LOOP_INPUT.finditer(text)
        )
        reader = Reader(text, session, self._finished, first_line=first_line)
        reader.read()
        self.complete = self.complete and reader.complete
        self._depth = outer

    def _finished(self, command: Command, session: Session) -> None:
        if len(self.commands) >= MAX_COMMANDS:
            self.complete = False
            return
        command = _filled(command)
        self.commands.append(command)
        words = unwrapped(command.argv)
        if not words:
            return
        name, rest = program_name(words[0].text), words[1:]
        if name in ("cd", "pushd"):
            session.folder = _entered(rest, session)
        elif name in ("export", "declare", "local", "readonly", "typeset"):
            _assign(rest, session)
        elif name in ("read", "mapfile", "readarray", "getopts"):
            given = standard_input(command) or self._given
            for word in rest:
                session.variables.set(word.text, alternatives(given.split()[:50]))
        elif name in ("for", "select") and len(rest) > 2 and rest[1].text == "in":
            session.variables.set(
                rest[0].text, alternatives(text for word in rest[2:] for text in word.values)
            )
        elif name == "eval":
            self.read(" ".join(word.text for word in rest), session, self._depth + 1, command.line)
        elif name in SHELLS:
            self._inner_shell(command, rest, session)
        elif name == "find":
            self._found(command, rest, session)

    def _inner_shell(self, command: Command, rest: tuple[Word, ...], session: Session) -> None:
        for position, word in enumerate(rest):
            if re.fullmatch(r"-\w*c\w*", word.text) and position + 1 < len(rest):
                inner = session.copy()
                for text in rest[position + 1].values:
                    self.read(text, inner, self._depth + 1, command.line)
                return
            if not word.text.startswith("-"):
                return
        given = standard_input(command)
        if given is not None:
            line = command.heredocs[-1].line if command.heredocs else command.line
            self.read(given, session.copy(), self._depth + 1, line)

    def _found(self, command: Command, rest: tuple[Word, ...], session: Session) -> None:
        """``find … -exec program … ;``"""
        for position, word in enumerate(rest):
            if word.text in ("-exec", "-execdir", "-ok") and position + 1 < len(rest):
                inner = tuple(item for item in rest[position + 1 :] if item.text not in (";", "+"))
                self._finished(Command(inner, folder=session.folder, line=command.line), session.copy())
                return


def _filled(command: Command) -> Command:
    """``xargs`` with the words it will add, where the script itself holds them."""
    words = list(command.argv)
    if not words or program_name(words[0].text) != "xargs":
        return command
    given = standard_input(command)
    if given is None:
        return command
    lines = tuple(line.strip() for line in given.splitlines() if line.strip())[:50]
    mark = ""
    for position, word in enumerate(words[1:], 1):
        if word.text.startswith("-I") or word.text == "-i":
            following = words[position + 1].text if position + 1 < len(words) else ""
            mark = word.text[2:] or (following if word.text == "-I" else "{}")
            break
    if not mark:
        return replace(command, argv=(*words, *(Word((text,)) for line in lines for text in line.split())))
    filled = [
        Word(alternatives(text.replace(mark, line) for text in word.values for line in lines))
        if mark in word.text and word.text not in (mark, f"-I{mark}")
        else word
        for word in words
    ]
    last = [index for index, word in enumerate(words) if word.text == mark and words[index - 1].text != "-I"]
    for index in last:
        filled[index] = Word(alternatives(lines))
    return replace(command, argv=tuple(filled))


def _entered(rest: tuple[Word, ...], session: Session) -> str | None:
    plain = [word for word in rest if word.text == "-" or not word.text.startswith("-")]
    if not plain:
        home = session.variables.get("HOME")
        return home[0] if home else None
    if plain[0].text == "-" or not plain[0].known:
        return None
    return resolve(plain[0].text, session.folder)


def _assign(rest: tuple[Word, ...], session: Session) -> None:
    for word in rest:
        pairs = [value.partition("=") for value in word.values]
        if all(sign for _, sign, _ in pairs):
            session.variables.set(pairs[0][0], tuple(value for _, _, value in pairs))
