"""What a script reads, makes and changes: tables by resolved name, and files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from sqlglot import exp

from workbench.sql.constants import constant_sql
from workbench.sql.fold import fold, fold_all
from workbench.sql.lexical import lexical_reads, raw_reads
from workbench.sql.macros import Macro, expanded, macro_of
from workbench.sql.parse import Statement, parse

MAX_INNER_QUERIES = 50
"""Depth and number of queries inside strings (``query('…')``) that are followed in one script."""

FILE_READERS = {
    "read_parquet", "parquet_scan", "parquet_metadata", "parquet_schema", "parquet_file_metadata",
    "parquet_kv_metadata", "parquet_full_metadata", "parquet_bloom_probe", "read_csv", "read_csv_auto",
    "sniff_csv", "read_json", "read_json_auto", "read_ndjson", "read_ndjson_auto", "read_json_objects",
    "read_json_objects_auto", "read_ndjson_objects", "read_text", "read_blob", "glob", "read_xlsx", "st_read",
    "sqlite_scan", "read_duckdb", "delta_scan", "iceberg_scan",
}  # fmt: skip
"""DuckDB table functions whose first argument names files."""

FILE_SUFFIXES = (
    ".parquet", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".gz", ".zst", ".txt", ".xlsx", ".db",
    ".duckdb", ".arrow", ".log",
)  # fmt: skip
"""A name in FROM that ends so is a file (DuckDB's replacement scan)."""

_NAMED_BY_TEXT = {
    "table_info",
    "pragma_table_info",
    "pragma_storage_info",
    "storage_info",
    "query_table",
    "pragma_show",
    "identifier",
}
_COMPOSED = (
    exp.DPipe, exp.Concat, exp.ConcatWs, exp.Format, exp.Chr, exp.Unhex, exp.FromBase64, exp.Decode,
    exp.Reverse, exp.Replace, exp.Translate, exp.ArrayToString, exp.GroupConcat, exp.RegexpReplace,
    exp.Anonymous, exp.Subquery, exp.Substring, exp.Left, exp.Right, exp.Bracket, exp.Lower, exp.Upper,
)  # fmt: skip
"""Expressions that put texts together."""
MAX_MADE = 200
MAX_EVALUATED = 12
"""Expressions of one script that the engine is asked for."""


@dataclass(frozen=True)
class SqlUse:
    """Names are lower-case ``<schema>.<table>``, or ``<table>`` where no schema is known.

    ``reads`` leaves out CTEs and what the script itself made before; ``creates`` are tables, views and
    macros; ``changes`` are tables inserted into, updated, dropped or altered. ``exact`` is False when a
    statement was read by words only, or a name is computed from something unknown. ``made``: texts that
    expressions over constants come to; ``derived``: what each created thing was made of.
    """

    reads: frozenset[str] = frozenset()
    creates: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    files_read: frozenset[str] = frozenset()
    files_written: frozenset[str] = frozenset()
    extensions: frozenset[str] = frozenset()
    exact: bool = True
    made: frozenset[str] = frozenset()
    derived: Mapping[str, frozenset[str]] = field(default_factory=dict)


Evaluate = Callable[[str], str | None]
"""Gives the text of a SQL expression made of constants; None for none."""


@lru_cache(maxsize=256)
def tables(sql: str) -> SqlUse:
    """Resolve a DuckDB script. Statements that do not parse are read by words; comments never count."""
    return TableReader().read(sql)


class TableReader:
    """Reads one script after another of the same session: default schema, variables, prepared queries and
    what was created stay known."""

    def __init__(self, evaluate: Evaluate | None = None) -> None:
        """``evaluate``: asked for constants that are put together by functions not folded here."""
        self._reader = _Reader(evaluate=evaluate)

    def read(self, sql: str) -> SqlUse:
        """What this script uses."""
        before = self._reader
        self._reader = _Reader(
            known=before.known | before.creates,
            schema=before.schema,
            variables=before.variables,
            prepared=before.prepared,
            macros=before.macros,
            evaluate=before.evaluate,
        )
        self._reader.script(sql)
        return self._reader.result()


@dataclass
class _Reader:
    """Walks statements in order, with the session's default schema, variables and prepared queries."""

    known: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    creates: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)
    files_read: set[str] = field(default_factory=set)
    files_written: set[str] = field(default_factory=set)
    extensions: set[str] = field(default_factory=set)
    exact: bool = True
    schema: str = ""
    variables: dict[str, str] = field(default_factory=dict)
    prepared: dict[str, exp.Expr] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    derived: dict[str, frozenset[str]] = field(default_factory=dict)
    evaluate: Evaluate | None = None
    inner: int = 0
    evaluated: int = 0

    def result(self) -> SqlUse:
        return SqlUse(
            frozenset(self.reads),
            frozenset(self.creates),
            frozenset(self.changes),
            frozenset(self.files_read),
            frozenset(self.files_written),
            frozenset(self.extensions),
            self.exact,
            frozenset(self.made),
            dict(self.derived),
        )

    def script(self, sql: str) -> None:
        script = parse(sql)
        for dot in script.dot_commands:
            if dot.name in ("read", "open", "import", "cd"):
                self.files_read.add(dot.argument.split(" ")[0])
            elif dot.name in ("output", "once", "backup", "save", "excel"):
                self.files_written.add(dot.argument)
        self.exact = self.exact and script.exact
        if not script.statements:
            self._add_reads(raw_reads(sql))
        for statement in script.statements:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        tree = statement.tree
        if tree is None:
            found, files = lexical_reads(statement.words)
            self.files_read |= files
            self._add_reads(found)
            return
        if statement.verb == "prepare":
            self.prepared[statement.name] = tree
        elif statement.verb == "execute" and statement.name in self.prepared:
            tree = _filled(self.prepared[statement.name], tree)
        before = set(self.reads)
        self._macro(tree)
        created = [name for node in tree.walk() for name in self._node(node)]
        self.creates.update(created)
        for name in created if isinstance(tree, exp.Create) else ():
            self.derived[name] = frozenset(self.reads - before)
        self._constants(tree)

    def _node(self, node: exp.Expr) -> Iterator[str]:
        """Take in one node; yields names that exist once the statement is done."""
        if isinstance(node, exp.Table):
            yield from self._table(node)
        elif isinstance(node, exp.Func):
            self._function(node)
        elif isinstance(node, exp.Copy):
            files = {name for item in node.args.get("files") or [] for name in self._texts(item)}
            (self.files_read if node.args.get("kind") else self.files_written).update(files)
        elif isinstance(node, exp.Attach):
            self.files_read.update(self._texts(node.this))
        elif isinstance(node, exp.Install):
            self.extensions.add(node.name.lower())
        elif isinstance(node, exp.SetItem):
            self._setting(node)

    def _macro(self, tree: exp.Expr) -> None:
        """Keep a macro; read what the calls of known ones stand for."""
        made = macro_of(tree)
        if made is not None:
            self.macros[made.name] = made
        elif self.macros:
            for call in tree.find_all(exp.Anonymous):
                macro = self.macros.get(call.name.lower())
                self.inner += 1
                if macro is None or self.inner > MAX_INNER_QUERIES:
                    continue
                body = expanded(macro, call.expressions)
                for node in body.walk():
                    self.creates.update(self._node(node))
                self._constants(body)
                if not isinstance(body, exp.Query) and body.find(exp.Literal):
                    call.set("folded", self._fold(body))

    def _constants(self, tree: exp.Expr) -> None:
        """Texts that the largest expressions over constants come to."""
        for node in tree.walk(prune=lambda item: isinstance(item, _COMPOSED)):
            if isinstance(node, _COMPOSED) and len(self.made) < MAX_MADE and node.find(exp.Literal):
                text = self._fold(node)
                if text and len(text) > 3:
                    self.made.add(text)

    def _fold(self, node: exp.Expr | None) -> str | None:
        text = fold(node, self.variables)
        if text is None and node is not None and self.evaluate is not None and self.evaluated < MAX_EVALUATED:
            sql = constant_sql(node, self.variables)
            if sql:
                self.evaluated += 1
                text = self.evaluate(sql)
        return text

    def _table(self, node: exp.Table) -> Iterator[str]:
        if not isinstance(node.this, exp.Identifier):
            return
        name = self._qualified(node)
        role = _role(node)
        if role == "use":
            self.schema = node.name.lower()
        elif role == "create":
            yield name
        elif role == "change":
            self.changes.add(name)
        elif not node.db and (_is_file(node.name) or "/" in node.name):
            self.files_read.add(node.name)
        elif not _is_cte(node):
            self._add_reads([name])
            if role == "change-from":
                self.changes.add(name)

    def _qualified(self, node: exp.Table) -> str:
        schema = node.db.lower() or self.schema
        if not node.db and node.this.args.get("quoted") and "." in node.name and not _is_file(node.name):
            return ".".join(node.name.lower().split(".")[-2:])
        return f"{schema}.{node.name.lower()}" if schema else node.name.lower()

    def _function(self, node: exp.Func) -> None:
        name = node.name.lower() if isinstance(node, exp.Anonymous) else node.sql_name().lower()
        if name in FILE_READERS:
            self.files_read.update(self._texts(_first_argument(node)))
        elif name in _NAMED_BY_TEXT:
            self._add_reads(self._name_of(text) for text in self._texts(_first_argument(node)))
        elif name == "query":
            for text in self._texts(_first_argument(node)):
                self.inner += 1
                if self.inner > MAX_INNER_QUERIES:
                    self.exact = False
                    return
                self.script(text)

    def _setting(self, node: exp.SetItem) -> None:
        if not isinstance(node.this, exp.EQ):
            return
        key, value = node.this.this.name.lower(), self._fold(node.this.expression)
        if value is None:
            return
        if node.args.get("kind") == "VARIABLE":
            self.variables[key] = value
        elif key in ("schema", "search_path"):
            several = "," in value  # a bare name may then be of any of them
            self.schema = "" if several else value.split(".")[-1].strip().strip('"').lower()

    def _texts(self, node: exp.Expr | None) -> list[str]:
        found = fold_all(node, self.variables)
        if None in found and isinstance(node, exp.Expr):
            found = [self._fold(node)]
        if None in found and not isinstance(node, exp.Placeholder):
            self.exact = False
        return [text for text in found if text is not None]

    def _name_of(self, text: str) -> str:
        parts = text.lower().replace('"', "").split(".")[-2:]
        return ".".join([self.schema, *parts] if len(parts) == 1 and self.schema else parts)

    def _add_reads(self, names: Iterator[str] | list[str] | set[str]) -> None:
        self.reads.update(name for name in names if name not in self.creates and name not in self.known)


def _role(node: exp.Table) -> str:
    """``use``, ``create``, ``change`` (not read), ``change-from`` (read as well), or empty: read."""
    child: exp.Expr = node
    parent = node.parent
    if isinstance(parent, exp.Schema | exp.UserDefinedFunction) and parent.this is node:
        child, parent = parent, parent.parent
    if parent is None:
        return ""
    for kind, (role, argument) in _ROLES.items():
        if isinstance(parent, kind) and argument(parent) is child:
            return role
    if isinstance(parent, exp.Drop | exp.TruncateTable):
        return "change"
    return ""


def _target(parent: exp.Expr) -> object:
    return parent.this


def _copied_into(parent: exp.Expr) -> object:
    return parent.this if parent.args.get("kind") else None


_ROLES: dict[type[exp.Expr], tuple[str, Callable[[exp.Expr], object]]] = {
    exp.Use: ("use", _target),
    exp.Create: ("create", _target),
    exp.AlterRename: ("create", _target),
    exp.Insert: ("change", _target),
    exp.Copy: ("change", _copied_into),
    exp.Alter: ("change", _target),
    exp.Comment: ("change", _target),
    exp.Update: ("change-from", _target),
    exp.Delete: ("change-from", _target),
    exp.Merge: ("change-from", _target),
}


def _is_cte(node: exp.Table) -> bool:
    """Whether an unqualified name means a CTE in scope: an earlier one, or its own when recursive."""
    if node.db:
        return False
    name = node.name.lower()
    child: exp.Expr = node
    parent = node.parent
    while parent is not None:
        clause = parent.args.get("with_")
        if isinstance(parent, exp.With):
            for other in parent.expressions:
                if other is child:
                    if parent.args.get("recursive") and other.alias.lower() == name:
                        return True
                    break
                if other.alias.lower() == name:
                    return True
        elif (
            isinstance(clause, exp.With)
            and clause is not child
            and any(other.alias.lower() == name for other in clause.expressions)
        ):
            return True
        child, parent = parent, parent.parent
    return False


def _is_file(name: str) -> bool:
    return name.lower().endswith(FILE_SUFFIXES)


def _first_argument(node: exp.Func) -> exp.Expr | None:
    first = None if isinstance(node, exp.Anonymous) else node.args.get("this")
    if isinstance(first, exp.Expr):
        return first
    return node.expressions[0] if node.expressions else None


def _filled(query: exp.Expr, call: exp.Expr) -> exp.Expr:
    """The prepared query with the call's arguments in place of its parameters."""
    arguments = next((item.expressions for item in call.find_all(exp.Func)), [])
    named = {
        item.this.name.lower(): item.expression for item in arguments if isinstance(item, exp.PropertyEQ)
    }
    plain = [item for item in arguments if not isinstance(item, exp.PropertyEQ)]
    filled = query.copy()
    unnamed = 0
    for place in list(filled.find_all(exp.Placeholder)):
        key = place.text("this").lower()
        if not key:
            unnamed += 1
            key = str(unnamed)
        value = named.get(key)
        if value is None and key.isdigit() and 0 < int(key) <= len(plain):
            value = plain[int(key) - 1]
        if value is not None:
            place.replace(value.copy())
    return filled
