"""A setuid program, device nodes."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

from attack import breach, must_fail, tried

copy = Path("/workspace/id")
shutil.copy("/usr/bin/id", copy)
copy.chmod(0o6755)
must_fail("own", os.chown, copy, 0, 0)
told = subprocess.run([str(copy), "-u"], capture_output=True, text=True, check=False).stdout.strip()
if told not in ("1000", ""):
    breach(f"ran as {told}")
for kind, major, minor in ((stat.S_IFCHR, 1, 1), (stat.S_IFBLK, 254, 0), (stat.S_IFBLK, 7, 0)):
    for folder in ("/workspace", "/tmp", "/dev/shm"):
        must_fail(f"mknod in {folder}", os.mknod, f"{folder}/node", 0o666 | kind, os.makedev(major, minor))
tried()
