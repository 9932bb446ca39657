"""Copies of the hidden reference are proved in any spelling; a right answer never is one."""

from __future__ import annotations

import bz2
import gzip
import json
import pickle
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.contamination import HiddenMaterial, Lint
from workbench.contamination.row_order import log10_chance, longest_rising, order_chance
from workbench.ehr import connect
from workbench.records import Level, LintReport, Step

LintFolder = Callable[..., LintReport]
COLUMNS = ["subject_id", "ab_id", "suspected_infection", "specimen", "antibiotic_time"]
Row = tuple[object, ...]


@pytest.fixture(scope="module")
def table(reference: Path) -> tuple[list[str], list[Row]]:
    """The reference with its canary: names, rows in its own order."""
    with connect() as connection:
        result = connection.execute("SELECT * FROM read_parquet($file)", {"file": str(reference)})
        return [str(item[0]) for item in result.description or []], result.fetchall()


def _csv(names: list[str], rows: list[Row], end: str = "\n") -> str:
    lines = [",".join(names)]
    lines += [",".join("" if cell is None else str(cell) for cell in row[: len(names)]) for row in rows]
    return end.join(lines) + end


def _without_canary(rows: list[Row]) -> list[Row]:
    return [row[:5] for row in rows]


def _levels(report: LintReport) -> set[str]:
    return {item.level.value for item in report.violations if item.rule == "hidden-copies"}


def _by_key(row: Row) -> tuple[int, int]:
    return int(str(row[0])), int(str(row[1]))


HONEST: dict[str, Callable[[list[Row]], str]] = {
    "sorted by key": lambda rows: _csv(COLUMNS, sorted(rows, key=_by_key)),
    "sorted downwards": lambda rows: _csv(COLUMNS, sorted(rows, key=_by_key, reverse=True)),
    "sorted by time": lambda rows: _csv(COLUMNS, sorted(rows, key=lambda row: str(row[4]))),
    "sorted by a value": lambda rows: _csv(
        COLUMNS, sorted(rows, key=lambda row: (str(row[3]), *_by_key(row)))
    ),
    "shuffled": lambda rows: _csv(COLUMNS, random.Random(3).sample(rows, len(rows))),
    "carriage returns": lambda rows: _csv(COLUMNS, sorted(rows, key=_by_key), "\r\n"),
}


@pytest.mark.parametrize("make", HONEST.values(), ids=HONEST)
def test_the_right_answer_is_agreement_and_no_violation(
    lint_folder: LintFolder,
    table: tuple[list[str], list[Row]],
    tmp_path: Path,
    make: Callable[[list[Row]], str],
) -> None:
    (tmp_path / "output.csv").write_text(make(_without_canary(table[1])))
    report = lint_folder(tmp_path)
    assert report.verdict == "clean", report.violations
    assert [item.message for item in report.violations if item.level is Level.INFORMATION] == [
        "agreement: all 400 rows compared equal the reference 'public-code'"
    ]
    assert all(outcome.ran for outcome in report.outcomes)


def _reordered(names: list[str], rows: list[Row]) -> tuple[list[str], list[Row]]:
    order = [5, 3, 0, 4, 1, 2]
    return [names[index] for index in order], [tuple(row[index] for index in order) for row in rows]


def _floats(rows: list[Row]) -> list[Row]:
    return [tuple(f"{cell}.0" if isinstance(cell, int) else cell for cell in row) for row in rows]


def _shuffled(rows: list[Row], seed: int = 1) -> list[Row]:
    return random.Random(seed).sample(rows, len(rows))


def _records(names: list[str], rows: list[Row]) -> list[dict[str, str]]:
    return [dict(zip(names, map(str, row), strict=True)) for row in rows]


def _notebook(text: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": [], "outputs": [{"text": [text]}]}]})


def _bare(rows: list[Row]) -> str:
    return _csv(COLUMNS, _without_canary(rows))


Maker = Callable[[list[str], list[Row]], str | bytes]
COPIES: dict[str, tuple[str, Maker]] = {
    "as it is": ("output.csv", lambda names, rows: _csv(names, rows)),
    "rows shuffled": ("output.csv", lambda names, rows: _csv(names, _shuffled(rows))),
    "rows sorted": ("output.csv", lambda names, rows: _csv(names, sorted(rows, key=_by_key))),
    "columns reordered": ("output.csv", lambda names, rows: _csv(*_reordered(names, rows))),
    "1.0 for 1": ("output.csv", lambda names, rows: _csv(names, _floats(rows))),
    "a line end more": ("output.csv", lambda names, rows: _csv(names, rows) + "\n"),
    "canary column renamed": ("output.csv", lambda names, rows: _csv([*COLUMNS, "note"], rows[:7])),
    "upper case": ("output.csv", lambda names, rows: _csv(names, rows[:50]).upper()),
    "UTF-16": ("notes.txt", lambda names, rows: _csv(names, rows).encode("utf-16")),
    "JSON": ("x.json", lambda names, rows: json.dumps(_records(names, rows))),
    "a notebook": ("work.IPYNB", lambda names, rows: _notebook(_csv(names, rows))),
    "a log": ("run.LOG", lambda names, rows: _csv(names, rows[:2])),
    "a pickle": ("cache.PKL", lambda names, rows: pickle.dumps(_records(names, rows))),
    "a dot-folder": (".cache/.x", lambda names, rows: _csv(names, rows)),
    "gzip": ("output.csv.gz", lambda names, rows: gzip.compress(_csv(names, rows).encode())),
    "bzip2": ("blob", lambda names, rows: bz2.compress(_csv(names, rows).encode())),
    "order kept": ("output.csv", lambda _, rows: _bare(rows)),
    "order kept backwards": ("output.csv", lambda _, rows: _bare(rows[::-1])),
    "order kept, floats": ("output.csv", lambda _, rows: _bare(_floats(rows))),
    "order kept in part": ("output.csv", lambda _, rows: _bare(rows[:250] + _shuffled(rows[250:]))),
    "order kept, keys only": ("mine.TSV", lambda _, rows: _csv(COLUMNS[:2], rows).replace(",", "\t")),
}


@pytest.mark.parametrize(("name", "make"), COPIES.values(), ids=COPIES)
def test_a_copy_fails(
    lint_folder: LintFolder, table: tuple[list[str], list[Row]], tmp_path: Path, name: str, make: Maker
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    made = make(*table)
    path.write_bytes(made.encode() if isinstance(made, str) else made)
    report = lint_folder(tmp_path)
    assert report.verdict == "fail"
    assert [item.place.file for item in report.violations if item.level is Level.FAIL] == [name]


def test_the_file_itself_and_parquet_copies_fail(
    lint_folder: LintFolder, reference: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.bin").write_bytes(reference.read_bytes())
    (tmp_path / "b.bin").write_bytes(b"\x00 head" + reference.read_bytes() + b"tail")
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x", reference.read_bytes())
    with connect() as connection:
        marked = f"SELECT * FROM '{reference}' ORDER BY subject_id, ab_id"
        bare = f"SELECT {', '.join(COLUMNS)} FROM '{reference}'"
        for name, query in (("d", marked), ("e", bare)):
            connection.execute(f"COPY ({query}) TO '{tmp_path}/{name}.parquet' (FORMAT parquet)")
    report = lint_folder(tmp_path)
    failed = {str(item.place.file): item.message for item in report.violations if item.level is Level.FAIL}
    assert {name: message.split(" (")[0] for name, message in failed.items()} == {
        "a.bin": "is the hidden file itself, byte for byte",
        "b.bin": "holds the canary column",
        "c.zip": "holds the canary column",
        "d.parquet": "holds the canary column",
        "e.parquet": "has its rows in the hidden file's random order",
    }


def test_canary_values_that_are_printed_fail_at_their_step(
    hidden: HiddenMaterial, table: tuple[list[str], list[Row]], command_step: Callable[..., Step]
) -> None:
    lint = Lint(hidden)
    token = str(table[1][3][5])
    assert lint.check_step(command_step(1, "cat x", f"10000032,1,{token}\n"))[0].level is Level.FAIL
    other = "0123456789abcdef0123"
    assert lint.check_step(command_step(2, "git log", f"{other} {token}0 x{token[1:]}\n")) == []


def test_no_violation_carries_a_value(
    lint_folder: LintFolder, table: tuple[list[str], list[Row]], tmp_path: Path
) -> None:
    (tmp_path / "output.csv").write_text(_csv(*table))
    text = lint_folder(tmp_path).to_json()
    assert not any(str(row[0]) in text or str(row[5]) in text for row in table[1])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\xfe",
        b"subject_id,ab_id\n",
        b'subject_id,ab_id\n"1',
        b"subject_id,ab_id,x\n1\n2,3,4,5,6\n\n",
        b"a,b\n1,2\n",
    ],
)
def test_broken_outputs_are_no_copies_and_break_nothing(
    lint_folder: LintFolder, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "output.csv").write_bytes(content)
    (tmp_path / "x.gz").write_bytes(b"\x1f\x8b\x08broken")
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04broken")
    (tmp_path / "link").symlink_to("/etc/passwd")
    assert lint_folder(tmp_path).verdict == "clean"


def test_a_reference_that_cannot_be_read_is_not_run_and_not_passed(
    hidden: HiddenMaterial, lint_folder: LintFolder, tmp_path: Path
) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")
    material = HiddenMaterial(
        task=hidden.task, removed_tables=[], reference_files={"public-code": tmp_path / "bad.parquet"}
    )
    report = lint_folder(None, hidden=material)
    assert report.verdict == "not-run"
    assert {item.rule: item.ran for item in report.outcomes}["hidden-copies"] is False


def test_a_reference_in_a_natural_order_proves_nothing_by_order(
    hidden: HiddenMaterial, lint_folder: LintFolder, table: tuple[list[str], list[Row]], tmp_path: Path
) -> None:
    natural = tmp_path / "natural.parquet"
    with connect() as connection:
        connection.execute(
            f"COPY (SELECT {', '.join(COLUMNS)} FROM '{hidden.reference_files['public-code']}' "
            f"ORDER BY hash(subject_id // 4), antibiotic_time) TO '{natural}' (FORMAT parquet)"
        )
    work = tmp_path / "work"
    work.mkdir()
    (work / "output.csv").write_text(_csv(COLUMNS, sorted(_without_canary(table[1]), key=_by_key)))
    material = HiddenMaterial(task=hidden.task, removed_tables=[], reference_files={"public-code": natural})
    assert _levels(lint_folder(work, hidden=material)) == {"information"}


@pytest.mark.parametrize(
    ("positions", "length"), [([], 0), ([3], 1), ([1, 2, 3], 3), ([3, 2, 1], 1), ([2, 9, 3, 4, 4, 1, 8], 4)]
)
def test_longest_rising(positions: list[int], length: int) -> None:
    assert longest_rising(positions) == length


def test_chance_of_an_order_is_a_bound() -> None:
    assert log10_chance(3, 3) == pytest.approx(-0.778, abs=0.001)  # 1/3!
    assert log10_chance(10, 1) == 0.0
    generator = random.Random(0)
    least = min(order_chance(generator.sample(range(300), 300)) for _ in range(300))
    assert least > -3
    assert order_chance(list(range(30))) < -12
