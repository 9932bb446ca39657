"""Zstandard: in Python itself from 3.14 on; before that by a library that Inspect brings along."""

from __future__ import annotations

import io
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from workbench.records import BadInput

ZSTANDARD = 93
"""The method's number in a zip file."""
WINDOW_BYTES = 128 * 1024 * 1024
"""A frame that needs more memory than this is refused."""


def zstandard_pieces(raw: io.RawIOBase, piece_bytes: int) -> Iterator[bytes]:
    """All frames, decompressed. Raises ValueError where they are broken, BadInput where nothing reads any."""
    stream, error = _stream(raw)
    while True:
        try:
            piece = stream.read(piece_bytes)
        except (error, EOFError, MemoryError):
            raise ValueError("broken frame") from None
        if not piece:
            return
        yield piece


def _stream(raw: io.RawIOBase) -> tuple[Any, type[Exception]]:
    try:
        native = import_module("compression.zstd")
    except ImportError:
        native = None
    if native is not None:
        options = {native.DecompressionParameter.window_log_max: WINDOW_BYTES.bit_length() - 1}
        return native.ZstdFile(raw, options=options), native.ZstdError
    try:
        library = import_module("zstandard")
    except ImportError:
        raise BadInput(
            "compressed with Zstandard, which nothing installed here reads",
            remedy="Install the extra for it: pip install 'clinical-skills-workbench[inspect]'.",
        ) from None
    reader = library.ZstdDecompressor(max_window_size=WINDOW_BYTES)
    return reader.stream_reader(raw, read_across_frames=True), library.ZstdError
