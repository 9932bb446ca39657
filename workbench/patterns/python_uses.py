"""Which paths Python code touches, by the calls its constant texts go to."""

from __future__ import annotations

import re
from dataclasses import replace

from workbench.patterns.paths import Access, PathUse, path_like
from workbench.patterns.python_code import PythonCall, PythonCode
from workbench.patterns.python_fold import HOME
from workbench.patterns.shell_programs import resolve

_LISTING = {"listdir", "scandir", "walk", "glob", "iglob", "rglob", "iterdir", "fwalk"}
_DEEP = {"walk", "rglob", "fwalk", "copytree"}
_READING = {
    "open", "read_text", "read_bytes", "Path", "PurePath", "PosixPath", "connect", "read_csv",
    "read_parquet", "read_json", "read_table", "read_excel", "read_pickle", "read_feather", "scan_csv",
    "scan_parquet", "from_csv_auto", "from_parquet", "ParquetFile", "load", "loadtxt", "genfromtxt",
    "fromfile", "memmap", "copy", "copy2", "copyfile", "copytree", "move", "readlink", "stat", "lstat",
    "run_path", "spec_from_file_location", "ZipFile", "GzipFile", "FileIO", "join", "joinpath", "fspath",
    "realpath", "symlink", "link", "symlink_to", "open_code", "input", "fileinput",
}  # fmt: skip
_WRITING = {
    "write_text", "write_bytes", "mkdir", "makedirs", "remove", "unlink", "rmdir", "rmtree", "rename",
    "replace", "touch", "to_csv", "to_parquet", "to_json", "to_pickle", "chmod", "chown", "truncate",
    "symlink_to", "removedirs",
}  # fmt: skip
_OF_A_PATH = {
    "read_text": Access.READ, "read_bytes": Access.READ, "open": Access.READ, "write_text": Access.WRITE,
    "write_bytes": Access.WRITE, "unlink": Access.WRITE, "touch": Access.WRITE, "mkdir": Access.WRITE,
    "rmdir": Access.WRITE, "iterdir": Access.LIST, "chmod": Access.WRITE, "rename": Access.WRITE,
    "symlink_to": Access.WRITE, "hardlink_to": Access.WRITE,
}  # fmt: skip
"""Methods of a path: what they do to the path itself."""
_TAKE_TEXT = {"write_text", "write_bytes", "touch", "chmod", "read_text", "read_bytes", "iterdir", "unlink"}
_NOT_OPENED = {
    "print", "startswith", "endswith", "strip", "lstrip", "rstrip", "split", "rsplit", "replace", "append",
    "extend", "add", "format", "sub", "match", "search", "fullmatch", "compile", "findall", "removeprefix",
    "removesuffix", "partition", "count", "find", "index", "info", "debug", "warning", "error", "write",
    "len", "str", "exists", "isfile", "isdir", "is_file", "is_dir", "execute", "sql", "query", "join", "get",
    "dirname", "basename", "normpath", "setdefault", "add_argument", "log", "Exception", "SystemExit", "exit",
    "system", "popen", "run", "call", "check_output", "check_call", "Popen", "getoutput", "exec", "eval",
    "relpath", "fnmatch", "field", "dumps", "encode", "decode", "title", "set_title", "ValueError",
    "FileNotFoundError", "RuntimeError", "getenv", "isin", "contains", "expanduser", "relative_to",
}  # fmt: skip
"""What does not touch the path that it is given."""
_KEYWORDS = (
    "file", "path", "filename", "database", "io", "src", "dst", "top", "root_dir", "filepath_or_buffer",
    "source",
    "fname", "infile", "directory", "folder",
)  # fmt: skip
_SEARCHED_FOR_MODULES = {"sys.path.append", "sys.path.insert", "sys.path.extend", "site.addsitedir"}
_ENTERING = {"chdir"}
_TARGET_SECOND = {"copy", "copy2", "copyfile", "copytree", "move", "rename", "replace", "symlink", "link"}


def python_paths(code: PythonCode, folder: str | None) -> list[PathUse]:
    """Paths in arguments of calls on files and folders; for code that does not parse, every path-like text.

    An absolute path that goes to a call of the code's own counts as read, since it may be passed on; a text
    that goes to no call, or to one that does not open it (``print``, ``startswith``), does not.
    """
    found: list[PathUse] = []
    for call in code.calls:
        found += _of_call(call, folder)
    if not code.parsed:
        for text in code.texts:
            if path_like(text.text) and text.text.count("/") > 1:
                found += _use(text.text, Access.READ, "python", text.line, folder, False)
    uses: dict[tuple[object, ...], PathUse] = {}
    for use in found:
        uses.setdefault((use.path, use.access, use.recursive, use.pattern), use)
    return list(uses.values())


def _of_call(call: PythonCall, folder: str | None) -> list[PathUse]:
    name = call.name.rsplit(".", 1)[-1]
    keywords = dict(call.keywords)
    places = [*call.texts, *(keywords[key] for key in _KEYWORDS if key in keywords)]
    first = places[0] if places else ()
    deep = name in _DEEP or (name in ("glob", "iglob") and any("**" in text for text in first))
    found: list[PathUse] = []
    if call.name.startswith(".") and name in _OF_A_PATH:
        found += _of_path(call, name, folder)
        if name in _TAKE_TEXT or found:
            return found
    if call.name in _SEARCHED_FOR_MODULES:
        for text in (text for texts in call.texts for text in texts if _absolute(text)):
            found += _use(text, Access.READ, call.name, call.line, folder, False)
        return found
    if call.name in (".replace", ".rename") and not any(path_like(text) for text in first):
        return found  # of a text or a frame
    if call.name == ".replace" and len(places) > 1:
        return found
    if name in _LISTING:
        bases = call.base if name in ("glob", "rglob") and call.name.startswith(".") else ()
        for text in [f"{base}/{item}" for base in bases for item in first] or first:
            start = re.split(r"/[^/]*[*?\[]", text, maxsplit=1)[0] or "/"
            listed = _use(start if "*" in text else text, Access.LIST, call.name, call.line, folder, deep)
            whole = resolve(text, folder) or ""
            found += [replace(item, pattern=whole if whole != item.path else "") for item in listed]
    elif name in _ENTERING:
        for text in first:
            found += _use(text, Access.ENTER, call.name, call.line, folder, False)
    elif name in _READING or name in _WRITING:
        for index, texts in enumerate(places[:2]):
            access = Access.WRITE if _writes(name, index, call) else Access.READ
            for text in texts:
                if index == 0 or name in _TARGET_SECOND or _absolute(text):
                    found += _use(text, access, call.name, call.line, folder, deep)
    elif name not in _NOT_OPENED:
        for text in (text for texts in places for text in texts if _absolute(text)):
            found += _use(text, Access.READ, call.name or "Python", call.line, folder, False)
    return found


def _of_path(call: PythonCall, name: str, folder: str | None) -> list[PathUse]:
    """``Path("/x").read_text()``: what is done to the path that the method belongs to."""
    access = _OF_A_PATH[name]
    if name == "open" and any(sign in mode for mode in (call.texts or ((),))[0] for sign in "wax+"):
        access = Access.WRITE
    found: list[PathUse] = []
    for text in call.base:
        found += _use(text, access, call.name, call.line, folder, False)
    if name in ("symlink_to", "hardlink_to") and call.texts:
        for text in call.texts[0]:
            found += _use(text, Access.READ, call.name, call.line, folder, False)
    return found


def _absolute(text: str) -> bool:
    return text.startswith(("/", "~/")) and path_like(text)


def _writes(name: str, index: int, call: PythonCall) -> bool:
    if name in _WRITING and name not in _TARGET_SECOND:
        return True
    if name in _TARGET_SECOND:
        return index == 1 or name in ("move", "rename", "replace")
    if name != "open":
        return False
    modes = call.texts[1] if len(call.texts) > 1 else dict(call.keywords).get("mode", ())
    return any(sign in mode for mode in modes for sign in "wax+")


def _use(text: str, access: Access, by: str, line: int, folder: str | None, recursive: bool) -> list[PathUse]:
    text = re.sub(r"^~(?=/|$)", HOME, re.sub(r"^file:(?://)?(?=/)", "", text))
    if "\n" in text or len(text) > 4096 or re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", text):
        return []
    path = resolve(text, folder)
    return [] if path is None else [PathUse(path, access, by, line, recursive)]
