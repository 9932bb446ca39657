"""Why a file is no agent's log: empty, compressed, binary, or JSON of no known format."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from workbench.records import BadInput, TrajectorySummary, mark_length, open_regular
from workbench.trajectories.detect import HEAD_BYTES, PLAIN
from workbench.trajectories.reader import BYTE_ORDER_MARK
from workbench.trajectories.values import cut_json, json_value

_ZIP = b"PK\x03\x04"
_PACKED = {
    b"\x1f\x8b": ("gzip", "gzip -dc"),
    b"BZh": ("bzip2", "bzip2 -dc"),
    b"\xfd7zXZ\x00": ("xz", "xz -dc"),
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dc"),
    b"PK\x05\x06": ("zip", "unzip -p"),
}
_MOST_CONTROL = 0.03
"""Share of control signs that no text has; of bytes that are compressed or random it is 0.1."""
_MOST_FOREIGN = 0.4
"""Share of what is no UTF-8, which a text in another encoding of Latin letters does not reach."""
_OF_TERMINALS = "\t\n\r\x1b\x08\x0c\x07"
FORMATS = "Name an agent's log; docs/trajectories.md lists the formats."
ANY_TEXT = f"If it is the text of a log all the same: --format {PLAIN}."


def check_is_log(path: Path, found: str, asked: str = "") -> None:
    """Raises BadInput where a file whose format was told to be ``found`` cannot be an agent's log.

    Only what nothing was recognised in is doubted: such a text is read as plain words, which a picture, an
    archive or any JSON is not. ``asked``: the format that a person named, as which JSON may be read.
    """
    if found != PLAIN:
        return
    try:
        with open_regular(path) as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    head = head[mark_length(head) :].removeprefix(BYTE_ORDER_MARK)
    if not head.strip():
        raise BadInput("is empty: there is no step in it", where=str(path))
    for sign, (name, command) in _PACKED.items():
        if head.startswith(sign):
            remedy = f"Unpack it first, for example: {command} FILE > LOG."
            raise BadInput(f"is packed by {name}", where=str(path), remedy=remedy)
    if _is_binary(head):
        raise BadInput(
            "is no text", where=str(path), remedy="Name an agent's log; docs/trajectories.md lists them."
        )
    if not asked and head.lstrip()[:1] in (b"{", b"[") and _is_json(head):
        raise BadInput(
            "is JSON, but no log of a known format", where=str(path), remedy=f"{FORMATS} {ANY_TEXT}"
        )


def check_has_steps(path: Path, summary: TrajectorySummary) -> None:
    """Raises BadInput where a log without any step is damaged, or is an archive of something else."""
    if not (summary.damaged_lines or _is_zip(path)):
        return
    raise BadInput(
        f"no step can be read: it begins like {summary.format}, and the rest is damaged or something else",
        where=str(path),
        remedy=FORMATS,
    )


def _is_zip(path: Path) -> bool:
    """Whether a file begins as an archive does, of which Inspect makes its logs."""
    with open_regular(path) as file:
        return file.read(len(_ZIP)) == _ZIP


def _is_binary(head: bytes) -> bool:
    text = head[:65_536].decode("utf-8", "replace")[:-1] or "x"
    control = sum(map(_is_control, text))
    foreign = text.count("\ufffd")
    return "\0" in text or control > _MOST_CONTROL * len(text) or foreign > _MOST_FOREIGN * len(text)


def _is_control(sign: str) -> bool:
    return unicodedata.category(sign) == "Cc" and sign not in _OF_TERMINALS


def _is_json(head: bytes) -> bool:
    """Whether its first line, or all of it, is one JSON value, or an object that is cut."""
    text = head.lstrip()
    first = text.partition(b"\n")[0]
    if json_value(first) is not None or json_value(head) is not None:
        return True
    return text.startswith(b"{") and bool(cut_json(text)[0])
