"""What attack scripts share. They run inside a sandbox, with nothing but the standard library.

A script says what it got (``breach``); silence and a last ``tried`` mean that all was stopped.
"""

import ctypes
import errno
import json
import sys
from collections.abc import Callable
from pathlib import Path

HOST = json.loads(Path("/workspace/host.json").read_text())
libc = ctypes.CDLL(None, use_errno=True)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def breach(text: str) -> None:
    say(f"BREACH {text}")


def tried() -> None:
    say("TRIED")


def must_fail(what: str, attempt: Callable[..., object], *arguments: object) -> None:
    """The attempt must raise OSError."""
    try:
        got = attempt(*arguments)
    except OSError:
        return
    breach(f"{what}: {got!r}")


def syscall(number: int, *arguments: object) -> int:
    """A raw system call; the negative error number when it fails."""
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *arguments)
    return result if result >= 0 else -ctypes.get_errno()


def must_be_refused(what: str, number: int, *arguments: object) -> None:
    """The filter must refuse the call: EPERM, or ENOSYS."""
    result = syscall(number, *arguments)
    if result not in (-errno.EPERM, -errno.ENOSYS):
        breach(f"{what} answered {result}")


def names(folder: str) -> list[str]:
    return [path.name for path in Path(folder).iterdir()]


def processes() -> list[int]:
    return [int(name) for name in names("/proc") if name.isdecimal()]
