"""Which paths a shell script reads, lists, enters and writes; and which texts it writes into files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from workbench.patterns.paths import Access, PathUse, path_like
from workbench.patterns.shell import ShellScript
from workbench.patterns.shell_output import known_file, output_of, standard_input
from workbench.patterns.shell_programs import SHELLS, arguments, program, resolve
from workbench.patterns.shell_records import Command
from workbench.patterns.shell_words import Word

_PATTERN_FIRST = {
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "ack",
    "sed",
    "awk",
    "gawk",
    "mawk",
    "jq",
    "perl",
}
_PATTERN_BY_OPTION = ("-e", "-f", "--regexp", "--file", "--expression")
_READERS = _PATTERN_FIRST | {
    "cat", "tac", "head", "tail", "less", "more", "nl", "od", "xxd", "hexdump", "strings", "file", "wc",
    "sort", "uniq", "cut", "md5sum", "sha1sum", "sha256sum", "sha512sum", "base64", "base32", "diff", "cmp",
    "comm", "paste", "join", "column", "zcat", "gunzip", "gzip", "zless", "bzcat", "xzcat", "unzip", "tar",
    "source", ".", "split", "tee", "rev", "fold", "fmt", "iconv", "bat", "vi", "vim", "nano", "sqlite3",
    "duckdb", "python", "bash", "sh", "node", "Rscript", "parquet-tools", "csvlook", "csvcut", "xsv", "mlr",
    "readlink", "realpath", "getfacl",
}  # fmt: skip
_LISTERS = {"ls", "dir", "vdir", "tree", "du", "stat", "find", "fd", "fdfind", "exa", "eza"}
_ALWAYS_DEEP = {"find", "fd", "fdfind", "tree", "du", "rg", "ag", "ack"}
_WRITERS = {
    "tee",
    "touch",
    "mkdir",
    "rm",
    "rmdir",
    "chmod",
    "chown",
    "chgrp",
    "truncate",
    "unlink",
    "shred",
    "mkfifo",
}
_LAST_IS_TARGET = {"cp", "mv", "ln", "install", "rsync", "scp"}
_SILENT = {
    "echo", "printf", "test", "[", "[[", "expr", "true", "false", ":", "export", "set", "unset", "date",
    "sleep", "kill", "ps", "which", "type", "tr", "seq", "basename", "dirname", "for", "case", "declare",
    "local", "readonly", "pip", "uv", "apt", "apt-get", "wait", "exit", "return", "trap", "shift", "ulimit",
    "umask", "alias", "curl", "wget",
}  # fmt: skip
_PATCH_FILE = re.compile(
    r"^\*\*\* (?:Add|Update) File: (?P<path>[^\n]+)\n(?P<body>.*?)(?=^\*\*\* |\Z)", re.MULTILINE | re.DOTALL
)
_WHOLE_SYSTEM = {"locate", "mlocate", "plocate"}
_OPTIONS_WITH_VALUE = {
    "head": {"-n", "-c"}, "tail": {"-n", "-c"}, "sort": {"-k", "-t", "-o"}, "cut": {"-d", "-f", "-c"},
    "grep": {"-A", "-B", "-C", "-m"}, "rg": {"-g", "-t", "-A", "-B", "-C", "-m"}, "xxd": {"-l", "-s"},
    "awk": {"-F", "-v"}, "gawk": {"-F", "-v"}, "mawk": {"-F", "-v"}, "jq": {"--arg"}, "column": {"-s"},
    "duckdb": {"-c", "-s", "-cmd", "-separator", "-nullvalue", "-newline"},
    "sqlite3": {"-cmd", "-separator"}, "python": {"-c", "-m", "-W", "-X"}, "bash": {"-c", "-o"},
    "sh": {"-c", "-o"}, "node": {"-e"}, "split": {"-l", "-b", "-n"}, "tree": {"-L", "-I", "-P"},
    "du": {"-d"}, "truncate": {"-s"}, "mkdir": {"-m"}, "install": {"-m", "-o", "-g"}, "stat": {"-c", "-f"},
    "base64": {"-w"}, "od": {"-A", "-t", "-N"},
}  # fmt: skip


@dataclass(frozen=True)
class WrittenText:
    """A file that a script writes with a text it holds itself."""

    path: str
    text: str
    line: int


def shell_paths(script: ShellScript) -> list[PathUse]:
    """Every path a script touches, redirections included.

    Words that only look like paths, inside patterns, texts and options, are left out; so are paths
    relative to a folder that is not known.
    """
    found: list[PathUse] = []
    for command in script.commands:
        for redirect in command.redirects:
            access = Access.READ if redirect.operator in ("<", "<>") else Access.WRITE
            if redirect.operator in (">&", "<&") and re.fullmatch(r"\d+|-", redirect.target.text):
                continue
            found += _uses(command, [redirect.target], access, redirect.operator)
        found += _command_uses(command)
    return list(dict.fromkeys(found))


def written_texts(script: ShellScript) -> list[WrittenText]:
    """``cat > x.py <<'EOF'``, ``echo … > x.sql``, ``tee x.sh <<EOF``: the files and what goes into them."""
    found = []
    for command in script.commands:
        name = program(command)
        targets = [item.target for item in command.redirects if item.operator in (">", ">>", ">|", "&>")]
        if name == "tee":
            targets += [word for word in arguments(command) if not word.text.startswith("-")]
        if name == "dd":
            targets += [Word((word.text[3:],)) for word in arguments(command) if word.text.startswith("of=")]
        if name == "apply_patch":
            found += _patched(command)
        text = _own_text(command, name) if targets else None
        if text is None:
            continue
        line = command.heredocs[-1].line if command.heredocs else command.line
        for target in targets:
            path = resolve(target.text, command.folder)
            if path is not None:
                whole = known_file(command, path) if _adds(command) else None
                found.append(WrittenText(path, whole if whole and text in whole else text, line))
    return found


def _adds(command: Command) -> bool:
    return any(item.operator == ">>" for item in command.redirects) or any(
        word.text == "-a" for word in arguments(command)
    )


def _own_text(command: Command, name: str) -> str | None:
    return standard_input(command) if name in ("dd", "sponge") else output_of(command)


def _patched(command: Command) -> list[WrittenText]:
    """Files that a patch in the ``*** Add File:`` form makes, or the lines it adds to others."""
    given = standard_input(command) or "\n".join(word.text for word in arguments(command))
    line = command.heredocs[-1].line if command.heredocs else command.line
    found = []
    for part in _PATCH_FILE.finditer(given):
        path = resolve(part["path"].strip(), command.folder)
        added = "".join(f"{item[1:]}\n" for item in part["body"].splitlines() if item.startswith("+"))
        if path is not None:
            found.append(WrittenText(path, added, line + given.count("\n", 0, part.start("body"))))
    return found


def _command_uses(command: Command) -> list[PathUse]:
    name = program(command)
    words = arguments(command)
    if name in ("echo", "printf"):
        spread = [word for word in words if re.match(r"/[^\s]*[*?\[]", word.text) and path_like(word.text)]
        return _uses(command, spread, Access.LIST, name)
    if not name or name in _SILENT:
        return []
    if name in ("cd", "pushd"):
        return _uses(
            command, [word for word in words if not word.text.startswith("-")][:1], Access.ENTER, name
        )
    if name in _WHOLE_SYSTEM:
        return [PathUse("/", Access.LIST, name, command.line, recursive=True)]
    if name == "dd":
        read = [Word((word.text[3:],)) for word in words if word.text.startswith("if=")]
        written = [Word((word.text[3:],)) for word in words if word.text.startswith("of=")]
        return _uses(command, read, Access.READ, name) + _uses(command, written, Access.WRITE, name)
    found = _uses(command, list(_option_values(words)), Access.READ, name)
    plain = list(_plain(name, words))
    if name in _LAST_IS_TARGET and len(plain) > 1:
        deep = _deep(name, words)
        moved = Access.WRITE if name == "mv" else Access.READ
        return (
            found
            + _uses(command, plain[:-1], moved, name, deep)
            + (_uses(command, plain[:-1], Access.READ, name, deep) if name == "mv" else [])
            + _uses(command, plain[-1:], Access.WRITE, name)
        )
    if name in _WRITERS:
        return found + _uses(command, plain, Access.WRITE, name, _deep(name, words))
    if name in _LISTERS:
        paths = _before_conditions(plain, words) if name == "find" else plain
        deep = name in _ALWAYS_DEEP or _deep(name, words)
        listed = _uses(command, paths or [Word((".",))], Access.LIST, name, deep)
        wanted = _find_names(words) if name == "find" else []
        return (
            found + listed + [replace(use, pattern=f"{use.path}/{text}") for use in listed for text in wanted]
        )
    if name in _READERS:
        return found + _reader_uses(command, name, words, plain)
    by_looks = [word for word in (command.argv[:1] + words) if any(path_like(text) for text in word.values)]
    return found + _uses(command, by_looks, Access.READ, name)


def _reader_uses(command: Command, name: str, words: Sequence[Word], plain: list[Word]) -> list[PathUse]:
    if name in _PATTERN_FIRST and not any(word.text.startswith(_PATTERN_BY_OPTION) for word in words):
        plain = plain[1:]
    deep = name in _ALWAYS_DEEP or (name.endswith("grep") and _deep(name, words))
    if not plain and deep and command.reads_from is None:
        plain = [Word((".",))]
    in_place = name in ("sed", "perl") and any(re.match(r"-\w*i", word.text) for word in words)
    if name in ("duckdb", "sqlite3", "python"):
        plain = [word for word in plain if not re.search(r"\s", word.text)]
    found = _uses(command, plain, Access.READ, name, deep)
    return found + (_uses(command, plain, Access.WRITE, name) if in_place else [])


def _uses(
    command: Command, words: Sequence[Word], access: Access, by: str, recursive: bool = False
) -> list[PathUse]:
    found = []
    for word in words:
        for text in word.values:
            if "\n" in text or len(text) > 4096 or re.match(r"[a-z][a-z0-9+.-]+://", text):
                continue
            path = resolve(text, command.folder)
            if path is not None:
                found.append(PathUse(path, access, by, command.line, recursive))
    return found


def _plain(name: str, words: Sequence[Word]) -> Iterator[Word]:
    """Words that are no options and no values of options."""
    with_value = _OPTIONS_WITH_VALUE.get(name, set())
    skip = False
    options = True
    for word in words:
        text = word.text
        if skip:
            skip = False
        elif options and text == "--":
            options = False
        elif options and text.startswith("-") and len(text) > 1:
            skip = text in with_value or (name in SHELLS and re.fullmatch(r"-\w*c", text) is not None)
        elif text != "-":
            yield word


def _option_values(words: Sequence[Word]) -> Iterator[Word]:
    """``--file=/path`` and ``-f/path``."""
    for word in words:
        found = [re.match(r"--?[\w-]+=(.+)", text, re.DOTALL) for text in word.values]
        values = tuple(item[1] for item in found if item and path_like(item[1]))
        if values:
            yield Word(values)


def _before_conditions(plain: list[Word], words: Sequence[Word]) -> list[Word]:
    """``find``'s starting points."""
    paths = []
    for word in words:
        if re.fullmatch(r"-[HLPD]|-O\d?", word.text):
            continue
        if word.text.startswith("-") or word.text in ("(", "!"):
            break
        paths.append(word)
    return paths


def _find_names(words: Sequence[Word]) -> list[str]:
    """Globs that ``find`` compares names with."""
    pairs = pairwise(words)
    return [
        text
        for option, value in pairs
        if option.text in ("-name", "-iname", "-path", "-ipath", "-wholename")
        for text in value.values
    ]


def _deep(name: str, words: Sequence[Word]) -> bool:
    """Whether an option asks for the whole tree."""
    letters = "Rr" if name not in ("ls", "dir", "vdir", "exa", "eza") else "R"
    if name in ("cp", "rsync"):
        letters += "a"
    return any(
        word.text in ("--recursive", "--dereference-recursive", "--tree", "--directories=recurse")
        or (
            re.fullmatch(r"-[A-Za-z0-9]+", word.text) is not None
            and any(sign in word.text for sign in letters)
        )
        for word in words
    )
