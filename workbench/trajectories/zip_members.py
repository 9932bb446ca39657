"""Members of a zip file that nobody vouches for, decompressed piece by piece and within bounds.

Where the directory at the file's end is missing or damaged, as in a file that was cut, the headers in front
of the members are followed instead. Names are only compared, never used as paths.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from workbench.trajectories.zstandard_frames import ZSTANDARD, zstandard_pieces

MOST_MEMBERS = 100_000
MOST_DIRECTORY_BYTES = 64 * 1024 * 1024
MOST_BYTES = 8 * 1024 * 1024 * 1024
"""Of all members together, decompressed."""
FREE_BYTES = 256 * 1024 * 1024
MOST_GROWTH = 400
"""A member that is larger than FREE_BYTES may be this many times its compressed size."""
PIECE_BYTES = 256 * 1024

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_LOCAL_SIGNATURE = b"PK\x03\x04"
_BEHIND_A_MEMBER = (_LOCAL_SIGNATURE, b"PK\x01\x02", b"")
_END = struct.Struct("<4sHHHHIIH")
_END_SIGNATURE = b"PK\x05\x06"
_LOCATOR = struct.Struct("<4sIQI")
_LOCATOR_SIGNATURE = b"PK\x06\x07"
_END_64 = struct.Struct("<4sQHHIIQQQQ")
_END_SEARCHED = 64 * 1024 + _END.size + _LOCATOR.size
_FULL_32 = 0xFFFFFFFF
_ENCRYPTED, _SIZES_BEHIND = 0x1, 0x8
_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,1000}")
_DIRECTORY_ERRORS = (
    zipfile.BadZipFile, NotImplementedError, ValueError, OSError, OverflowError, EOFError, struct.error,
    zlib.error,
)  # fmt: skip


class DamagedMember(Exception):
    """A member that cannot be read on; what was handed out before is good."""


@dataclass(frozen=True)
class Member:
    """One file in the zip; ``compressed_bytes`` is None where only reading tells."""

    name: str
    method: int
    flags: int
    header: int
    compressed_bytes: int | None
    crc: int | None


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unconsumed_tail(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class ZipMembers:
    """The members of a file in their order; of those with one name the last. Raises nothing on damage.

    ``directory``: whether the file has the one at its end.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = MOST_BYTES
        found = _listed(file)
        self.directory = found is not None
        members = found if found is not None else _followed(file)
        self.members = {member.name: member for member in members if _NAME.fullmatch(member.name)}

    def pieces(self, member: Member) -> Iterator[bytes]:
        """The member's content. Raises DamagedMember, and BadInput where a library is missing to read it."""
        if member.flags & _ENCRYPTED:
            raise DamagedMember("encrypted")
        raw = _Raw(self._file, member)
        made, check = 0, 0
        for piece in _decompressed(raw, member.method):
            made += len(piece)
            self._left -= len(piece)
            if self._left < 0 or made > max(FREE_BYTES, MOST_GROWTH * raw.read_bytes):
                raise DamagedMember("larger than a log can be")
            check = zlib.crc32(piece, check)
            yield piece
        if member.crc is not None and check != member.crc:
            raise DamagedMember("not what was written")


class _Raw(io.RawIOBase):
    """The compressed bytes of a member; its own position, so that members may be read by turns."""

    def __init__(self, file: BinaryIO, member: Member) -> None:
        self._file = file
        self._at = _content(file, member.header)
        self._left = member.compressed_bytes
        self.read_bytes = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        wanted = PIECE_BYTES if size < 0 else size
        if self._left is not None:
            wanted = min(wanted, self._left)
        try:
            self._file.seek(self._at)
            data = self._file.read(wanted)
        except (OSError, ValueError, OverflowError):
            raise DamagedMember("outside the file") from None
        self._at += len(data)
        self.read_bytes += len(data)
        if self._left is not None:
            self._left -= len(data)
        return data


def _decompressed(raw: _Raw, method: int) -> Iterator[bytes]:
    if method == zipfile.ZIP_STORED:
        while data := raw.read(PIECE_BYTES):
            yield data
    elif method == zipfile.ZIP_DEFLATED:
        yield from _inflated(raw, zlib.decompressobj(-zlib.MAX_WBITS))
    elif method == ZSTANDARD:
        try:
            yield from zstandard_pieces(raw, PIECE_BYTES)
        except ValueError:
            raise DamagedMember("compressed data is broken") from None
    else:
        raise DamagedMember(f"compressed by method {method}")


def _inflated(raw: _Raw, decompressor: _Decompressor) -> Iterator[bytes]:
    while not decompressor.eof:
        data = decompressor.unconsumed_tail or raw.read(PIECE_BYTES)
        if not data:
            raise DamagedMember("cut off")
        try:
            piece = decompressor.decompress(data, PIECE_BYTES)
        except zlib.error:
            raise DamagedMember("compressed data is broken") from None
        if piece:
            yield piece


def _content(file: BinaryIO, header: int) -> int:
    """Where a member's bytes begin, behind its header. Raises DamagedMember."""
    try:
        file.seek(header)
        fields = _LOCAL.unpack(file.read(_LOCAL.size))
    except (OSError, ValueError, OverflowError, struct.error):
        raise DamagedMember("outside the file") from None
    if fields[0] != _LOCAL_SIGNATURE:
        raise DamagedMember("not where the directory says")
    return header + _LOCAL.size + int(fields[9]) + int(fields[10])


def _listed(file: BinaryIO) -> list[Member] | None:
    """The members that the directory names; None where there is none that can be read within bounds."""
    if not _directory_is_small(file):
        return None
    try:
        with zipfile.ZipFile(file) as archive:
            infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
    except _DIRECTORY_ERRORS:
        return None
    if not all(_signature(file, info.header_offset) == _LOCAL_SIGNATURE for info in infos):
        return None
    return [
        Member(
            info.filename,
            info.compress_type,
            info.flag_bits,
            info.header_offset,
            info.compress_size,
            info.CRC,
        )
        for info in infos
    ]


def _signature(file: BinaryIO, at: int) -> bytes:
    try:
        file.seek(at)
        return file.read(len(_LOCAL_SIGNATURE))
    except (OSError, ValueError, OverflowError):
        return b""


def _directory_is_small(file: BinaryIO) -> bool:
    """Looks at what the file's end says, before anything is read by it."""
    try:
        size = file.seek(0, io.SEEK_END)
        start = max(size - _END_SEARCHED, 0)
        file.seek(start)
        tail = file.read(_END_SEARCHED)
        at = tail.rfind(_END_SIGNATURE)
        if at < 0:
            return False
        end = _END.unpack_from(tail, at)
        count, length = end[4], end[5]
        if count == 0xFFFF or length == _FULL_32:
            locator = _LOCATOR.unpack_from(tail, at - _LOCATOR.size) if at >= _LOCATOR.size else (b"",)
            if locator[0] != _LOCATOR_SIGNATURE:
                return False
            file.seek(locator[2])
            end_64 = _END_64.unpack(file.read(_END_64.size))
            count, length = end_64[7], end_64[8]
    except (OSError, ValueError, OverflowError, struct.error):
        return False
    return bool(count <= MOST_MEMBERS and length <= MOST_DIRECTORY_BYTES)


def _followed(file: BinaryIO) -> Iterator[Member]:
    """The members as their own headers tell of them, one after another."""
    at: int | None = 0
    for _ in range(MOST_MEMBERS):
        at = _next_header(file, at)
        if at is None:
            return
        file.seek(at)
        head = file.read(_LOCAL.size + 0x1FFFF)
        if len(head) < _LOCAL.size:
            return
        _, _, flags, method, _, _, crc, compressed, _, name_length, extra_length = _LOCAL.unpack_from(head)
        behind = _LOCAL.size + name_length + extra_length
        unknown = bool(flags & _SIZES_BEHIND) or compressed == _FULL_32
        name = head[_LOCAL.size : _LOCAL.size + name_length].decode("utf-8", "replace")
        yield Member(name, method, flags, at, None if unknown else compressed, None if unknown else crc)
        at += behind
        if not unknown and _signature(file, at + compressed) in _BEHIND_A_MEMBER:
            at += compressed


def _next_header(file: BinaryIO, at: int | None) -> int | None:
    """The first header at or behind a place."""
    if at is None:
        return None
    kept = b""
    while True:
        file.seek(at)
        data = kept + file.read(PIECE_BYTES)
        if len(data) <= len(kept):
            return None
        found = data.find(_LOCAL_SIGNATURE)
        if found >= 0:
            return at - len(kept) + found
        at += len(data) - len(kept)
        kept = data[-(len(_LOCAL_SIGNATURE) - 1) :]
