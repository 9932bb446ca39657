"""What expressions of followed Python come to: operators, comprehensions, names, parts."""

from __future__ import annotations

import ast
import itertools
import posixpath
from abc import ABC, abstractmethod
from typing import Any

from workbench.patterns.python_pure import (
    COMPARISONS,
    CONSTANTS,
    ERRORS,
    MAX_ITEMS,
    OPEN,
    PURE,
    Open,
    bounded,
    operated,
    text_of,
)
from workbench.patterns.python_values import Builtin, Function, PathValue, Result, Spent, Surroundings

MAX_WORK = 15_000
"""Expressions and statements that are looked at in one piece of code."""
MAX_LOOP = 2_000
MAX_MADE = 1_000
MAX_MADE_CHARS = 300_000
"""Texts put together that are kept."""


def _part_of_path(path: str, part: str) -> Any:
    """``parent``, ``parents``, ``root`` and names of a path."""
    above = [path]
    while above[-1] not in ("/", "", "."):
        above.append(posixpath.dirname(above[-1]))
    if part == "parent":
        return PathValue(above[min(1, len(above) - 1)])
    if part == "parents":
        return [PathValue(item) for item in above[1:MAX_ITEMS]]
    name = posixpath.basename(path)
    known = {"root": "/", "anchor": "/", "name": name, "stem": name.rsplit(".", 1)[0]}
    return known.get(part, OPEN)


class Expressions(ABC):
    """Values of expressions over the names known so far, and a count of the work done."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.result = Result()
        self.modules: dict[str, str] = {}
        self.scopes: list[dict[str, Any]] = [{}]
        self._work = 0
        self._made_chars = 0

    @abstractmethod
    def _call(self, node: ast.Call) -> Any:
        """The value of a call."""

    def _value(self, node: ast.expr) -> Any:
        self._spend()
        try:
            return self._expression(node)
        except ERRORS as error:
            if isinstance(error, RecursionError):
                raise
            return OPEN

    def _expression(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.JoinedStr):
            return self._made(bounded("".join(self._piece(item) for item in node.values)), node)
        if isinstance(node, ast.BinOp):
            return self._made(self._binary(node), node)
        if isinstance(node, ast.Call):
            return self._made(self._call(node), node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript):
            return self._made(self._part(node), node)
        if isinstance(node, ast.List | ast.Set | ast.Tuple):
            items = [value for item in node.elts for value in self._starred(item)]
            return (
                tuple(items)
                if isinstance(node, ast.Tuple)
                else set(items)
                if isinstance(node, ast.Set)
                else items
            )
        if isinstance(node, ast.Dict):
            return {
                self._value(key): self._value(value)
                for key, value in zip(node.keys, node.values, strict=True)
                if key is not None
            }
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            return self._comprehension(node)
        if isinstance(node, ast.IfExp):
            known = self._value(node.test)
            first, second = self._value(node.body), self._value(node.orelse)
            return second if not isinstance(known, Open) and not known else first
        if isinstance(node, ast.Compare):
            return self._compared(node)
        if isinstance(node, ast.BoolOp):
            values = [self._value(item) for item in node.values]
            if any(isinstance(item, Open) for item in values):
                return next((item for item in values if isinstance(item, str)), OPEN)
            wanted = isinstance(node.op, ast.Or)
            return next((item for item in values if bool(item) is wanted), values[-1])
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand)
            if isinstance(value, Open):
                return OPEN
            return (
                not value
                if isinstance(node.op, ast.Not)
                else -value
                if isinstance(node.op, ast.USub)
                else value
            )
        if isinstance(node, ast.Lambda):
            return Function(node.args, node.body, self.scopes[-1])
        if isinstance(node, ast.NamedExpr):
            value = self._value(node.value)
            self._bind(node.target, value)
            return value
        if isinstance(node, ast.Starred | ast.Await):
            return self._value(node.value)
        return OPEN

    def _made(self, value: Any, node: ast.AST) -> Any:
        """Keep a text that was put together."""
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        if isinstance(text, str) and len(text) > 3 and len(self.result.made) < MAX_MADE:
            self._made_chars += len(text)
            if self._made_chars < MAX_MADE_CHARS:
                self.result.made.setdefault(text, getattr(node, "lineno", 1))
        return value

    def _name(self, name: str) -> Any:
        for scope in (self.scopes[-1], *reversed(self.scopes[:-1])):
            if name in scope:
                return scope[name]
        dotted = self.modules.get(name, name)
        if dotted in CONSTANTS:
            return CONSTANTS[dotted]
        return Builtin(dotted) if dotted in PURE else OPEN

    def _piece(self, node: ast.expr) -> str:
        if isinstance(node, ast.FormattedValue):
            value = self._value(node.value)
            if node.format_spec is not None and not isinstance(value, Open):
                spec = self._value(node.format_spec)
                if (
                    isinstance(spec, str)
                    and len(spec) < 6
                    and not any(len(part) > 3 for part in spec.split("."))
                ):
                    return format(value, spec)
            return (
                repr(value) if node.conversion == ord("r") and not isinstance(value, Open) else text_of(value)
            )
        return text_of(self._value(node))

    def _binary(self, node: ast.BinOp) -> Any:
        """A chain of one sign is taken apart without recursion: such chains can be long."""
        right: list[ast.BinOp] = []
        rest: ast.expr = node
        while isinstance(rest, ast.BinOp):
            right.append(rest)
            rest = rest.left
        value = self._value(rest)
        for item in reversed(right):
            other = self._value(item.right)
            try:
                if isinstance(value, PathValue):
                    value = PathValue(f"{value.path}/{text_of(other)}")
                else:
                    value = operated(item.op, value, other)
            except ERRORS:
                value = OPEN
        return value

    def _starred(self, node: ast.expr) -> list[Any]:
        if not isinstance(node, ast.Starred):
            return [self._value(node)]
        value = self._value(node.value)
        return [OPEN] if isinstance(value, Open) else list(itertools.islice(value, MAX_ITEMS))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Any:
        self.scopes.append({})
        found: list[Any] = []

        def nested(generators: list[ast.comprehension]) -> None:
            if not generators:
                if isinstance(node, ast.DictComp):
                    found.append((self._value(node.key), self._value(node.value)))
                else:
                    found.append(self._value(node.elt))
                return
            first, *others = generators
            source = self._value(first.iter)
            for item in [OPEN] if isinstance(source, Open) else itertools.islice(source, MAX_LOOP):
                self._bind(first.target, item)
                tests = [self._value(test) for test in first.ifs]
                if all(isinstance(test, Open) or test for test in tests):
                    nested(others)

        try:
            nested(node.generators)
        finally:
            self.scopes.pop()
        return (
            dict(found)
            if isinstance(node, ast.DictComp)
            else set(found)
            if isinstance(node, ast.SetComp)
            else found
        )

    def _compared(self, node: ast.Compare) -> Any:
        left = self._value(node.left)
        for sign, other in zip(node.ops, node.comparators, strict=True):
            right = self._value(other)
            if isinstance(left, Open) or isinstance(right, Open):
                return OPEN
            if not COMPARISONS[type(sign)](left, right):
                return False
            left = right
        return True

    def _attribute(self, node: ast.Attribute) -> Any:
        if self._cheap(node):
            written = ast.unparse(node)
            for scope in reversed(self.scopes):
                if written in scope:
                    return scope[written]
        dotted = self._dotted(node)
        if dotted in CONSTANTS:
            return CONSTANTS[dotted]
        if dotted in PURE:
            return Builtin(dotted)
        if dotted == "sys.argv":
            return ["script.py", *self.around.arguments]
        if dotted == "os.environ":
            return dict(self.around.environment)
        owner = self._value(node.value)
        if isinstance(owner, PathValue):
            return _part_of_path(owner.path, node.attr)
        return owner.get(node.attr, OPEN) if isinstance(owner, dict) and "__module__" in owner else OPEN

    def _part(self, node: ast.Subscript) -> Any:
        owner = self._value(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = [
                None if item is None else self._value(item)
                for item in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            return OPEN if any(isinstance(item, Open) for item in (owner, *bounds)) else owner[slice(*bounds)]
        key = self._value(node.slice)
        return OPEN if isinstance(owner, Open) or isinstance(key, Open) else owner[key]

    def _dotted(self, node: ast.expr) -> str:
        """``os.path.join`` with import aliases resolved; empty where it does not begin with a module."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            return ".".join([self.modules.get(node.id, node.id), *reversed(parts)])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "__import__":
            module = self._value(node.args[0]) if node.args else OPEN
            return ".".join([text_of(module), *reversed(parts)])
        return ""

    def _spend(self) -> None:
        self._work += 1
        if self._work > MAX_WORK:
            raise Spent

    @staticmethod
    def _cheap(node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name)

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.scopes[-1][target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            items = [] if isinstance(value, Open) else list(itertools.islice(value, MAX_ITEMS))
            for index, item in enumerate(target.elts):
                self._bind(item, items[index] if index < len(items) else OPEN)
        elif isinstance(target, ast.Subscript):
            owner, key = self._value(target.value), self._value(target.slice)
            if isinstance(owner, dict | list) and not isinstance(key, Open | slice):
                owner[key] = value
        elif isinstance(target, ast.Attribute):
            name = ast.unparse(target) if self._cheap(target) else ""
            self.scopes[-1][name] = value
