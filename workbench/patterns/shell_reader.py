"""Shell text into simple commands: a reader of its own, tolerant, that runs nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from workbench.patterns.shell_expansion import BLANKS, SPACES, Expander
from workbench.patterns.shell_records import Command, Heredoc, Redirect, Session
from workbench.patterns.shell_words import Word, alternatives, joined

MAX_COMMANDS = 3_000

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]\n]*\])?(\+?)=")
_OPERATOR = re.compile(r"\|\||&&|;;&|;;|;&|\|&|[;|&]")
_REDIRECT = re.compile(r"(\d*|\{\w+\})(&>>|&>|<<<|<<-|<<|<>|>>|>\||>&|<&|<|>)")
_NEXT_WORD = re.compile(r"[ \t]*[^ \t\r\n]*")
_OPENING_WORDS = {"if", "then", "elif", "else", "do", "while", "until", "time", "!", "{", "coproc"}
_CLOSING_WORDS = {"fi", "done", "esac", "}"}


@dataclass
class _Frame:
    """The command being read."""

    argv: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    heredocs: list[Heredoc] = field(default_factory=list)
    piped: Command | None = None
    line: int = 1
    blocks: int = 0  # open if, for, while, case
    cases: int = 0


class Reader(Expander):
    """Reads one text. ``finished`` is told of every command in order and may change the session."""

    _after_heredocs: int | None = None  # where the text goes on behind bodies that belong to the current line

    def read(self) -> None:
        """Read the whole text into ``commands``."""
        while self._position < len(self.text):
            self._commands(self.session)
            self._position += 1  # a closing bracket without an opening one

    def _commands(self, session: Session) -> None:
        """Read until the text or the enclosing bracket ends; the closing bracket is left standing."""
        frame = _Frame(line=self._line())
        while self._position < len(self.text):
            character = self.text[self._position]
            if character in BLANKS:
                self._position += 1
            elif self.text.startswith("\\\n", self._position):
                self._position += 2
            elif character == "#":
                self._to_line_end()
            elif character == "\n":
                self._next_line()
                frame = self._end(frame, session, ";")
            elif frame.argv and frame.argv[0].text == "[[" and frame.argv[-1].text != "]]":
                self._test_word(frame, session)
            elif redirect := _REDIRECT.match(self.text, self._position):
                if redirect[2] in ("<", ">") and self.text.startswith("(", redirect.end()):
                    frame.argv.append(Word(self._word(session)))
                else:
                    self._position = redirect.end()
                    self._redirect(frame, redirect[1], redirect[2], session)
            elif operator := _OPERATOR.match(self.text, self._position):
                self._position = operator.end()
                frame = self._end(frame, session, operator[0])
            elif character == "(":
                self._bracket(frame, session)
            elif character == ")":
                if not frame.cases:
                    break
                self._position += 1
                frame.argv.clear()
            else:
                self._argument(frame, session)
        self._finish(frame, session, masked=False)

    def _argument(self, frame: _Frame, session: Session) -> None:
        if not frame.argv:
            frame.line = self._line()
            assigned = _ASSIGNMENT.match(self.text, self._position)
            if assigned:
                self._position = assigned.end()
                self._assign(assigned[1], bool(assigned[2]), session, may_keep=frame.blocks > 0)
                return
        word = Word(self._word(session))
        if not frame.argv and self._reserved(frame, word.text):
            return
        frame.argv.append(word)
        if frame.argv[0].text == "case" and word.text == "in" and len(frame.argv) > 2:
            frame.argv.clear()

    def _reserved(self, frame: _Frame, text: str) -> bool:
        """Take in a word of the grammar at the start of a command."""
        if text in ("if", "while", "until", "case", "for", "select"):
            frame.blocks += 1
            frame.cases += text == "case"
        elif text in ("fi", "done", "esac"):
            frame.blocks = max(0, frame.blocks - 1)
            frame.cases = max(0, frame.cases - (text == "esac"))
        elif text == "function":
            found = _NEXT_WORD.match(self.text, self._position)
            self._position = found.end() if found else self._position
            return True
        return text in _OPENING_WORDS or text in _CLOSING_WORDS

    def _next_line(self) -> None:
        self._position = self._after_heredocs or self._position + 1
        self._after_heredocs = None

    def _assign(self, name: str, appending: bool, session: Session, *, may_keep: bool) -> None:
        if self.text.startswith("(", self._position):
            self._position += 1
            texts: list[str] = []
            while self._position < len(self.text) and self.text[self._position] != ")":
                if self.text[self._position] in SPACES:
                    self._position += 1
                else:
                    start = self._position
                    texts += self._word(session)
                    self._position += self._position == start
            self._position += 1
            session.variables.set(name, alternatives(texts), may_keep=may_keep)
            return
        value = self._word(session)
        if appending:
            value = joined(session.variables.get(name) or ("",), value)
        session.variables.set(name, value, may_keep=may_keep)

    def _bracket(self, frame: _Frame, session: Session) -> None:
        """A function's ``()``, an arithmetic command, or a subshell."""
        if self.text.startswith("((", self._position):
            self._skip_arithmetic()
            return
        self._position += 1
        if frame.argv:
            if self.text.startswith(")", self._position):
                self._position += 1
                frame.argv.clear()
            return
        if self._nested():
            self._commands(session.copy())
            self._depth -= 1
        self._position += 1

    def _test_word(self, frame: _Frame, session: Session) -> None:
        if self.text[self._position] in "<>()&|;":
            self._position += 1
            return
        frame.argv.append(Word(self._word(session)))

    def _end(self, frame: _Frame, session: Session, operator: str) -> _Frame:
        """Finish a command at an operator; gives the frame of the next."""
        if operator == ";" and not (frame.argv or frame.redirects):
            return frame
        command = self._finish(frame, session, masked=operator != "&&")
        following = _Frame(line=self._line(), blocks=frame.blocks, cases=frame.cases)
        if operator in ("|", "|&"):
            following.piped = command
        return following

    def _finish(self, frame: _Frame, session: Session, *, masked: bool) -> Command | None:
        if not frame.argv and not frame.redirects and not frame.heredocs:
            return None
        command = Command(
            tuple(frame.argv),
            tuple(frame.redirects),
            tuple(frame.heredocs),
            session.folder,
            frame.line,
            frame.piped,
            masked,
            session,
        )
        if len(self.commands) >= MAX_COMMANDS:
            self.complete = False
            return command
        self.commands.append(command)
        self.finished(command, session)
        return command

    def _redirect(self, frame: _Frame, descriptor: str, operator: str, session: Session) -> None:
        self._blanks()
        if operator in ("<<", "<<-"):
            start = self._position
            delimiter = self._word(session)[0]
            quoted = any(sign in self.text[start : self._position] for sign in "'\"\\")
            frame.heredocs.append(self._heredoc(delimiter, operator == "<<-", quoted, session))
            return
        line = self._line()
        target = self._word(session)
        if operator == "<<<":
            frame.heredocs.append(Heredoc(target[0] + "\n", line))
        else:
            frame.redirects.append(Redirect(descriptor, operator, Word(target)))

    def _heredoc(self, delimiter: str, tabs: bool, quoted: bool, session: Session) -> Heredoc:
        """The body that begins on the next line, or behind the body before it."""
        start = self._after_heredocs
        if start is None:
            end_of_line = self.text.find("\n", self._position)
            start = len(self.text) if end_of_line < 0 else end_of_line + 1
        body, self._after_heredocs = self._body(start, delimiter, tabs)
        return Heredoc(body if quoted else self._expanded(body, session), self._line_of(start))

    def _body(self, start: int, delimiter: str, tabs: bool) -> tuple[str, int]:
        """The lines before the delimiter, and the position behind it."""
        lines: list[str] = []
        position = start
        while position < len(self.text):
            end = self.text.find("\n", position)
            end = len(self.text) if end < 0 else end
            line = self.text[position:end]
            position = min(end + 1, len(self.text))
            line = line.lstrip("\t") if tabs else line
            if line.rstrip("\r") == delimiter:
                break
            lines.append(line)
        return "".join(f"{line}\n" for line in lines), position
