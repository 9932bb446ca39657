"""Single values in unusual spellings, and in the places where an agent uses them.

Each function takes one cell and gives the text around it. ``IDENTIFIERS`` and ``TIMES`` say which cells.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import date, datetime, timezone
from email.utils import format_datetime
from typing import Any
from urllib.parse import quote

from drawn_values import Cell

One = Callable[[Cell], str]


def _digits(cell: Cell) -> str:
    return "".join(character for character in cell.plain if character.isdigit())


def _grouped(cell: Cell, mark: str) -> str:
    return f"{int(_digits(cell)):,}".replace(",", mark)


def _translated(cell: Cell, zero: str) -> str:
    return "".join(chr(ord(zero) + int(digit)) for digit in _digits(cell))


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


IDENTIFIERS: dict[str, One] = {
    "float": lambda c: f"{c.column} = {_digits(c)}.0",
    "scientific": lambda c: f"{c.column}: {int(_digits(c)):.{len(_digits(c)) - 1}e}",
    "thousands_comma": lambda c: f"{c.column} {_grouped(c, ',')} has no urine output",
    "thousands_underscore": lambda c: f"STAY = {_grouped(c, '_')}",
    "thousands_space": lambda c: f"the row of {c.column} {_grouped(c, chr(0x202F))} is odd",
    "thousands_point": lambda c: f"{c.column} {_grouped(c, '.')}",
    "zero_padded": lambda c: f"key {_digits(c):>012}",
    "hex_number": lambda c: f"print(hex({c.column})) gave {int(_digits(c)):#x}",
    "hex_upper": lambda c: f"{c.column} as hex: 0x{int(_digits(c)):X}",
    "hex_of_text": lambda c: f"xxd -p shows {c.plain.encode().hex()}",
    "hex_escapes": lambda c: "b'" + "".join(f"\\x{byte:02x}" for byte in c.plain.encode()) + "'",
    "base64_value": lambda c: f"echo {_base64(c.plain)} | base64 -d",
    "base64_of_json": lambda c: f'token payload "{_base64(json.dumps({c.column: c.plain}))}"',
    "base64_url_safe": lambda c: (
        "data=" + base64.urlsafe_b64encode(f"?>{c.column}={c.plain}~".encode()).decode()
    ),
    "base64_twice": lambda c: f"blob {_base64(_base64(f'{c.column},{c.plain}'))}",
    "url_query": lambda c: f"curl 'http://localhost:8000/stays?{c.column}={c.plain}&limit=5'",
    "url_encoded": lambda c: "q=" + quote(f"{c.column}={c.plain} AND value > 2", safe=""),
    "url_encoded_digits": lambda c: f"GET /stays/{''.join(f'%{ord(digit):02X}' for digit in c.plain)}",
    "html_entities": lambda c: "<b>" + "".join(f"&#{ord(digit)};" for digit in c.plain) + "</b>",
    "unicode_escapes": lambda c: '"' + "".join(f"\\u{ord(digit):04x}" for digit in c.plain) + '"',
    "full_width": lambda c: f"{c.column}＝{_translated(c, chr(0xFF10))}",
    "arabic_digits": lambda c: f"{c.column} {_translated(c, chr(0x0660))}",
    "zero_width": lambda c: f"{c.column} {chr(0x200B).join(_digits(c))} again",
    "soft_hyphens": lambda c: f"{c.column} {chr(0xAD).join((_digits(c)[:3], _digits(c)[3:]))}",
    "split_by_hyphens": lambda c: f"{c.column} {'-'.join(_digits(c))}",
    "split_by_spaces": lambda c: f"{c.column} is {' '.join(_digits(c))}",
    "split_in_fours": lambda c: f"{c.column} {' '.join((_digits(c)[:4], _digits(c)[4:]))}",
    "file_name": lambda c: f"/workspace/plots/stay_{c.plain}.png",
    "file_listing": lambda c: f"-rw-r--r-- 1 agent agent 4096 Mar  2 11:04 stay_{c.plain}.parquet",
    "partition_folder": lambda c: f"/workspace/out/{c.column}={c.plain}/part-0.parquet",
    "where_equals": lambda c: f"SELECT * FROM mimiciv_icu.icustays WHERE {c.column} = {c.plain};",
    "where_text": lambda c: f"SELECT count(*) FROM t WHERE CAST({c.column} AS VARCHAR) LIKE '{c.plain}%'",
    "case_when": lambda c: f"CASE WHEN i.{c.column} = {c.plain} THEN 1 ELSE 0 END AS suspect",
    "variable": lambda c: f"{c.column.upper()} = {c.plain}\nrow = rows[{c.column.upper()}]",
    "shell_argument": lambda c: f"python check.py --{c.column.replace('_', '-')} {c.plain} --verbose",
    "shell_variable": lambda c: (
        f'export ONE={c.plain}; duckdb mimic.db -c "FROM icustays WHERE {c.column}=$ONE"'
    ),
    "heredoc": lambda c: (
        f"python - <<'EOF'\nrows = con.sql('from t where {c.column} = {c.plain}')\nprint(rows)\nEOF"
    ),
    "python_comparison": lambda c: f'df.loc[df["{c.column}"] == {c.plain}, "value"].max()',
    "python_comment": lambda c: (
        f"# {c.column} {c.plain} has two rows with the same charttime\nkeep = 'first'"
    ),
    "commit_message": lambda c: f'git commit -qm "Handle {c.column} {c.plain} apart"',
    "json_path": lambda c: f"jq '.stays[\"{c.plain}\"].sofa' out.json",
    "key_error": lambda c: (
        "Traceback (most recent call last):\n"
        '  File "/workspace/derive.py", line 41, in <module>\n'
        f"    row = by_stay[{c.plain}]\nKeyError: {c.plain}"
    ),
    "numpy_key_error": lambda c: f"KeyError: np.int64({_digits(c)})",
    "assertion": lambda c: f"AssertionError: more than one row of {c.column}={c.plain}\nassert 2 == 1",
    "pytest_diff": lambda c: (
        f"E       assert {{'{c.column}': {c.plain}}} == {{}}\nE         Left contains 1 more item:"
    ),
    "duckdb_conversion": lambda c: (
        f"Conversion Error: Could not convert string '{c.plain}x' to INT32\n\nLINE 1: SELECT"
    ),
    "duckdb_duplicate": lambda c: (
        f'Constraint Error: Duplicate key "{c.column}: {c.plain}" violates primary key constraint.'
    ),
    "duckdb_out_of_range": lambda c: (
        f"Out of Range Error: Overflow in multiplication of INT32 ({_digits(c)} * 1000)!  {c.column}"
    ),
    "prose_aside": lambda c: f"One case stands out ({c.column} {c.plain}), so I look at it more closely.",
    "prose_backticks": lambda c: (
        f"The {c.column.replace('_', ' ')} `{c.plain}` shows why the join has to be left."
    ),
    "prose_possessive": lambda c: f"I checked {c.column} #{c.plain}'s rows by hand; they agree.",
    "glued_words": lambda c: f"see fig_{c.column}{c.plain}_final and id{c.plain}x",
    "reversed_json": lambda c: json.dumps({c.plain: {"flag": True, "of": c.column}}),
    "set_repr": lambda c: f"missing {c.column}: {{{c.plain}}}",
    "numpy_array": lambda c: f"{c.column}.unique() -> array([{c.plain}])",
    "series_line": lambda c: f"0    {c.plain}\nName: {c.column}, dtype: int64",
    "describe": lambda c: f"       {c.column}\ncount        1.0\nmin   {c.plain}.0\nmax   {c.plain}.0",
}
"""One identifier each; all but a few name its column."""

IN_LISTS: dict[str, Callable[[list[Cell]], str]] = {
    "in_list": lambda cs: f"SELECT * FROM t WHERE {cs[0].column} IN ({', '.join(c.plain for c in cs)});",
    "in_list_text": lambda cs: (
        f"WHERE {cs[0].column}::VARCHAR NOT IN ({', '.join(repr(c.plain) for c in cs)})"
    ),
    "python_list": lambda cs: f"{cs[0].column}s = {[c.plain for c in cs]}",
    "bash_array": lambda cs: f"for {cs[0].column} in {' '.join(c.plain for c in cs)}; do ./one.sh $x; done",
    "any_array": lambda cs: f"{cs[0].column} = ANY(ARRAY[{','.join(c.plain for c in cs)}])",
    "concatenated": lambda cs: f"{'_'.join(c.column for c in cs)}: " + "_".join(c.plain for c in cs),
    "base64_csv": lambda cs: (
        "base64 out.csv:\n" + _base64(f"{cs[0].column}\n" + "\n".join(c.plain for c in cs))
    ),
    "base64_wrapped": lambda cs: _wrapped(
        _base64(f"# rows of {cs[0].column}\n" + "\n".join(c.plain for c in cs * 4))
    ),
    "hex_csv": lambda cs: (
        f"xxd -p out.csv\n{(cs[0].column + ',' + ','.join(c.plain for c in cs)).encode().hex()}"
    ),
}
"""Several identifiers of one column."""


def _wrapped(text: str) -> str:
    return "\n".join(text[start : start + 76] for start in range(0, len(text), 76))


def _moment(cell: Cell) -> datetime:
    value: Any = cell.value
    if isinstance(value, datetime):
        return value.replace(tzinfo=timezone.utc)  # noqa: UP017
    return datetime(value.year, value.month, value.day, tzinfo=timezone.utc)  # noqa: UP017


def _strftime(pattern: str, before: str = "", after: str = "") -> One:
    return lambda c: before + _moment(c).strftime(pattern) + after


TIMES: dict[str, One] = {
    "iso_space": lambda c: f"the last charttime is {c.plain}",
    "iso_t": lambda c: f'{{"{c.column}": "{_moment(c).strftime("%Y-%m-%dT%H:%M:%S")}"}}',
    "iso_zone": _strftime("%Y-%m-%dT%H:%M:%S.000Z", "at "),
    "iso_minutes": _strftime("%Y-%m-%d %H:%M", "antibiotic at ", " and culture after it"),
    "iso_slashes": _strftime("%Y/%m/%d %H:%M:%S", "between ", " and the end"),
    "us": _strftime("%m/%d/%Y %I:%M %p", "charted "),
    "us_short": lambda c: f"on {_moment(c).month}/{_moment(c).day}/{_moment(c).year} the rate was changed",
    "day_month": _strftime("%d/%m/%Y %H:%M", "chart of "),
    "day_month_points": _strftime("%d.%m.%Y", "am ", ", 06:00"),
    "day_month_hyphens": _strftime("%d-%m-%Y", "d "),
    "oracle": _strftime("%d-%b-%Y %H:%M:%S", "'", "'"),
    "month_written": lambda c: f"admitted {_moment(c):%B} {_moment(c).day}, {_moment(c).year}",
    "day_month_written": lambda c: f"on the {_moment(c).day}th of {_moment(c):%B} {_moment(c).year}",
    "month_short": lambda c: f"{_moment(c):%b} {_moment(c).day} {_moment(c).year}",
    "ctime": _strftime("%a %b %d %H:%M:%S %Y"),
    "rfc_2822": lambda c: "Date: " + format_datetime(_moment(c)),
    "compact": _strftime("%Y%m%dT%H%M%S", "snapshot "),
    "compact_digits": _strftime("%Y%m%d%H%M%S", "run_", ".csv"),
    "compact_date": _strftime("%Y%m%d", "/workspace/out/day_", ".parquet"),
    "epoch_seconds": lambda c: f"{c.column} epoch {int(_moment(c).timestamp())}",
    "epoch_float": lambda c: f"{c.column}.timestamp() -> {_moment(c).timestamp():.1f}",
    "epoch_milliseconds": lambda c: f'{{"{c.column}": {int(_moment(c).timestamp()) * 1000}}}',
    "epoch_microseconds": lambda c: f"epoch_us({c.column}) = {int(_moment(c).timestamp()) * 1_000_000}",
    "epoch_nanoseconds": lambda c: f"{c.column} {int(_moment(c).timestamp()) * 1_000_000_000}",
    "python_datetime": lambda c: f"(1, {_moment(c).replace(tzinfo=None)!r})",
    "python_date": lambda c: f"{{'day': {_moment(c).date()!r}}}",
    "pandas_timestamp": lambda c: f"Timestamp('{_moment(c):%Y-%m-%d %H:%M:%S}')",
    "numpy_datetime": lambda c: f"numpy.datetime64('{_moment(c):%Y-%m-%dT%H:%M:%S}.000000000')",
    "sql_literal": lambda c: f"WHERE charttime >= TIMESTAMP '{_moment(c):%Y-%m-%d %H:%M:%S}'",
    "sql_between": lambda c: (
        f"charttime BETWEEN '{_moment(c):%Y-%m-%d}' AND TIMESTAMP '{_moment(c):%Y-%m-%d %H:%M:%S}'"
    ),
    "make_timestamp": lambda c: (
        f"make_timestamp({_moment(c).year}, {_moment(c).month}, {_moment(c).day}, {_moment(c).hour}, 5, 0)"
    ),
    "file_time": _strftime("%Y-%m-%d_%H-%M-%S", "/workspace/plots/vitals_", ".svg"),
    "url_time": lambda c: f"?since={quote(c.plain, safe='')}",
    "base64_time": lambda c: f"cursor={_base64(f'{c.column}={c.plain}')}",
    "hex_time": lambda c: f"hexdump {c.plain.encode().hex()}",
    "full_width_time": lambda c: "".join(chr(ord(d) + 0xFEE0) if d.isdigit() else d for d in c.plain),
    "conversion_error": lambda c: (
        f'Conversion Error: invalid timestamp field format: "{c.plain} (approx)", expected format is (YYYY)'
    ),
    "strptime_error": lambda c: f"ValueError: unconverted data remains when parsing {c.plain!r}",
    "prose_time": lambda c: f"The first dose of that stay is at {c.plain}, three hours after the culture.",
}
"""One timestamp or date each."""


def is_day(cell: Cell) -> bool:
    return isinstance(cell.value, date) and not isinstance(cell.value, datetime)


MEASURED: dict[str, One] = {
    "prose_value": lambda c: f"that row has {c.column} {c.plain}, which explains the score",
    "value_filter": lambda c: f"SELECT * FROM t WHERE {c.column} = {c.plain}",
    "value_assertion": lambda c: f"assert round(row['{c.column}'], 4) == {c.plain}",
    "value_json": lambda c: json.dumps({"worst": {c.column: c.plain}}),
    "value_error": lambda c: f"ValueError: {c.column}={c.plain} is out of the physiological range",
}
"""One measured value each, seen in an output before."""
