"""System calls that Python 3.11 has no function for, through ctypes. Standard library only.

Numbers of the newer calls (from 424 on) are the same on every architecture.
"""

from __future__ import annotations

import ctypes
import os
import struct

CLONE_NEWNS = 0x0002_0000
CLONE_NEWCGROUP = 0x0200_0000
CLONE_NEWUTS = 0x0400_0000
CLONE_NEWIPC = 0x0800_0000
CLONE_NEWUSER = 0x1000_0000
CLONE_NEWPID = 0x2000_0000
CLONE_NEWNET = 0x4000_0000
CLONE_NEWTIME = 0x0000_0080

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x4_0000

PR_SET_DUMPABLE = 4

_OPEN_TREE = 428
_MOVE_MOUNT = 429
_MOUNT_SETATTR = 442
_OPEN_TREE_CLONE = 1
_MOVE_MOUNT_FROM_EMPTY = 4
_MOUNT_ATTR_RDONLY = 0x1
_MOUNT_ATTR_NOSUID = 0x2
_MOUNT_ATTR_NODEV = 0x4
_MOUNT_ATTR_IDMAP = 0x10_0000
_AT_EMPTY_PATH = 0x1000
_AT_FDCWD = -100
_CAPABILITY_VERSION_3 = 0x2008_0522

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def unshare(flags: int) -> None:
    """Leave the namespaces named by ``flags`` for new ones. Raises OSError."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def setns(namespace_fd: int, kind: int) -> None:
    """Enter the namespace behind ``namespace_fd``; ``kind`` is one ``CLONE_NEW…``. Raises OSError."""
    _checked(_libc.setns(ctypes.c_int(namespace_fd), ctypes.c_int(kind)), "setns")


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """mount(2). Raises OSError."""
    arguments = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    data = None if options is None else os.fsencode(options)
    _checked(_libc.mount(*arguments, ctypes.c_ulong(flags), data), f"mount on {target}")


def prctl(option: int, value: int) -> None:
    """prctl(2) with one value. Raises OSError."""
    zero = ctypes.c_ulong(0)
    _checked(_libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero), f"prctl {option}")


def drop_capabilities() -> None:
    """Empty this process's permitted, effective and inheritable sets. Raises OSError."""
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    _checked(_libc.capset(ctypes.c_char_p(header), ctypes.c_char_p(bytes(24))), "capset")


def bind_mapped(source_fd: int, target: str, user_namespace_fd: int) -> None:
    """Bind the tree behind ``source_fd`` read-only on ``target``, owners mapped as in the user namespace.

    Needs Linux 5.12 and a file system that allows it; raises OSError otherwise.
    """
    place = ctypes.c_char_p(f"/proc/self/fd/{source_fd}".encode())
    empty = ctypes.c_char_p(b"")
    flags = ctypes.c_uint(_OPEN_TREE_CLONE | os.O_CLOEXEC)
    tree = _checked(_libc.syscall(_OPEN_TREE, _AT_FDCWD, place, flags), "open_tree")
    try:
        wanted = _MOUNT_ATTR_IDMAP | _MOUNT_ATTR_RDONLY | _MOUNT_ATTR_NOSUID | _MOUNT_ATTR_NODEV
        attributes = struct.pack("QQQQ", wanted, 0, 0, user_namespace_fd)
        _checked(
            _libc.syscall(
                _MOUNT_SETATTR, tree, empty, _AT_EMPTY_PATH, attributes, ctypes.c_size_t(len(attributes))
            ),
            "mount_setattr",
        )
        _checked(
            _libc.syscall(
                _MOVE_MOUNT,
                tree,
                empty,
                _AT_FDCWD,
                ctypes.c_char_p(os.fsencode(target)),
                _MOVE_MOUNT_FROM_EMPTY,
            ),
            "move_mount",
        )
    finally:
        os.close(tree)
