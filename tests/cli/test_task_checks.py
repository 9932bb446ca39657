"""``task check-output`` on damaged and hostile outputs; wrong use of it and of selftest."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Command, Ended

TASK = "mimic-sofa-24h"
HEADER = "subject_id,hadm_id,stay_id,sofa,respiration,coagulation,liver,cardiovascular,cns,renal"
SECRET = "98765432"
"""Stands for a patient's number: no message may hold it."""
NUMBER = f"{SECRET},2,{SECRET}"
ROW = f"{NUMBER},0,0,0,0,0,0,0"

Check = Callable[..., Ended]


@pytest.fixture
def check(on_tiny: Command, tmp_path: Path) -> Check:
    """Writes the output (text or bytes) and checks it."""

    def run(content: str | bytes, *options: str, name: str = "output.csv") -> Ended:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return on_tiny("task", "check-output", TASK, path, *options)

    return run


def csv(*rows: str, header: str = HEADER) -> str:
    return "\n".join((header, *rows)) + "\n"


DAMAGED: list[tuple[str, str | bytes, str, str]] = [
    ("empty", b"", "file", "it is empty: 1"),
    ("packed", b"\x1f\x8b" + bytes(40), "file", "it is compressed, not plain CSV: 1"),
    ("parquet", b"PAR1\x00\x01\x02" + bytes(90), "file", "it is not text: 1"),
    ("utf-16", csv(ROW).encode("utf-16"), "file", "it is UTF-16, not UTF-8: 1"),
    ("latin-1", csv(f"1,2,caf\xe9 {SECRET},0,0,0,0,0,0,0").encode("latin-1"), "file", "it is not UTF-8"),
    ("header only", csv(), "rows", "0 rows: 1"),
    ("no column", f"a,b\n{SECRET},{SECRET}\n", "columns", "missing: stay_id, sofa"),
    ("semicolons", csv(ROW).replace(",", ";"), "columns", "missing: stay_id"),
    ("letter case", csv(ROW, header=HEADER.replace("sofa", "SOFA ")), "columns", "missing: sofa (there, but"),
    (
        "twice",
        csv(f"{ROW},5", header=f"{HEADER},stay_id"),
        "columns",
        "more than once in the header: stay_id",
    ),
    ("more", csv(f"{ROW},{SECRET}", header=f"{HEADER},{SECRET}"), "cohort", "stay_id outside the cohort: 1"),
    ("key twice", csv(ROW, ROW, ROW), "keys", "rows with a repeated key: 2"),
    ("huge key", csv(f"1,2,{SECRET}{'9' * 400},0,0,0,0,0,0,0"), "keys", "rows without a readable key: 1"),
    ("key in words", csv(f"1,2,stay {SECRET},0,0,0,0,0,0,0"), "keys", "rows without a readable key: 1"),
    ("huge value", csv(f"{NUMBER},{SECRET}e400,0,0,0,0,0,0"), "range", "sofa outside 0 to 24: 1"),
    ("NaN", csv(f"{NUMBER},NaN,0,0,0,0,0,0"), "type", "sofa: no number: 1"),
    ("words", csv(f"{NUMBER},high {SECRET},0,0,0,0,0,0"), "type", "sofa: no number: 1"),
    ("injection", csv(f'{NUMBER},"=HYPERLINK(""{SECRET}"")",0,0,0,0,0,0'), "type", "sofa: no number: 1"),
    ("escape", csv(f"{NUMBER},\x1b[31m{SECRET},0,0,0,0,0,0"), "type", "sofa: no number: 1"),
    ("short rows", csv(SECRET, ROW), "keys", "rows without a readable key: 1"),
    ("open quote", csv(f'1,2,"{SECRET}'), "cohort", "of the cohort without a row: 5"),
]


@pytest.mark.parametrize(("given", "kind", "says"), [pytest.param(*rest, id=name) for name, *rest in DAMAGED])
def test_a_damaged_output_is_told_without_a_value(
    check: Check, given: str | bytes, kind: str, says: str
) -> None:
    ended = check(given)
    assert ended.code == 1
    assert f"FAIL  {kind:<8}  {says}" in " ".join(ended.out.split("\n                "))
    for text in (ended.out, ended.err):
        assert SECRET not in text
        assert "\x1b" not in text
        assert "error" not in text


def test_an_envelope_holds_counts_only(check: Check) -> None:
    ended = check(csv(f"{NUMBER},high {SECRET},0,0,0,0,0,0"), "--json")
    assert (ended.code, ended.envelope["kind"], ended.envelope["summary"]["passed"]) == (
        1,
        "output-checks",
        False,
    )
    assert SECRET not in ended.out + ended.err


def test_columns_that_nobody_asked_for_are_counted(check: Check) -> None:
    out = check(csv(f"{ROW},{SECRET}", header=f"{HEADER},{SECRET}")).out
    assert "ok    columns   more columns than asked for; they are not read: 1" in out


def test_what_is_no_csv_is_followed_by_what_is_asked_for(check: Check) -> None:
    assert check(b"").out.splitlines()[-1].startswith("An output is one plain CSV file: stay_id, sofa")


def test_missing_columns_are_told_once(check: Check) -> None:
    """Not again as empty, one by one."""
    assert "is empty" not in check(f"stay_id\n{SECRET}\n").out


def test_links_pipes_and_devices_are_not_read(on_tiny: Command, tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text(csv(ROW))
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    (tmp_path / "lost.csv").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe.csv")
    for path, told in (
        (tmp_path / "link.csv", "it is a symbolic link"),
        (tmp_path / "lost.csv", "it is a symbolic link"),
        (tmp_path / "pipe.csv", "it is not a regular file"),
        (Path("/dev/zero"), "it is not a regular file"),
    ):
        ended = on_tiny("task", "check-output", TASK, path)
        assert (ended.code, f"FAIL  file      {told}: 1" in ended.out) == (1, True), path


def test_no_file_and_a_folder_are_wrong_use(on_tiny: Command, tmp_path: Path) -> None:
    missing = on_tiny("task", "check-output", TASK, tmp_path / "none.csv")
    folder = on_tiny("task", "check-output", TASK, tmp_path)
    assert (missing.code, folder.code) == (2, 2)
    assert "there is no such file" in missing.err
    assert "it is a folder" in folder.err


def test_the_program_for_agents_tells_counts_only(command: Command, tmp_path: Path) -> None:
    (tmp_path / "check.py").write_text(command("task", "check-output", TASK, "--script").out)
    (tmp_path / "output.csv").write_text(csv(f"{NUMBER},high {SECRET},0,0,0,0,0,0"))
    tables = (
        "CREATE SCHEMA mimiciv_icu; CREATE SCHEMA mimiciv_hosp;"
        "CREATE TABLE mimiciv_icu.icustays (stay_id BIGINT, subject_id BIGINT, intime TIMESTAMP)"
    )
    made = f"import duckdb; duckdb.connect('ehr.duckdb').execute({tables!r})"
    subprocess.run([sys.executable, "-c", made], check=True, cwd=tmp_path)
    for name in ("output.csv", "none.csv"):
        ended = subprocess.run(
            [sys.executable, "check.py", name, "ehr.duckdb"],
            capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert ended.returncode == 1
        assert SECRET not in ended.stdout + ended.stderr
        assert "Traceback" not in ended.stderr
        assert ("the output cannot be checked" in ended.stderr) or ("FAIL" in ended.stdout)


WRONG_USE = [
    (("check-output",), "Missing argument"),
    (("check-output", "nothing", "x.csv"), "no task 'nothing'"),
    (("check-output", TASK), "which output?"),
    (("check-output", TASK, "README.md", "--source", "nothing"), "no source named 'nothing'"),
    (("selftest",), "which tasks?"),
    (("selftest", "--all", "sofa"), "which tasks?"),
    (("selftest", "nothing"), "'nothing'"),
    (("selftest", "so\x1b[31mfa"), r"so\x1b[31mfa"),
    (("selftest", "sofa", "--source", "nothing"), "no source named 'nothing'"),
    (("selftest", "sofa", "--source", "../x"), "no source named '../x'"),
    (("equality", "--source", "nothing"), "no source named 'nothing'"),
    (("equality", "--markdown", "--json"), "two forms of one answer"),
    (("compare",), "Missing argument"),
    (("compare", "nothing"), "'nothing'"),
    (("compare", "sofa", "--source", "nothing"), "no source named 'nothing'"),
    (("compare", "sofa", "--examples", "-1"), "greater than or equal to 0"),
    (("example",), "Missing argument"),
    (("example", "nothing"), "'nothing'"),
    (("example", "sofa", "--database", "eicu"), "There are examples for: mimic-iv"),
    (("example", "sofa", "--database", "mysql", "--check"), "There are examples for: mimic-iv"),
]


@pytest.mark.parametrize(("words", "told"), WRONG_USE, ids=[" ".join(words) for words, _ in WRONG_USE])
def test_wrong_use_is_one_message(command: Command, words: tuple[str, ...], told: str) -> None:
    ended = command("task", *words)
    assert ended.code == 2
    assert told in ended.err
    assert ended.err.startswith("error: ")
    assert "\x1b" not in ended.err


def test_a_worked_example_is_read_and_run(command: Command) -> None:
    assert command("task", "example", "gcs", "--database", "eicu").out.startswith("# Worked example: gcs")
    ended = command("task", "example", "gcs", "--database", "eicu", "--check", "--json")
    assert (ended.code, ended.envelope["kind"]) == (0, "example-checks")
    assert ended.envelope["summary"] == {"stays": len(ended.envelope["items"]), "failed": 0}
