"""What commands print and read, where their words and known files decide that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from workbench.patterns.python_interpreter import followed
from workbench.patterns.python_values import Surroundings
from workbench.patterns.shell_programs import arguments, program, resolve
from workbench.patterns.shell_records import Command, Session
from workbench.patterns.shell_words import UNKNOWN
from workbench.patterns.text_programs import printed

_READ_FILES = {
    "sed", "awk", "gawk", "mawk", "base64", "base32", "basenc", "xxd", "cut", "rev", "sort", "uniq", "fold",
    "paste", "openssl", "gunzip", "zcat", "gzip", "bzip2", "bunzip2", "bzcat", "xz", "xzcat", "grep",
}  # fmt: skip
"""Programs that take the names of the files whose text they change."""
MAX_PIPE = 6
"""Programs in a pipe that are followed."""
MAX_FILES = 400
MAX_FILE_CHARS = 500_000
"""Files that a script writes, as far as they are kept."""


def standard_input(command: Command, depth: int = 0) -> str | None:
    """The text a command reads on its standard input, where the script itself or a known file holds it.

    Pipes are followed through programs that only decode or change a text.
    """
    if command.heredocs:
        return command.heredocs[-1].body
    given = [item.target.text for item in command.redirects if item.operator == "<"]
    if given:
        return known_file(command, given[-1])
    before = command.reads_from
    if before is None or depth > MAX_PIPE:
        return None
    if any(item.operator not in ("<", ">&") and item.descriptor != "2" for item in before.redirects):
        return None
    return output_of(before, depth + 1)


def output_of(command: Command, depth: int = 0) -> str | None:
    """What a command prints, where its words, its input and known files decide that; else None."""
    name, words = program(command), [word.text for word in arguments(command)]
    given = standard_input(command, depth)
    if name in ("cat", "tac", "head", "tail") and words:
        plain = [word for word in words if not word.startswith("-")]
        texts = [known_file(command, word) for word in plain if not (word.isdigit() and name != "cat")]
        known = [text for text in texts if text is not None]
        if texts:
            whole = "".join(known) if len(known) == len(texts) else None
            return whole if name == "cat" or whole is None else printed((name,), whole)
    if name == "tee":
        return given
    if name == "paste" and (pasted := _pasted(command, words)) is not None:
        return pasted
    if given is None and name in _READ_FILES:
        held = [(word, text) for word in words if (text := known_file(command, word)) is not None]
        if held:
            named = {word for word, _ in held}
            given = "".join(text for _, text in held)
            words = [word for word in words if word not in named and word != "-in"]
    if name == "envsubst" and given is not None and command.session:
        return _filled(given, command.session)
    if name == "python":
        return python_output(words, given, command)
    if name == "printf" and words and len(re.findall(r"%[sbdqcxo]", words[0])) != len(words) - 1:
        return "\n".join(words[1:]) if not re.search(r"%[oxc]", words[0]) else printed((name, *words), None)
    return printed((name, *words), given)


def _pasted(command: Command, words: Sequence[str]) -> str | None:
    """``paste`` of known files, line beside line."""
    by = re.search(r"(?:^| )-d ?(\S*)", " ".join(words))
    mark = by[1] if by else "\t"
    texts = [known_file(command, word) for word in words if not word.startswith("-") and word != mark]
    if not texts or "-s" in words or any(word.startswith("-s") for word in words):
        return None
    known = [text.rstrip("\n").split("\n") for text in texts if text is not None]
    if len(known) != len(texts):
        return None
    rows = zip_longest(*known, fillvalue="")
    return "".join(f"{mark.join(row)}\n" for row in rows)


def _filled(text: str, session: Session) -> str:
    """The text with its ``$names`` replaced by the shell's variables."""

    def one(found: re.Match[str]) -> str:
        return (session.variables.get(found[1] or found[2]) or (UNKNOWN,))[0]

    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", one, text)


def python_output(words: Sequence[str], given: str | None, command: Command) -> str | None:
    """What a piece of Python prints, if nothing that it prints is open."""
    plain = [word for word in words if not word.startswith("-")]
    if "-c" in words[:-1]:
        code, plain = words[words.index("-c") + 1], plain[1:]
    elif plain and (known := known_file(command, plain[0])) is not None:
        code, plain = known, plain[1:]
    elif given is not None and not plain:
        code, given = given, None
    else:
        return None
    result = followed(code, surroundings(command, tuple(plain), given))
    text = "".join(result.printed) if result else ""
    return text if text and UNKNOWN not in text else None


def surroundings(command: Command, given: tuple[str, ...] = (), stdin: str | None = None) -> Surroundings:
    """What a program that a command starts finds around it."""
    session = command.session
    variables = session.variables.values if session else {}
    return Surroundings(
        session.files if session else {},
        {name: texts[0] for name, texts in variables.items()},
        given,
        stdin,
        command.folder or "/workspace",
    )


def known_file(command: Command, name: str) -> str | None:
    """The text of a file that an earlier command wrote, as far as it is known."""
    path = resolve(name, command.folder)
    return command.session.files.get(path) if command.session and path else None


def keep_output(command: Command, session: Session) -> None:
    """What a command prints into a file is known to the commands behind it."""
    names = [
        (item.target.text, item.operator == ">>")
        for item in command.redirects
        if item.operator in (">", ">>", ">|") and item.descriptor in ("", "1")
    ]
    if program(command) == "tee":
        words = [word.text for word in arguments(command)]
        names += [(word, "-a" in words) for word in words if not word.startswith("-")]
    if not names or len(session.files) >= MAX_FILES:
        return
    text = output_of(command)
    for name, adds in names:
        path = resolve(name, command.folder)
        if path and text is not None:
            session.files[path] = ((session.files.get(path, "") if adds else "") + text)[:MAX_FILE_CHARS]
        elif path:
            session.files.pop(path, None)
