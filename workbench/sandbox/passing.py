"""Messages with descriptors over a Unix socket. Standard library only.

``socket.recv_fds`` of Python 3.11 forgets its flags, so that what it receives would be inherited.
"""

from __future__ import annotations

import array
import socket

_MESSAGE_BYTES = 65536
_NUMBER_BYTES = array.array("i").itemsize


def receive(connection: socket.socket, most: int) -> tuple[bytes, list[int]]:
    """The next message (empty at the end) and up to ``most`` descriptors, none of them inheritable."""
    room = socket.CMSG_SPACE(most * _NUMBER_BYTES)
    message, ancillary, _, _ = connection.recvmsg(_MESSAGE_BYTES, room, socket.MSG_CMSG_CLOEXEC)
    numbers = array.array("i")
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            numbers.frombytes(content[: len(content) - len(content) % _NUMBER_BYTES])
    return message, list(numbers)
