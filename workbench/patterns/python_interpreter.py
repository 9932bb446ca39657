"""Python code followed step by step over values that it holds itself: what its texts come to when it runs.

Nothing of the code is executed: only functions that make one value of others are carried out, each within
bounds. Everything else is an open value, and both ways of a branch on an open value are followed.
"""

from __future__ import annotations

import ast
import itertools
import warnings
from collections.abc import Iterable
from typing import Any

from workbench.patterns.python_calls import MAX_CALL_DEPTH, Calls
from workbench.patterns.python_expressions import MAX_LOOP
from workbench.patterns.python_pure import ERRORS, OPEN, Open, operated
from workbench.patterns.python_values import (
    Builtin,
    File,
    Function,
    LoopEnd,
    PathValue,
    Result,
    Returned,
    Spent,
    Surroundings,
)

MAX_CHARS = 200_000


def follow(tree: ast.Module, around: Surroundings | None = None) -> Result:
    """Follow code from its beginning. Never raises, whatever the code; a bounded amount of work."""
    interpreter = _Interpreter(around or Surroundings())
    if around is not None and around.before:
        interpreter.begin(around.before)
    interpreter.run(tree)
    return interpreter.result


def followed(code: str, around: Surroundings | None = None) -> Result | None:
    """The same for code as text; None where it is not valid Python, or too long."""
    if len(code) > MAX_CHARS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return follow(ast.parse(code), around)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Interpreter(Calls):
    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._functions: list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]] = []

    def begin(self, before: str) -> None:
        """Take over what code that ran before has left: names, no calls."""
        try:
            tree = ast.parse(before[-MAX_CHARS:])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        self.run(tree)
        self._work = 0
        self.result.calls.clear()
        self.result.made.clear()
        self._functions.clear()

    def run(self, tree: ast.Module) -> None:
        try:
            self._body(tree.body)
            for name, node in self._functions:
                if name not in self.called:
                    self._uncalled(node.body)
        except (Spent, RecursionError, Returned, LoopEnd):
            return

    def _uncalled(self, body: list[ast.stmt]) -> None:
        """A function that nothing here calls, with open arguments."""
        self.scopes.append({})
        try:
            self._body(body)
        except (Returned, LoopEnd):
            pass
        finally:
            self.scopes.pop()

    def _body(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self._spend()
            try:
                self._statement(statement)
            except ERRORS as error:
                if isinstance(error, RecursionError):
                    raise
            except Returned:
                if len(self.scopes) > 1:
                    raise

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Expr):
            self._value(node.value)
        elif isinstance(node, ast.Assign):
            value = self._value(node.value)
            for target in node.targets:
                self._bind(target, value)
        elif isinstance(node, ast.AnnAssign):
            self._bind(node.target, self._value(node.value) if node.value else OPEN)
        elif isinstance(node, ast.AugAssign):
            self._bind(
                node.target,
                self._made(operated(node.op, self._value(node.target), self._value(node.value)), node),
            )
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._for(node)
        elif isinstance(node, ast.While):
            self._while(node)
        elif isinstance(node, ast.If):
            self._if(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self.scopes[-1][node.name] = Function(node.args, node.body, self.scopes[-1])
            self._functions.append((node.name, node))
        elif isinstance(node, ast.ClassDef):
            self._class(node)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                value = self._value(item.context_expr)
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, value)
            self._body(node.body)
        elif isinstance(node, ast.Try):
            for block in (
                node.body,
                *(handler.body for handler in node.handlers),
                node.orelse,
                node.finalbody,
            ):
                self._body(block)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node)
        elif isinstance(node, ast.Return):
            raise Returned(self._value(node.value) if node.value else None)
        elif isinstance(node, ast.Break | ast.Continue):
            raise LoopEnd
        elif isinstance(node, ast.Match):
            self._value(node.subject)
            for case in node.cases:
                self._body(case.body)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        source = self._value(node.iter)
        if isinstance(source, File):
            source = OPEN if source.text is None else source.text.splitlines(keepends=True)
        items: Iterable[Any] = [OPEN] if isinstance(source, Open | PathValue | Function | Builtin) else source
        for item in itertools.islice(items, MAX_LOOP):
            self._bind(node.target, item)
            try:
                self._body(node.body)
            except LoopEnd:
                continue
        self._body(node.orelse)

    def _while(self, node: ast.While) -> None:
        for _ in range(MAX_LOOP):
            known = self._value(node.test)
            if not isinstance(known, Open) and not known:
                return
            try:
                self._body(node.body)
            except LoopEnd:
                return
            if isinstance(known, Open):
                return

    def _if(self, node: ast.If) -> None:
        known = self._value(node.test)
        if isinstance(known, Open):
            for block in (node.body, node.orelse):
                try:
                    self._body(block)
                except (LoopEnd, Returned):
                    continue
        else:
            self._body(node.body if known else node.orelse)

    def _class(self, node: ast.ClassDef) -> None:
        """Its body runs where it stands; a class that only holds values keeps them as a module does."""
        self.scopes[-1][node.name] = OPEN
        self._body(node.body)
        names = [
            target.id
            for item in node.body
            if isinstance(item, ast.Assign)
            for target in item.targets
            if isinstance(target, ast.Name)
        ]
        if names and len(names) == len(node.body) and not node.bases:
            held = {name: self.scopes[-1].get(name, OPEN) for name in names}
            self.scopes[-1][node.name] = {"__module__": True, **held}

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for item in node.names:
                root = item.name.split(".")[0]
                self.modules[item.asname or root] = item.name if item.asname else root
                self._own_module(item.name, item.asname or root, [])
        else:
            module = node.module or ""
            for item in node.names:
                self.modules[item.asname or item.name] = f"{module}.{item.name}"
            self._own_module(module, "", [(item.name, item.asname or item.name) for item in node.names])

    def _own_module(self, module: str, name: str, wanted: list[tuple[str, str]]) -> None:
        """A module that an earlier step wrote: its names as they come out."""
        path = f"/{module.replace('.', '/')}.py"
        text = self.around.files.get(self.around.folder + path)
        if text is None:
            text = next((text for name, text in self.around.files.items() if name.endswith(path)), None)
        if text is None or len(self.scopes) > MAX_CALL_DEPTH:
            return
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            return
        scope: dict[str, Any] = {}
        self.scopes.append(scope)
        self._body(tree.body)
        self.scopes.pop()
        if name:
            self.modules.pop(name, None)
            self.scopes[-1][name] = {"__module__": True, **scope}
        for given, own in wanted:
            for key in scope if given == "*" else (given,):
                self.modules.pop(own, None)
                self.scopes[-1][key if given == "*" else own] = scope.get(key, OPEN)
