"""Tables, progress lines and the envelope as text."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
import typer

from workbench.cli.output import print_error, print_pairs, print_table, say_wrapped
from workbench.cli.progress import ProgressLine, progress_text
from workbench.records import BadInput, Envelope, FixedClock, Problem


def test_columns_are_aligned_and_numbers_to_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    items = [
        {"name": "a", "rows": 5, "reward": 0.5, "strict_pass": True, "note": ""},
        {"name": "日本", "rows": 12345, "reward": None, "strict_pass": False, "note": "x\x1b[2Jy\nz"},
    ]
    print_table("things", items, ("name", "rows", "reward", "strict_pass", "note"), as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "name   rows  reward  strict pass  note",
        "a         5   0.500          yes  -",
        "日本  12345       -           no  x␛[2Jy z",
    ]


ROWS = [
    {"name": "mimic-suspicion-raw", "kind": "k" * 20, "rows": 5, "text": "some words that go on for long"}
]


@pytest.mark.parametrize(
    ("columns", "shorten", "line"),
    [
        ("100", "", "mimic-suspicion-raw  kkkkkkkkkkkkkkkkkkkk     5  some words that go on for long"),
        ("78", "", "mimic-suspicion-raw  kkkkkkkkkkkkkkkkkkkk     5  some words that go on for lo…"),
        ("60", "", "mimic-suspicion-raw     5  some words that go on for long"),
        ("45", "", "mimic-suspicion-raw  some words that go on f…"),
        ("40", "name", "mimi…raw  some words that go on for long"),
        ("5", "", "mimic-suspicion-raw  some words that go…"),
    ],
)
def test_a_table_fits_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str, shorten: str, line: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    names, drop = ("name", "kind", "rows", "text"), ("kind", "rows")
    print_table("things", ROWS, names, as_json=False, drop=drop, shorten=shorten)
    out, err = capsys.readouterr()
    assert out.splitlines()[1] == line
    assert ("left out" in err) is ("kkk" not in out)


def test_a_pipe_gets_everything(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    say_wrapped("word " * 100)
    print_table("things", [{"a": "x " * 200, "b": 1}], ("a", "b"), as_json=False, drop=("b",))
    out, err = capsys.readouterr()
    assert (len(out.splitlines()), err) == (3, "")


def test_long_lines_are_broken_between_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_pairs({"a": "mimiciv_hosp.admissions, mimiciv_icu.icustays", "path": "/p" * 40})
    assert capsys.readouterr().out.splitlines() == [
        "a     mimiciv_hosp.admissions,",
        "      mimiciv_icu.icustays",
        "path  " + "/p" * 40,
    ]


def test_lists_in_errors_are_broken_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ", ".join(f"name-{number}" for number in range(12))
    monkeypatch.setenv("COLUMNS", "40")
    print_error(BadInput("no such name", where="here", remedy=f"Known: {names}."))
    first, *lines = capsys.readouterr().err.splitlines()
    assert first == "error: here: no such name"
    assert " ".join(line.strip() for line in lines) == f"Known: {names}."
    assert all(line.startswith("  ") and len(line) <= 40 for line in lines)
    monkeypatch.delenv("COLUMNS")
    print_error(BadInput("no such name", remedy=f"Known: {names}."))
    assert capsys.readouterr().err == f"error: no such name\n  Known: {names}.\n"


def test_times_are_written_as_in_records(capsys: pytest.CaptureFixture[str]) -> None:
    print_pairs({"created": datetime(2030, 1, 2, 3, 4, 5, 340_000, tzinfo=UTC)})
    assert capsys.readouterr().out == "created  2030-01-02T03:04:05.340Z\n"


def test_empty_tables_and_problems_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    problems = [Problem(what="bad", where="f")]
    with pytest.raises(typer.Exit) as ended:
        print_table("things", [], ("name",), as_json=False, problems=problems, empty="no things")
    assert ended.value.exit_code == 1
    assert capsys.readouterr() == ("no things\n", "note: f: bad\n")


def test_the_envelope_holds_everything(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("things", [{"a": 1, "b": 2}], ("a",), as_json=True, summary={"n": 1})
    envelope = Envelope.from_json(capsys.readouterr().out, "output")
    assert (envelope.kind, envelope.items, envelope.summary) == ("things", [{"a": 1, "b": 2}], {"n": 1})


def test_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    print_pairs({"name": "x", "created_at": None, "list": ["a", "b"], "none": []})
    assert capsys.readouterr().out == "name        x\ncreated at  -\nlist        a, b\nnone        -\n"


@pytest.mark.parametrize(
    ("done", "total", "unit", "rate", "text"),
    [
        (5.9, 10, "tables", 0.0, "x  5 of 10 tables"),
        (5, 0, "tables", 2.0, "x  5 tables, 2.0/s"),
        (1_500_000, 3_000_000, "bytes", 500_000.0, "x  1.5 MB of 3.0 MB, 500.0 KB/s, 3 s left"),
        (1000, 1_000_000, "rows", 1000.0, "x  1,000 of 1,000,000 rows, 1,000/s, 16 min 39 s left"),
        (1, 100_000, "rows", 2.5, "x  1 of 100,000 rows, 2.5/s, 11 h 06 min left"),
        (10, 10, "rows", 5.0, "x  10 of 10 rows, 5.0/s"),
        (1, 1_000_000, "rows", 2.5, "x  1 of 1,000,000 rows, 2.5/s, more than a day left"),
    ],
)
def test_progress_says_rate_and_remaining_time(
    done: float, total: float, unit: str, rate: float, text: str
) -> None:
    assert progress_text("x", done, total, unit, rate) == text


@pytest.mark.parametrize(("in_place", "calls"), [(True, 8), (False, 0)])
def test_a_terminal_is_redrawn_four_times_a_second(in_place: bool, calls: int) -> None:
    clock, stream = FixedClock(datetime(2030, 1, 1, tzinfo=UTC)), io.StringIO()
    line = ProgressLine(stream, clock, in_place=in_place)
    for number in range(200):
        clock.move(0.01)
        line("import", number, 10_000, "rows")
    assert stream.getvalue().count("import") == calls
    assert ("\n" in stream.getvalue()) is False
    line.close()
    assert stream.getvalue().endswith("\r\x1b[K" if in_place else "")


def test_elsewhere_a_line_comes_every_ten_seconds() -> None:
    clock, stream = FixedClock(datetime(2030, 1, 1, tzinfo=UTC)), io.StringIO()
    line = ProgressLine(stream, clock, in_place=False)
    for number in range(61):
        line("import", number * 10, 1000, "rows")
        clock.move(1)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 6
    assert lines[0] == "import  100 of 1,000 rows, 10/s, 1 min 30 s left"


def drawn(calls: list[tuple[float, str, float, float, str]]) -> list[str]:
    """Every line of a ProgressLine that is called after so many seconds."""
    clock, stream = FixedClock(datetime(2030, 1, 1, tzinfo=UTC)), io.StringIO()
    line = ProgressLine(stream, clock, in_place=True)
    for after_s, label, done, total, unit in calls:
        clock.move(after_s)
        line(label, done, total, unit)
    return stream.getvalue().split("\r\x1b[K")[1:]


def test_time_left_waits_for_two_seconds_and_a_twentieth() -> None:
    early = drawn([(1, "import", number, 100, "rows") for number in range(9)])
    assert [" left" in text for text in early] == [False] * 5 + [True] * 4
    quick = drawn([(0.5, "import", number * 10, 100, "rows") for number in range(6)])
    assert [" left" in text for text in quick] == [False] * 4 + [True] * 2


def test_the_rate_is_that_of_the_last_seconds() -> None:
    slow = [(1.0, "import", float(number), 1000.0, "rows") for number in range(60)]
    fast = [(1.0, "import", 60.0 + number * 10, 1000.0, "rows") for number in range(40)]
    assert drawn(slow + fast)[-1] == "import  450 of 1,000 rows, 10/s, 55 s left"


def test_parts_of_one_total_share_a_rate_and_another_total_starts_anew() -> None:
    names = [(1.0, f"c{number}", float(number), 10.0, "concepts") for number in range(5)]
    texts = drawn([*names, (1.0, "patients", 0.0, 3.0, "batches")])
    assert texts[0] == "building concept c0  0 of 10 concepts"
    assert texts[4] == "building concept c4  4 of 10 concepts, 1.0/s, 6 s left"
    assert texts[5] == "making patients  0 of 3 batches"


@pytest.mark.parametrize(
    ("label", "unit", "text"),
    [
        ("acei", "concepts", "building concept acei"),
        ("concepts", "concepts", "building concepts"),
        ("tables", "tables", "writing tables"),
        ("mimiciv_icu.icustays", "bytes", "importing mimiciv_icu.icustays"),
        ("checking the input", "bytes", "checking the input"),
        ("reference a/b", "reference", "making reference a/b"),
        ("linking tables", "files", "linking tables"),
    ],
)
def test_labels_say_what_is_done(label: str, unit: str, text: str) -> None:
    assert drawn([(1, label, 0, 0, unit)])[0].split("  ")[0] == text
