"""Planted values never reach the log."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.records import BadInput, DataPaths
from workbench.store import get_log, logs

PLANTED = ("30001234", "Jane Roe", "2150-01-01", "7.35")


def lines(data: DataPaths) -> list[dict[str, object]]:
    return [json.loads(line) for line in (data.logs / "workbench.jsonl").read_text().splitlines()]


def read_all(data: DataPaths) -> str:
    return "".join(path.read_text() for path in data.logs.iterdir())


def test_ids_and_counts_are_written(data: DataPaths) -> None:
    ids = {"run": "20300501t120000-a", "source": "synthetic-500-1", "task": "mimic-suspicion-infection"}
    get_log(data).info("source imported", extra={"ids": ids, "counts": {"rows": 7, "seconds": 0.5}})
    (line,) = lines(data)
    assert (line["message"], line["ids"], line["counts"]) == (
        "source imported",
        ids,
        {"rows": 7, "seconds": 0.5},
    )
    assert (data.logs / "workbench.jsonl").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("planted", PLANTED)
def test_values_are_withheld_wherever_they_are_put(data: DataPaths, planted: str) -> None:
    log = get_log(data)
    log.warning(f"bad value {planted}")
    log.warning("bad value %s", planted)
    log.warning(planted)
    log.info(
        "row", extra={"ids": {"stay": planted, "table": planted}, "counts": {"stay_id": 30001234, planted: 1}}
    )
    log.info("row", extra={"ids": planted, "counts": [planted]})
    try:
        try:
            raise ValueError(planted)
        except ValueError as error:
            raise BadInput(f"line 3: {planted}", where=planted, remedy=planted) from error
    except BadInput:
        log.exception("import failed", extra={"ids": {"table": "mimiciv_hosp.labevents"}})
    text = read_all(data)
    assert planted not in text
    assert "30001234" not in text
    assert lines(data)[-1]["error"] == "BadInput"
    assert "test_logs.py" in str(lines(data)[-1]["places"])


def test_files_rotate_and_stay_few(data: DataPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_FILE_BYTES", 2_000)
    for number in range(200):
        get_log(data).info("step", extra={"counts": {"number": number}})
    sizes = {path.name: path.stat().st_size for path in data.logs.glob("*.jsonl")}
    assert sorted(sizes) == [
        "workbench.1.jsonl",
        "workbench.2.jsonl",
        "workbench.3.jsonl",
        "workbench.4.jsonl",
        "workbench.jsonl",
    ]
    assert max(sizes.values()) <= 2_000
    assert lines(data)[-1]["counts"] == {"number": 199}


def test_several_processes_share_the_log(data: DataPaths) -> None:
    program = (
        "import sys, pathlib\n"
        "from workbench.records import DataPaths\n"
        "from workbench.store import get_log\n"
        "log = get_log(DataPaths(pathlib.Path(sys.argv[1])))\n"
        "for number in range(50):\n"
        "    log.info('step', extra={'counts': {'number': number}})\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", program, str(data.root)]) for _ in range(2)]
    assert [process.wait(timeout=30) for process in started] == [0, 0]
    assert len(lines(data)) == 100


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    get_log(DataPaths(tmp_path / "home")).info("step")


def test_nothing_reaches_the_root_logger(data: DataPaths, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        get_log(data).info("step")
    assert caplog.records == []
