"""Secrets and ways to reach a person in a released text: known shapes, and signed addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.patterns import find_personal, find_secrets

_SIGNED = (
    (
        "signed address",
        re.compile(r"[?&](?:X-(?:Amz|Goog)-)?Signature=[A-Za-z0-9%+/~_-]{20,}", re.IGNORECASE),
    ),
    ("signed address", re.compile(r"[?&]sig=[A-Za-z0-9%+/=_-]{20,}", re.IGNORECASE)),
    ("account key", re.compile(r"AccountKey=[A-Za-z0-9+/]{20,}", re.IGNORECASE)),
    ("web hook", re.compile(r"(?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks)/\w+/\w+")),
    ("bot token", re.compile(r"bot\d{8,12}:[A-Za-z0-9_-]{30,}")),
    ("body of a private key", re.compile(r"(?:^|\n)(?:[A-Za-z0-9+/]{64}\r?\n){4,}")),
)
_NO_ADDRESS = re.compile(
    r"git@(?:ssh\.)?(?:github\.com|gitlab\.com|bitbucket\.org|hf\.co|huggingface\.co)\b|[\w.+-]+@\d[\d.]*(?![\w.-])"
)
"""The account of everybody at a public host of repositories; a package with its version."""


def secrets_in(text: str) -> Iterator[str]:
    """Kinds of what is found; never the text."""
    for secret in find_secrets(text):
        yield secret.kind
    for person in find_personal(text):
        if not _NO_ADDRESS.match(text, person.start):
            yield person.kind
    for kind, shape in _SIGNED:
        if shape.search(text):
            yield kind
