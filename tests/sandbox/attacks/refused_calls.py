"""Every call that the filter's table names, namespaces by clone and unshare, foreign call numbers."""

import ctypes
import errno
import mmap
import os
from pathlib import Path

from attack import HOST, breach, must_be_refused, must_fail, syscall, tried

MINUS = ctypes.c_long(-1)
for name, number in HOST["refused_calls"].items():
    if syscall(number, MINUS, MINUS, MINUS, MINUS, MINUS, MINUS) != -errno.EPERM:
        breach(name)

clone, unshare, ioctl, personality = {"x86_64": (56, 272, 16, 135), "aarch64": (220, 97, 29, 92)}[
    os.uname().machine
]
for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
    must_be_refused(f"unshare {flag:#x}", unshare, ctypes.c_ulong(flag))
    must_be_refused(f"clone {flag:#x}", clone, ctypes.c_ulong(flag | 17), None, None, None, None)
if syscall(435, None, 0) != -errno.ENOSYS:
    breach("clone3")
must_be_refused("READ_IMPLIES_EXEC", personality, 0x400000)
must_fail("new user namespace", Path("/proc/self/uid_map").write_text, "0 1000 1")


def dies(what: str, attempt: object) -> None:
    """A child that makes the attempt must be ended by a signal."""
    child = os.fork()
    if child == 0:
        attempt()
        os._exit(0)
    if not os.WIFSIGNALED(os.waitpid(child, 0)[1]):
        breach(what)


def by_old_gate() -> None:
    """getpid of the 32-bit table through int 0x80."""
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    place = ctypes.addressof(ctypes.c_char.from_buffer(code))
    ctypes.CFUNCTYPE(ctypes.c_int)(place)()


if os.uname().machine == "x86_64":
    dies("x32 call", lambda: syscall(0x40000000 | 39))
    dies("32-bit call", by_old_gate)
tried()
