"""Every attack of the list, from inside a sandbox whose data lie below a 0700 folder."""

import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.sandbox import Bubblewrap, Mount
from workbench.sandbox.seccomp import ARCHITECTURES, REFUSED

ATTACKS = Path(__file__).with_name("attacks")
SECRET = "canary-of-the-host-7731"
NAMES = sorted(path.stem for path in ATTACKS.glob("*.py") if path.stem != "attack")
PLAINER = {"all means": (), "tmpfs": ("loop",), "watched": ("loop", "tmpfs")}
BY_MEANS = ("make_privileged_files", "read_host_files", "read_launcher", "write_outside")
"""Attacks whose outcome could depend on how the work folder is made."""
CASES = [(name, means) for name in NAMES for means in PLAINER if means == "all means" or name in BY_MEANS]


@pytest.fixture
def host(tmp_path: Path, closed_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A host with things to find: a file, listeners, a descriptor that programs inherit, a variable."""
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    monkeypatch.setenv("HOST_SECRET", SECRET)
    leaked = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(leaked, True)
    machine = list(ARCHITECTURES).index(os.uname().machine)
    abstract = f"workbench-test-{os.getpid()}"
    with (
        socket.create_server(("0.0.0.0", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as unix,
        socket.socket(socket.AF_UNIX) as file,
    ):
        udp.bind(("0.0.0.0", 0))
        udp.setblocking(False)
        unix.bind("\0" + abstract)
        unix.listen()
        socket_file = f"/tmp/{abstract}.sock"
        file.bind(socket_file)
        file.listen()
        yield {
            "secret_file": str(secret),
            "host_pid": os.getpid(),
            "address": socket.gethostbyname(socket.gethostname()),
            "tcp_port": tcp.getsockname()[1],
            "udp_port": udp.getsockname()[1],
            "abstract_name": abstract,
            "socket_file": socket_file,
            "words": [SECRET, str(tmp_path), closed_folder.parent.name + "/"],
            "refused_calls": {
                name: numbers[machine] for name, numbers in REFUSED.items() if numbers[machine] is not None
            },
        }
        Path(socket_file).unlink()
        os.close(leaked)
        with pytest.raises(BlockingIOError):
            udp.recv(10)


@pytest.mark.parametrize(("name", "means"), CASES)
def test_attack_is_stopped(
    name: str, means: str, inside: Callable[..., Any], closed_folder: Path, host: dict[str, Any]
) -> None:
    if means == "watched" and name == "read_launcher":
        host["words"] = [SECRET]  # without a quota of its own the folder's host path shows in mountinfo
    outcome = inside(
        "/usr/bin/python3",
        f"/workspace/{name}.py",
        sandbox=Bubblewrap(PLAINER[means]),
        mounts=(Mount(closed_folder, "/data"),),
        work_files={
            "host.json": json.dumps(host).encode(),
            **{f"{part}.py": (ATTACKS / f"{part}.py").read_bytes() for part in ("attack", name)},
        },
        limits={"open_files": 1024},
    )
    assert "BREACH" not in outcome.text
    assert outcome.stdout.splitlines()[-1:] == [b"TRIED"], outcome.text
    collected = [path for path in outcome.folder.rglob("*") if path.is_file()]
    assert all(
        path.stat().st_uid == os.geteuid() and path.stat().st_mode & 0o7777 == 0o600 for path in collected
    )
    if name == "read_host_files":
        assert {"link: link", "link: link-up"} <= set(outcome.refused)
