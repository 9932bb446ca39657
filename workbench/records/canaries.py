"""Tokens planted in what is not to be passed on: skills as agents get them, and the record of a run.

Nobody is told what they are. A run that shows one has seen the text that it was planted in.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets

CANARY = re.compile(r"(?<![A-Za-z0-9])wbc-[a-z2-7]{16}(?![A-Za-z0-9])")
"""A token wherever it stands: 80 bits behind a prefix."""

_PREFIX = "wbc-"
_BYTES = 10
_MARK = re.compile(rb'\{"workbench_run": "[0-9a-z][0-9a-z-]{5,80}", "canary": "wbc-[a-z2-7]{16}"\}\r?\n')
MOST_MARK_BYTES = 200
"""A run's mark is shorter than this."""


def skill_canary(text_hash: str) -> str:
    """The token of a skill's file; ``text_hash``: the content hash of its text as written."""
    return _token(hashlib.sha256(f"skill canary {text_hash}".encode()).digest()[:_BYTES])


def new_run_canary() -> str:
    """A token for one run; no two are alike."""
    return _token(secrets.token_bytes(_BYTES))


def with_canary(text: bytes, token: str) -> bytes:
    """A Markdown text with its token in a comment at the end."""
    return text + (b"" if text.endswith(b"\n") else b"\n") + f"\n<!-- {token} -->\n".encode()


def run_mark(run_id: str, token: str) -> bytes:
    """The first line of a run's trajectory, before what the agent printed."""
    return f'{{"workbench_run": "{run_id}", "canary": "{token}"}}\n'.encode()


def mark_length(head: bytes) -> int:
    """How many bytes of a trajectory that begins with ``head`` are a run's mark; 0 where it has none."""
    found = _MARK.match(head[:MOST_MARK_BYTES])
    return found.end() if found else 0


def _token(random: bytes) -> str:
    return _PREFIX + base64.b32encode(random).decode().lower()
