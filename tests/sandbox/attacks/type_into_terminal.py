"""TIOCSTI and TIOCLINUX on every terminal there is, an own one included."""

import fcntl
import os
import pty

from attack import breach, must_fail, tried

must_fail("/dev/tty", os.open, "/dev/tty", os.O_RDWR)
master, slave = pty.openpty()
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, 0x540E, 0)  # TIOCSCTTY
    for request in (0x5412, 0x541C):
        try:
            fcntl.ioctl(slave, request, b"x")
            os._exit(1)
        except OSError:
            continue
    os._exit(0)
if os.waitpid(child, 0)[1] != 0:
    breach("typed into an own terminal")
for number in (0, 1, 2):
    must_fail(f"descriptor {number}", fcntl.ioctl, number, 0x5412, b"x")
tried()
