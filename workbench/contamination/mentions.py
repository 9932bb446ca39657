"""Paths that stand anywhere in code that runs, or in files it works through, whatever is done with them.

Programs and options that read a file are without number: a place outside that is named at all is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.contamination.places import text_paths
from workbench.contamination.rule import Action
from workbench.patterns import UNKNOWN, Command, arguments, path_like, program, resolve, written_texts
from workbench.records import WORK_FOLDER, ToolKind

MAX_MENTIONS = 200
MAX_WORDS = 2_000
MAX_COMMANDS = 400
MAX_SEARCHED = 50_000
"""Characters of one text."""
_SCRIPT_FIRST = {
    "sed",
    "awk",
    "gawk",
    "mawk",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "jq",
    "perl",
    "expr",
    "git",
}
_SHOWN_ONLY = (
    "print",
    "logging.",
    "log.",
    "logger.",
    ".info",
    ".debug",
    ".warning",
    ".error",
    ".add_argument",
)
_SET = re.compile(r"(?:^|[\s;&|(])(?P<name>\w+)=[\"']?(?P<value>(?:/|~/|\.\./)[^\s\"';&|)]+)")
_STEERS = re.compile(r"GIT_\w+|CDPATH|PYTHONPATH|\w*HOME|\w*_DIR|\w*_FILE|BASH_ENV|TMPDIR")
"""Settings that lead a program to another place."""
_LITERAL = re.compile(r"'(?:file:(?://)?)?(?P<path>(?:/|\.\./)[^'\n]{1,300})'")
_LISTS = re.compile(
    r"\bxargs\b|--files-from|--files0-from|(?:^|\s)-T\b|\bcpio\b|\bread\b|\bparallel\b|\b(?:mapfile|readarray)\b|\bpax\b"
    r"|(?:^|\s)-i\b|@\w|\bvim?\b|\bex\b|\bcurl\b.*-K|--config|\bmake\b"
)
_CLIMBS = re.compile(r"(?:^|/)\.\.(?:/|$)")


@dataclass(frozen=True)
class Mention:
    """``path``: absolute. ``listed``: it stands in a file that the call works through."""

    path: str
    listed: bool = False


def mentions(action: Action) -> list[Mention]:
    """Absolute paths in words, settings, constants of Python, literals of SQL and worked-through files."""
    found: dict[Mention, None] = {}
    for item in _all(action):
        found[item] = None
        if len(found) >= MAX_MENTIONS:
            break
    return list(found)


def _all(action: Action) -> Iterator[Mention]:
    if not action.runs or action.call.kind in (ToolKind.FILE_READ, ToolKind.SEARCH):
        return
    here: dict[str, str] = {}
    for layer in action.layers.layers:
        if layer.shell is not None:
            here |= {item.path: item.text for item in written_texts(layer.shell)}
        if not (layer.executed or action.call.command is None):
            continue
        if layer.shell is not None:
            for found in _SET.finditer(layer.text[:MAX_SEARCHED]):
                listed = bool(_STEERS.match(found["name"]))
                yield from (Mention(item.path, listed) for item in _paths([found["value"]]))
            listing = bool(_LISTS.search(layer.text[:MAX_SEARCHED]))
            known = {**action.context.files, **here} if listing else {}
            for command in layer.shell.commands[:MAX_COMMANDS]:
                yield from _words(command, listing=listing)
                if listing:
                    yield from _lists(command, known)
        elif layer.python is not None:
            for text in layer.python.texts[:MAX_WORDS]:
                if not text.call.startswith(_SHOWN_ONLY):
                    yield from _constant(text.text, layer.folder)
            known = {**action.context.files, **here, **layer.python.written}
            for call in layer.python.calls[:MAX_WORDS]:
                for opened in (text for texts in call.texts[:1] for text in texts):
                    body = known.get(resolve(opened, layer.folder) or "")
                    if body and not call.name.startswith(_SHOWN_ONLY) and len(body) < 20_000:
                        yield from _listed(body)
        elif layer.kind in ("sql", "text"):
            yield from _paths(found["path"] for found in _LITERAL.finditer(layer.text[:MAX_SEARCHED]))


def _words(command: Command, *, listing: bool) -> Iterator[Mention]:
    name = program(command)
    words = [text for word in arguments(command) for text in word.values][:MAX_WORDS]
    into = any(item.operator in (">", ">>", ">|") for item in command.redirects)
    if name in ("echo", "printf", ":") and not into and not listing:
        return
    plain = [word for word in words if not word.startswith("-")]
    skipped = plain[0] if name in _SCRIPT_FIRST and plain else None
    for word in words:
        if word != skipped and "\n" not in word and len(word) < 4096:
            bare = re.sub(
                r"^(?:--?[\w-]+=|[\w.]+=|file:(?://)?|@|-[A-Za-z](?=/)|[A-Za-z]+:(?=/[^/]))", "", word
            )
            if bare.startswith(UNKNOWN):
                bare = "/" + bare.lstrip(UNKNOWN).lstrip("/")
            yield from _paths([bare])
            if (
                _CLIMBS.search(bare)
                and (path := resolve(bare, command.folder))
                and not re.search(r"\s", bare)
            ):
                yield Mention(path)


def _constant(text: str, folder: str | None) -> Iterator[Mention]:
    bare = re.sub(r"^file:(?://)?(?=/)", "", text.split("?")[0])
    if bare.startswith(UNKNOWN):
        bare = "/" + bare.lstrip(UNKNOWN).lstrip("/")
    yield from _paths([bare])
    if _CLIMBS.search(bare) and not re.search(r"\s", bare) and (path := resolve(bare, folder or WORK_FOLDER)):
        yield Mention(path)


def _lists(command: Command, known: dict[str, str]) -> Iterator[Mention]:
    """Paths in a list of files that a program is given."""
    words = [
        re.sub(r"^--?[\w-]+=|^[-@][A-Za-z]?", "", text) for word in arguments(command) for text in word.values
    ]
    words += [item.target.text for item in command.redirects if item.operator == "<"]
    for word in words[:MAX_WORDS]:
        body = known.get(resolve(word, command.folder) or "")
        if body and len(body) < 100_000:
            yield from _listed(body)
    before = command.reads_from
    if before is not None and program(before) in ("echo", "printf", "cat", "ls", "find"):
        for word in (text for item in arguments(before) for text in item.values):
            yield from (Mention(item.path, listed=True) for item in _paths([word]))


def _listed(body: str) -> Iterator[Mention]:
    for path in text_paths(body):
        whole = resolve(path, None)
        if whole:
            yield Mention(whole, listed=True)


def _paths(texts: Iterable[str]) -> Iterator[Mention]:
    for text in texts:
        text = re.sub(r"^~(?=/)", "/home/agent", text)
        if text.startswith("/") and path_like(text) and text.count("/") > 1 and UNKNOWN not in text[:2]:
            path = resolve(text.split(UNKNOWN)[0], None)
            if path:
                yield Mention(path)
