"""Tables, progress lines and the envelope as text."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from workbench.cli.output import print_pairs, print_table
from workbench.cli.progress import ProgressLine, progress_text
from workbench.records import Envelope, FixedClock, Problem


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


def test_empty_tables_and_problems_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    problems = [Problem(what="bad", where="f")]
    print_table("things", [], ("name",), as_json=False, problems=problems, empty="no things")
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
