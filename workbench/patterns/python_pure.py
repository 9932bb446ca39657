"""Functions and methods of Python that only make one value of others, each within bounds."""

from __future__ import annotations

import ast
import base64
import binascii
import bz2
import codecs
import html
import itertools
import json
import lzma
import operator
import posixpath
import string
import textwrap
import urllib.parse
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import regex

from workbench.patterns.shell_words import MAX_TEXT, UNKNOWN

MAX_ITEMS = 10_000
"""Longest list that is made."""
MAX_WIDTH = 1_000
"""Largest number that a function which pads or repeats may be given."""
_REGEX_SECONDS = 0.02


class Open:
    """A value that is not known."""


OPEN = Open()
Pure = Callable[..., Any]

ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
    EOFError,
    OSError,
    StopIteration,
    RuntimeError,
    zlib.error,
    lzma.LZMAError,
    regex.error,
)
"""What evaluating foreign code may raise; the value is then not known."""

_STR_METHODS = {
    "capitalize",
    "casefold",
    "center",
    "count",
    "encode",
    "endswith",
    "expandtabs",
    "find",
    "format",
    "format_map",
    "index",
    "isalnum",
    "isalpha",
    "isdigit",
    "islower",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
    "zfill",
}
_METHODS: dict[type, set[str]] = {
    str: _STR_METHODS,
    bytes: {*_STR_METHODS - {"format", "format_map", "encode"}, "decode", "hex"},
    list: {
        "append",
        "extend",
        "insert",
        "pop",
        "reverse",
        "sort",
        "copy",
        "index",
        "count",
        "remove",
        "clear",
    },
    tuple: {"index", "count"},
    dict: {"get", "keys", "values", "items", "update", "pop", "setdefault", "copy"},
    set: {"add", "union", "update", "copy", "discard"},
    int: {"to_bytes", "bit_length"},
}
_PADDING = {"center", "expandtabs", "ljust", "rjust", "zfill", "to_bytes"}


def method(owner: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """``owner.name(…)`` for a method that changes nothing but its owner; OPEN for any other."""
    kind = next((kind for kind in _METHODS if isinstance(owner, kind)), None)
    if (
        kind is None
        or name not in _METHODS[kind]
        or any(isinstance(item, Open) for item in keywords.values())
    ):
        return OPEN
    if name == "join" and arguments:
        return _joined(owner, arguments[0])
    if name in ("format", "format_map"):
        return _formatted(owner, name, arguments, keywords)
    if name == "append" and len(owner) >= MAX_ITEMS:
        return OPEN
    if kind is not list and any(isinstance(item, Open) for item in arguments):
        return OPEN
    if name in _PADDING and any(isinstance(item, int) and item > MAX_WIDTH for item in arguments):
        return OPEN
    if name in ("translate", "replace") and len(owner) > MAX_WIDTH * 10:
        return OPEN
    return bounded(getattr(owner, name)(*arguments, **keywords))


def bounded(value: Any) -> Any:
    """The value; OPEN where it grew too large to go on with."""
    if isinstance(value, str | bytes):
        return value if len(value) <= MAX_TEXT else OPEN
    if isinstance(value, list | tuple | dict | set):
        return value if len(value) <= MAX_ITEMS else OPEN
    return value if not isinstance(value, int) or value.bit_length() <= 100_000 else OPEN


def text_of(value: Any) -> str:
    """How a value stands inside a larger text; UNKNOWN for what is not known."""
    if isinstance(value, Open):
        return UNKNOWN
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float | bytes | None) else UNKNOWN


def added(left: Any, right: Any) -> Any:
    """``left + right``; a text with a piece that is not known stays a text."""
    if isinstance(left, str) and isinstance(right, Open):
        return bounded(left + UNKNOWN)
    if isinstance(right, str) and isinstance(left, Open):
        return bounded(UNKNOWN + right)
    return OPEN if isinstance(left, Open) or isinstance(right, Open) else bounded(left + right)


def operated(sign: ast.operator, left: Any, right: Any) -> Any:
    """An operator over two values."""
    if isinstance(sign, ast.Add):
        return added(left, right)
    if isinstance(sign, ast.Mod) and isinstance(left, str):
        return OPEN if any(character.isdigit() for character in left) else _percent(left, right)
    if isinstance(left, Open) or isinstance(right, Open):
        return OPEN
    numbers = isinstance(left, int) and isinstance(right, int)
    if isinstance(sign, ast.Mult) and not numbers and _size(left) * _size(right) > MAX_TEXT:
        return OPEN
    if isinstance(sign, ast.Pow | ast.LShift) and (
        not isinstance(right, int) or abs(right) > 4096 or _size(left) > 10**9
    ):
        return OPEN
    if isinstance(sign, ast.Div) and isinstance(left, str) and isinstance(right, str):
        return posixpath.join(left, right)
    work = _OPERATORS.get(type(sign))
    return bounded(work(left, right)) if work else OPEN


def _size(value: Any) -> int:
    return (
        len(value)
        if isinstance(value, str | bytes | list | tuple)
        else abs(value)
        if isinstance(value, int)
        else 1
    )


_OPERATORS: dict[type[ast.operator], Pure] = {
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitXor: operator.xor,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.Pow: operator.pow,
}
COMPARISONS: dict[type[ast.cmpop], Pure] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, whole: item in whole,
    ast.Is: operator.is_,
    ast.NotIn: lambda item, whole: item not in whole,
    ast.IsNot: operator.is_not,
}


def _percent(form: str, values: Any) -> Any:
    if isinstance(values, tuple):
        return bounded(form % tuple(text_of(item) if isinstance(item, Open) else item for item in values))
    return bounded(form % (UNKNOWN if isinstance(values, Open) else values))


def _joined(owner: Any, parts: Any) -> Any:
    if isinstance(owner, bytes):
        return bounded(owner.join(list(parts)))
    members = [UNKNOWN] if isinstance(parts, Open) else list(itertools.islice(parts, MAX_ITEMS))
    return bounded(owner.join(UNKNOWN if isinstance(item, Open) else item for item in members))


def _formatted(form: str, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """No attributes, and no wide paddings: a format could otherwise be made to take all memory."""
    if any(len(digits) > 3 for digits in regex.findall(r"\d+", form)) or regex.search(r"\{[^{}]*[.\[]", form):
        return OPEN
    if name == "format_map":
        return bounded(form.format_map(arguments[0]))
    values = [text_of(item) if isinstance(item, Open) else item for item in arguments]
    return bounded(form.format(*values, **keywords))


def _inflated(make: Callable[[], Any], data: Any) -> Any:
    if not isinstance(data, bytes):
        return OPEN
    return make().decompress(data, MAX_TEXT)


def _listed(kind: Callable[[Any], Any]) -> Pure:
    return lambda *given: kind(itertools.islice(given[0], MAX_ITEMS)) if given else kind(())


def _as_bytes(*given: Any) -> Any:
    first = given[0] if given else b""
    if isinstance(first, str):
        return first.encode(given[1] if len(given) > 1 else "utf-8")
    if isinstance(first, int):
        return bytes(min(first, MAX_WIDTH))
    return bytes(itertools.islice(first, MAX_ITEMS))


def _decoded(data: Any, kind: Any = "utf-8", *_: Any) -> Any:
    """``codecs.decode`` for codecs of texts; those of bytes in their text form, too."""
    name = str(kind).lower().replace("-", "").replace("_", "")
    if isinstance(data, str) and name in ("hex", "hexcodec", "base64", "base64codec"):
        data = data.encode()
    return codecs.decode(data, kind)


def _substituted(pattern: str, new: Any, text: str, *_: Any) -> Any:
    return regex.sub(pattern, new, text, timeout=_REGEX_SECONDS) if isinstance(new, str) else OPEN


def _template(form: str) -> string.Template:
    return string.Template(form)


def _range(*given: Any) -> Any:
    found = range(*given)
    return found if len(found) <= MAX_ITEMS else OPEN


PURE: Mapping[str, Pure] = {
    "str": lambda *given: (
        given[0].decode() if isinstance(given[0], bytes) and len(given) > 1 else text_of(given[0])
    ),
    "repr": repr,
    "int": int,
    "float": float,
    "bool": bool,
    "chr": chr,
    "ord": ord,
    "len": len,
    "abs": abs,
    "min": min,
    "max": max,
    "sum": sum,
    "any": any,
    "all": all,
    "divmod": divmod,
    "hex": hex,
    "bin": bin,
    "oct": oct,
    "round": round,
    "bytes": _as_bytes,
    "bytearray": _as_bytes,
    "range": _range,
    "slice": slice,
    "list": _listed(list),
    "tuple": _listed(tuple),
    "set": _listed(set),
    "sorted": sorted,
    "frozenset": _listed(set),
    "dict": dict,
    "reversed": _listed(lambda items: list(items)[::-1]),
    "zip": lambda *given: list(itertools.islice(zip(*given, strict=False), MAX_ITEMS)),
    "enumerate": lambda *given: list(itertools.islice(enumerate(*given), MAX_ITEMS)),
    "iter": _listed(list),
    "bytes.fromhex": bytes.fromhex,
    "bytearray.fromhex": bytes.fromhex,
    "str.maketrans": str.maketrans,
    "bytes.maketrans": bytes.maketrans,
    "int.from_bytes": int.from_bytes,
    "str.join": _joined,
    "dict.fromkeys": dict.fromkeys,
    "str.lower": str.lower,
    "str.upper": str.upper,
    "base64.b64decode": lambda text, *_: base64.b64decode(text),
    "base64.standard_b64decode": base64.standard_b64decode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "base64.decodebytes": base64.decodebytes,
    "base64.b32decode": base64.b32decode,
    "base64.b16decode": lambda text, *_: base64.b16decode(text, casefold=True),
    "base64.b85decode": base64.b85decode,
    "base64.a85decode": base64.a85decode,
    "base64.b64encode": base64.b64encode,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_hex": binascii.a2b_hex,
    "binascii.a2b_base64": binascii.a2b_base64,
    "binascii.hexlify": binascii.hexlify,
    "codecs.decode": _decoded,
    "codecs.encode": _decoded,
    "zlib.decompress": lambda data, *wbits: _inflated(lambda: zlib.decompressobj(*wbits), data),
    "gzip.decompress": lambda data: _inflated(lambda: zlib.decompressobj(31), data),
    "bz2.decompress": lambda data: _inflated(bz2.BZ2Decompressor, data),
    "lzma.decompress": lambda data: _inflated(lzma.LZMADecompressor, data),
    "json.loads": json.loads,
    "ast.literal_eval": ast.literal_eval,
    "json.dumps": json.dumps,
    "re.sub": _substituted,
    "urllib.parse.unquote": urllib.parse.unquote,
    "urllib.parse.unquote_plus": urllib.parse.unquote_plus,
    "html.unescape": html.unescape,
    "str.__add__": operator.add,
    "str.replace": str.replace,
    "str.strip": str.strip,
    "textwrap.dedent": textwrap.dedent,
    "string.Template": _template,
    "string.capwords": string.capwords,
    "os.path.join": posixpath.join,
    "os.path.basename": posixpath.basename,
    "os.path.dirname": posixpath.dirname,
    "os.path.abspath": lambda path: path,
    "os.path.splitext": posixpath.splitext,
    "os.fspath": str,
    "itertools.chain": lambda *given: list(itertools.islice(itertools.chain(*given), MAX_ITEMS)),
    "itertools.chain.from_iterable": lambda given: list(
        itertools.islice(itertools.chain.from_iterable(given), MAX_ITEMS)
    ),
    "itertools.zip_longest": lambda *given, **named: list(
        itertools.islice(itertools.zip_longest(*given, **named), MAX_ITEMS)
    ),
    "operator.add": operator.add,
    "operator.concat": operator.add,
    "operator.xor": operator.xor,
    "operator.itemgetter": operator.itemgetter,
    "collections.OrderedDict": dict,
}
"""By dotted name. None of them reads, writes, or calls anything but what it is given."""

CONSTANTS: Mapping[str, str] = {
    f"string.{name}": getattr(string, name)
    for name in ("ascii_lowercase", "ascii_uppercase", "ascii_letters", "digits", "punctuation", "printable")
} | {"os.sep": "/", "os.linesep": "\n"}
