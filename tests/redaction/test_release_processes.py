"""A release made by several processes is that of one; what a killed one left is removed, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from planted import PlantedLog

from workbench.records import Refused
from workbench.redaction.remembered import Own, Printed
from workbench.runs import Context, ReleaseRequest, logs_to_release, make_release, sources_to_ask
from workbench.runs.release_place import refuse_place
from workbench.store import remove_abandoned_beside
from workbench.store.processes import boot_id
from workbench.store.scratch import owner_mark


def request(context: Context, out: Path, files: list[Path], again: str = "") -> ReleaseRequest:
    logs = logs_to_release(context, [str(path) for path in files])
    return ReleaseRequest(logs=logs, sources=sources_to_ask(context, [], logs), out=out, again=again)


@pytest.fixture
def written(logs: dict[str, PlantedLog], tmp_path: Path) -> list[Path]:
    """Two planted logs as files."""
    made = []
    for format in ("codex-exec", "gemini-json"):
        made.append(tmp_path / f"{format}.log")
        made[-1].write_bytes(logs[format].data)
    return made


def test_processes_make_the_same_as_one_to_the_byte(
    release_context: Context, written: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = make_release(release_context, request(release_context, tmp_path / "one", written))
    monkeypatch.setattr("workbench.runs.release_workers.FEWEST_BYTES", 0)
    told: list[tuple[str, float]] = []
    many = make_release(
        release_context,
        request(release_context, tmp_path / "many", written, again=one.release),
        lambda label, done, total, unit: told.append((label, done / total)),
    )
    assert many == one and sum(one.replaced.values()) > 100
    for path in (tmp_path / "one").iterdir():
        assert (tmp_path / "many" / path.name).read_bytes() == path.read_bytes()
    shares = [share for label, share in told if label == "redacting and checking"]
    assert shares == sorted(shares) and shares[0] >= 0 and shares[-1] <= 1


def test_a_refusal_of_one_process_is_that_of_the_release(
    release_context: Context, written: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.runs.release_workers.FEWEST_BYTES", 0)
    asked = request(release_context, tmp_path / "out", written)
    for log in asked.logs:  # a name that is no name of a release
        object.__setattr__(log, "name", "log-of-4111-1111 someone@hospital.org")
    with pytest.raises(Refused, match="may not leave this machine") as refused:
        make_release(release_context, asked)
    assert "e-mail address" in refused.value.remedy and not (tmp_path / "out").exists()


def test_what_a_dead_process_left_is_removed_and_nothing_foreign(tmp_path: Path) -> None:
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True)
    boot, dead = boot_id()[:8], int(gone.stdout)
    names = {
        "left": f".out.release-0a1b2c3d@{boot}-{dead}-1",
        "at work": f".out.release-0a1b2c3e{owner_mark()}",
        "of another machine, new": f".out.release-0a1b2c3f@00000000-{dead}-1",
        "of another release": f".other.release-0a1b2c3d@{boot}-{dead}-1",
        "a person's": ".out.release-notes",
    }
    for name in names.values():
        (tmp_path / name).mkdir()
    (tmp_path / f".out.release-0a1b2c40@{boot}-{dead}-1").write_text("a file")
    remove_abandoned_beside(tmp_path, ".out.release")
    assert not (tmp_path / names.pop("left")).exists()
    assert all((tmp_path / name).is_dir() for name in names.values())
    assert re.search("a file", (tmp_path / f".out.release-0a1b2c40@{boot}-{dead}-1").read_text())


def test_a_release_is_not_written_into_the_data_directory(release_context: Context) -> None:
    with pytest.raises(Exception, match="in the data directory"):
        refuse_place(release_context.data.root / "out", release_context.data)


def test_what_is_forgotten_makes_more_go_and_never_less() -> None:
    own, printed = Own(most=4), Printed(most=4, bits=64)
    own.add({1, 2, 3})
    assert own.without({1, 4}) == {4}
    own.add({5, 6, 7})
    assert own.without({1, 5}) == {1}
    printed.add({1, 2, 3, 70, 5})
    printed.add({9})
    assert all(one in printed for one in (1, 2, 3, 70, 5, 9)) and 8 not in printed
    assert 6 in printed  # as 70: seems printed, though it was not
    assert printed.without({2, 8, 9}) == {8} and printed.has_any([8, 9]) and not printed.has_any([8])
