"""What any backend must do: streams, ends, limits, seeds, mounts, listener."""

import os
import signal
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from workbench.records import BadInput, Limits, Unavailable
from workbench.sandbox import Bubblewrap, Mount, SandboxSpec

MIB = 1024**2


def shell(script: str) -> tuple[str, ...]:
    return ("/bin/sh", "-c", script)


def test_streams_are_kept_apart_and_binary(inside: Callable[..., Any]) -> None:
    outcome = inside(*shell(r"printf 'a\000\377b\n'; printf 'err\001' >&2"))
    assert (outcome.stdout, outcome.stderr) == (b"a\x00\xffb\n", b"err\x01")
    assert outcome.report.ended_by == ""


@pytest.mark.parametrize(
    ("script", "exit_code", "signal_number"),
    [
        ("exit 0", 0, None),
        ("exit 7", 7, None),
        ("kill -TERM $$", 128 + signal.SIGTERM, signal.SIGTERM),
        ("kill -KILL $$", 128 + signal.SIGKILL, signal.SIGKILL),
    ],
)
def test_how_it_ended(
    inside: Callable[..., Any], script: str, exit_code: int, signal_number: int | None
) -> None:
    report = inside(*shell(script)).report
    assert (report.exit_code, report.signal, report.ended_by) == (exit_code, signal_number, "")


def test_a_missing_command_is_said(inside: Callable[..., Any]) -> None:
    with pytest.raises(Unavailable, match=r"could not begin: .*no-such-command"):
        inside("/usr/bin/no-such-command")


def test_output_arrives_while_it_runs(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    spec = SandboxSpec(argv=shell("mkfifo go; echo first; read line < go"))
    with bubblewrap.start(spec, tmp_path / "scratch") as process:
        chunks = process.stream()
        assert next(chunks).data == b"first\n"
        process.stop("seen")
        assert process.wait().ended_by == "cancelled"


def test_where_and_who(inside: Callable[..., Any]) -> None:
    outcome = inside(
        *shell("pwd; id -u; id -un; echo $HOME; cat notes/a.txt ~/.config/b; touch notes/new ~/.config/new"),
        work_files={"notes/a.txt": b"from work\n"},
        home_files={".config/b": b"from home\n"},
        env={"GIVEN": "1"},
    )
    assert outcome.text.splitlines() == [
        *("/workspace", "1000", "agent", "/home/agent", "from work", "from home")
    ]
    assert sorted(str(path.relative_to(outcome.folder)) for path in outcome.folder.rglob("*")) == [
        *("notes", "notes/a.txt", "notes/new")
    ]


def test_seeds_are_binary_safe(inside: Callable[..., Any]) -> None:
    content = bytes(range(256)) * 5000
    outcome = inside(
        *shell("cp seed copy; cp ~/seed home"), work_files={"seed": content}, home_files={"seed": content}
    )
    assert [(outcome.folder / name).read_bytes() == content for name in ("seed", "copy", "home")] == [
        True
    ] * 3


def test_mounts_are_read_only_and_readable(inside: Callable[..., Any], closed_folder: Path) -> None:
    script = "cat /data/table.csv /opt/one.csv; echo x > /data/table.csv; echo x > /data/new; ls /opt"
    outcome = inside(
        *shell(script),
        mounts=(Mount(closed_folder, "/data"), Mount(closed_folder / "table.csv", "/opt/one.csv")),
    )
    assert outcome.stdout == b"a,b\n1,2\n" * 2 + b"one.csv\n"
    assert outcome.stderr.count(b"Read-only file system") == 2
    assert (closed_folder / "table.csv").read_text() == "a,b\n1,2\n"
    assert closed_folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "change",
    [
        {"argv": ()},
        {"env": {"A=B": "1"}},
        {"work_files": {"../out": b""}},
        {"work_files": {"/abs": b""}},
        {"work_files": {"a/../b": b""}},
        {"work_files": {"a//b": b""}},
        {"work_files": {"a": b"", "a/b": b""}},
        {"home_files": {"line\nbreak": b""}},
        {"mounts": (Mount(Path("/usr"), "/workspace/in"),)},
        {"mounts": (Mount(Path("/usr"), "/"),)},
        {"mounts": (Mount(Path("/usr"), "data"),)},
        {"mounts": (Mount(Path("/usr"), "/data/../etc"),)},
        {"mounts": (Mount(Path("/no-such-folder"), "/data"),)},
        {"mounts": (Mount(Path("/usr"), "/data"), Mount(Path("/usr"), "/data/inner"))},
    ],
    ids=str,
)
def test_an_impossible_spec_is_bad_input(
    bubblewrap: Bubblewrap, tmp_path: Path, change: dict[str, Any]
) -> None:
    spec = SandboxSpec(**{"argv": ("/bin/true",), **change})
    with pytest.raises(BadInput):
        bubblewrap.start(spec, tmp_path / "scratch")


def test_an_installed_workbench_does_not_show(
    inside: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the package lies below /usr, its folder (tasks and references with it) is empty inside."""
    monkeypatch.setattr("workbench.sandbox.bubblewrap._PACKAGE_FOLDER", Path("/usr/share/doc"))
    outcome = inside(*shell("ls -A /usr/share/doc; touch /usr/share/doc/x; ls /usr/share | grep -c doc"))
    assert outcome.stdout.splitlines()[-1] != b"0"
    assert len(outcome.stdout.splitlines()) == 1
    assert b"Read-only file system" in outcome.stderr


def test_set_up_failure_is_told_by_wait(
    bubblewrap: Bubblewrap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.sandbox.bubblewrap.WORK_FOLDER", "/proc/nowhere")
    with (
        bubblewrap.start(SandboxSpec(argv=("/bin/true",)), tmp_path / "scratch") as process,
        pytest.raises(Unavailable, match="could not begin: bwrap: "),
    ):
        process.wait()


def test_wall_time_ends_everything(inside: Callable[..., Any]) -> None:
    outcome = inside(*shell("echo begun; (setsid sleep 60 &); sleep 60"), limits={"wall_s": 0.3})
    assert outcome.report.ended_by == "wall"
    assert outcome.report.exit_code is None
    assert outcome.stdout == b"begun\n"
    assert outcome.report.wall_s < 30


def test_output_is_bounded(inside: Callable[..., Any]) -> None:
    outcome = inside("/usr/bin/yes", limits={"output_bytes": 100_000})
    assert outcome.report.ended_by == "output"
    assert len(outcome.stdout) == 100_000


def test_output_that_nobody_reads_does_not_block(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    spec = SandboxSpec(argv=shell("head -c 20000000 /dev/zero; exit 3"))
    with bubblewrap.start(spec, tmp_path / "scratch") as process:
        assert process.wait().exit_code == 3


def test_stop_from_another_thread(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    spec = SandboxSpec(argv=shell("echo begun; sleep 60"))
    with bubblewrap.start(spec, tmp_path / "scratch") as process:
        threads = []
        for _ in process.stream():
            threads.append(threading.Thread(target=process.stop, args=("enough",)))
            threads[-1].start()
        assert process.wait().ended_by == "cancelled"
        assert process.wait().ended_by == "cancelled"
        for thread in threads:
            thread.join()


def test_nothing_survives_the_end(inside: Callable[..., Any], running: Callable[[str], list[int]]) -> None:
    outcome = inside(*shell("setsid nohup sleep 98765.4321 >/dev/null 2>&1 & sleep 0.1; exit 0"))
    assert outcome.report.exit_code == 0
    assert running("98765.4321") == []


def test_close_ends_a_running_sandbox_and_leaves_nothing(
    bubblewrap: Bubblewrap, tmp_path: Path, running: Callable[[str], list[int]]
) -> None:
    process = bubblewrap.start(SandboxSpec(argv=shell("sleep 87654.321")), tmp_path / "scratch")
    process.close()
    process.close()
    assert running("87654.321") == []
    assert list((tmp_path / "scratch").iterdir()) == []


def test_descriptors_do_not_pile_up(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    for number in range(3):
        with bubblewrap.start(
            SandboxSpec(argv=("/bin/true",), gateway_port=3129), tmp_path / str(number)
        ) as process:
            assert process.listener is not None
            process.listener.close()
            process.wait()
            process.collect(tmp_path / f"out-{number}")
    assert count() == before


def test_eight_at_once(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    def run(number: int) -> tuple[bytes, str]:
        spec = SandboxSpec(
            argv=shell("cat mine; stat -c %u /workspace"),
            work_files={"mine": str(number).encode()},
            limits=Limits(wall_s=30, work_bytes=8 * MIB),
        )
        with bubblewrap.start(spec, tmp_path / str(number)) as process:
            output = b"".join(chunk.data for chunk in process.stream())
            return output, process.wait().ended_by

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(run, range(8)))
    assert results == [(f"{number}1000\n".encode(), "") for number in range(8)]


def test_a_sandbox_outlives_the_thread_that_started_it(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    started = []
    spec = SandboxSpec(argv=shell("sleep 0.3; echo alive"))
    thread = threading.Thread(target=lambda: started.append(bubblewrap.start(spec, tmp_path / "scratch")))
    thread.start()
    thread.join()
    with started[0] as process:
        assert b"".join(chunk.data for chunk in process.stream()) == b"alive\n"


CLIENT = """
import socket
with socket.create_connection(("127.0.0.1", 3129), 5) as connection:
    connection.sendall(b"question")
    print(connection.recv(100).decode())
"""


def test_the_listener_is_the_only_way_out(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    spec = SandboxSpec(argv=("/usr/bin/python3", "-c", CLIENT), gateway_port=3129)
    with bubblewrap.start(spec, tmp_path / "scratch") as process:
        listener = process.listener
        assert listener is not None
        assert listener.getsockname() == ("127.0.0.1", 3129)
        assert not os.get_inheritable(listener.fileno())
        listener.settimeout(10)
        connection, _ = listener.accept()
        with connection, listener:
            assert connection.recv(100) == b"question"
            connection.sendall(b"answer")
        assert b"".join(chunk.data for chunk in process.stream()) == b"answer\n"
        assert process.wait().exit_code == 0


def test_two_sandboxes_may_use_the_same_port(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    spec = SandboxSpec(argv=shell("sleep 20"), gateway_port=3129)
    with (
        bubblewrap.start(spec, tmp_path / "one") as one,
        bubblewrap.start(spec, tmp_path / "two") as two,
        socket.socket() as outside,
    ):
        assert one.listener and two.listener
        assert outside.connect_ex(("127.0.0.1", 3129)) != 0
        for process in (one, two):
            process.stop("done")
            process.listener.close()


def test_a_terminal_cannot_be_typed_into(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    """The host process has a controlling terminal; inside there is none."""
    master, slave = os.openpty()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.login_tty(slave)
        script = "import fcntl\nfor n in (0, 1, 2):\n fcntl.ioctl(n, 0x5412, b'x')"
        spec = SandboxSpec(argv=("/usr/bin/python3", "-c", f"open('/dev/tty')\n{script}"))
        with bubblewrap.start(spec, tmp_path / "scratch") as process:
            said = b"".join(chunk.data for chunk in process.stream())
        os._exit(0 if b"No such device or address: '/dev/tty'" in said else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for number in (master, slave):
        os.close(number)


LEFT = """
mkdir -p ~/.tool/sessions
echo said > ~/.tool/sessions/log
echo changed > ~/given
ln -s /etc/passwd ~/link
mkfifo ~/pipe
(echo x > /home/beside) 2>/dev/null && echo written beside
exit 0
"""


def test_the_home_is_collected_and_nothing_lies_beside_it(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    spec = SandboxSpec(argv=("/bin/sh", "-c", LEFT), home_files={"given": b"first", ".tool/own": b"own"})
    with bubblewrap.start(spec, tmp_path / "scratch") as process:
        said = b"".join(chunk.data for chunk in process.stream())
        refused = process.collect_home(tmp_path / "home")
    assert said == b""
    found = {
        path.relative_to(tmp_path / "home").as_posix(): path.read_bytes()
        for path in (tmp_path / "home").rglob("*")
        if path.is_file()
    }
    assert found == {"given": b"changed\n", ".tool/own": b"own", ".tool/sessions/log": b"said\n"}
    assert sorted(refused) == ["fifo: pipe", "link: link"]


def test_a_home_made_inside_cannot_be_collected(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    """Where none can be mounted outside, it works as well and says so."""
    sandbox = Bubblewrap((*bubblewrap.without, "home"))
    spec = SandboxSpec(argv=("/bin/sh", "-c", "cat ~/given; echo x > ~/y"), home_files={"given": b"first"})
    with sandbox.start(spec, tmp_path / "scratch") as process:
        said = b"".join(chunk.data for chunk in process.stream() if chunk.stream == "stdout")
        refused = process.collect_home(tmp_path / "home")
    assert (said, refused, (tmp_path / "home").exists()) == (b"first", ["unreadable: ."], False)
