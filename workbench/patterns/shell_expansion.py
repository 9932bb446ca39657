"""Expansion: reads one word of shell text after another and folds what can be known of it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from typing import Self

from workbench.patterns.shell_output import output_of
from workbench.patterns.shell_records import Command, Finished, Session
from workbench.patterns.shell_words import UNKNOWN, Assembly, Texts, Word, alternatives, ansi_c, parameter

MAX_CHARS = 500_000
"""Longer text is cut, and said to be incomplete."""
MAX_DEPTH = 25
"""Substitutions inside substitutions."""
_MAX_BRACE_CHARS = 2_000

BLANKS = " \t\r"
"""What stands between the words of a line; carriage returns too, for scripts from Windows."""
SPACES = BLANKS + "\n"
"""What ends a word. Spaces of any other kind are letters to a shell."""

_PLAIN = re.compile(r"[^ \t\r\n\\'\"$`;&|<>(){}~#]+")
_NAME = re.compile(r"\$([A-Za-z_]\w*|[0-9@*#?$!-])")
_ANSI_C = re.compile(r"(?:[^'\\]|\\.)*", re.DOTALL)
_BACKTICKS = re.compile(r"(?:[^`\\]|\\.)*", re.DOTALL)
_TILDE = re.compile(r"~([\w.-]*)")
_ALTERNATION = re.compile(r"\{([^{} \t\r\n;|&<>()]*,[^{} \t\r\n;|&<>()]*)\}")


class Expander(ABC):
    """A position in one text. Subclasses read commands; words and their expansions are read here."""

    def __init__(
        self, text: str, session: Session, finished: Finished, depth: int = 0, first_line: int = 1
    ) -> None:
        self.text = text[:MAX_CHARS]
        self.complete = len(text) <= MAX_CHARS
        self.session = session
        self.finished = finished
        self.commands: list[Command] = []
        self._position = 0
        self._depth = depth
        self._first_line = first_line
        self._line_starts = [0, *(found.end() for found in re.finditer("\n", self.text))]

    @abstractmethod
    def read(self) -> None:
        """Read the whole text into ``commands``."""

    @abstractmethod
    def _commands(self, session: Session) -> None:
        """Read commands until the text or the enclosing bracket ends."""

    def _inner(self, text: str, session: Session) -> Self:
        """A reader of a text that stands inside this one."""
        return type(self)(text, session, self.finished, self._depth, self._line())

    def _word(self, session: Session) -> Texts:
        """Read one word; at least one character is taken unless a delimiter stands there."""
        word = Assembly()
        start = self._position
        while self._position < len(self.text):
            character = self.text[self._position]
            if plain := _PLAIN.match(self.text, self._position):
                self._position = plain.end()
                word.add((plain[0],))
            elif character == "~" and self._position == start:
                word.add(self._tilde())
            elif character in "<>" and self.text.startswith("(", self._position + 1):
                self._position += 1
                self._substitution(session)
                word.add((UNKNOWN,))
            elif character in SPACES or character in ";&|<>()":
                break
            elif character == "{":
                word.add(self._brace(session))
            else:
                word.add(self._quoted_piece(session))
        return word.texts()

    def _quoted_piece(self, session: Session) -> Texts:
        """One piece that begins with a quote, backslash, dollar, backtick, or any lone sign."""
        character = self.text[self._position]
        self._position += 1
        if character == "\\":
            following = self.text[self._position : self._position + 1]
            self._position += 1
            return ("" if following == "\n" else following,)
        if character == "'":
            return (self._until("'"),)
        if character == '"':
            return self._double_quoted(session, ending='"')
        if character == "`":
            return self._backticks(session)
        if character == "$":
            if self.text.startswith("'", self._position):
                self._position += 1
                found = _ANSI_C.match(self.text, self._position)
                inside = found[0] if found else ""
                self._position += len(inside) + 1
                return (ansi_c(inside),)
            if self.text.startswith('"', self._position):
                self._position += 1
                return self._double_quoted(session, ending='"')
            return self._dollar(session)
        return (character,)

    def _until(self, ending: str) -> str:
        end = self.text.find(ending, self._position)
        end = len(self.text) if end < 0 else end
        inside = self.text[self._position : end]
        self._position = end + len(ending)
        return inside

    def _double_quoted(self, session: Session, *, ending: str) -> Texts:
        word = Assembly()
        plain = re.compile(r'[^"\\$`]+' if ending else r"[^\\$`]+")
        while self._position < len(self.text):
            if found := plain.match(self.text, self._position):
                self._position = found.end()
                word.add((found[0],))
                continue
            character = self.text[self._position]
            self._position += 1
            if character == ending:
                break
            if character == "\\":
                following = self.text[self._position : self._position + 1]
                self._position += 1
                escaped = following if following in '$`"\\' else "\\" + following
                word.add(("" if following == "\n" else escaped,))
            elif character == "`":
                word.add(self._backticks(session))
            else:
                word.add(self._dollar(session))
        return word.texts()

    def _dollar(self, session: Session) -> Texts:
        """What follows a dollar sign that was just taken."""
        if self.text.startswith("((", self._position):
            self._skip_arithmetic()
            return (UNKNOWN,)
        if self.text.startswith("(", self._position):
            return self._substitution(session)
        if self.text.startswith("{", self._position):
            inside = self._balanced()
            texts, default = parameter(inside, session.variables)
            return texts or self._expanded_word(default, session)
        named = _NAME.match(self.text, self._position - 1)
        if named is None:
            return ("$",)
        self._position = named.end()
        return session.variables.get(named[1]) or (UNKNOWN,)

    def _balanced(self) -> str:
        """The inside of ``{…}`` at the position, braces inside counted."""
        depth = 0
        for end in range(self._position, min(len(self.text), self._position + _MAX_BRACE_CHARS)):
            depth += (self.text[end] == "{") - (self.text[end] == "}")
            if not depth:
                inside = self.text[self._position + 1 : end]
                self._position = end + 1
                return inside
        inside = self.text[self._position + 1 : self._position + 1 + _MAX_BRACE_CHARS]
        self._position += 1 + len(inside)
        self.complete = False
        return inside

    def _expanded_word(self, text: str, session: Session) -> Texts:
        if not self._nested():
            return (UNKNOWN,)
        inner = self._inner(text, session)
        texts = inner._double_quoted(session, ending="") if text else ("",)
        self.commands += inner.commands
        self._depth -= 1
        return tuple(item.strip("'\"") for item in texts)

    def _substitution(self, session: Session) -> Texts:
        """``(…)`` after a dollar or an arrow: its commands are read, its text known in simple cases only."""
        self._position += 1
        if not self._nested():
            self._position = len(self.text)
            return (UNKNOWN,)
        first = len(self.commands)
        inner = session.copy()
        self._commands(inner)
        self._position += 1
        self._depth -= 1
        return _output(self.commands[first:], session)

    def _backticks(self, session: Session) -> Texts:
        found = _BACKTICKS.match(self.text, self._position)
        inside = found[0] if found else ""
        self._position += len(inside) + 1
        if not self._nested():
            return (UNKNOWN,)
        inner = self._inner(re.sub(r"\\([`\\$])", r"\1", inside), session.copy())
        inner.read()
        self._depth -= 1
        self.commands += inner.commands
        return _output(inner.commands, session)

    def _brace(self, session: Session) -> Texts:
        """``{a,b}`` gives both; any other brace is itself."""
        window = self.text[self._position : self._position + _MAX_BRACE_CHARS]
        found = _ALTERNATION.match(window)
        if not found:
            self._position += 1
            return ("{",)
        self._position += found.end()
        return alternatives(
            text.strip("'\"") for part in found[1].split(",") for text in self._expanded_word(part, session)
        )

    def _tilde(self) -> Texts:
        found = _TILDE.match(self.text, self._position)
        user = found[1] if found else ""
        self._position += 1 + len(user)
        home = self.session.variables.get("HOME") or (UNKNOWN,)
        return (("/root" if user == "root" else f"/home/{user}"),) if user else home

    def _expanded(self, body: str, session: Session) -> str:
        """A heredoc's body after the shell's expansions."""
        if not self._nested():
            return body
        inner = self._inner(body, session)
        texts = inner._double_quoted(session, ending="")
        self.commands += inner.commands
        self._depth -= 1
        return texts[0]

    def _nested(self) -> bool:
        if self._depth >= MAX_DEPTH:
            self.complete = False
            return False
        self._depth += 1
        return True

    def _skip_arithmetic(self) -> None:
        end = self.text.find("))", self._position)
        self._position = len(self.text) if end < 0 else end + 2

    def _blanks(self) -> None:
        while self.text[self._position : self._position + 1] in (" ", "\t"):
            self._position += 1

    def _to_line_end(self) -> None:
        end = self.text.find("\n", self._position)
        self._position = len(self.text) if end < 0 else end

    def _line(self) -> int:
        return self._line_of(self._position)

    def _line_of(self, position: int) -> int:
        return self._first_line - 1 + bisect_right(self._line_starts, position)


def _output(commands: list[Command], session: Session) -> Texts:
    """What a substitution's commands print, trailing line ends cut, if they are of the simple kind."""
    text: str | None = None
    for command in commands:
        read = [item for item in command.redirects if item.operator == "<"]
        if len(read) != len(command.redirects) or not all(word.known for word in command.argv):
            return (UNKNOWN,)
        text = session.folder if command.argv[:1] == (Word(("pwd",)),) else output_of(command)
        if text is None:
            return (UNKNOWN,)
    return (text.rstrip("\n"),) if text is not None else ("",)
