"""See, signal, trace or write into host processes and the sandbox's own first process."""

import ctypes
import os
import signal
from pathlib import Path

from attack import HOST, breach, must_be_refused, must_fail, processes, tried

if HOST["host_pid"] in processes() or len(processes()) > 4:
    breach(f"sees processes {processes()}")
must_fail("kill host", os.kill, HOST["host_pid"], 0)
for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
    os.kill(1, number)
ptrace, read_memory, write_memory, steal = {"x86_64": (101, 310, 311, 438), "aarch64": (117, 270, 271, 438)}[
    os.uname().machine
]
for target in (1, os.getppid(), HOST["host_pid"]):
    must_be_refused("PTRACE_ATTACH", ptrace, ctypes.c_long(16), ctypes.c_long(target), None, None)
    must_be_refused("PTRACE_SEIZE", ptrace, ctypes.c_long(0x4206), ctypes.c_long(target), None, None)
    must_be_refused("process_vm_readv", read_memory, target, None, 0, None, 0, 0)
    must_be_refused("process_vm_writev", write_memory, target, None, 0, None, 0, 0)
must_be_refused("pidfd_getfd", steal, os.pidfd_open(1), 0, 0)
must_fail("memory of 1", os.open, "/proc/1/mem", os.O_RDWR)
status = Path("/proc/1/status").read_text()
if "Seccomp:\t2" not in status or "CapEff:\t0000000000000000" not in status:
    breach("process 1 has more rights")
tried()
