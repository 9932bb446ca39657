"""A listening socket inside a sandbox's network, made from outside. Standard library only.

A forked child joins the network namespace (first the user namespace that owns it, when it is not
root's own), listens on the loopback, and passes the socket back. Nothing is needed inside.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import time

from workbench.sandbox.passing import receive
from workbench.sandbox.syscalls import CLONE_NEWNET, CLONE_NEWUSER, setns

_NS_GET_USERNS = 0xB701
_BACKLOG = 128
_LOOPBACK_S = 2.0


def listen_inside(pid: int, port: int) -> socket.socket:
    """A socket listening on 127.0.0.1:``port`` in the network namespace of ``pid``.

    ``pid`` must stand still until this returns. Raises OSError. The process must be single-threaded.
    """
    here, there = socket.socketpair()
    child = os.fork()
    if child == 0:
        try:
            with _join_and_listen(pid, port) as made:
                socket.send_fds(there, [b"1"], [made.fileno()])
            os._exit(0)
        except OSError as error:
            there.send(b"0" + os.strerror(error.errno or errno.EIO).encode())
        finally:
            os._exit(1)
    there.close()
    with here:
        message, files = receive(here, 1)
    os.waitpid(child, 0)
    if not files:
        raise OSError(f"no listener inside: {message[1:].decode(errors='replace')}")
    return socket.socket(fileno=files[0])


def _join_and_listen(pid: int, port: int) -> socket.socket:
    network = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    if os.geteuid() != 0:
        setns(fcntl.ioctl(network, _NS_GET_USERNS), CLONE_NEWUSER)
    setns(network, CLONE_NEWNET)
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    deadline = time.monotonic() + _LOOPBACK_S
    while True:
        try:
            made.bind(("127.0.0.1", port))
            break
        except OSError as error:  # bubblewrap brings the loopback up a moment later
            if error.errno != errno.EADDRNOTAVAIL or time.monotonic() > deadline:
                raise
            time.sleep(0.001)
    made.listen(_BACKLOG)
    return made
