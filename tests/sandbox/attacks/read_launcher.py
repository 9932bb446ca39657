"""Environment and command line of the launcher, host paths in what /proc shows."""

import os
from pathlib import Path

from attack import HOST, breach, processes, tried

for number in processes():
    for entry in ("environ", "cmdline", "mountinfo", "mounts", "mountstats", "maps", "cgroup"):
        try:
            content = Path(f"/proc/{number}/{entry}").read_bytes()
        except OSError:
            continue
        for word in HOST["words"]:
            if word.encode() in content:
                breach(f"{word} in /proc/{number}/{entry}")
if set(os.environ) - {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TMPDIR", "PWD", "LC_CTYPE", "_"}:
    breach(f"environment {sorted(os.environ)}")
for name in ("/proc/keys", "/proc/cmdline", "/proc/kcore"):
    try:
        if Path(name).read_bytes():
            breach(name)
    except OSError:
        continue
tried()
