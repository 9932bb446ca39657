"""Shell text as the simple commands it would run, shells inside shells included."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from workbench.patterns.shell_output import keep_output, known_file, standard_input
from workbench.patterns.shell_programs import SHELLS, program, program_name, resolve, unwrapped
from workbench.patterns.shell_reader import MAX_COMMANDS, Reader
from workbench.patterns.shell_records import Command, Session
from workbench.patterns.shell_words import UNKNOWN, Variables, Word, alternatives
from workbench.patterns.text_programs import printed

MAX_ALIASES = 100
RUN_TEXT = {
    "script",
    "sg",
    "su",
    "runuser",
    "flock",
    "watch",
    "entr",
    "parallel",
    "tmux",
    "screen",
    "dbus-run-session",
}
"""Other programs that are given a shell's text after ``-c``."""
MAX_SHELL_DEPTH = 6
"""``bash -c "bash -c …"``."""

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
    text: str,
    folder: str | None = "/workspace",
    variables: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
) -> ShellScript:
    """Read shell text; runs nothing, never raises. ``folder`` is where the shell starts.

    Each call is a fresh shell: a ``cd`` or an assignment of an earlier text is not known here. ``files``:
    texts of files that are there, by absolute path.
    """
    known: dict[str, tuple[str, ...]] = {name: (value,) for name, value in (variables or {}).items()}
    known.setdefault("OLDPWD", (folder or UNKNOWN,))
    start = Session(folder, Variables(known), dict(files or {}))
    collector = _Collector()
    collector.read(text, start, depth=0)
    commands = collector.commands
    if commands:
        commands[-1] = replace(commands[-1], masked=False)
    return ShellScript(tuple(commands), collector.complete)


class _Collector:
    """Keeps commands in order, follows inner shells, and does what a command does to its shell."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.complete = True
        self._depth = 0
        self._given = ""
        self._aliases: dict[str, tuple[Word, ...]] = {}

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
        command = _filled(self._plain(command))
        self.commands.append(command)
        keep_output(command, session)
        words = unwrapped(command.argv)
        if not words:
            return
        name, rest = program_name(words[0].text), words[1:]
        if name in ("cd", "pushd"):
            session.variables.set("OLDPWD", (session.folder or UNKNOWN,))
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
        elif name == "printf" and len(rest) > 2 and rest[0].text == "-v":
            text = printed(("printf", *(word.text for word in rest[2:])), None)
            session.variables.set(rest[1].text, (UNKNOWN if text is None else text,))
        elif name == "eval":
            self.read(" ".join(word.text for word in rest), session, self._depth + 1, command.line)
        elif name in ("source", ".") and rest:
            text = known_file(command, rest[0].text)
            if text is not None:
                self.read(text, session, self._depth + 1, command.line)
        elif name in SHELLS or name in RUN_TEXT:
            self._inner_shell(command, rest, session)
        elif name == "alias":
            self._aliased(rest, session)
        elif name == "set" and rest[:1] and rest[0].text == "--":
            for place, word in enumerate(rest[1:10], 1):
                session.variables.set(str(place), word.values)
            session.variables.set("@", alternatives(text for word in rest[1:] for text in word.values))
            session.variables.set("*", alternatives(text for word in rest[1:] for text in word.values))
        elif name == "find":
            self._found(command, rest, session)

    def _aliased(self, rest: tuple[Word, ...], session: Session) -> None:
        for word in rest:
            name, sign, value = word.text.partition("=")
            if sign and len(self._aliases) < MAX_ALIASES:
                self._aliases[name] = tuple(Word((text,)) for text in value.split()[:20])

    def _plain(self, command: Command) -> Command:
        """A command that begins with an alias, with what the alias stands for."""
        known = self._aliases.get(command.argv[0].text) if command.argv and self._aliases else None
        return command if not known else replace(command, argv=(*known, *command.argv[1:]))

    def _inner_shell(self, command: Command, rest: tuple[Word, ...], session: Session) -> None:
        for position, word in enumerate(rest):
            if re.fullmatch(r"-\w*c\w*", word.text) and position + 1 < len(rest):
                inner = session.copy()
                for text in rest[position + 1].values:
                    self.read(text, inner, self._depth + 1, command.line)
                return
            if not word.text.startswith("-") and program(command) not in RUN_TEXT:
                return
        given = None if program(command) in RUN_TEXT else standard_input(command)
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
    if len(words) > 2 and program_name(words[0].text) == "env" and words[1].text in ("-C", "--chdir"):
        return replace(command, folder=resolve(words[2].text, command.folder))
    if not words or program_name(words[0].text) != "xargs":
        return command
    given = standard_input(command)
    if given is None:
        given = _listed_in(command)
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


def _listed_in(command: Command) -> str | None:
    """The text of the file that ``xargs -a`` takes its words from."""
    texts = [word.text for word in command.argv]
    for place, text in enumerate(texts[:-1]):
        if text in ("-a", "--arg-file"):
            return known_file(command, texts[place + 1])
        if text.startswith("--arg-file="):
            return known_file(command, text.partition("=")[2])
    return None


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
