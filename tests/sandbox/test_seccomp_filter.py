"""The filter, read by a small BPF interpreter: both architectures, whatever this machine is."""

import errno
import struct

import pytest

from workbench.sandbox.seccomp import ARCHITECTURES, REFUSED, UNCOUNTED_MEMORY, build_filter

ALLOW, KILL = "allow", "kill"
NAMES = ("clone", "unshare", "socket", "ioctl", "personality", "read", "getpid", "prlimit64")
CALLS = {
    "x86_64": dict(zip(NAMES, (56, 272, 41, 16, 135, 0, 39, 302), strict=True)),
    "aarch64": dict(zip(NAMES, (220, 97, 198, 29, 92, 63, 172, 261), strict=True)),
}


def decide(
    machine: str, number: int, *arguments: int, architecture: int | None = None, uncounted_memory: bool = True
) -> str:
    """What the filter answers: allow, kill, or the error's name."""
    program = list(struct.iter_unpack("HBBI", build_filter(machine, uncounted_memory=uncounted_memory)))
    asked = ARCHITECTURES[machine] if architecture is None else architecture
    words = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("IIQ6Q", number, asked, 0, *words)
    accumulator, place = 0, 0
    while True:
        code, if_true, if_false, value = program[place]
        place += 1
        if code == 0x20:
            accumulator = struct.unpack_from("I", data, value)[0]
        elif code == 0x06:
            if value == 0x7FFF_0000:
                return ALLOW
            return KILL if value == 0x8000_0000 else errno.errorcode[value & 0xFFFF]
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}
            place += if_true if holds[code] else if_false


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize(
    ("call", "arguments", "answer"),
    [
        ("read", (), ALLOW),
        ("getpid", (), ALLOW),
        ("clone", (17,), ALLOW),
        ("clone", (0x3D0F00,), ALLOW),  # a thread
        ("clone", (0x1000_0000 | 17,), "EPERM"),
        ("clone", (0x4000_0000,), "EPERM"),
        ("unshare", (0x400,), ALLOW),
        ("unshare", (0x1000_0000,), "EPERM"),
        ("unshare", (0x80,), "EPERM"),
        ("socket", (1, 1, 0), ALLOW),
        ("socket", (2, 1, 6), ALLOW),
        ("socket", (10, 2, 0), ALLOW),
        ("socket", (16, 3, 0), ALLOW),
        ("socket", (16, 3, 12), "EAFNOSUPPORT"),
        ("socket", (40, 1, 0), "EAFNOSUPPORT"),
        ("socket", (38, 5, 0), "EAFNOSUPPORT"),
        ("socket", (17, 3, 0), "EAFNOSUPPORT"),
        ("socket", ((1 << 32) | 40, 1, 0), "EAFNOSUPPORT"),
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), "EPERM"),
        ("ioctl", (0, 0x541C), "EPERM"),
        ("ioctl", (0, (1 << 32) | 0x5412), "EPERM"),
        ("personality", (0,), ALLOW),
        ("personality", (0xFFFF_FFFF,), ALLOW),
        ("personality", (0x40_0000,), "EPERM"),
        ("prlimit64", (0, 7), ALLOW),
        ("prlimit64", (2, 9), "EPERM"),
    ],
)
def test_by_argument(machine: str, call: str, arguments: tuple[int, ...], answer: str) -> None:
    assert decide(machine, CALLS[machine][call], *arguments) == answer


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_refused_calls(machine: str) -> None:
    column = list(ARCHITECTURES).index(machine)
    numbers = {name: both[column] for name, both in REFUSED.items() if both[column] is not None}
    assert {decide(machine, number) for number in numbers.values()} == {"EPERM"}
    assert {"keyctl", "bpf", "io_uring_setup", "perf_event_open", "userfaultfd", "ptrace"} <= set(numbers)
    assert decide(machine, 435) == "ENOSYS"


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("architecture", [0x4000_0003, 0x4000_0028, 0])
def test_other_architectures_are_killed(machine: str, architecture: int) -> None:
    assert decide(machine, 0, architecture=architecture) == KILL


def test_x32_numbers_are_killed() -> None:
    assert decide("x86_64", 0x4000_0000) == KILL
    assert decide("x86_64", 0x4000_0000 | 56) == KILL


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_memory_that_nobody_counts(machine: str) -> None:
    column = list(ARCHITECTURES).index(machine)
    for both in UNCOUNTED_MEMORY.values():
        assert decide(machine, both[column]) == ALLOW
        assert decide(machine, both[column], uncounted_memory=False) == "EPERM"


def test_no_number_is_named_twice() -> None:
    for column in range(len(ARCHITECTURES)):
        numbers = [both[column] for both in REFUSED.values() if both[column] is not None]
        assert len(numbers) == len(set(numbers))
