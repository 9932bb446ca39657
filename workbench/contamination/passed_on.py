"""What a call takes from one path to another, and the paths that a tool is given."""

from __future__ import annotations

import re

from workbench.patterns import Command, arguments, program, resolve
from workbench.records import WORK_FOLDER, ToolCall

_PATH_ARGUMENTS = ("path", "file_path", "filename", "file", "dir", "directory", "folder", "root", "uri")
_PASSED_ON = {
    "cat",
    "head",
    "tail",
    "sed",
    "awk",
    "zcat",
    "gunzip",
    "tac",
    "sort",
    "base64",
    "strings",
    "tar",
}


def linked(command: Command) -> dict[str, str]:
    """``ln -s folder link`` and ``cp -r folder link``: the folder by the link's path."""
    options = "".join(word.text for word in arguments(command) if word.text.startswith("-"))
    wanted = {"ln": "s", "cp": "rRa"}.get(program(command), "")
    plain = [word.text for word in arguments(command) if not word.text.startswith("-")]
    if not any(sign in options for sign in wanted) or not wanted or not plain:
        return {}
    source = resolve(plain[0], command.folder)
    name = plain[0].rstrip("/").rsplit("/", 1)[-1]
    given = plain[1] if len(plain) > 1 else name
    link = resolve(f"{given}/{name}" if given.endswith(("/", ".")) else given, command.folder)
    return {link: source} if source and link else {}


def copied(command: Command) -> dict[str, str]:
    """A file that goes into another one: ``cp a b``, ``cat a > b``, ``dd if=a of=b``; the source by "
    "target."""
    name = program(command)
    words = [word.text for word in arguments(command)]
    plain = [word for word in words if not word.startswith("-")]
    pairs: list[tuple[str, str]] = []
    if name in ("cp", "mv", "install", "rsync") and len(plain) > 1:
        target = plain[-1]
        for source in plain[:-1]:
            pairs.append((source, target))
            pairs.append((source, f"{target.rstrip('/')}/{source.rstrip('/').rsplit('/', 1)[-1]}"))
    elif name == "dd":
        parts = dict(word.split("=", 1) for word in words if "=" in word)
        pairs = [(parts.get("if", ""), parts.get("of", ""))]
    elif name in _PASSED_ON:
        into = [item.target.text for item in command.redirects if item.operator in (">", ">>", ">|")]
        pairs = [
            (source, target) for source in plain if source.startswith(("/", "~", "..")) for target in into
        ]
    found = {}
    for source, target in pairs:
        whole, written = resolve(source, command.folder), resolve(target, command.folder)
        if whole and written and not whole.startswith((WORK_FOLDER + "/", "/tmp/")):
            found[written] = whole
    return found


def given_paths(call: ToolCall) -> list[str]:
    """Paths among the arguments of a tool that reads or searches, globs included."""
    named = [call.path, *(call.arguments.get(key) for key in _PATH_ARGUMENTS)]
    found = [str(item) for item in named if isinstance(item, str) and item]
    for key in ("paths", "files", "file_paths"):
        several = call.arguments.get(key)
        found += [str(item) for item in several] if isinstance(several, list) else []
    for key in ("pattern", "glob", "include", "query"):
        text = call.arguments.get(key)
        if isinstance(text, str) and re.match(r"(?:/|~/|\.\./)[\w.*/~?\[\]{},-]+$", text):
            found.append(text)
    return list(dict.fromkeys(found))
