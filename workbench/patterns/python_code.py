"""Constant texts in Python code and the calls they go to, folded without running anything."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from workbench.patterns.python_fold import Folder
from workbench.patterns.python_interpreter import follow
from workbench.patterns.python_values import PathValue, Result, Surroundings
from workbench.patterns.shell_words import MAX_ALTERNATIVES, UNKNOWN

MAX_CHARS = 200_000
"""Longer code is not parsed; its quoted texts are taken as they stand."""
MAX_TEXTS = 20_000
"""Quoted texts taken from code that does not parse."""

_QUOTED = re.compile(
    r"(?<![\w'\"])[rbfuRBFU]{0,2}(?:\"\"\"(?P<a>.*?)(?:\"\"\"|\Z)|'''(?P<b>.*?)(?:'''|\Z)"
    r"|\"(?P<c>(?:[^\"\\\n]|\\.)*)\"?|'(?P<d>(?:[^'\\\n]|\\.)*)'?)|\#[^\n]*",
    re.DOTALL,
)


@dataclass(frozen=True)
class PythonCall:
    """A call: dotted name with import aliases resolved (``.execute`` for a method of something unknown).

    ``texts`` holds, for each positional argument, every constant text it may have (empty: not knowable);
    ``keywords`` the same by name.
    """

    name: str
    texts: tuple[tuple[str, ...], ...]
    keywords: tuple[tuple[str, tuple[str, ...]], ...]
    line: int
    base: tuple[str, ...] = ()  # texts of what a method belongs to


@dataclass(frozen=True)
class PythonText:
    """A constant text, as large as it can be folded; UNKNOWN stands for pieces that are not constant."""

    text: str
    line: int
    call: str = ""  # of the innermost call that it is an argument of


@dataclass(frozen=True)
class PythonCode:
    """What a piece of Python says in texts. ``names`` are variables it assigns.

    ``parsed`` is False where it is not valid Python: then ``texts`` are its quoted pieces and ``calls`` is
    empty. ``made``: texts that are put together when the code runs; ``written``: files that it writes.
    """

    texts: tuple[PythonText, ...]
    calls: tuple[PythonCall, ...]
    imports: frozenset[str]
    names: frozenset[str]
    parsed: bool
    made: tuple[PythonText, ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)


def python_strings(code: str, around: Surroundings | None = None) -> PythonCode:
    """Read Python code; comments and docstrings do not count. Never raises, runs nothing.

    ``around``: files, variables and arguments that the code finds when it runs.
    """
    tree = _parsed(code)
    if tree is None:
        return PythonCode(tuple(_quoted(code[: MAX_CHARS * 5])), (), frozenset(), frozenset(), parsed=False)
    walker = _Walker()
    try:
        walker.body(tree)
    except RecursionError:
        return PythonCode(tuple(_quoted(code)), (), frozenset(), frozenset(), parsed=False)
    result = follow(tree, around)
    known = {item.text for item in walker.texts}
    made = tuple(PythonText(text, line) for text, line in result.made.items() if text not in known)
    return PythonCode(
        (*walker.texts, *(item for item in made if re.search(r"\s", item.text))),
        tuple(_calls(walker.calls, result)),
        frozenset(walker.folder.modules.values()),
        frozenset(walker.names),
        parsed=True,
        made=made,
        written=result.written,
    )


def _calls(calls: list[PythonCall], result: Result) -> Iterator[PythonCall]:
    """Calls as they are written, and those whose texts are only known when the code is followed."""
    seen = {(item.name, item.line): item.texts for item in calls}
    better: dict[tuple[str, int], list[PythonCall]] = {}
    for item in result.calls:
        texts = tuple(_texts_of(value) for value in item.arguments)
        before = seen.get((item.name, item.line))
        known = zip(texts, before or (), strict=False)
        if any(texts) and (before is None or any(not set(new) <= set(old) for new, old in known)):
            keywords = tuple((name, _texts_of(value)) for name, value in item.keywords)
            owner = _texts_of(item.owner)
            better.setdefault((item.name, item.line), []).append(
                PythonCall(item.name, texts, keywords, item.line, owner)
            )
    for written in calls:
        closed = all(texts and UNKNOWN not in "".join(texts) for texts in written.texts)
        if closed or (written.name, written.line) not in better:
            yield written
    for found in better.values():
        yield from dict.fromkeys(found)


def _texts_of(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, PathValue):
        return (value.path,)
    if isinstance(value, bytes):
        return (value.decode("utf-8", "replace"),)
    if isinstance(value, list | tuple):
        return tuple(item for item in value if isinstance(item, str))[:MAX_ALTERNATIVES]
    return ()


def _parsed(code: str) -> ast.Module | None:
    if len(code) > MAX_CHARS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _quoted(code: str) -> Iterator[PythonText]:
    line, counted = 1, 0
    for found in islice(_QUOTED.finditer(code), MAX_TEXTS):
        text = next((group for group in found.groups() if group is not None), None)
        line += code.count("\n", counted, found.start())
        counted = found.start()
        if text:
            yield PythonText(re.sub(r"\{[^{}]*\}", UNKNOWN, text), line)


class _Walker:
    """Statements in order, so that a name has the texts assigned above it."""

    def __init__(self) -> None:
        self.folder = Folder()
        self.texts: list[PythonText] = []
        self.calls: list[PythonCall] = []
        self.names: set[str] = set()
        self._in_class = 0

    def body(self, node: ast.AST) -> None:
        for statement in getattr(node, "body", []):
            self._statement(statement)
        for part in ("handlers", "orelse", "finalbody", "cases"):
            for statement in getattr(node, part, []):
                self._statement(statement)

    def _statement(self, node: ast.AST) -> None:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring, or a text that goes nowhere
        if isinstance(node, ast.Import | ast.ImportFrom):
            self.folder.learn_import(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With | ast.AsyncFor):
            self._binding(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child, "")
            elif isinstance(child, ast.withitem):
                self._expression(child.context_expr, "")
            elif isinstance(child, ast.arguments):
                for default in [*child.defaults, *(item for item in child.kw_defaults if item)]:
                    self._expression(default, "")
        self._in_class += isinstance(node, ast.ClassDef)
        self.body(node)
        self._in_class -= isinstance(node, ast.ClassDef)

    def _binding(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, self.folder.texts(node.value), node.value)
        elif isinstance(node, ast.AnnAssign):
            self._bind(node.target, self.folder.texts(node.value) if node.value else None, node.value)
        elif isinstance(node, ast.AugAssign):
            added = ast.BinOp(left=_loaded(node.target), op=node.op, right=node.value)
            self._bind(node.target, self.folder.texts(added), None)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._bind(node.target, self.folder.elements(node.iter), None)
        elif isinstance(node, ast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, None, None)

    def _bind(self, target: ast.AST, texts: tuple[str, ...] | None, value: ast.AST | None) -> None:
        if isinstance(target, ast.Name):
            self.names.add(target.id)
            self.folder.assign(target.id, texts, value)
            if self._in_class:
                self.folder.assign(f".{target.id}", texts, value)
        elif isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            for index, item in enumerate(target.elts):
                each = values[index] if index < len(values) else None
                self._bind(item, self.folder.texts(each) if each is not None else None, each)
        elif isinstance(target, ast.Attribute):
            self.folder.assign(f".{target.attr}", texts, value)
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
            self._bind_setting(target.value, str(target.slice.value), texts, value)

    def _bind_setting(
        self, owner: ast.AST, name: str, texts: tuple[str, ...] | None, value: ast.AST | None
    ) -> None:
        """``os.environ["X"] = …``."""
        if self.folder.called_name(owner) == "os.environ":
            self.folder.assign(f"os.environ:{name}", texts, value)

    def _expression(self, node: ast.AST, call: str) -> None:
        """Record the largest constant texts of an expression, and its calls."""
        if isinstance(node, ast.Call):
            self._call(node)
            return
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
            texts = self.folder.texts(node)
            for text in texts or ():
                self.texts.append(PythonText(text, getattr(node, "lineno", 1), call))
            if texts is not None and not isinstance(node, ast.Constant):
                self._calls_inside(node)
                return
        if isinstance(node, ast.NamedExpr):
            self._bind(node.target, self.folder.texts(node.value), node.value)
        for loop in getattr(node, "generators", []):
            self._bind(loop.target, self.folder.elements(loop.iter), None)
            for child in (loop.iter, *loop.ifs):
                self._expression(child, call)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child, call)

    def _calls_inside(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                self._call(child)
            else:
                self._calls_inside(child)

    def _call(self, node: ast.Call) -> None:
        name = self.folder.called_name(node.func)
        arguments = tuple(self.folder.elements_or_texts(item) for item in node.args)
        keywords = tuple(
            (item.arg or "**", self.folder.elements_or_texts(item.value)) for item in node.keywords
        )
        owner = self.folder.texts(node.func.value) if isinstance(node.func, ast.Attribute) else None
        self.calls.append(PythonCall(name, arguments, keywords, node.lineno, owner or ()))
        folded = self.folder.texts(node)
        for text in folded or ():
            self.texts.append(PythonText(text, node.lineno))
        if isinstance(node.func, ast.Attribute):
            self._expression(node.func.value, "")
        for argument, texts in zip(
            [*node.args, *(item.value for item in node.keywords)],
            [*arguments, *(texts for _, texts in keywords)],
            strict=True,
        ):
            if isinstance(argument, ast.Name | ast.Attribute | ast.Call):
                self.texts += [PythonText(text, node.lineno, name) for text in texts]
            self._expression(argument, name)


def _loaded(target: ast.expr) -> ast.expr:
    return ast.Name(id=target.id, ctx=ast.Load()) if isinstance(target, ast.Name) else target
