"""kill -9 of the host process: everything dies by itself, and the sweep removes the rest, only its own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.sandbox import Bubblewrap, SandboxSpec, sweep_sandboxes
from workbench.sandbox.sweep import RECORD_NAME, Leftovers, boot_id, mark, write_leftovers

ROOT = Path(__file__).resolve().parents[2]
HOST = """
import sys, time
from pathlib import Path
from workbench.sandbox import Bubblewrap, SandboxSpec
spec = SandboxSpec(argv=("/bin/sh", "-c", "sleep MARK & echo up; wait"), gateway_port=3129)
process = Bubblewrap().start(spec, Path(sys.argv[1]))
print(next(process.stream()).data.decode(), flush=True)
time.sleep(60)
"""


def until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return False


def loops() -> str:
    return "".join(
        path.read_text() for path in Path("/sys/block").glob("loop*/loop/backing_file") if path.exists()
    )


@pytest.fixture
def start_host(bubblewrap: Bubblewrap, tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    def start(scratch: Path, word: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", HOST.replace("MARK", word), str(scratch)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )

    return start


def test_everything_dies_with_the_host(
    tmp_path: Path, start_host: Callable[..., subprocess.Popen[str]], running: Callable[[str], list[int]]
) -> None:
    scratch, word = tmp_path / "run" / "sandbox", "31415.92601"
    host = start_host(scratch, word)
    assert host.stdout is not None
    assert host.stdout.readline() == "up\n"
    record = json.loads((scratch / RECORD_NAME).read_text())
    assert record["host"]["pid"] == host.pid
    assert sweep_sandboxes([scratch]) == []  # it is alive: left alone
    assert running(word)
    host.kill()
    host.wait()
    assert until(lambda: not running(word) and not any(Path(group).exists() for group in record["groups"]))
    assert until(lambda: not any(Path(f"/proc/{item['pid']}").exists() for item in record["processes"]))
    assert until(lambda: str(tmp_path) not in loops())
    assert sweep_sandboxes([scratch]) == ["scratch files of run"]
    assert list(scratch.iterdir()) == []
    assert sweep_sandboxes([scratch]) == []


def test_stager_and_host_killed_together(
    tmp_path: Path, start_host: Callable[..., subprocess.Popen[str]], running: Callable[[str], list[int]]
) -> None:
    scratch, word = tmp_path / "run" / "sandbox", "27182.81801"
    host = start_host(scratch, word)
    assert host.stdout is not None
    host.stdout.readline()
    record = json.loads((scratch / RECORD_NAME).read_text())
    os.kill(record["processes"][0]["pid"], signal.SIGSTOP)
    host.kill()
    host.wait()
    removed = sweep_sandboxes([scratch])
    assert f"process {record['processes'][0]['pid']} of run" in removed
    assert until(lambda: not running(word))
    assert not any(Path(group).exists() for group in record["groups"])
    assert until(lambda: str(tmp_path) not in loops())


def recorded(scratch: Path, key: str) -> list[object]:
    try:
        found: list[object] = json.loads((scratch / RECORD_NAME).read_text())[key]
    except (OSError, ValueError):
        return []
    return found


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "recorded": lambda scratch: (scratch / RECORD_NAME).exists(),
    "work folder being made": lambda scratch: str(scratch) in loops(),
    "groups made": lambda scratch: any(Path(str(group)).exists() for group in recorded(scratch, "groups")),
    "about to begin": lambda scratch: bool(recorded(scratch, "processes")),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_while_it_is_built(
    tmp_path: Path,
    start_host: Callable[..., subprocess.Popen[str]],
    running: Callable[[str], list[int]],
    moment: str,
) -> None:
    scratch, word = tmp_path / "run" / "sandbox", f"16180.33{list(MOMENTS).index(moment)}"
    host = start_host(scratch, word)
    until(lambda: MOMENTS[moment](scratch))
    groups = [Path(str(group)) for group in recorded(scratch, "groups")]
    host.kill()
    host.wait()
    assert until(lambda: not running(word) and not any(group.exists() for group in groups))
    sweep_sandboxes([scratch])
    assert until(lambda: str(tmp_path) not in loops())
    assert list(scratch.iterdir()) == []


def test_another_process_with_the_same_number_is_left_alone(tmp_path: Path) -> None:
    scratch = tmp_path / "run"
    scratch.mkdir()
    bystander = subprocess.Popen(["/bin/sleep", "30"])
    try:
        other = tmp_path / "not-a-group"
        other.mkdir()
        leftovers = Leftovers(
            boot=boot_id(),
            host=mark(bystander.pid).model_copy(update={"start_ticks": 1}),
            processes=[mark(bystander.pid).model_copy(update={"start_ticks": 2})],
            groups=[str(other)],
        )
        write_leftovers(scratch, leftovers)
        assert sweep_sandboxes([scratch, tmp_path / "missing"]) == [f"scratch files of {tmp_path.name}"]
        assert bystander.poll() is None
        assert other.exists()
    finally:
        bystander.kill()
        bystander.wait()


def test_a_closed_sandbox_leaves_nothing_to_sweep(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    with bubblewrap.start(SandboxSpec(argv=("/bin/true",)), tmp_path / "scratch") as process:
        process.wait()
    assert sweep_sandboxes([tmp_path / "scratch"]) == []
