"""Zip files that nobody vouches for."""

from __future__ import annotations

import io
import struct
import sys
import types
import warnings
import zipfile
import zlib

import pytest

from workbench.records import BadInput
from workbench.trajectories import zip_members
from workbench.trajectories.zip_members import DamagedMember, ZipMembers


def made(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def read(data: bytes) -> dict[str, bytes]:
    archive = ZipMembers(io.BytesIO(data))
    return {name: b"".join(archive.pieces(member)) for name, member in archive.members.items()}


MEMBERS = {"a.json": b'{"x": 1}' * 5_000, "b": b"", "samples/c.json": bytes(range(256)) * 9}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_with_and_without_a_directory(method: int) -> None:
    data = made(MEMBERS, method)
    assert read(data) == MEMBERS
    assert ZipMembers(io.BytesIO(data)).directory
    cut = data[: data.index(b"PK\x01\x02")]
    assert read(cut) == MEMBERS
    assert not ZipMembers(io.BytesIO(cut)).directory


def test_a_stream_that_tells_sizes_behind_its_members() -> None:
    held = io.BytesIO()

    class NoSeeking(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:
            return held.write(data)  # type: ignore[arg-type]

    with zipfile.ZipFile(NoSeeking(), "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[arg-type]
        for name, text in MEMBERS.items():
            archive.writestr(name, text)
    data = held.getvalue()
    assert read(data) == MEMBERS
    assert read(data[: data.index(b"PK\x01\x02")]) == MEMBERS


def test_of_two_members_of_one_name_the_last_counts() -> None:
    held = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(held, "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("header.json", b"old")
        archive.writestr("header.json", b"new")
    assert read(held.getvalue()) == {"header.json": b"new"}


def test_a_member_is_good_up_to_where_it_is_cut() -> None:
    text = b"".join(b"line %d\n" % number for number in range(50_000))
    data = made({"a": text})
    archive = ZipMembers(io.BytesIO(data[: len(data) // 2]))
    got = b""
    with pytest.raises(DamagedMember, match="cut off"):
        for piece in archive.pieces(archive.members["a"]):
            got += piece
    assert text.startswith(got) and len(got) > len(text) // 4


def test_bombs_stop_growing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = made({"bomb": bytes(50_000_000), "small": b"x"})
    monkeypatch.setattr(zip_members, "FREE_BYTES", 1_000_000)
    archive = ZipMembers(io.BytesIO(data))
    got = 0
    with pytest.raises(DamagedMember, match="larger than a log can be"):
        for piece in archive.pieces(archive.members["bomb"]):
            got += len(piece)
    assert got <= 21_000_000
    assert b"".join(archive.pieces(archive.members["small"])) == b"x"
    monkeypatch.setattr(zip_members, "MOST_BYTES", 500_000)
    archive = ZipMembers(io.BytesIO(made({"a": bytes(400_000), "b": bytes(400_000)})))
    assert len(b"".join(archive.pieces(archive.members["a"]))) == 400_000
    with pytest.raises(DamagedMember, match="larger"):
        list(archive.pieces(archive.members["b"]))


def test_huge_counts_are_not_believed_and_names_only_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    data = made({"../../etc/x": b"1", "a\nb": b"2", "ok": b"3", "n" * 2_000: b"4"})
    assert read(data) == {"../../etc/x": b"1", "ok": b"3"}
    monkeypatch.setattr(zip_members, "MOST_MEMBERS", 3)
    archive = ZipMembers(io.BytesIO(data))
    assert (archive.directory, list(archive.members)) == (False, ["../../etc/x", "ok"])
    end = data.rfind(b"PK\x05\x06")
    lying = data[:end] + struct.pack(
        "<4sHHHHIIH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0
    )
    monkeypatch.undo()
    assert read(lying) == {"../../etc/x": b"1", "ok": b"3"}


def test_encrypted_unknown_and_changed_members() -> None:
    data = bytearray(made({"a": b"text"}, zipfile.ZIP_STORED))
    at = data.index(b"text")
    changed = bytes(data[:at]) + b"tent" + bytes(data[at + 4 :])
    with pytest.raises(DamagedMember, match="not what was written"):
        read(changed)
    directory = data.index(b"PK\x01\x02")
    data[directory + 8] |= 1
    with pytest.raises(DamagedMember, match="encrypted"):
        read(bytes(data))
    data[directory + 8] &= 0xFE
    data[directory + 10] = 12
    with pytest.raises(DamagedMember, match="method 12"):
        read(bytes(data))


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x03\x04", b"PK\x05\x06" + b"\0" * 18, b"PK\x03\x04" * 50])
def test_what_is_no_zip_has_no_members(data: bytes) -> None:
    assert ZipMembers(io.BytesIO(data)).members == {}


def zstandard_member(text: bytes) -> bytes:
    """A member that says it is compressed with Zstandard; a library stood in for it here takes zlib."""
    packed = zlib.compress(text)
    data = bytearray(made({"a": packed}, zipfile.ZIP_STORED))
    crc = struct.pack("<I", zlib.crc32(text))
    for signature, method, check in ((b"PK\x03\x04", 8, 14), (b"PK\x01\x02", 10, 16)):
        at = data.index(signature)
        data[at + method] = 93
        data[at + check : at + check + 4] = crc
    return bytes(data)


def test_zstandard_is_read_by_a_library_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class ZstdError(Exception):
        pass

    class ZstdDecompressor:
        def __init__(self, max_window_size: int) -> None:
            assert max_window_size == 128 * 1024 * 1024

        def stream_reader(self, source: io.RawIOBase, read_across_frames: bool) -> io.BytesIO:
            assert read_across_frames
            return io.BytesIO(zlib.decompress(source.read(1 << 20)))

    library = types.ModuleType("zstandard")
    vars(library).update(ZstdError=ZstdError, ZstdDecompressor=ZstdDecompressor)
    monkeypatch.setitem(sys.modules, "zstandard", library)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    assert read(zstandard_member(b"text" * 100)) == {"a": b"text" * 100}


def test_without_a_library_for_zstandard_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(BadInput, match=r"(?s)Zstandard.*\[inspect\]"):
        read(zstandard_member(b"text"))


def test_real_zstandard_frames() -> None:
    zstandard = pytest.importorskip("zstandard")
    text = b"some text " * 30_000
    frames = zstandard.ZstdCompressor().compress(text) * 2
    data = bytearray(made({"a": frames}, zipfile.ZIP_STORED))
    for signature, method, check in ((b"PK\x03\x04", 8, 14), (b"PK\x01\x02", 10, 16)):
        at = data.index(signature)
        data[at + method] = 93
        data[at + check : at + check + 4] = struct.pack("<I", zlib.crc32(text * 2))
    assert read(bytes(data)) == {"a": text * 2}
    broken = bytes(data).replace(frames[:40], frames[:20] + b"\xff" * 20, 1)
    with pytest.raises(DamagedMember):
        read(broken)
