"""The second look: it finds what was planted, accuses nothing else, and never prints a value."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from must_stay import must_stay, stay_log
from planted import PlantedLog
from second_look import Source, accusations

SCRIPT = Path(__file__).with_name("second_look.py")
SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "trajectories"


def look(source: Path, *files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), str(source), *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def missed(source: Path, log: PlantedLog) -> list[tuple[str, str, str]]:
    lines = log.data.decode().split("\n")
    texts = {str(start): "\n".join(lines[start : start + 50]) for start in range(0, len(lines), 50)}
    found = accusations(Source(source), texts)
    numbers = {str(one.value) for one in found if one.kind.startswith("identifier")}
    days = {str(one.value)[:10] for one in found if one.kind in ("day", "moment")}
    wanted = []
    for one in log.planted:
        short = one.value.isdigit() and len(one.value) < 6
        if one.kind == "identifier" and not short and not {one.value, one.value.partition("-")[0]} & numbers:
            wanted.append((one.carrier, one.value, one.place))
        if one.kind in ("timestamp", "date") and one.value[:10] not in days:
            wanted.append((one.carrier, one.value, one.place))
    return wanted


@pytest.mark.parametrize(
    "format", ["codex-exec", "codex-rollout", "claude-session", "gemini-json", "swe-agent", "plain"]
)
def test_all_identifiers_and_times_are_found(
    format: str, source_folder: Path, logs: dict[str, PlantedLog]
) -> None:
    assert missed(source_folder, logs[format]) == []


@pytest.mark.parametrize("format", ["claude-stream", "gemini-json"])
def test_all_identifiers_of_eicu_are_found(
    format: str, eicu_folder: Path, eicu_logs: dict[str, PlantedLog]
) -> None:
    assert missed(eicu_folder, eicu_logs[format]) == []


def test_the_script_alone_tells_places_and_kinds_and_no_value(
    source_folder: Path, logs: dict[str, PlantedLog], tmp_path: Path
) -> None:
    stay = next(
        one.value for one in logs["plain"].planted if one.value.startswith("300") and len(one.value) == 8
    )
    clean, dirty = tmp_path / "clean.jsonl", tmp_path / f"stay_{stay}.jsonl"
    clean.write_bytes(stay_log("claude-stream"))
    dirty.write_text(f"first line\nstay_id = {stay}\n")
    packed, bundle = tmp_path / "a.gz", tmp_path / "b.zip"
    packed.write_bytes(gzip.compress(dirty.read_bytes()))
    with zipfile.ZipFile(bundle, "w") as made:
        made.writestr("inner.txt", f"stay {stay}")
    nothing = look(source_folder, clean)
    assert (nothing.returncode, nothing.stderr) == (0, "")
    assert nothing.stdout.startswith("0 found in 1 files")
    told = look(source_folder, clean, packed, bundle, dirty)
    assert told.returncode == 1
    for place in (
        "file 2, lines 1 to 3",
        "file 3, member 1, lines 1 to 1",
        "name of file 4",
        "file 4, lines 1 to 3",
    ):
        assert f"{place}: identifier stay_id" in told.stdout
    assert stay not in told.stdout + told.stderr


def test_no_value_is_printed_of_a_whole_log(
    source_folder: Path, logs: dict[str, PlantedLog], tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(logs["mini-swe-agent-list"].data)
    told = look(source_folder, path)
    assert told.returncode == 1 and told.stderr == ""
    printed = set(re.findall(r"\d{5,}|2\d\d\d-\d\d-\d\d", told.stdout))
    assert printed == set()
    counts = dict(re.findall(r"^ +(\d+) (.+)$", told.stdout, re.M)[::-1])
    assert sum(int(count) for count in counts) > 0 and "identifier subject_id" in counts.values()


@pytest.mark.parametrize("arguments", [[], ["only-a-source"], ["no-such-folder", "no-such-file"]])
def test_wrong_use_is_told(arguments: list[str], tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert told.returncode == 2 and told.stdout == "" and told.stderr


def test_row_numbers_are_accused_only_where_they_are_named(source_folder: Path) -> None:
    import duckdb

    table = str(source_folder / "tables" / "mimiciv_hosp.labevents.parquet")
    query = "SELECT max(labevent_id) FROM read_parquet(?) WHERE labevent_id < 220000"
    row = duckdb.execute(query, [table]).fetchall()[0][0]
    texts = {
        "bare": f"used {row} tokens",
        "named": f"labevent_id {row}",
        "item": "labevent_id of itemid 220045",
    }
    found = accusations(Source(source_folder), texts)
    assert {(one.place, one.kind) for one in found} == {("named", "identifier labevent_id")}


def test_the_words_that_stay_stay_when_they_stand_together(source_folder: Path) -> None:
    text = " ".join(stay.text for stay in must_stay())
    assert [(one.kind, one.spelling) for one in accusations(Source(source_folder), {"": text})] == []


@pytest.mark.demo
@pytest.mark.parametrize("sample", ["codex_rollout", "claude_stream", "gemini_session", "mini_swe_agent"])
def test_real_logs_of_other_work_are_not_accused(sample: str, source_folder: Path) -> None:
    if not SAMPLES.is_dir():
        pytest.skip("the shared sample logs are not beside the project")
    texts = {path.name: path.read_text("utf-8") for path in sorted((SAMPLES / sample).iterdir())}
    assert texts and accusations(Source(source_folder), texts) == []
