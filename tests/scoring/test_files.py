"""Files as agents leave them: what is read, what costs one row, what cannot be read."""

from __future__ import annotations

import codecs
import csv
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.records import Task
from workbench.scoring import irregular, score_output

REFERENCE = "SELECT * FROM (VALUES (1, 7, 'a'), (2, 5, 'b,c'), (3, 9, NULL)) AS t (stay_id, sofa, note)"
PLAIN = 'stay_id,sofa,note\n1,7,a\n2,5,"b,c"\n3,9,\n'


@pytest.fixture
def small(task_of: Callable[..., Task]) -> Task:
    return task_of({"stay_id": "nominal"}, {"sofa": "ordered", "note": "text"})


SAME = {
    "plain": PLAIN,
    "byte order mark": codecs.BOM_UTF8 + PLAIN.encode(),
    "byte order mark and quoted header": codecs.BOM_UTF8
    + PLAIN.replace("stay_id,sofa", '"stay_id","sofa"').encode(),
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "CR": PLAIN.replace("\n", "\r"),
    "mixed line ends": PLAIN.replace("1,7,a\n", "1,7,a\r\n"),
    "no last line end": PLAIN.rstrip("\n"),
    "blank lines": PLAIN.replace("\n", "\n\n"),
    "blank lines first": "\n\r\n" + PLAIN,
    "blank line with blanks": PLAIN + "   \n",
    "all quoted": 'stay_id,sofa,note\n"1","7","a"\n"2","5","b,c"\n"3","9",""\n',
    "trailing commas": 'stay_id,sofa,note\n1,7,a,\n2,5,"b,c",\n3,9,,\n',
    "trailing comma in one row": PLAIN.replace("1,7,a", "1,7,a,"),
    "other columns": 'x,note,sofa,y,stay_id\nq,a,7,,1\n"m\nn","b,c",5,"",2\n,,9,é,3\n',
    "a column named twice, first counts": 'stay_id,sofa,sofa,note\n1,7,0,a\n2,5,0,"b,c"\n3,9,0,\n',
    "not UTF-8 in a column nobody asks for": PLAIN.replace("note\n", "note,x\n", 1)
    .replace("1,7,a", "1,7,a,caf\xe9")
    .replace('"b,c"', '"b,c",')
    .replace("3,9,", "3,9,,")
    .encode("latin-1"),
}


@pytest.mark.parametrize("name", SAME)
def test_these_files_say_the_same(bench: Any, small: Task, name: str) -> None:
    report = bench.score(small, REFERENCE, SAME[name])
    assert (report.readable, report.problem, report.reward, report.strict_pass) == (True, "", 1.0, True)


ONE_ROW_LOST = {
    "too few fields": PLAIN.replace("3,9,", "3,9"),
    "too many fields": PLAIN.replace("3,9,", "3,9,,x"),
    "an unquoted comma": PLAIN.replace('"b,c"', "b,c"),
    "cut in the middle": PLAIN[:-4],
    "cut inside a quoted field": PLAIN.replace("3,9,", '"3,9,'),
}


@pytest.mark.parametrize("name", ONE_ROW_LOST)
def test_a_bad_row_costs_itself_only(bench: Any, small: Task, name: str) -> None:
    report = bench.score(small, REFERENCE, ONE_ROW_LOST[name])
    keys = report.targets[0].keys
    assert report.readable
    assert (keys.matched, keys.missing) == (2, 1)
    assert keys.extra == keys.unreadable >= 1
    assert report.reward == 2 / (3 + keys.extra)


UNREADABLE = {
    "empty": (b"", "it is empty"),
    "blank": (b"\n\n", "it has no header"),
    "compressed": (gzip.compress(PLAIN.encode()), "it is compressed, not plain CSV"),
    "zero bytes": (b"\0" * 100, "it is not text"),
    "UTF-16": (PLAIN.encode("utf-16"), "it is UTF-16, not UTF-8"),
    "Latin-1": (PLAIN.replace(",a\n", ",\xe4\n").encode("latin-1"), "it is not UTF-8"),
    "a quote that never ends": (
        'stay_id,sofa,note\n1,"7,a\n' + "2,5,b\n" * 60_000,
        "line 2: a quote is never closed",
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_file_scores_nothing_and_says_why(bench: Any, small: Task, name: str) -> None:
    data, reason = UNREADABLE[name]
    report = bench.score(small, REFERENCE, data)
    assert (report.readable, report.reward, report.strict_pass) == (False, 0.0, False)
    assert reason in report.problem
    target = report.targets[0]
    assert (target.keys, target.ordered_nmae) == (None, None)
    assert [check.passed for check in target.strict_checks] == [True, False, False, False, False]


NO_COLUMNS = {
    "semicolons": (PLAIN.replace(",", ";"), "separated by commas"),
    "tabs": (PLAIN.replace(",", "\t"), "separated by commas"),
    "other letter case": (PLAIN.replace("stay_id", "STAY_ID"), "other letter case or with blanks: stay_id"),
    "blanks in the header": (PLAIN.replace("stay_id,", " stay_id ,"), "with blanks: stay_id"),
    "no header": ("1,7,a\n2,5,b\n", "missing: stay_id, sofa, note"),
    "no rows": ("stay_id,sofa,note\n", "it has a header and no rows"),
    "other keys": (PLAIN.replace("1,", "11,").replace("2,", "22,").replace("3,", "33,"), "no key"),
    "only keys": ("stay_id,sofa,note\n1,,z\n2,,\n3,,z\n", "no value"),
}


@pytest.mark.parametrize("name", NO_COLUMNS)
def test_a_reward_of_nothing_has_a_reason(bench: Any, small: Task, name: str) -> None:
    data, reason = NO_COLUMNS[name]
    report = bench.score(small, REFERENCE, data)
    assert report.reward == 0
    assert reason in report.problem


def test_zero_bytes_in_a_value_make_another_text(bench: Any, small: Task) -> None:
    report = bench.score(small, REFERENCE, PLAIN.replace("1,7,a", "1,7,a\0"))
    assert [column.matched for column in report.targets[0].columns] == [3, 2]


def test_an_overlong_field_costs_its_column(bench: Any, small: Task) -> None:
    regular = PLAIN.replace("1,7,a", f"1,7,{'x' * 130_000}")
    for data in (regular, regular.replace("2,5", "\n \n2,5")):
        report = bench.score(small, REFERENCE, data)
        assert [column.matched for column in report.targets[0].columns] == [3, 2]


LONG = "x" * 2_200_000


@pytest.mark.parametrize("place", ["first column", "last column", "quoted lines", "irregular"])
def test_a_long_field_nobody_asks_for_costs_nothing(bench: Any, small: Task, place: str) -> None:
    long = '"' + "long line, of a note\n" * 110_000 + '"' if place == "quoted lines" else LONG
    data = f'stay_id,sofa,note,remark\n1,7,a,\n2,5,"b,c",\n3,9,,{long}\n'
    if place == "first column":
        data = f'remark,stay_id,sofa,note\n{LONG},1,7,a\n,2,5,"b,c"\n,3,9,\n'
    if place == "irregular":
        data = data.replace("2,5", "\n \n2,5")
    report = bench.score(small, REFERENCE, data)
    assert (report.readable, report.problem) == (True, "")
    assert report.reward == 1.0


@pytest.mark.parametrize("field", [LONG, '"' + '""' * 1_100_000 + '"', '"' + "é\n" * 700_000 + '"'])
def test_a_long_scored_field_costs_its_value(bench: Any, small: Task, field: str) -> None:
    target = bench.target(small, REFERENCE, PLAIN.replace("1,7,a", f"1,7,{field}"))
    assert target.keys.matched == 3
    assert [column.matched for column in target.columns] == [3, 2]


def test_a_long_row_of_too_many_fields_costs_itself(bench: Any, small: Task) -> None:
    report = bench.score(small, REFERENCE, PLAIN.replace("2,5", f"2,{LONG},5"))
    keys = report.targets[0].keys
    assert (report.readable, keys.matched, keys.unreadable) == (True, 2, 1)


@pytest.mark.parametrize(("row", "matched", "unreadable"), [('3,"9,', 2, 1), ('3,9,"', 3, 0)])
def test_a_quote_that_never_ends_costs_the_rows_after_it(
    bench: Any, small: Task, row: str, matched: int, unreadable: int
) -> None:
    report = bench.score(small, REFERENCE, PLAIN.replace("3,9,", row) + "4,5,b\n" * 60_000)
    keys = report.targets[0].keys
    assert (report.readable, keys.output_rows) == (True, 3)
    assert (keys.matched, keys.unreadable) == (matched, unreadable)


def test_a_field_beyond_the_limit_is_named(bench: Any, small: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(irregular, "LONGEST_FIELD", 1 << 20)
    limit = csv.field_size_limit()
    report = bench.score(small, REFERENCE, PLAIN.replace("2,5", f"2,{LONG}"))
    assert not report.readable
    assert "line 3: a field is longer than 1 Mi characters" in report.problem
    assert csv.field_size_limit() == limit


def test_a_missing_column_scores_nothing_and_the_others_count(bench: Any, small: Task) -> None:
    report = bench.score(small, REFERENCE, "stay_id,sofa\n1,7\n2,5\n3,9\n")
    target = report.targets[0]
    assert (report.reward, report.strict_pass) == (0.5, False)
    assert [(column.present, column.match_rate) for column in target.columns] == [(True, 1.0), (False, 0.0)]
    assert [check.passed for check in target.strict_checks] == [True, True, False, True, False]


def _directory(path: Path) -> None:
    path.mkdir()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _link(path: Path) -> None:
    real = path.with_name("real.csv")
    real.write_text(PLAIN)
    path.symlink_to(real)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_directory, "it is not a regular file"),
        (_pipe, "it is not a regular file"),
        (_link, "it is a symbolic link"),
        (lambda path: None, "there is no output file"),
    ],
)
def test_only_a_regular_file_is_opened(
    bench: Any, small: Task, make: Callable[[Path], None], reason: str
) -> None:
    path = bench.folder / "odd" / "output.csv"
    path.parent.mkdir()
    make(path)
    report = score_output(path, small, {"public-code": bench.reference(REFERENCE)})
    assert (report.readable, report.problem) == (False, reason)
    assert [check.passed for check in report.targets[0].strict_checks] == [False] * 5


def test_no_output_at_all(bench: Any, small: Task) -> None:
    report = score_output(None, small, {"public-code": bench.reference(REFERENCE)})
    assert report.problem == "there is no output file"


def test_quoted_line_ends_over_many_buffers(bench: Any, task_of: Callable[..., Task]) -> None:
    """A file of many megabytes, with line ends inside fields, read by several threads."""
    task = task_of({"stay_id": "nominal"}, {"note": "text"})
    note = "line one\nline two, 'x' " + "y" * 3000
    rows = "".join(f'{stay},"{note} {stay}"\n' for stay in range(12_000))
    reference = (
        "SELECT i AS stay_id, 'line one' || chr(10) || 'line two, ''x'' ' || repeat('y', 3000) || ' ' || i "
        "AS note FROM range(12000) AS t (i)"
    )
    assert bench.score(task, reference, "stay_id,note\n" + rows).reward == 1.0


def test_nothing_is_left_behind(bench: Any, small: Task) -> None:
    scratch = bench.folder / "scratch"
    scratch.mkdir()
    path = bench.output(PLAIN.replace("3,9,", "3,9"))
    score_output(path, small, {"public-code": bench.reference(REFERENCE)}, scratch=scratch)
    assert list(scratch.iterdir()) == []
