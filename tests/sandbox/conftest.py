"""Running things inside real sandboxes, with limits small enough to be reached at once."""

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from workbench.records import Limits, SandboxReport
from workbench.sandbox import Bubblewrap, Mount, SandboxSpec

MIB = 1024**2
SMALL = Limits(
    wall_s=20,
    memory_bytes=256 * MIB,
    processes=64,
    open_files=256,
    work_bytes=12 * MIB,
    tmp_bytes=4 * MIB,
    home_bytes=4 * MIB,
    file_bytes=64 * MIB,
    output_bytes=4 * MIB,
    collect_bytes=16 * MIB,
    collect_entries=500,
)


@dataclass
class Outcome:
    """What came out of one sandbox."""

    stdout: bytes
    stderr: bytes
    report: SandboxReport
    folder: Path
    refused: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.stdout.decode(errors="replace") + self.stderr.decode(errors="replace")


@pytest.fixture(scope="session")
def bubblewrap() -> Bubblewrap:
    sandbox = Bubblewrap()
    found = sandbox.capabilities()
    if not found.available:
        pytest.skip(f"no sandbox here: {'; '.join(found.reasons)}")
    return sandbox


@pytest.fixture
def inside(bubblewrap: Bubblewrap, tmp_path: Path) -> Callable[..., Outcome]:
    """Start, stream, wait, collect, close; ``limits`` are changes to ``SMALL``."""
    count = 0

    def run(
        *argv: str,
        sandbox: Bubblewrap = bubblewrap,
        limits: Mapping[str, Any] | None = None,
        mounts: tuple[Mount, ...] = (),
        work_files: Mapping[str, bytes] | None = None,
        home_files: Mapping[str, bytes] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Outcome:
        nonlocal count
        count += 1
        spec = SandboxSpec(
            argv=argv,
            env=env or {},
            mounts=mounts,
            work_files=work_files or {},
            home_files=home_files or {},
            limits=SMALL.model_copy(update=dict(limits or {})),
        )
        folder = tmp_path / f"collected-{count}"
        streams = {"stdout": b"", "stderr": b""}
        with sandbox.start(spec, tmp_path / f"scratch-{count}") as process:
            for chunk in process.stream():
                streams[chunk.stream] += chunk.data
            report = process.wait()
            refused = process.collect(folder)
        return Outcome(streams["stdout"], streams["stderr"], report, folder, refused)

    return run


@pytest.fixture
def running() -> Callable[[str], list[int]]:
    """Host processes whose command line has a word, without this one."""

    def find(word: str) -> list[int]:
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                if word.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                    found.append(int(path.parent.name))
        return found

    return find


@pytest.fixture
def closed_folder(tmp_path: Path) -> Path:
    """A folder with one file, both for their owner only, below a parent for its owner only."""
    parent = tmp_path / "closed"
    folder = parent / "data"
    folder.mkdir(parents=True)
    (folder / "table.csv").write_text("a,b\n1,2\n")
    (folder / "table.csv").chmod(0o600)
    folder.chmod(0o700)
    parent.chmod(0o700)
    return folder
