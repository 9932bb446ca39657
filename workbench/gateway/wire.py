"""HTTP/1.1 as the gateway accepts it from inside a sandbox: strictly and with bounds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

LINE_LIMIT_BYTES = 16 * 1024
HEADER_LIMIT = 100
CHUNK_LINE_LIMIT_BYTES = 64

_REQUEST_LINE = re.compile(rb"^([A-Z]{1,20}) (\S{1,8192}) HTTP/1\.([01])$")
_HEADER = re.compile(rb"^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*$")
_CHUNK_SIZE = re.compile(rb"^([0-9A-Fa-f]{1,8})(?:;.*)?$")
_SINGLE = frozenset({"content-length", "transfer-encoding", "host", "content-type", "content-encoding"})


class Malformed(Exception):
    """A request that is not read any further."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True)
class RequestHead:
    """Method, target as sent, minor version, headers with lower-case names (repeated ones joined)."""

    method: str
    target: str
    minor: int
    headers: Mapping[str, str]


def read_head(file: BinaryIO) -> RequestHead | None:
    """The next request's head; None at the end of the connection. Raises Malformed, OSError."""
    try:
        line = _line(file, LINE_LIMIT_BYTES)
    except EOFError:
        return None
    match = _REQUEST_LINE.match(line)
    if match is None:
        raise Malformed(400, "malformed request line")
    try:
        headers = _headers(file)
    except EOFError:
        raise Malformed(400, "headers ended early") from None
    method, target, minor = match.group(1).decode(), match.group(2).decode("latin-1"), int(match.group(3))
    return RequestHead(method, target, minor, headers)


def _headers(file: BinaryIO) -> dict[str, str]:
    headers: dict[str, str] = {}
    for _ in range(HEADER_LIMIT + 1):
        line = _line(file, LINE_LIMIT_BYTES)
        if not line:
            return headers
        header = _HEADER.match(line)
        if header is None:
            raise Malformed(400, "malformed header")
        name = header.group(1).decode("ascii").lower()
        value = header.group(2).decode("latin-1")
        if name in headers and name in _SINGLE:
            raise Malformed(400, f"repeated header {name}")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    raise Malformed(431, "too many headers")


def read_body(file: BinaryIO, headers: Mapping[str, str], limit_bytes: int) -> bytes:
    """The request's body, empty where none is announced. Raises Malformed, OSError."""
    length = headers.get("content-length")
    coding = headers.get("transfer-encoding")
    if length is not None and coding is not None:
        raise Malformed(400, "both a length and a transfer encoding")
    if coding is not None:
        if coding.lower() != "chunked":
            raise Malformed(501, "unknown transfer encoding")
        try:
            return _chunked(file, limit_bytes)
        except EOFError:
            raise Malformed(400, "body ended early") from None
    if length is None:
        return b""
    if not (length.isascii() and length.isdigit()):
        raise Malformed(400, "malformed content length")
    if len(length) > 18 or int(length) > limit_bytes:
        raise Malformed(413, "body too large")
    return _exactly(file, int(length))


def _chunked(file: BinaryIO, limit_bytes: int) -> bytes:
    body = bytearray()
    while True:
        match = _CHUNK_SIZE.match(_line(file, CHUNK_LINE_LIMIT_BYTES))
        if match is None:
            raise Malformed(400, "malformed chunk")
        size = int(match.group(1), 16)
        if len(body) + size > limit_bytes:
            raise Malformed(413, "body too large")
        if size == 0:
            break
        body += _exactly(file, size)
        if _line(file, CHUNK_LINE_LIMIT_BYTES):
            raise Malformed(400, "malformed chunk")
    for _ in range(HEADER_LIMIT):
        if not _line(file, LINE_LIMIT_BYTES):
            return bytes(body)
    raise Malformed(431, "too many trailers")


def _exactly(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise Malformed(400, "body ended early")
    return data


def _line(file: BinaryIO, limit: int) -> bytes:
    line = file.readline(limit + 2)
    if not line:
        raise EOFError
    if not line.endswith(b"\n"):
        raise Malformed(431 if len(line) > limit else 400, "line too long or cut")
    return line[:-1].removesuffix(b"\r")
