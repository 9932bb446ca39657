"""Any file under /proc/sys, /sys, and other switches."""

import os
from pathlib import Path

from attack import breach, must_fail, tried

for folder, _, names in os.walk("/proc/sys"):
    for name in names:
        try:
            os.close(os.open(f"{folder}/{name}", os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            continue
        breach(f"{folder}/{name}")
for place in ("/proc/sysrq-trigger", "/proc/1/oom_score_adj", "/sys/kernel/uevent_helper"):
    must_fail(place, os.open, place, os.O_WRONLY)
if Path("/sys").exists():
    breach("/sys is there")
tried()
