"""Audit tables as Markdown, CSV, LaTeX, HTML, JSON: the same bytes for the same rows, every cell inert."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from workbench.patterns import visible
from workbench.review.audit_tables import AuditTable

_FORMULA = re.compile(r"\s*[=+\-@|%]|[\t\r\n]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~$])")
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "-{}",  # no dash out of two hyphens
    "[": "{[}",  # no option of a line break before it
    "]": "{]}",
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
}
_STYLE = (
    "body{font:14px/1.4 sans-serif;margin:2em}table{border-collapse:collapse;margin-bottom:2em}"
    "th,td{border:1px solid #999;padding:.3em .5em;text-align:left;vertical-align:top}th{background:#eee}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class ExportFormat(StrEnum):
    """What an export is written as."""

    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"
    HTML = "html"
    JSON = "json"


SUFFIX = {
    ExportFormat.MARKDOWN: ".md",
    ExportFormat.CSV: ".csv",
    ExportFormat.LATEX: ".tex",
    ExportFormat.HTML: ".html",
    ExportFormat.JSON: ".json",
}


def rendered(tables: Sequence[AuditTable], form: ExportFormat) -> str:
    """All tables as one text, ended by a line feed."""
    return _WRITERS[form](tables)


def _markdown(tables: Sequence[AuditTable]) -> str:
    lines: list[str] = []
    for table in tables:
        lines += [f"## {_md(table.title)}", ""]
        lines.append(f"| {' | '.join(_md(column) for column in table.columns)} |")
        lines.append(f"|{'---|' * len(table.columns)}")
        lines += [f"| {' | '.join(_md(row[column]) for column in table.columns)} |" for row in table.rows]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _md(text: str) -> str:
    """On one line; ``<``, ``>`` and ``&`` as HTML has them, Markdown's signs escaped, nothing made a link."""
    plain = html.escape(" ".join(visible(text).split()), quote=False)
    return (
        _MARKDOWN.sub(r"\\\1", plain)
        .replace("://", ":&#47;/")
        .replace("www.", "www&#46;")
        .replace("@", "&#64;")
    )


def _csv(tables: Sequence[AuditTable]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, table in enumerate(tables):
        if len(tables) > 1:
            if number:
                writer.writerow([])
            writer.writerow([_cell(table.name)])
        writer.writerow([_cell(column) for column in table.columns])
        writer.writerows([_cell(row[column]) for column in table.columns] for row in table.rows)
    return text.getvalue()


def _cell(text: str) -> str:
    """What a spreadsheet would take for a formula begins with ``'``."""
    plain = visible(text)
    return f"'{plain}" if _FORMULA.match(plain) else plain


def _latex(tables: Sequence[AuditTable]) -> str:
    lines = [
        "% \\usepackage[T1]{fontenc}, \\usepackage{textcomp,longtable}; a fragment for \\input",
        "% rows end with \\tabularnewline: what a cell begins with is never an option of it",
    ]
    for table in tables:
        width = round(0.95 / len(table.columns), 3)
        lines += [f"\\section*{{{_tex(table.title)}}}", "\\begingroup\\footnotesize"]
        lines.append(f"\\begin{{longtable}}{{*{{{len(table.columns)}}}{{p{{{width}\\linewidth}}}}}}")
        lines.append(
            " & ".join(f"\\textbf{{{_tex(column)}}}" for column in table.columns) + " \\tabularnewline"
        )
        lines.append("\\hline\\endhead")
        lines += [
            " & ".join(_tex(row[column]) for column in table.columns) + " \\tabularnewline"
            for row in table.rows
        ]
        lines += ["\\end{longtable}", "\\endgroup"]
    return "\n".join(lines) + "\n"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in " ".join(visible(text).split()))


def _html(tables: Sequence[AuditTable]) -> str:
    lines = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>Validity audit</title><style>{_STYLE}</style></head><body>",
    ]
    for table in tables:
        lines += [f"<h2>{_web(table.title)}</h2>", "<table>"]
        lines.append(
            f"<thead><tr>{''.join(f'<th>{_web(column)}</th>' for column in table.columns)}</tr></thead>"
        )
        lines.append("<tbody>")
        lines += [
            f"<tr>{''.join(f'<td>{_web(row[column])}</td>' for column in table.columns)}</tr>"
            for row in table.rows
        ]
        lines.append("</tbody></table>")
    return "\n".join([*lines, "</body></html>"]) + "\n"


def _web(text: str) -> str:
    return html.escape(visible(text)).replace("\n", "<br>")


def _json(tables: Sequence[AuditTable]) -> str:
    document = {
        "schema_version": 1,
        "tables": [
            {
                "name": table.name,
                "title": table.title,
                "columns": list(table.columns),
                "rows": [{column: visible(row[column]) for column in table.columns} for row in table.rows],
            }
            for table in tables
        ],
    }
    return json.dumps(document, indent=2) + "\n"


_WRITERS: Mapping[ExportFormat, Callable[[Sequence[AuditTable]], str]] = {
    ExportFormat.MARKDOWN: _markdown,
    ExportFormat.CSV: _csv,
    ExportFormat.LATEX: _latex,
    ExportFormat.HTML: _html,
    ExportFormat.JSON: _json,
}
