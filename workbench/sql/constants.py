"""Which expressions of SQL are made of constants alone, by functions that only change texts and lists."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

MAX_NODES = 400
MAX_NUMBER = 5_000
"""A larger number may be a request for a text that fills the memory."""
MAX_CHARS = 20_000

PURE = frozenset({
    "any_value", "anyvalue", "array", "array_agg", "array_append", "array_concat", "array_extract",
    "array_filter", "array_length", "array_prepend", "array_reverse", "array_slice", "array_sort",
    "array_to_string", "array_transform", "ascii", "bit_length", "bitwise_xor", "case", "cast", "char",
    "char_length", "chr", "coalesce", "concat", "concat_ws", "decode", "element_at", "encode", "explode",
    "filter", "first", "flatten", "format", "from_base64", "from_binary", "from_hex", "generate_series",
    "greatest", "group_concat", "hex", "if", "initcap", "instr", "lag", "lambda", "last", "lead", "least",
    "left", "length", "list", "list_aggr", "list_aggregate", "list_append", "list_concat", "list_contains",
    "list_distinct", "list_element", "list_extract", "list_filter", "list_prepend", "list_reduce",
    "list_reverse", "list_slice", "list_sort", "list_string_agg", "list_transform", "list_value",
    "list_zip", "listagg", "lower", "lpad", "ltrim", "map", "map_extract", "max", "min", "mod", "nullif",
    "ord", "overlay", "pad", "position", "printf", "range", "reduce", "regexp_extract", "regexp_replace",
    "regexp_split_to_array", "repeat", "replace", "reverse", "right", "row_number", "rpad", "rtrim",
    "sort_array", "split", "split_part", "str_position", "str_split", "string_agg", "string_split",
    "string_to_array", "strip_accents", "struct", "struct_extract", "struct_pack", "substr", "substring",
    "sum", "to_base64", "to_binary", "to_hex", "to_map", "transform", "translate", "trim", "try_cast",
    "unhex", "unicode", "unnest", "upper", "url_decode", "xor",
})  # fmt: skip
"""Functions, by sqlglot's and DuckDB's names, that make one value of others and reach for nothing."""


def constant_sql(node: exp.Expr, variables: Mapping[str, str]) -> str:
    """The expression as SQL of DuckDB with its variables put in; empty where it is not made of constants."""
    if node.find(exp.Column) and not node.find(exp.Select, exp.Lambda, exp.Comprehension):
        return ""
    names = {item.alias.lower() for item in node.find_all(exp.CTE)}
    for count, part in enumerate(node.walk()):
        if count > MAX_NODES or not _allowed(part, names, variables):
            return ""
    try:
        filled = node.copy().transform(_filled, variables)
        text: str = filled.sql(dialect="duckdb", comments=False)
    except (RecursionError, ValueError, AttributeError, TypeError):
        return ""
    return text if len(text) <= MAX_CHARS else ""


def _allowed(node: exp.Expr, names: set[str], variables: Mapping[str, str]) -> bool:
    if isinstance(node, exp.Literal):
        return node.is_string or (node.name.replace(".", "").isdigit() and float(node.name) <= MAX_NUMBER)
    if isinstance(node, exp.Table):
        return isinstance(node.this, exp.Func) or (not node.db and node.name.lower() in names)
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in PURE or _variable(node, variables) is not None
    if isinstance(node, exp.And | exp.Or | exp.Connector | exp.Binary):
        return True
    if isinstance(node, exp.Func):
        return node.sql_name().lower() in PURE
    return not isinstance(node, exp.Command | exp.DDL | exp.Placeholder | exp.Parameter) or isinstance(
        node, exp.Query
    )


def _variable(node: exp.Expr, variables: Mapping[str, str]) -> str | None:
    if isinstance(node, exp.Anonymous) and node.name.lower() == "getvariable" and node.expressions:
        return variables.get(node.expressions[0].name.lower())
    return None


def _filled(node: exp.Expr, variables: Mapping[str, str]) -> exp.Expr:
    value = _variable(node, variables)
    return node if value is None else exp.Literal.string(value)
