"""Sources of lines without a screen: index, files, wrapping, folding, tables, Markdown, search."""

import random
import threading
from pathlib import Path

import pytest
from rich.cells import cell_len

from workbench.records import BadInput
from workbench.tui.inert import Inert
from workbench.tui.widgets.file_lines import CUT_LABEL, FileLines, FollowedFile
from workbench.tui.widgets.folding import Block, BlockLines
from workbench.tui.widgets.highlight import command_sql, file_sql, shown, sql_spans
from workbench.tui.widgets.line_index import BLOCK_ROWS, ROW_BYTES, LineIndex, split_rows
from workbench.tui.widgets.line_source import AFTER_ALL, BEFORE_ALL, Line, Place, TextLines
from workbench.tui.widgets.markdown_lines import MarkdownLines
from workbench.tui.widgets.search import Query
from workbench.tui.widgets.table_source import Column, TableLines
from workbench.tui.widgets.wrap import cell_rows, word_rows

FILES: dict[str, bytes] = {
    "empty": b"",
    "one line without an end": b"abc",
    "one line": b"abc\n",
    "empty lines": b"\n\n\n",
    "crlf": b"a\r\nb\r\n",
    "64 lines exactly": b"x\n" * BLOCK_ROWS,
    "65 lines": b"x\n" * BLOCK_ROWS + b"y",
    "a row exactly": b"x" * ROW_BYTES + b"\nnext\n",
    "a byte more than a row": b"x" * (ROW_BYTES + 1) + b"\nnext\n",
    "a long line without an end": b"x" * (ROW_BYTES * 5 + 7),
    "long lines among short ones": (b"short\n" * 100 + b"y" * 100_000 + b"\n") * 3 + b"end",
    "characters of three bytes": ("漢" * 20_000 + "\n" + "字\n" * 200).encode(),
    "not utf-8": b"\xff\xfe\x80" * 5000 + b"\nok\n",
    "only continuation bytes": b"\x80" * 10_000,
    "carriage returns": b"a\rb\rc\n" * 100,
    "separators that end no line": "a\u2028b\x0cc\x1cd\x85e\n".encode() * 100,
}


def expected_rows(data: bytes) -> list[tuple[str, str]]:
    """Label and raw text of each row, the slow way."""
    rows: list[tuple[str, str]] = []
    number = 1
    continued = False
    for row in split_rows(data):
        rows.append((CUT_LABEL if continued else str(number), row.rstrip(b"\n").decode("utf-8", "replace")))
        continued = not row.endswith(b"\n")
        number += not continued
    return rows


def loaded(path: Path, data: bytes) -> FileLines:
    path.write_bytes(data)
    lines = FileLines(path)
    lines.load(threading.Event())
    return lines


@pytest.mark.parametrize("name", FILES)
def test_file_rows(tmp_path: Path, name: str) -> None:
    data = FILES[name]
    lines = loaded(tmp_path / "file", data)
    rows = expected_rows(data)
    assert len(lines) == len(rows)
    assert [lines.line(row).label for row in range(len(rows))] == [label for label, _ in rows]
    assert b"".join(split_rows(data)) == data
    assert all(len(row) <= ROW_BYTES + 1 for row in split_rows(data))
    for row in {0, 63, 64, len(rows) - 1} & set(range(len(rows))):
        assert lines.line(row).text.plain.replace("␍", "")[:1] == Inert.of(rows[row][1]).plain[:1] or (
            "\ufffd" in rows[row][1]
        )
    with pytest.raises(IndexError):
        lines.line(len(rows))


@pytest.mark.parametrize("seed", range(5))
def test_index_does_not_depend_on_how_it_is_fed(seed: int) -> None:
    dice = random.Random(seed)
    pieces = [
        b"z" * dice.choice([0, 1, 5, 80, ROW_BYTES - 1, ROW_BYTES, ROW_BYTES + 1, 9000]) for _ in range(400)
    ]
    data = b"\n".join(pieces)
    whole = LineIndex()
    whole.feed(data)
    bit = LineIndex()
    while bit.feed(data[bit.end : bit.end + dice.randint(ROW_BYTES + 8, 20_000)]):
        pass
    bit.feed(data[bit.end :])
    assert (bit.rows, bit.end, bit.starts, bit.numbers) == (
        whole.rows,
        whole.end,
        whole.starts,
        whole.numbers,
    )


@pytest.mark.parametrize("number", [1, 2, 63, 64, 65, 100, 101, 102, 200, 305])
def test_row_of_a_line_number(tmp_path: Path, number: int) -> None:
    data = FILES["long lines among short ones"]
    lines = loaded(tmp_path / "file", data)
    rows = expected_rows(data)
    wanted = [row for row, (label, _) in enumerate(rows) if label == str(number)]
    assert lines.row_of(number) == (wanted or [len(rows) - 1])[0]


SEARCHES = [
    ("needle", [70, 2000, 4999]),
    ("NEEDLE", []),
    ("Needle", [3000]),
    ("re:^need", [70, 2000, 4999]),
    ("re:le$", [70, 2000, 3000, 4999]),
    ("re:\\Aneedle\\Z", [70, 2000, 4999]),
    ("␛[31m", [4000]),
    ("a   b", [4500]),
    ("nowhere", []),
]


@pytest.mark.parametrize(("typed", "rows"), SEARCHES)
def test_search_in_a_file_both_ways(tmp_path: Path, typed: str, rows: list[int]) -> None:
    texts = [f"line {number}" for number in range(5000)]
    for row in (70, 2000, 4999):
        texts[row] = "needle"
    texts[3000] = "a Needle"
    texts[4000] = "\x1b[31mred"
    texts[4500] = "a\tb"
    if typed == "needle":
        rows = [70, 2000, 3000, 4999]
    lines = loaded(tmp_path / "file", "\n".join(texts).encode())
    memory = TextLines.of(texts)
    query = Query.of(typed)
    for source in (lines, memory):
        forward, at = [], BEFORE_ALL
        while (found := source.find(query, at)) is not None:
            forward.append(found.major)
            at = found
        back, at = [], AFTER_ALL
        while (found := source.find(query, at, backwards=True)) is not None:
            back.append(found.major)
            at = found
        assert (forward, back) == (rows, rows[::-1])


@pytest.mark.parametrize("typed", ["", "re:", "re:(", "re:[", "re:*"])
def test_searches_that_are_none(typed: str) -> None:
    with pytest.raises(BadInput):
        Query.of(typed)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "absent", Path("/dev/zero")):
        with pytest.raises(BadInput):
            FileLines(path)


def test_rows_that_go_between_being_counted_and_being_drawn_are_empty(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("".join(f"line {number}\n" for number in range(200)))
    lines = FollowedFile(file, lambda: False)
    counted = len(lines)
    file.write_text("new\n")
    lines.load(threading.Event())
    assert counted == 200 and len(lines) == 1
    assert [lines.line(row).text.plain for row in (0, 1, 63, 64, 199)] == ["new", "", "", "", ""]
    with pytest.raises(IndexError):
        lines.line(-1)


def test_a_file_cut_short_under_the_reader(tmp_path: Path) -> None:
    lines = loaded(tmp_path / "file", b"line\n" * 10_000)
    (tmp_path / "file").write_bytes(b"")
    assert lines.line(9000).text.plain == ""
    assert lines.find(Query.of("line"), Place(5000)) is None
    lines.close()
    assert lines.line(9000).text.plain == ""


TEXTS = [
    "plain words that are wrapped somewhere",
    "oneverylongwordthathasnospaceatall",
    "漢字カタカナ混じりの文です",
    "e" + "\u0301" * 40 + " accents",
    "  indented text here",
    "",
    "a\n\nb",
    "trailing   ",
    "日" * 3 + " mixed ascii 本",
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("width", [1, 2, 3, 7, 20, 200])
def test_wrapping_fits_and_loses_nothing(text: str, width: int) -> None:
    cells = list(cell_rows(text, width))
    assert "".join(text[start:end] for start, end in cells) == text.replace("\n", "")
    words = list(word_rows(text, width))
    assert "".join("".join(text[start:end] for start, end in words).split()) == "".join(text.split())
    for start, end in cells + words:
        row = text[start:end]
        assert cell_len(row) <= max(width, 2) or len(row) == 1
    assert len(words) >= 1 + text.count("\n")


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("worst in 48 hours in intensive care", 23, ["worst in 48 hours in ", "intensive care"]),
        ("FOLLOWING EXCLUDE CURRENT ROW", 21, ["FOLLOWING EXCLUDE ", "CURRENT ROW"]),
        ("a verylongwordwithoutblank", 10, ["a verylong", "wordwithou", "tblank"]),
        ("            deep", 14, ["            ", "deep"]),
        ("漢字 カタカナ カナ混じり", 16, ["漢字 カタカナ ", "カナ混じり"]),
    ],
)  # fmt: skip
def test_code_is_wrapped_at_blanks_near_the_end(text: str, width: int, rows: list[str]) -> None:
    assert [text[start:end] for start, end in cell_rows(text, width)] == rows


def test_a_word_is_broken_at_a_hyphen_and_only_where_it_must_be() -> None:
    text = "specimen-is-culture later"
    assert [text[start:end] for start, end in word_rows(text, 19)] == ["specimen-is-culture", "later"]
    assert [text[start:end] for start, end in word_rows(text, 14)] == ["specimen-is-", "culture later"]
    lines = MarkdownLines.of(f"| rule | why |\n|---|---|\n| specimen-is-culture | {'a word ' * 20}|\n")
    lines.lay_out(40)
    shown = [lines.line(row).text.plain for row in range(len(lines))]
    assert any(row.startswith("specimen-is-culture  a word") for row in shown)


def test_what_is_found_in_a_wrapped_text_is_in_the_row_that_shows_it() -> None:
    lines = BlockLines([Block(body="worst of the first 48 hours in intensive care", is_open=True)])
    lines.lay_out(33)
    found = lines.find(Query.of("intensive"), Place(-1))
    assert found is not None and lines.line(lines.reveal(found)).text.plain == "intensive care"
    assert lines.place(1) == found


def blocks() -> BlockLines:
    lines = BlockLines(
        [
            Block(head=Line(Inert.of("head one")), body="\n".join(f"row {at}" for at in range(30)), kept=3),
            Block(body="short"),
            Block(head=Line(Inert.of("head two")), kinds=frozenset({"error"})),
            Block(body="x" * 2_500_000 + "needle", first="$ ", rest="  ", kept=2),
        ]
    )
    lines.lay_out(20)
    return lines


def plain(lines: BlockLines) -> list[str]:
    return [lines.line(row).text.plain for row in range(len(lines))]


def test_blocks_fold() -> None:
    lines = blocks()
    closed = plain(lines)
    assert closed[:6] == ["head one", "row 0", "row 1", "row 2", "… 27 more lines", "short"]
    assert closed[6:] == ["head two", "$ " + "x" * 18, "  " + "x" * 18, "  … more"]
    assert lines.toggle(4) == 0
    assert plain(lines)[30:32] == ["row 29", "short"]
    assert lines.toggle(0) == 0
    assert plain(lines) == closed
    assert lines.toggle(5) is None
    assert lines.toggle(8) == 7
    assert plain(lines)[-1] == "  … 2,300,006 more characters"
    lines.fold_all(closed=True)
    assert plain(lines) == closed


def test_a_match_inside_a_fold_opens_it() -> None:
    lines = blocks()
    place = lines.find(Query.of("row 2"), lines.place(3))
    assert place is not None
    row = lines.reveal(place)
    assert lines.line(row).text.plain == "row 20"
    back = lines.find(Query.of("row 1"), lines.place(row), backwards=True)
    assert back is not None
    assert lines.line(lines.reveal(back)).text.plain == "row 19"
    assert lines.find(Query.of("needle"), BEFORE_ALL) is None  # beyond what is shown


def test_places_stay_right_over_widths() -> None:
    lines = blocks()
    lines.toggle(0)
    place = lines.place(25)
    text = lines.line(25).text.plain
    for width in (3, 80, 12, 20):
        lines.lay_out(width)
        assert text.startswith(lines.line(lines.reveal(place)).text.plain)


@pytest.mark.parametrize(
    ("row", "backwards", "found"), [(0, False, 2), (6, False, None), (6, True, None), (8, True, 2)]
)
def test_marks(row: int, backwards: bool, found: int | None) -> None:
    place = blocks().mark("error", row, backwards=backwards)
    assert (None if place is None else place.major) == found


SQL_TEXTS = [
    ('duckdb x.db -c "SELECT a FROM t"', ["SELECT a FROM t"], {"SELECT", "FROM"}),
    ("duckdb x.db <<'E'\nSELECT 1 -- c\nE", ["SELECT 1 -- c"], {"SELECT"}),
    ("python3 -c 'import duckdb; duckdb.sql(\"SELECT b FROM u\")'", ["SELECT b FROM u"], {"SELECT", "FROM"}),
    ("ls -la; grep select file", [], set()),
    ("echo 'please select one from the list'", [], set()),
    ("\x1b[31m \x00 ' unclosed", [], set()),
]


@pytest.mark.parametrize(("command", "pieces", "keywords"), SQL_TEXTS)
def test_sql_in_commands(command: str, pieces: list[str], keywords: set[str]) -> None:
    found = command_sql(command)
    assert [piece.strip() for piece in found] == pieces
    text = shown(command)
    words = {text[span.start : span.end] for span in sql_spans(text, found) if span.tone == "keyword"}
    assert words == keywords


def test_sql_in_files() -> None:
    assert file_sql("q.sql", "SELECT 1") == ["SELECT 1"]
    assert file_sql("notes.md", "nothing here") == []


COLUMNS = [
    Column[dict[str, object]]("name", lambda row: str(row["name"]), 6, stretch=True),
    Column[dict[str, object]]("note", lambda row: str(row["note"]), 8, drop=2),
    Column[dict[str, object]](
        "n", lambda row: str(row["n"]), 3, right=True, drop=1, sort=lambda row: row["n"]
    ),
]
ROWS: list[dict[str, object]] = [
    {"name": "b [bold]", "note": "first", "n": 10},
    {"name": "a\x1b[31m", "note": "second", "n": None},
    {"name": "c 漢字漢字漢字漢字", "note": "third one is long", "n": 9},
]


def table(width: int) -> TableLines[dict[str, object]]:
    lines = TableLines(COLUMNS, lambda row: str(row["name"]), ROWS)
    lines.lay_out(width)
    return lines


@pytest.mark.parametrize(
    ("width", "header"),
    [(30, "name              note       n"), (15, "name          n"), (8, "name    "), (3, "name  ")],
)
def test_table_columns_fit(width: int, header: str) -> None:
    lines = table(width)
    assert lines.header().text.plain == header
    widths = {cell_len(lines.line(row).text.plain) for row in range(len(lines))}
    assert widths == {cell_len(header)}


def test_table_sorts_filters_and_finds() -> None:
    lines = table(30)

    def names() -> list[str]:
        return [str(row["name"])[0] for at in range(len(lines)) if (row := lines.row_at(at)) is not None]

    lines.sort("n")
    assert names() == ["c", "b", "a"]
    assert "n^" in lines.header().text.plain
    lines.sort("n", descending=True)
    assert names() == ["b", "c", "a"]
    lines.filter("IR c")
    assert names() == ["c"]
    lines.filter("")
    assert lines.row_of_key("a\x1b[31m") == 2
    assert lines.find(Query.of("third"), BEFORE_ALL) == Place(1)
    lines.fill(ROWS[:1])
    assert (names(), lines.total) == (["b"], 1)


MARKDOWN = [
    "# [bold] \x1b[2J\n\ntext [/foo] `x`",
    "[" * 300,
    "*" * 2000,
    "> " * 50 + "deep",
    "- " * 60 + "deep",
    "|a|b|\n|-|-|\n" + "|x|y|\n" * 50,
    "|a|\n|-|\n|" + "漢" * 300 + "|",
    "```sql\nSELECT '\n```",
    "<script>x</script> <!-- y --> &lt; &#27;[31m &#x202e;",
    "[a](javascript:x) ![p](http://e/x.png) <http://e>",
    "line\u2028sep\u0085 nel",
    "a\x00b",
]


@pytest.mark.parametrize("text", MARKDOWN, ids=range(len(MARKDOWN)))
@pytest.mark.parametrize("width", [1, 5, 40])
def test_markdown_is_inert_and_fits(text: str, width: int) -> None:
    lines = MarkdownLines.of(text)
    lines.lay_out(width)
    assert len(lines) > 0
    for row in range(len(lines)):
        line = lines.line(row)
        shown_text = line.text.plain
        assert all(character >= " " and character not in "\x7f\x85\u2028\u202e" for character in shown_text)
        assert all(0 <= span.start <= span.end <= len(shown_text) for span in line.spans)


HIDDEN = ["> " * 200 + "deep", "- " * 200 + "deep", "[ref]: http://e/x 'title'\n\ntext", "text\n\n[x]: <>\n"]


@pytest.mark.parametrize("text", HIDDEN, ids=range(len(HIDDEN)))
def test_markdown_leaves_nothing_out(text: str) -> None:
    lines = MarkdownLines.of(text)
    lines.lay_out(600)
    words = " ".join(lines.line(row).text.plain for row in range(len(lines)))
    assert [word for word in text.split() if word.isalnum() and word not in words] == []
    assert all(part in words for part in ("ref", "http", "title") if part in text)


def test_markdown_keeps_places_and_anchors() -> None:
    lines = MarkdownLines.of("# A b!\n\ntext\n\n## A b\n\nmore\n\n# A b\n", first_line=11)
    lines.lay_out(40)
    assert [(section.anchor, section.level, section.line) for section in lines.sections] == [
        ("a-b", 1, 11),
        ("a-b-1", 2, 15),
        ("a-b-2", 1, 19),
    ]
    assert [lines.line(row).text.plain for row in lines.section_rows] == ["# A b!", "## A b", "# A b"]
    assert lines.row_of(17) == lines.section_rows[1] + 2
    assert lines.section_at(lines.row_of(17)) == 1
    assert lines.row_of_anchor("a-b-2") == lines.section_rows[2]
