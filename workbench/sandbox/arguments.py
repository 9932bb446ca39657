"""The options of one bubblewrap call. Standard library only: the stager runs this.

The order matters: everything mounted is there before ``--remount-ro /``, which comes last, and the
``--size`` of a tmpfs stands right before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.sandbox.request import StageRequest

SHARED_MEMORY_BYTES = 64 * 1024**2
_SYSTEM_LINKS = ("bin", "sbin", "lib", "lib64", "lib32", "libx32")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl/certs", "/etc/ssl/openssl.cnf")
_COVERED_PROC = ("/proc/keys", "/proc/kcore", "/proc/timer_list", "/proc/sched_debug", "/proc/cmdline")
_NAME = "agent"

Add = Callable[..., None]
DataFile = Callable[[bytes], int]
"""Puts bytes behind a descriptor that bubblewrap inherits, and answers its number."""


def default_environment(home: str) -> dict[str, str]:
    """What every sandbox has; the caller's environment never enters."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "USER": _NAME,
        "LOGNAME": _NAME,
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",
    }


def bubblewrap_arguments(
    request: StageRequest,
    work_source: str,
    mounts: Sequence[tuple[str, str]],
    data_file: DataFile,
    home: str | Sequence[int],
) -> list[str]:
    """All options. ``mounts`` are (staged source, target). ``home``: the folder that is to be the home,
    or the descriptors of the home files, for which one is made inside.
    """
    arguments: list[str] = []

    def add(*words: str | int) -> None:
        arguments.extend(str(word) for word in words)

    _isolation(add, request)
    _system(add, request, data_file)
    for source, target in mounts:
        add("--ro-bind", source, target)
    _devices(add, request)
    _own_folders(add, request, work_source, home)
    add("--remount-ro", "/", "--chdir", request.work_folder)
    for name, value in {**default_environment(request.home_folder), **request.env}.items():
        add("--setenv", name, value)
    return arguments


def _isolation(add: Add, request: StageRequest) -> None:
    add("--unshare-user", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts")
    add("--unshare-cgroup-try")
    if "--disable-userns" in request.options:
        add("--disable-userns")
    add("--uid", request.user_id, "--gid", request.user_id, "--hostname", "sandbox", "--cap-drop", "ALL")
    add("--die-with-parent", "--new-session", "--clearenv")


def _system(add: Add, request: StageRequest, data_file: DataFile) -> None:
    add("--ro-bind", "/usr", "/usr")
    for name in _SYSTEM_LINKS:
        place = Path("/", name)
        if place.is_symlink():
            add("--symlink", place.readlink(), place)
        elif place.is_dir():
            add("--ro-bind", place, place)
    for hidden in request.hidden:
        add(*_sized(request, 4096), "--tmpfs", hidden, "--remount-ro", hidden)
    number, home = request.user_id, request.home_folder
    texts = {
        "passwd": f"root:x:0:0::/:/bin/false\n{_NAME}:x:{number}:{number}::{home}:/bin/bash\n",
        "group": f"root:x:0:\n{_NAME}:x:{number}:\n",
        "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }
    for folder in ("/etc", "/run", "/var"):
        add("--perms", "0755", "--dir", folder)
    for name, text in texts.items():
        add("--perms", "0444", "--file", data_file(text.encode()), f"/etc/{name}")
    for path in _SYSTEM_FILES:
        add("--ro-bind-try", path, path)
    add("--symlink", "/tmp", "/var/tmp")


def _devices(add: Add, request: StageRequest) -> None:
    add("--proc", "/proc")
    for path in _COVERED_PROC:
        if Path(path).exists():
            add("--ro-bind", "/dev/null", path)
    add("--remount-ro", "/proc", "--dev", "/dev")
    shared = min(SHARED_MEMORY_BYTES, request.tmp_bytes)
    add(*_sized(request, shared), "--tmpfs", "/dev/shm", "--remount-ro", "/dev")


def _own_folders(add: Add, request: StageRequest, work_source: str, home: str | Sequence[int]) -> None:
    add("--perms", "1777", *_sized(request, request.tmp_bytes), "--tmpfs", "/tmp")
    if isinstance(home, str):
        above = Path(request.home_folder).parent
        add(*_sized(request, 4096), "--tmpfs", above, "--bind", home, request.home_folder)
        add("--remount-ro", above)
    else:
        _home_inside(add, request, home)
    add("--bind", work_source, request.work_folder)


def _home_inside(add: Add, request: StageRequest, contents_of: Sequence[int]) -> None:
    home = request.home_folder
    add(*_sized(request, request.home_bytes), "--tmpfs", Path(home).parent, "--dir", home)
    made: set[str] = set()
    for file, contents in zip(request.home_files, contents_of, strict=True):
        parts = file.name.split("/")
        for depth in range(1, len(parts)):
            folder = f"{home}/{'/'.join(parts[:depth])}"
            if folder not in made:
                made.add(folder)
                add("--dir", folder)
        add("--perms", "0644", "--file", contents, f"{home}/{file.name}")


def _sized(request: StageRequest, size_bytes: int) -> tuple[str | int, ...]:
    return ("--size", size_bytes) if "--size" in request.options else ()
