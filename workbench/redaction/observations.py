"""What a tool gave back, described: what ran, what it read, how large the result is, how it ended.

Only words of the agent's own call, numbers of rows and columns, and names of known errors are told.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from workbench.records import Observation, ToolCall, ToolKind
from workbench.redaction.pseudonyms import Pseudonyms
from workbench.redaction.step_fields import call_texts

HEAD, TAIL, COLUMNS_HEAD, MOST_WORDS = 4_000, 1_000, 1_500, 200
"""Characters of an output in which columns, sizes and errors are looked for; words of it that are kept."""
_TABLE = re.compile(r"(?i)\b(?:from|join|into|describe|table_info\(['\"]?)\s{0,20}([a-z_][\w.]{0,80})")
_NOT_TABLES = frozenset(
    ("select", "lateral", "unnest", "values", "the", "read_parquet", "read_csv", "range", "import")
)
_COLUMN = re.compile(r"(?<![\w.-])[a-z]{2,30}(?:_[a-z]{1,30}){1,5}(?![\w.-])")
_SIZES = (
    (" columns", re.compile(r"\[?(?P<rows>\d{1,12}) rows? x (?P<columns>\d{1,5}) columns?")),
    ("shape", re.compile(r"shape: ?\((?P<rows>[\d_]{1,14}), ?(?P<columns>\d{1,5})\)")),
    (
        " row",
        re.compile(
            r"\(?(?P<rows>\d{1,12}) rows?(?: \(\d{1,8} shown\))?(?:\s{1,40}(?P<columns>\d{1,5}) columns?)?"
        ),
    ),
)
_DUCKDB_ERRORS = (
    "Binder Error", "Parser Error", "Catalog Error", "Conversion Error", "Constraint Error", "IO Error",
    "Out of Range Error", "Out of Memory Error", "Invalid Input Error", "Permission Error", "Internal Error",
    "Not implemented Error", "Transaction Error", "Syntax Error",
)  # fmt: skip
_OTHER_ERRORS = frozenset(
    ("BinderException", "ParserException", "CatalogException", "ConversionException", "IOException",
     "ColumnNotFoundError", "SchemaError", "ComputeError", "ParserError", "MergeError", "OperationalError",
     "ProgrammingError")
)  # fmt: skip
_NAMED_ERRORS = _OTHER_ERRORS | {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
_ERROR = re.compile(r"\b[A-Z][A-Za-z]{2,40}(?:Error|Exception|Interrupt|Iteration|Exit)\b")
_NO_SUCH = ("command not found", "No such file or directory", "Permission denied", "timed out")


@dataclass(frozen=True, slots=True)
class Described:
    """``words`` of the output may be names of columns; ``rest`` may be told as it is."""

    words: frozenset[str]
    rest: str


class Describer:
    """Descriptions of one log's outputs. Counts of rows below ``threshold`` are not told."""

    def __init__(self, pseudonyms: Pseudonyms, threshold: int) -> None:
        self._pseudonyms, self._threshold = pseudonyms, threshold

    def error(self, text: str) -> str:
        """What went wrong, as the log says it."""
        return f"[{'; '.join(['error', *dict.fromkeys(_errors(text[:HEAD], '')), self._hash(text)])}]"

    def read(self, back: Observation) -> Described:
        """What is kept of an output; its words only such as a column's name may be."""
        text = back.text
        head, tail = text[:HEAD], text[-TAIL:]
        told = [self._size(head, tail, text)]
        if back.exit_code is not None and -256 < back.exit_code < 256:
            told.append(f"exit {back.exit_code}")
        if back.is_error:
            told.append("failed")
        told += dict.fromkeys(_errors(head, tail))
        if text:
            told.append(self._hash(text))
        words = dict.fromkeys(_COLUMN.findall(head[:COLUMNS_HEAD]))
        return Described(frozenset(islice(words, MOST_WORDS)), "; ".join(told))

    def describe(self, read: Described, call: ToolCall | None) -> str:
        """``call``: cleaned already. Of the output's own words only those are told that stand in it."""
        kind = call.kind.value if call is not None and call.kind is not ToolKind.OTHER else "tool"
        said = "\n".join(call_texts(call)) if call is not None else ""
        told = [f"output of {kind}"]
        if tables := list(_tables(said)):
            told.append(f"reads {', '.join(tables)}")
        columns = [word for word in dict.fromkeys(_COLUMN.findall(said)) if word in read.words]
        if columns:
            told.append(f"columns {', '.join(columns[:20])}")
        return f"[{'; '.join([*told, read.rest])}]"

    def _hash(self, text: str) -> str:
        """Keyed: what is small could be guessed from a hash that anybody can work out."""
        return f"hash {self._pseudonyms.word('output', text)}"

    def _size(self, head: str, tail: str, text: str) -> str:
        for part in (tail, head):
            for hint, pattern in _SIZES:
                if hint in part and (match := pattern.search(part)):
                    columns = match["columns"]
                    return f"{self._count(int(match['rows'].replace('_', '')), 'rows')}" + (
                        f" x {columns} columns" if columns else ""
                    )
        return self._count(text.count("\n") + 1, "lines") if text.strip() else "nothing printed"

    def _count(self, number: int, of: str) -> str:
        return f"{number} {of}" if number >= self._threshold else f"under {self._threshold} {of}"


def _tables(said: str) -> Iterator[str]:
    found = dict.fromkeys(name.rstrip(".") for name in _TABLE.findall(said))
    yield from [name for name in found if name.lower() not in _NOT_TABLES][:12]


def _errors(head: str, tail: str) -> Iterator[str]:
    for part in dict.fromkeys((head, tail)):
        if "Error" in part:
            yield from (name for name in _DUCKDB_ERRORS if name in part)
        if any(word in part for word in ("Error", "Exception", "Interrupt", "Exit")):
            yield from (name for name in dict.fromkeys(_ERROR.findall(part)) if name in _NAMED_ERRORS)
        yield from (words for words in _NO_SUCH if words in part)
