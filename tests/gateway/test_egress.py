"""The hash chain: whatever is done to a closed log shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.gateway import read_egress, verify_egress
from workbench.gateway.egress import EgressLog, line_hash
from workbench.records import BadInput, EgressRecord, FixedClock, Usage, WorkbenchError


def written(path: Path) -> Path:
    log = EgressLog(path, FixedClock(datetime(2026, 1, 1, tzinfo=UTC)))
    for status in (200, 429, 200):
        log.write(
            method="POST", path="/v1/responses", allowed=True, status=status, usage=Usage(output_tokens=1)
        )
    log.write(method="GET", path="/etc", allowed=False, reason="only paths of the model are allowed")
    log.close()
    return path


def rehashed(line: bytes, **changes: object) -> bytes:
    record = EgressRecord.from_json(line, "").model_copy(update=changes)
    return record.model_copy(update={"hash": line_hash(record)}).to_json(indent=None).encode()


CHANGES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "edited": (lambda x: [x[0].replace(b"200", b"201"), *x[1:]], "line 1 was changed"),
    "edited and hashed anew": (lambda x: [rehashed(x[0], status=500), *x[1:]], "line 2 does not follow"),
    "reformatted": (lambda x: [json.dumps(json.loads(x[0]), separators=(",", ":")).encode(), *x[1:]],
                    "line 1 was changed"),
    "first removed": (lambda x: x[1:], "line 1 does not follow"),
    "middle removed": (lambda x: x[:1] + x[2:], "line 2 does not follow"),
    "end removed": (lambda x: x[:-1], "the closing line is missing"),
    "all removed": (lambda x: [], "the closing line is missing"),
    "reordered": (lambda x: [x[1], x[0], *x[2:]], "line 1 does not follow"),
    "doubled": (lambda x: [x[0], x[0], *x[1:]], "line 2 does not follow"),
    "added after the end": (lambda x: [*x, x[0]], "line 6 follows the closing line"),
    "no record": (lambda x: [b"{}", *x], "line 1 is not a record"),
}  # fmt: skip


def test_an_untouched_log_is_valid(tmp_path: Path) -> None:
    path = written(tmp_path / "log")
    assert verify_egress(path) == (True, "")
    records = read_egress(path)
    assert [record.sequence for record in records] == [1, 2, 3, 4, 5]
    assert records[-1].closing and records[1].status == 429
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("change", CHANGES)
def test_a_touched_log_says_where(change: str, tmp_path: Path) -> None:
    path = written(tmp_path / "log")
    apply, reason = CHANGES[change]
    lines = apply(path.read_bytes().splitlines())
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    valid, said = verify_egress(path)
    assert not valid and said.startswith(reason)


def test_a_cut_line_and_a_missing_file(tmp_path: Path) -> None:
    path = written(tmp_path / "log")
    path.write_bytes(path.read_bytes()[:-1])
    assert verify_egress(path) == (False, "the last line is cut")
    assert not verify_egress(tmp_path / "none")[0]
    with pytest.raises(BadInput):
        read_egress(tmp_path / "none")


def test_a_log_is_never_written_over(tmp_path: Path) -> None:
    path = written(tmp_path / "log")
    with pytest.raises(WorkbenchError, match="cannot be made"):
        EgressLog(path, FixedClock(datetime(2026, 1, 1, tzinfo=UTC)))
