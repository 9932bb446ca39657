"""The product started by an ordinary user: no root, no control groups, a data folder of its own."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pydantic
import pytest

from workbench.sandbox import Bubblewrap

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
NEEDED = ("pydantic", "pydantic_core", "annotated_types", "typing_inspection", "typing_extensions.py")
SCRIPT = """
import json, os, socket, sys
from pathlib import Path
from workbench.records import Limits
from workbench.sandbox import Bubblewrap, Mount, SandboxSpec

MIB = 1024 ** 2
here = Path(sys.argv[1])
sandbox = Bubblewrap(tuple(sys.argv[3:]))
data = here / "private" / "data"
data.mkdir(parents=True)
(data / "t").write_text("seen")
for path in (data, data.parent):
    path.chmod(0o700)
(data / "t").chmod(0o600)
limits = Limits(wall_s=20, memory_bytes=200 * MIB, processes=30, work_bytes=8 * MIB, tmp_bytes=4 * MIB)
spec = SandboxSpec(
    argv=("/bin/sh", "-c", sys.argv[2]),
    mounts=(Mount(data, "/data"),),
    work_files={"a/seed": b"seed"},
    home_files={"seed": b"home"},
    limits=limits,
    gateway_port=3129,
)
with sandbox.start(spec, here / "scratch") as process:
    assert process.listener is not None
    process.listener.close()
    out = b"".join(chunk.data for chunk in process.stream()).decode()
    report = process.wait()
    refused = process.collect(here / "out")
files = sorted(str(path.relative_to(here / "out")) for path in (here / "out").rglob("*") if path.is_file())
left = [path.name for path in (here / "scratch").iterdir()]
found = sandbox.capabilities()
print(json.dumps({"out": out, "report": report.model_dump(), "refused": refused, "files": files, "left": left,
                  "available": found.available, "uid": os.getuid()}))
"""


@pytest.fixture
def run_as_nobody(bubblewrap: Bubblewrap) -> Iterator[Any]:
    if os.geteuid() != 0:
        pytest.skip("not root: all other tests are unprivileged already")
    python = Path(f"/usr/bin/python3.{sys.version_info.minor}")
    if not python.exists():
        pytest.skip("an ordinary user needs a Python of this version outside root's home")
    home = Path(tempfile.mkdtemp(prefix="workbench-nobody-", dir="/tmp"))
    site = Path(pydantic.__file__).parents[1]
    for name in NEEDED:
        copy = shutil.copytree if (site / name).is_dir() else shutil.copy
        copy(site / name, home / name)
    for package in ("records", "store", "sandbox"):
        shutil.copytree(ROOT / "workbench" / package, home / "workbench" / package)
    shutil.copy(ROOT / "workbench" / "__init__.py", home / "workbench")
    for path in (home, *home.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        path.chmod(0o755 if path.is_dir() else 0o644)

    def run(script: str, *without: str) -> dict[str, Any]:
        done = subprocess.run(
            [
                python,
                "-I",
                "-c",
                f"import sys; sys.path.insert(0, {str(home)!r})\n{SCRIPT}",
                home,
                script,
                *without,
            ],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            cwd="/",
            env={},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    yield run
    shutil.rmtree(home)


LOOK = """
id -u; cat /data/t a/seed ~/seed; echo
grep -E '^(CapEff|Seccomp):' /proc/1/status | tr '\\t' ' '
head -c 20M /dev/zero > big; stat -c %s big
touch new; mkdir closed; touch closed/x; chmod 0 closed
python3 -c 'bytearray(300 << 20)' 2>&1 | tail -n 1
grep -c workbench-nobody /proc/self/mountinfo
"""


def test_tmpfs_quota_without_root(run_as_nobody: Any) -> None:
    told = run_as_nobody(LOOK)
    assert told["uid"] == NOBODY
    assert told["available"]
    lines = told["out"].splitlines()
    assert lines[:4] == ["1000", "seenseedhome", "CapEff: 0000000000000000", "Seccomp: 2"]
    assert any("No space left" in line for line in lines)
    assert any(line == "MemoryError" for line in lines)
    assert lines[-1] == "0"
    enforced = told["report"]["enforced"]
    assert (enforced["work folder"], enforced["memory"], enforced["processes"]) == (
        "tmpfs",
        "supervisor",
        "rlimit",
    )
    assert not told["report"]["degraded"]
    assert told["files"] == ["a/seed", "big", "new"]
    assert "unreadable: closed" in told["refused"]
    assert told["left"] == []


def test_without_any_quota_the_folder_is_watched(run_as_nobody: Any) -> None:
    told = run_as_nobody(
        "mkdir closed; touch closed/x; chmod 0 closed; head -c 20M /dev/zero > big; sleep 20", "namespace"
    )
    assert told["report"]["ended_by"] == "disk"
    assert told["report"]["enforced"]["work folder"] == "watched folder"
    assert told["left"] == []
