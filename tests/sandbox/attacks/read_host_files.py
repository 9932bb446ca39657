"""Directly, by '..', through a link, through /proc/PID/root, cwd and fd."""

from pathlib import Path

from attack import HOST, breach, must_fail, names, processes, tried

secret = HOST["secret_file"]
Path("/workspace/link").symlink_to(secret)
Path("/workspace/link-up").symlink_to("../../../../../../.." + secret)
places = [
    secret,
    "/workspace/../../../../.." + secret,
    "/workspace/link",
    "/workspace/link-up",
    "/etc/shadow",
]
for number in [*processes(), HOST["host_pid"]]:
    places += [f"/proc/{number}/root{secret}", f"/proc/{number}/cwd{secret}"]
for place in places:
    must_fail(place, Path(place).read_bytes)
for number in processes():
    for entry in ("root", "cwd"):
        try:
            found = names(f"/proc/{number}/{entry}/")
        except OSError:
            continue
        if set(found) & {"boot", "root", "srv"}:
            breach(f"host root through {number}/{entry}")
if not set(names("/")) <= {
    *("bin", "data", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32"),
    *("proc", "run", "sbin", "tmp", "usr", "var", "workspace"),
}:
    breach("unexpected entries in /")
tried()
