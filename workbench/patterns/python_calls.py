"""What calls of followed Python do: functions of the code itself, of Python, and files."""

from __future__ import annotations

import ast
import fnmatch
import itertools
import posixpath
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from workbench.patterns.python_expressions import Expressions
from workbench.patterns.python_pure import MAX_ITEMS, OPEN, PURE, Open, added, bounded, method, text_of
from workbench.patterns.python_values import (
    Builtin,
    File,
    Followed,
    Function,
    PathValue,
    Returned,
    Surroundings,
)
from workbench.patterns.shell_words import UNKNOWN

MAX_CALL_DEPTH = 12
MAX_CALLS = 2_000
"""Calls that are recorded."""


class Calls(Expressions):
    """Calls are recorded; those of the code's own functions are followed into."""

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.called: set[str] = set()

    @abstractmethod
    def _body(self, statements: Iterable[ast.stmt]) -> None:
        """Follow statements in order."""

    def _call(self, node: ast.Call) -> Any:
        function = node.func
        owner: Any = None
        name = self._dotted(function)
        if isinstance(function, ast.Attribute):
            root = name.split(".")[0]
            known = (
                root in self.modules.values() or name in PURE or root in ("__import__", "bytes", "str", "int")
            )
            known = known or bool(name and not self._cheap(function))
            owner = OPEN if known else self._value(function.value)
            name = name if known or self._is_module(function) else f".{function.attr}"
        elif isinstance(function, ast.Call):
            name = self._looked_up(function) or ""
        arguments = [value for item in node.args for value in self._starred(item)]
        keywords: dict[str, Any] = {}
        for item in node.keywords:
            value = self._value(item.value)
            if item.arg is None and isinstance(value, dict):
                keywords |= {str(key): each for key, each in value.items()}
            else:
                keywords[item.arg or "**"] = value
        if len(self.result.calls) < MAX_CALLS:
            self.result.calls.append(
                Followed(name, tuple(arguments), tuple(keywords.items()), node.lineno, owner)
            )
        held = self._name(function.id) if isinstance(function, ast.Name) else OPEN
        if isinstance(function, ast.Call | ast.Lambda | ast.Subscript):
            held = self._value(function)
        if isinstance(owner, dict) and "__module__" in owner and isinstance(function, ast.Attribute):
            held = owner.get(function.attr, OPEN)
        if isinstance(held, Function):
            if isinstance(function, ast.Name):
                self.called.add(function.id)
            return self._function(held, arguments, keywords)
        return self._effect(name, owner, arguments, keywords)

    def _is_module(self, function: ast.Attribute) -> bool:
        node: ast.expr = function
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.modules

    def _looked_up(self, function: ast.Call) -> str:
        """``getattr(con, 'exe' + 'cute')(…)`` as ``.execute``."""
        if isinstance(function.func, ast.Name) and function.func.id == "getattr" and len(function.args) > 1:
            owner, attribute = self._dotted(function.args[0]), self._value(function.args[1])
            module = isinstance(function.args[0], ast.Name) and function.args[0].id in self.modules
            return f"{owner if module else ''}.{text_of(attribute)}"
        return ""

    def _function(self, held: Function, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if len(self.scopes) > MAX_CALL_DEPTH:
            return OPEN
        parameters = [*held.parameters.posonlyargs, *held.parameters.args]
        scope: dict[str, Any] = {item.arg: OPEN for item in [*parameters, *held.parameters.kwonlyargs]}
        defaults = held.parameters.defaults
        for item, default in zip(parameters[len(parameters) - len(defaults) :], defaults, strict=True):
            scope[item.arg] = self._value(default)
        for item, kw_default in zip(held.parameters.kwonlyargs, held.parameters.kw_defaults, strict=True):
            scope[item.arg] = self._value(kw_default) if kw_default is not None else OPEN
        scope |= {item.arg: value for item, value in zip(parameters, arguments, strict=False)}
        scope |= {name: value for name, value in keywords.items() if name in scope}
        if held.parameters.vararg is not None:
            scope[held.parameters.vararg.arg] = tuple(arguments[len(parameters) :])
        depth = len(self.scopes)
        if held.scope is not self.scopes[-1]:
            self.scopes.append(held.scope)
        self.scopes.append(scope)
        try:
            if isinstance(held.body, list):
                self._body(held.body)
                return None
            return self._value(held.body)
        except Returned as returned:
            return returned.value
        finally:
            del self.scopes[depth:]

    def _effect(self, name: str, owner: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """What a call that is not the code's own gives."""
        if name in ("map", "filter", "functools.reduce", "reduce", "sorted", "min", "max") and arguments:
            return self._over(name, arguments, keywords)
        if name == "print":
            ends = [text_of(keywords.get("sep", " ")), text_of(keywords.get("end", "\n"))]
            self.result.printed.append(ends[0].join(map(text_of, arguments)) + ends[1])
            return None
        if name in ("input", "sys.stdin.read", "sys.stdin.readline") or (name == "open" and arguments == [0]):
            return (
                OPEN
                if self.around.stdin is None
                else self.around.stdin.rstrip("\n" if name == "input" else "")
            )
        if name in ("os.getenv", "os.environ.get") and arguments:
            return self.around.environment.get(
                text_of(arguments[0]), arguments[1] if len(arguments) > 1 else OPEN
            )
        if name in ("open", "io.open", "codecs.open", "pathlib.Path", "pathlib.PurePath") and arguments:
            given = arguments[0].path if isinstance(arguments[0], PathValue) else arguments[0]
            if not isinstance(given, str) or UNKNOWN in given:
                return OPEN
            parts = (
                [given, *(text_of(item) for item in arguments[1:])] if name.startswith("pathlib") else [given]
            )
            path = self._whole("/".join(parts))
            return PathValue(path) if name.startswith("pathlib") else File(path, self.around.files.get(path))
        if name in ("os.getcwd", "pathlib.Path.cwd"):
            return PathValue(self.around.folder) if name.startswith("pathlib") else self.around.folder
        if name == "os.path.dirname" and arguments and isinstance(arguments[0], str):
            return posixpath.dirname(arguments[0])
        if name in ("glob.glob", "glob.iglob", "os.listdir", "os.scandir"):
            return self._listed(name, arguments)
        if name == "json.load" and arguments and isinstance(arguments[0], File):
            return OPEN if arguments[0].text is None else PURE["json.loads"](arguments[0].text)
        if name.startswith("string.Template."):
            return OPEN
        if isinstance(owner, File | PathValue):
            return self._of_file(name, owner, arguments)
        if name == "" or name.startswith("."):
            if isinstance(owner, Open | Function | Builtin | None):
                return OPEN
            if hasattr(owner, "template") and name in (".substitute", ".safe_substitute"):
                return bounded(owner.safe_substitute(*arguments, **keywords))
            return method(owner, name[1:], arguments, keywords)
        pure = PURE.get(name)
        if pure is None or any(isinstance(item, Function | File) for item in arguments):
            return OPEN
        if any(isinstance(item, Open) for item in (*arguments, *keywords.values())) and name not in (
            "str",
            "str.join",
        ):
            return OPEN
        if any(isinstance(item, PathValue) for item in arguments):
            return arguments[0].path if name in ("str", "os.fspath") else OPEN
        keywords = {key: value for key, value in keywords.items() if key not in ("validate", "errors")}
        return bounded(pure(*arguments, **keywords))

    def _listed(self, name: str, arguments: list[Any]) -> Any:
        """Known files that a pattern fits, or that lie in a folder; open where none is."""
        given = arguments[0] if arguments else "."
        if not isinstance(given, str):
            return OPEN
        whole = self._whole(given if given != "." else "")
        paths = [*self.around.files, *self.result.written]
        if name.startswith("glob"):
            return [path for path in paths if fnmatch.fnmatchcase(path, whole)] or OPEN
        folder = whole.rstrip("/") + "/"
        return [path.removeprefix(folder) for path in paths if path.startswith(folder)] or OPEN

    def _over(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Functions that are given a function."""
        if name in ("sorted", "min", "max"):
            key = keywords.get("key")
            given = {item: value for item, value in keywords.items() if item != "key"}
            if any(isinstance(item, Open) for item in arguments):
                return OPEN
            if isinstance(key, Function):
                given["key"] = lambda item: self._function(key, [item], {})
            elif key is not None:
                return OPEN
            return PURE[name](*arguments, **given)
        work, sources = arguments[0], arguments[1:]
        if any(isinstance(item, Open) for item in sources):
            return OPEN
        if name.endswith("reduce"):
            items = [*arguments[2:3], *itertools.islice(sources[0], MAX_ITEMS)]
            value = items[0]
            for item in items[1:]:
                value = self._apply(work, [value, item])
            return value
        rows = [list(row) for row in itertools.islice(zip(*sources, strict=False), MAX_ITEMS)]
        if name == "filter":
            return [row[0] for row in rows if isinstance(kept := self._apply(work, row), Open) or kept]
        return [self._apply(work, row) for row in rows]

    def _apply(self, work: Any, arguments: list[Any]) -> Any:
        self._spend()
        if isinstance(work, Function):
            return self._function(work, arguments, {})
        pure = PURE.get(work.name) if isinstance(work, Builtin) else None
        return pure(*arguments) if pure else OPEN

    def _of_file(self, name: str, owner: File | PathValue, arguments: list[Any]) -> Any:
        path = owner.path
        if name in (".write", ".write_text") and arguments:
            whole = text_of(arguments[0])
            before = self.result.written.get(path, "") if name == ".write" else ""
            self.result.written[path] = added(before, whole)
            return None
        known = self.result.written.get(path, self.around.files.get(path))
        if name in (".read", ".read_text") and known is not None:
            return known
        if name == ".read_bytes" and known is not None:
            return known.encode()
        if name == ".readlines" and known is not None:
            return known.splitlines(keepends=True)
        if isinstance(owner, PathValue) and name in (
            ".open",
            ".joinpath",
            ".resolve",
            ".absolute",
            ".expanduser",
        ):
            if name == ".open":
                return File(path, known)
            return PathValue(self._whole("/".join([path, *map(text_of, arguments)])))
        return OPEN

    def _whole(self, path: str) -> str:
        return path if path.startswith("/") else f"{self.around.folder}/{path.removeprefix('./')}"
