"""Agents in the real sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from workbench.agents import Launch
from workbench.gateway import Gateway
from workbench.records import EgressSummary, SandboxReport, Step, TrajectorySummary, WorkbenchError
from workbench.sandbox import Mount, Runtime, Sandbox, SandboxProcess, SandboxSpec, choose_sandbox
from workbench.trajectories import open_reader

PORT = 8100


@dataclass
class Ran:
    """What came out of one launch."""

    stdout: bytes = b""
    stderr: bytes = b""
    steps: list[Step] = field(default_factory=list)
    summary: TrajectorySummary | None = None
    report: SandboxReport | None = None
    egress: EgressSummary | None = None
    collected: Path = Path()


RunLaunch = Callable[..., Ran]


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    try:
        return choose_sandbox("auto")
    except WorkbenchError as error:
        pytest.skip(f"no sandbox here: {error}")


@pytest.fixture
def run_launch(sandbox: Sandbox, tmp_path: Path) -> RunLaunch:
    """Run a launch to its end, with a gateway to ``endpoint`` where it wants one."""

    def run(
        launch: Launch, runtime: Runtime, *, mounts: tuple[Mount, ...] = (), endpoint: str = "", key: str = ""
    ) -> Ran:
        spec = SandboxSpec(
            argv=launch.argv,
            env={**runtime.env, **launch.env},
            mounts=(*runtime.mounts, *launch.mounts, *mounts),
            work_files=launch.work_files,
            home_files=launch.home_files,
            gateway_port=PORT if launch.needs_gateway else None,
        )
        place = tmp_path / f"run-{len(list(tmp_path.glob('run-*')))}"
        scratch = place / "scratch"
        scratch.mkdir(mode=0o700, parents=True)
        ran = Ran(collected=place / "collected")
        reader = open_reader(launch.format)
        with sandbox.start(spec, scratch) as process:
            with _gateway(process, endpoint, key, tmp_path / "egress.jsonl", ran):
                for chunk in process.stream():
                    if chunk.stream == "stdout":
                        ran.stdout += chunk.data
                        ran.steps += reader.feed(chunk.data)
                    else:
                        ran.stderr += chunk.data
                ran.report = process.wait()
            process.collect(ran.collected)
        ran.steps += reader.close()
        ran.summary = reader.summary()
        return ran

    return run


@contextmanager
def _gateway(process: SandboxProcess, endpoint: str, key: str, log: Path, ran: Ran) -> Iterator[None]:
    if process.listener is None:
        yield
        return
    gateway = Gateway(endpoint, key, log)
    gateway.serve(process.listener)
    try:
        yield
    finally:
        ran.egress = gateway.close()
