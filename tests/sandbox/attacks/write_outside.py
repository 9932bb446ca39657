"""Make a file anywhere but in the work folder, the home and the temporary folders."""

import os
from pathlib import Path

from attack import breach, tried

allowed = ("/workspace", "/tmp", "/home", "/dev/shm", "/dev/pts", "/proc/")
for folder, names, _ in os.walk("/"):
    if folder.startswith(allowed) or folder == "/proc":
        names.clear()
        continue
    try:
        with Path(folder, "planted").open("w"):
            breach(folder)
    except OSError:
        pass
    if folder.count("/") >= 3:
        names.clear()
for place in ("/usr/bin/env", "/etc/passwd", "/data/table.csv"):
    try:
        with Path(place).open("r+b"):
            breach(place)
    except OSError:
        pass
tried()
