"""Constant folding of Python expressions to texts."""

from __future__ import annotations

import ast
import posixpath
import re
import string

from workbench.patterns.decoded import CODECS, DECODERS, from_codes, from_hex
from workbench.patterns.shell_words import MAX_ALTERNATIVES, MAX_TEXT, UNKNOWN, Texts, alternatives, joined

_PATH_MAKERS = {"pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.PurePosixPath"}
_SAME_TEXT = {
    "str",
    "os.fspath",
    "os.fsencode",
    "os.path.abspath",
    "os.path.normpath",
    "os.path.realpath",
    "textwrap.dedent",
}
_METHODS = {
    "strip",
    "lower",
    "upper",
    "rstrip",
    "lstrip",
    "removeprefix",
    "removesuffix",
    "title",
    "capitalize",
}
_CONSTANTS = {
    "os.sep": "/", "os.path.sep": "/", "os.pardir": "..", "os.path.pardir": "..", "os.curdir": ".",
    "sys.executable": "python3", "os.path.curdir": ".",
    "os.extsep": ".", "string.ascii_lowercase": string.ascii_lowercase,
}  # fmt: skip
HOME = "/home/agent"
_HOMES = {"pathlib.Path.home", "Path.home"}
_HERE = {"pathlib.Path.cwd", "Path.cwd", "os.getcwd", "os.getcwdb"}
WORK = "/workspace"
"""Where code begins, unless it says otherwise."""
_SAME_OBJECT = {"as_posix", "resolve", "absolute", "expanduser", "encode", "decode", "__str__"}
MAX_DEPTH = 60


class Folder:
    """Names known so far, and what expressions over them come to."""

    def __init__(self) -> None:
        self.names: dict[str, Texts] = {}
        self.lists: dict[str, Texts] = {}
        self.modules: dict[str, str] = {}
        self.codes: dict[str, list[int]] = {}

    def learn_import(self, node: ast.Import | ast.ImportFrom) -> None:
        """``import pandas as pd`` lets ``pd.read_csv`` be known as ``pandas.read_csv``."""
        if isinstance(node, ast.Import):
            for item in node.names:
                root = item.name.split(".")[0]
                self.modules[item.asname or root] = item.name if item.asname else root
        else:
            for item in node.names:
                self.modules[item.asname or item.name] = f"{node.module or ''}.{item.name}"

    def assign(self, name: str, texts: Texts | None, value: ast.AST | None) -> None:
        """Bind a name. A second assignment adds to what it may be, since branches are not followed."""
        if texts is not None:
            self.names[name] = alternatives([*texts, *self.names.get(name, ())])
        codes = _codes(value)
        if codes:
            self.codes[name] = codes
        if isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict):
            found = self.elements(value)
            if found:
                self.lists[name] = found

    def called_name(self, node: ast.AST) -> str:
        """``requests.get``, ``.execute``, ``open``."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and (node.id in self.modules or not parts):
            parts.append(self.modules.get(node.id, node.id))
            return ".".join(reversed(parts))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "__import__":
            module = self.texts(node.args[0]) if node.args else None
            return ".".join([module[0] if module else "", *reversed(parts)])
        return "." + parts[0] if parts else ""

    def texts(self, node: ast.AST | None, depth: int = 0) -> Texts | None:
        """Every text the expression may be, UNKNOWN for open pieces; None if nothing is known of it."""
        if node is None or depth > MAX_DEPTH:
            return None
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bytes):
                return (node.value.decode("utf-8", "replace"),)
            return (node.value,) if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.JoinedStr):
            return self._pieces(node.values, depth)
        if isinstance(node, ast.FormattedValue):
            return self._value(node.value, depth)
        if isinstance(node, ast.BinOp):
            return self._binary(node, depth)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        if isinstance(node, ast.IfExp):
            both = [*(self.texts(node.body, depth + 1) or ()), *(self.texts(node.orelse, depth + 1) or ())]
            return alternatives(both) if both else None
        if isinstance(node, ast.NamedExpr):
            return self.texts(node.value, depth + 1)
        if isinstance(node, ast.Subscript):
            return self._part(node, depth)
        if isinstance(node, ast.Attribute):
            known = _CONSTANTS.get(self.called_name(node))
            if known is None and node.attr in ("parent", "anchor", "root"):
                base = self.texts(node.value, depth + 1)
                up = node.attr == "parent"
                return base and alternatives(posixpath.dirname(text) if up else "/" for text in base)
            if known is None:
                return self.names.get(f".{node.attr}")
            return (known,)
        return None

    def elements(self, node: ast.AST) -> Texts:
        """Texts of a list, tuple, set or the keys and values of a dict; of a name that is one."""
        if isinstance(node, ast.Name):
            return self.lists.get(node.id, ())
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            members = node.elts
        elif isinstance(node, ast.Starred):
            return self.elements(node.value)
        elif isinstance(node, ast.Dict):
            members = [item for item in [*node.keys, *node.values] if item is not None]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self.elements(node.func.value)
        else:
            return ()
        found = [
            text for item in members[:MAX_ALTERNATIVES] for text in self.texts(item) or self.elements(item)
        ]
        return alternatives(found) if found else ()

    def elements_or_texts(self, node: ast.AST) -> Texts:
        """An argument's texts, whether it is one text or a list of them."""
        return self.texts(node) or self.elements(node)

    def _value(self, node: ast.AST, depth: int) -> Texts:
        """A piece of a larger text: itself where known, a number as written, else UNKNOWN."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return (str(node.value),)
        return self.texts(node, depth + 1) or (UNKNOWN,)

    def _pieces(self, nodes: list[ast.expr], depth: int) -> Texts:
        texts: Texts = ("",)
        for node in nodes:
            texts = joined(texts, self._value(node, depth))
        return texts

    def _binary(self, node: ast.BinOp, depth: int) -> Texts | None:
        if isinstance(node.op, ast.Add):
            return self._sum(node, depth)
        left = self.texts(node.left, depth + 1)
        if left is None:
            return None
        if isinstance(node.op, ast.Div):
            right = self._value(node.right, depth)
            return alternatives(posixpath.join(first, second) for first in left for second in right)
        if isinstance(node.op, ast.Mod):
            return alternatives(self._percent(text, node.right, depth) for text in left)
        return None

    def _sum(self, node: ast.BinOp, depth: int) -> Texts | None:
        """A chain of ``+``, taken apart without recursion: such chains can be long."""
        members: list[ast.expr] = []
        rest: ast.expr = node
        while isinstance(rest, ast.BinOp) and isinstance(rest.op, ast.Add):
            members.append(rest.right)
            rest = rest.left
        members.append(rest)
        found = [self.texts(item, depth + 1) for item in reversed(members)]
        if all(item is None for item in found):
            return None
        texts: Texts = ("",)
        for item in found:
            texts = joined(texts, item or (UNKNOWN,))
        return texts

    def _percent(self, form: str, values: ast.AST, depth: int) -> str:
        members = values.elts if isinstance(values, ast.Tuple) else [values]
        named = {}
        if isinstance(values, ast.Dict):
            named = {
                key.value: self._value(value, depth)[0]
                for key, value in zip(values.keys, values.values, strict=True)
                if isinstance(key, ast.Constant)
            }
        texts = iter([self._value(item, depth)[0] for item in members])

        def one(found: re.Match[str]) -> str:
            if found[1]:
                return named.get(found[1], UNKNOWN)
            return "%" if found[2] == "%" else next(texts, UNKNOWN)

        return re.sub(r"%(?:\((\w+)\))?[-+ #0-9.]*([sdrfiaxg%])", one, form)[:MAX_TEXT]

    def _call(self, node: ast.Call, depth: int) -> Texts | None:
        name = self.called_name(node.func)
        if name in _PATH_MAKERS or name == "os.path.join":
            parts = [self._value(item, depth) for item in node.args]
            texts: Texts = parts[0] if parts else (".",)
            for part in parts[1:]:
                texts = alternatives(posixpath.join(first, second) for first in texts for second in part)
            return texts
        given = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if name in _HOMES or (given == "HOME" and name in ("os.getenv", "os.environ.get")):
            return (HOME,)
        if name in _HERE:
            return (WORK,)
        if name in ("os.path.expanduser", "os.path.expandvars", "os.path.dirname") and node.args:
            found = self.texts(node.args[0], depth + 1)
            return None if found is None else alternatives(self._of_path(name, text) for text in found)
        if name in ("os.getenv", "os.environ.get") and isinstance(given, str):
            return self.names.get(f"os.environ:{given}")
        if name in _SAME_TEXT and node.args:
            return self.texts(node.args[0], depth + 1)
        decoded = self._decoded(name, node, depth)
        if decoded is not None:
            return decoded
        if name == "chr" and node.args and isinstance(node.args[0], ast.Constant):
            code = node.args[0].value
            return (chr(code),) if isinstance(code, int) and 0 <= code < 0x110000 else None
        if not isinstance(node.func, ast.Attribute):
            return None
        return self._method(node, node.func, depth)

    def _of_path(self, name: str, text: str) -> str:
        """``~`` as the home, variables as they were set (a variable that is not known: nothing), a parent."""
        if name.endswith("expanduser"):
            return re.sub(r"^~(?=/|$)", HOME, text)
        if name.endswith("dirname"):
            return posixpath.dirname(text)
        return re.sub(
            r"\$\{?(\w+)\}?",
            lambda found: (self.names.get(f"os.environ:{found[1]}") or (HOME if found[1] == "HOME" else "",))[
                0
            ],
            text,
        )

    def _decoded(self, name: str, node: ast.Call, depth: int) -> Texts | None:
        """Constant texts that are written encoded, and lists of character codes."""
        if name in ("bytes", "bytearray") and node.args:
            codes = _codes(node.args[0])
            text = from_codes(codes) if codes is not None else None
            return (text,) if text is not None else self.texts(node.args[0], depth + 1)
        decode = DECODERS.get(name)
        if name in (".fromhex", "bytes.fromhex") or _is_fromhex(node.func):
            decode = from_hex
        if name == "codecs.decode" and len(node.args) > 1:
            kind = self.texts(node.args[1], depth + 1)
            decode = CODECS.get(kind[0].lower().replace("-", "_")) if kind else None
        if decode is None or not node.args:
            return None
        found = [decode(text) for text in self.texts(node.args[0], depth + 1) or ()]
        return alternatives(text for text in found if text is not None) if any(found) else None

    def _method(self, node: ast.Call, function: ast.Attribute, depth: int) -> Texts | None:
        base = self.texts(function.value, depth + 1)
        if base is None:
            return None
        method = function.attr
        if method in _SAME_OBJECT:
            return base
        if method == "format":
            return alternatives(self._formatted(text, node, depth) for text in base)
        if method == "join" and node.args:
            codes = _mapped_codes(node.args[0], self.codes)
            spelled = from_codes(codes) if codes is not None and not base[0] else None
            if spelled is not None:
                return (spelled,)
            members = getattr(node.args[0], "elts", None)
            if members is None:
                listed = self.elements(node.args[0])
                return (base[0].join(listed),) if listed else (UNKNOWN,)
            return (base[0].join(self._value(item, depth)[0] for item in members),)
        if method == "joinpath":
            parts = [self._value(item, depth)[0] for item in node.args]
            return alternatives(posixpath.join(text, *parts) for text in base)
        given = [self.texts(item, depth + 1) for item in node.args]
        constant = [item[0] for item in given if item]
        if len(constant) != len(given):
            return None
        if method == "replace" and len(constant) == 2:
            return alternatives(text.replace(constant[0], constant[1])[:MAX_TEXT] for text in base)
        if method in _METHODS and len(constant) <= 1:
            return alternatives(getattr(text, method)(*constant) for text in base)
        return None

    def _formatted(self, form: str, node: ast.Call, depth: int) -> str:
        plain = [self._value(item, depth)[0] for item in node.args]
        named = {item.arg: self._value(item.value, depth)[0] for item in node.keywords if item.arg}
        position = iter(range(len(plain) + form.count("{")))

        def one(found: re.Match[str]) -> str:
            if found[0] in ("{{", "}}"):
                return found[0][0]
            key = re.split(r"[.:!\[]", found[1] or "")[0]
            if not key:
                key = str(next(position))
            if key.isdigit():
                return plain[int(key)] if int(key) < len(plain) else UNKNOWN
            return named.get(key, UNKNOWN)

        return re.sub(r"\{\{|\}\}|\{([^{}]*)\}", one, form)[:MAX_TEXT]

    def _part(self, node: ast.Subscript, depth: int) -> Texts | None:
        """``x[::-1]`` and other slices by constants; any item of a known list; the home folder."""
        if isinstance(node.value, ast.Attribute) and node.value.attr == "parents":
            base, up = self.texts(node.value.value, depth + 1), _whole_number(node.slice)
            if base and up is not None and 0 <= up < 20:
                return alternatives(posixpath.normpath(text + "/.." * (up + 1)) for text in base)
        if isinstance(node.slice, ast.Constant) and self.called_name(node.value) == "os.environ":
            known = self.names.get(f"os.environ:{node.slice.value!s}")
            return (HOME,) if node.slice.value == "HOME" else known
        if isinstance(node.slice, ast.Slice):
            base = self.texts(node.value, depth + 1)
            if base is None:
                return None
            bounds = []
            for bound in (node.slice.lower, node.slice.upper, node.slice.step):
                number = _whole_number(bound)
                if bound is not None and not number:
                    return None
                bounds.append(number)
            return alternatives(text[slice(*bounds)] for text in base)
        return self.elements(node.value) or None


def _whole_number(node: ast.AST | None) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _whole_number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    return None


def _codes(node: ast.AST | None) -> list[int] | None:
    """Whole numbers of a literal list or tuple."""
    if not isinstance(node, ast.List | ast.Tuple):
        return None
    found = [item.value for item in node.elts if isinstance(item, ast.Constant) and type(item.value) is int]
    return found if len(found) == len(node.elts) else None


def _mapped_codes(node: ast.AST, known: dict[str, list[int]]) -> list[int] | None:
    """Codes in ``map(chr, codes)`` and ``chr(c) for c in codes``."""
    source: ast.AST | None = None
    if isinstance(node, ast.Call) and len(node.args) == 2 and _is_chr(node.func) and _is_chr(node.args[0]):
        source = node.args[1]
    elif (
        isinstance(node, ast.GeneratorExp | ast.ListComp)
        and isinstance(node.elt, ast.Call)
        and _is_chr(node.elt.func)
        and isinstance(node.elt.args[0] if node.elt.args else None, ast.Name)
    ):
        source = node.generators[0].iter
    return known.get(source.id) if isinstance(source, ast.Name) else _codes(source)


def _is_chr(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("chr", "map")


def _is_fromhex(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "fromhex"
