"""Exports: hostile cells are inert in every format, the same rows give the same bytes, no value leaves."""

from __future__ import annotations

import csv
import html.parser
import io
import json
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from workbench.catalog import Content
from workbench.records import BadInput, ContentPaths, Refused
from workbench.redaction import NoSource
from workbench.review import AuditTable, ExportFormat, audit_tables, export_files, export_text

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = [
    "=HYPERLINK(1)", "+1+1", "-2+3", "@SUM(A1)", "\t=1+1", " =1+1", "|cmd", "a,b\"c'd\ne",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", '" onmouseover="x', "</td></table>",
    "&lt;b&gt;", "\\input{secret}", "\\write18{ls}", "50% & $x_1^2$ #1 {~}", "\\\\[2cm]", "[2cm]", "---",
    "a | b", "[x](javascript:alert(1))", "`code`", "![i](http://x)", "**bold** _it_", "https://example.org/x",
    "\x1b[31mred", "\u202eabc", "$(ls)", "# head",
]  # fmt: skip


def table(cells: list[str]) -> AuditTable:
    return AuditTable("attack", "An <b>attack</b> & more_", ("first", "second"), [
        {"first": cell, "second": "end"} for cell in cells
    ])  # fmt: skip


def shown(form: ExportFormat) -> str:
    return export_text([table(HOSTILE)], form)


def test_no_format_holds_control_characters() -> None:
    for form in ExportFormat:
        text = shown(form)
        assert "\x1b" not in text and "\u202e" not in text
        assert text == shown(form) and text.endswith("\n")


def test_csv_cells_are_no_formulas_and_read_back() -> None:
    rows = list(csv.reader(io.StringIO(shown(ExportFormat.CSV))))
    assert len(rows) == len(HOSTILE) + 1
    for cell, row in zip(HOSTILE, rows[1:], strict=True):
        assert row[0].lstrip()[:1] not in ("=", "+", "-", "@", "|") and row[1] == "end"
        assert "\x1b" in cell or "\u202e" in cell or row[0] in (cell, f"'{cell}")


def test_html_has_no_tag_or_attribute_of_a_cell() -> None:
    tags: list[tuple[str, list[str]]] = []
    cells: list[str] = []

    class Reader(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append((tag, [name for name, _ in attrs]))
            cells.extend([""] if tag == "td" else [])

        def handle_data(self, data: str) -> None:
            if cells:
                cells[-1] += data.strip("\n")

    Reader().feed(shown(ExportFormat.HTML))
    assert {tag for tag, _ in tags} <= {
        *("html", "head", "meta", "title", "style", "body", "h2", "table", "thead", "tr", "th", "tbody"),
        *("td", "br"),
    }
    assert all(names == [] for tag, names in tags if tag in ("td", "tr", "br"))
    assert cells[::2][8] == HOSTILE[8] and len(cells) == 2 * len(HOSTILE)
    assert "src=" not in shown(ExportFormat.HTML).partition("<table>")[0]


def test_markdown_is_one_table_of_plain_text() -> None:
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(shown(ExportFormat.MARKDOWN))
    kinds = {token.type for token in tokens}
    assert not kinds & {"html_block", "fence", "code_block", "bullet_list_open", "hr"}
    inline = [child.type for token in tokens for child in token.children or []]
    assert set(inline) <= {"text", "text_special"}
    assert sum(token.type == "tr_open" for token in tokens) == len(HOSTILE) + 1
    assert sum(token.type == "td_open" for token in tokens) == 2 * len(HOSTILE)


def test_latex_has_no_command_of_a_cell() -> None:
    text = shown(ExportFormat.LATEX)
    for command in ("\\input{secret}", "\\write18", "\\\\[", "\n[", "---"):
        assert command not in text.partition("\\endhead")[2]
    body = text.partition("\\endhead\n")[2].partition("\\end{longtable}")[0]
    assert len(body.splitlines()) == len(HOSTILE)
    assert all(line.replace("\\&", "").count("&") == 1 for line in body.splitlines())
    assert "50\\% \\& \\$x\\_1\\textasciicircum{}2\\$ \\#1 \\{\\textasciitilde{}\\}" in body


def test_json_reads_back() -> None:
    rows = json.loads(shown(ExportFormat.JSON))["tables"][0]["rows"]
    assert [row["first"] for row in rows][8:15] == HOSTILE[8:15]


class OneStay(NoSource):
    """A source in which one number is a stay's."""

    def numbers(self, numbers: Collection[int]) -> Mapping[int, frozenset[str]]:
        return {number: frozenset({"stay_id"}) for number in numbers if number == 301234}


def test_a_value_of_the_source_stops_the_export_and_is_not_told(tmp_path: Path) -> None:
    held = table(["as in stay_id 301234"])
    with pytest.raises(Refused, match="attack, column first: identifier stay_id") as told:
        export_files([held], ExportFormat.CSV, tmp_path / "out", OneStay())
    assert "301234" not in str(told.value) and not (tmp_path / "out").exists()
    made_up = AuditTable(held.name, held.title, held.columns, held.rows, frozenset({"first"}))
    export_text([made_up], ExportFormat.CSV, OneStay())
    doubtful = AuditTable("runs", "Runs", ("a",), [{"a": "x"}], words=[("run-1", "stay 30000153")])
    with pytest.raises(Refused, match="runs, run-1: a number as long as an identifier"):
        export_text([doubtful], ExportFormat.JSON)


def test_the_tables_of_this_project(tmp_path: Path) -> None:
    content = Content(ContentPaths(ROOT))
    names = ["caveats", "provenance", "sign-offs", "sessions", "runs"]
    tables = audit_tables(content, names)
    assert [one.name for one in tables] == names
    caveats = tables[0]
    row = next(row for row in caveats.rows if row["caveat"] == "tube-is-15")
    assert (row["family"], row["severity"], row["status"]) == ("gcs", "major", "proposed")
    assert "reference " in row["witness values"] and "definition " in row["witness values"]
    made = export_files(tables, ExportFormat.HTML, tmp_path / "out")
    first = [path.read_bytes() for path in made]
    export_files(audit_tables(content, names), ExportFormat.HTML, tmp_path / "out")
    assert [path.read_bytes() for path in made] == first
    with pytest.raises(BadInput, match="no table"):
        audit_tables(content, ["nothing"])
