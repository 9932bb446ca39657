"""The system call filter, built as BPF here. Standard library only.

What is refused gets EPERM; ``clone3`` gets ENOSYS, so that libraries fall back to ``clone``, whose
flags can be read; a call by another architecture's numbers (32-bit, x32) ends the process.
Socket families other than Unix, IPv4, IPv6 and netlink's routing part are refused: a network
namespace does not cover AF_VSOCK.
"""

from __future__ import annotations

import errno
import struct

from workbench.sandbox.syscalls import (
    CLONE_NEWCGROUP,
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWTIME,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
)

_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_JUMP_EQUAL = 0x15
_JUMP_AT_LEAST = 0x35
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06

_ALLOW = 0x7FFF_0000
_ERRNO = 0x0005_0000
_KILL_PROCESS = 0x8000_0000

_NUMBER = 0  # offsets in struct seccomp_data
_ARCHITECTURE = 4
_ARGUMENTS = 16  # eight bytes each, low word first

ARCHITECTURES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
_X32_BIT = 0x4000_0000

_SOCKET_FAMILIES = (1, 2, 10, 16)  # Unix, IPv4, IPv6, netlink
_NETLINK = 16
_TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_NEW_NAMESPACES = (
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET
)
_PLAIN_PERSONALITIES = (0, 8, 0xFFFF_FFFF)

# name: (x86_64, aarch64); None where the architecture has no such call
REFUSED: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "listmount": (458, 458),
    "lookup_dcookie": (212, 18),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "statmount": (457, 457),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "userfaultfd": (323, 282),
    "ustat": (136, None),
    "vhangup": (153, 58),
}

UNCOUNTED_MEMORY: dict[str, tuple[int, int]] = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
}
"""Calls that take memory which no process's resident size shows: refused where no group bounds memory."""

_CLONE3 = 435
# calls looked at by their arguments: (x86_64, aarch64)
_CLONE = (56, 220)
_UNSHARE = (272, 97)
_SOCKET = (41, 198)
_SOCKETPAIR = (53, 199)
_IOCTL = (16, 29)
_PERSONALITY = (135, 92)
_PRLIMIT64 = (302, 261)

_Instruction = tuple[int, int, int, int]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> _Instruction:
    return (code, if_true, if_false, value)


def _refuse(number: int = errno.EPERM) -> _Instruction:
    return _instruction(_RETURN, _ERRNO | number)


def _allow() -> _Instruction:
    return _instruction(_RETURN, _ALLOW)


def _load_argument(index: int) -> _Instruction:
    return _instruction(_LOAD, _ARGUMENTS + 8 * index)


def _when(number: int, body: list[_Instruction]) -> list[_Instruction]:
    """``body`` for one call; it must end in a return and needs the number loaded before."""
    return [_instruction(_JUMP_EQUAL, number, 0, len(body)), *body]


def _unless_one_of(values: tuple[int, ...], refused: _Instruction) -> list[_Instruction]:
    checks = [_instruction(_JUMP_EQUAL, value, len(values) - place) for place, value in enumerate(values)]
    return [*checks, refused, _allow()]


def _socket_rule() -> list[_Instruction]:
    families = tuple(family for family in _SOCKET_FAMILIES if family != _NETLINK)
    checks = [
        _instruction(_JUMP_EQUAL, family, len(families) - place + 4) for place, family in enumerate(families)
    ]
    refused = _refuse(errno.EAFNOSUPPORT)
    return [
        _load_argument(0),
        *checks,
        _instruction(_JUMP_EQUAL, _NETLINK, 1, 0),
        refused,
        _load_argument(2),
        _instruction(_JUMP_EQUAL, 0, 1, 0),  # NETLINK_ROUTE
        refused,
        _allow(),
    ]


def _flag_rule(flags: int) -> list[_Instruction]:
    return [_load_argument(0), _instruction(_JUMP_ANY_BIT, flags, 0, 1), _refuse(), _allow()]


def _ioctl_rule() -> list[_Instruction]:
    first, second = _TERMINAL_INJECTION
    return [
        _load_argument(1),
        _instruction(_JUMP_EQUAL, first, 1, 0),
        _instruction(_JUMP_EQUAL, second, 0, 1),
        _refuse(),
        _allow(),
    ]


def _own_process_rule() -> list[_Instruction]:
    """Limits of the calling process only (pid 0): an agent must not starve what writes its log."""
    return [_load_argument(0), _instruction(_JUMP_EQUAL, 0, 0, 1), _allow(), _refuse()]


def build_filter(machine: str, *, uncounted_memory: bool = True) -> bytes:
    """The filter as an array of ``struct sock_filter`` for ``machine`` (as ``os.uname`` names it).

    ``uncounted_memory`` allows the calls of ``UNCOUNTED_MEMORY``. Raises KeyError for an
    architecture without a table.
    """
    architecture = ARCHITECTURES[machine]
    column = list(ARCHITECTURES).index(machine)
    program = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_JUMP_EQUAL, architecture, 1, 0),
        _instruction(_RETURN, _KILL_PROCESS),
        _instruction(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        program += [_instruction(_JUMP_AT_LEAST, _X32_BIT, 0, 1), _instruction(_RETURN, _KILL_PROCESS)]
    program += _when(_CLONE3, [_refuse(errno.ENOSYS)])
    program += _when(_CLONE[column], _flag_rule(_NEW_NAMESPACES))
    program += _when(_UNSHARE[column], _flag_rule(_NEW_NAMESPACES | CLONE_NEWTIME))
    program += _when(_SOCKET[column], _socket_rule())
    program += _when(_SOCKETPAIR[column], _socket_rule())
    program += _when(_IOCTL[column], _ioctl_rule())
    program += _when(
        _PERSONALITY[column], [_load_argument(0), *_unless_one_of(_PLAIN_PERSONALITIES, _refuse())]
    )
    program += _when(_PRLIMIT64[column], _own_process_rule())
    refused = REFUSED if uncounted_memory else {**REFUSED, **UNCOUNTED_MEMORY}
    for numbers in refused.values():
        number = numbers[column]
        if number is not None:
            program += _when(number, [_refuse()])
    program.append(_allow())
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)
