"""What tells a copy of a private reference: its canary column, its bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from workbench.ehr.connect import connect, identifier
from workbench.records import file_sha256, open_regular

CANARY_PREFIX = "_canary"
PROBE_BYTES = 64
MAX_LOOKED_UP = 20_000
"""Words of one text that are looked up among the canary's tokens."""


@dataclass(frozen=True)
class Fingerprint:
    """Marks of one target's reference file. ``token``: shape of the canary's values."""

    target: str
    path: Path
    sha256: str
    probe: bytes  # from the middle of the file: found wherever its bytes are carried along
    canary_column: str
    token: re.Pattern[bytes] | None

    def tokens_in(self, words: Iterable[bytes]) -> int:
        """How many of the words are values of the canary column."""
        texts = sorted({word.decode("ascii", "replace").lower() for word in words})[:MAX_LOOKED_UP]
        if not texts or not self.canary_column:
            return 0
        with connect() as connection:
            found = connection.execute(
                f"SELECT count(*) FROM read_parquet($file) WHERE lower({identifier(self.canary_column)}) "
                "IN (SELECT unnest($words))",
                {"file": str(self.path), "words": texts},
            ).fetchall()
        return int(found[0][0])


def fingerprint(target: str, path: Path) -> Fingerprint:
    """Read the marks of a reference. Raises OSError or the engine's error when it cannot be read."""
    with open_regular(path) as file:
        size = path.stat().st_size
        file.seek(max(0, size // 2 - PROBE_BYTES // 2))
        probe = file.read(PROBE_BYTES)
    canary, token = "", None
    with connect() as connection:
        described = connection.execute("DESCRIBE SELECT * FROM read_parquet($file)", {"file": str(path)})
        names = [str(row[0]) for row in described.fetchall()]
        canary = next((name for name in names if name.lower().startswith(CANARY_PREFIX)), "")
        if canary:
            column = identifier(canary)
            least, most, hexadecimal = connection.execute(
                f"SELECT min(length({column})), max(length({column})), "
                f"bool_and(regexp_full_match({column}, '[0-9a-f]+')) FROM read_parquet($file)",
                {"file": str(path)},
            ).fetchall()[0]
            token = _shape(least, most, bool(hexadecimal))
    return Fingerprint(target, path, file_sha256(path), probe, canary, token)


def _shape(least: int | None, most: int | None, hexadecimal: bool) -> re.Pattern[bytes] | None:
    """Words that may be tokens; tokens under eight characters prove nothing."""
    if not least or not most or least < 8:
        return None
    letters = "0-9A-Fa-f" if hexadecimal else "0-9A-Za-z_-"
    return re.compile(rf"(?<![{letters}])[{letters}]{{{least},{most}}}(?![{letters}])".encode())
