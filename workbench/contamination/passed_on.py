"""What a call takes from one path to another, and the paths that a tool is given."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.patterns import Command, PythonCall, arguments, program, resolve
from workbench.records import WORK_FOLDER, ToolCall

_PATH_ARGUMENTS = (
    "path", "file_path", "filename", "file", "dir", "directory", "folder", "root", "uri",
    "absolute_path", "filepath",
    "filePath", "dir_path", "target_file", "notebook_path", "relative_workspace_path", "cwd",
    "target_directory",
)  # fmt: skip
_COPIES = {"copytree", "copy", "copy2", "copyfile", "move"}
_SYMLINK = re.compile(
    r"symlink(?:Sync)?\W{0,4}['\"](?P<source>[^'\"\n]{1,300})['\"]\s*,\s*['\"](?P<link>[^'\"\n]{1,300})['\"]"
)
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


def linked_in_python(
    calls: Iterable[PythonCall], folder: str | None, *, only_links: bool = False
) -> dict[str, str]:
    """What Python links or copies: sources by the absolute path of what is made."""
    found = {}
    for call in calls:
        name = call.name.rsplit(".", 1)[-1]
        if name in ("symlink_to", "hardlink_to", "link_to") and call.base and call.texts:
            pair = (call.texts[0], call.base)
        elif name in ("symlink", "link") or (name in _COPIES and not only_links):
            pair = (call.texts[0], call.texts[1]) if len(call.texts) > 1 else ((), ())
        else:
            continue
        source, link = (resolve((texts or ("",))[0], folder) for texts in pair)
        if source and link and source != link:
            found[link] = source
    return found


def linked_in_text(text: str, folder: str | None) -> dict[str, str]:
    """``symlink "/a", "b"`` in other languages."""
    pairs = [
        (resolve(item["source"], folder), resolve(item["link"], folder))
        for item in _SYMLINK.finditer(text[:50_000])
    ]
    return {link: source for source, link in pairs if source and link}


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
