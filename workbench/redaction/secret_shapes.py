"""Secrets that a release must not have: more eager than the shapes by which work is accused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.patterns import find_secrets
from workbench.redaction.spans import Found, Kind


@dataclass(frozen=True)
class _Shape:
    """``hints``: one of them stands in every text that has a match, in lower case. ``group``: what goes."""

    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    group: int = 0


_WORDS = r"A-Za-z0-9_-"
_PREFIXES = (
    "sk-", "ya29.", "gocspx-", "hf_", "gh", "github_pat_", "glpat-", "xox", "xapp-", "k_live_",
    "npm_", "pypi-", "dop_v1_", "dapi", "gsk_", "xai-", "r8_", "pplx-", "wandb_v1_", "sg.", "shpat_", "hvs.",
    "dckr_pat_", "lin_api_", "ntn_", "pcsk_", "akia", "asia", "aiza",
)  # fmt: skip
_SHAPES = (
    _Shape(
        ("private key",),
        re.compile(
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,20000}"
            r"(?:-----END [A-Z ]{0,40}-----)?"
        ),
    ),
    _Shape(("eyj",), re.compile(r"eyJ(?<![\w-]...)[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]{4,})?")),
    _Shape(
        _PREFIXES,
        re.compile(
            rf"(?<![{_WORDS}])(?:sk-(?=[\w-]{{0,60}}\d)[\w-]{{20,}}|ya29\.[\w.-]{{20,}}|GOCSPX-[\w-]{{16,}}"
            r"|hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{30,}|glpat-[\w.-]{16,}"
            r"|xox[a-z]-[A-Za-z0-9-]{16,}|xapp-[A-Za-z0-9-]{20,}|[rs]k_live_[A-Za-z0-9]{16,}"
            r"|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}|dop_v1_[0-9a-f]{40,}|dapi[0-9a-f]{30,}"
            r"|gsk_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{30,}"
            r"|wandb_v1_\w{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|SG\.[\w.-]{40,}|shpat_[0-9a-f]{24,}"
            r"|hvs\.[\w-]{24,}|dckr_pat_[\w-]{20,}|lin_api_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}"
            r"|pcsk_\w{30,}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{30,})"
        ),
    ),
    _Shape(
        ("signature=", "sig=", "credential="),
        re.compile(
            r"(?i)[?&](?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig(?:nature)?)=([^&\s\"'<>]{8,})"
        ),
        1,
    ),
    _Shape(("hooks.slack.com",), re.compile(r"(?i)hooks\.slack\.com/services/([\w/]{10,})"), 1),
    _Shape(("/webhooks/",), re.compile(r"(?i)/webhooks/(\d{5,25}/[\w-]{20,})"), 1),
    _Shape((":",), re.compile(r"\d(?<!\d\d)\d{7,11}:([\w-]{30,})"), 1),
    _Shape(("://",), re.compile(r"://[^\s/:@\"']{0,64}:([^\s/@\"'${}<]{4,128})@"), 1),
    _Shape(
        ("authorization", "bearer"),
        re.compile(
            r"(?i)(?:authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:basic|bearer|token)|\bbearer)\s{1,3}"
            r"([A-Za-z0-9._~+/-]{12,}={0,2})"
        ),
        1,
    ),
    _Shape(
        ("password",), re.compile(r"(?i)\blogin\s{1,3}\S{1,80}\s{1,3}password\s{1,3}([^\s\"'$<]{6,200})"), 1
    ),
    _Shape(("auth",), re.compile(r"(?i)[\"']auth[\"']\s{0,3}:\s{0,3}[\"']([A-Za-z0-9+/=_-]{12,})[\"']"), 1),
    _Shape(("cookie",), re.compile(r"(?i)cookie:\s{0,3}[\w.-]{1,60}=([^;\s\"']{12,})"), 1),
)
_NAME = re.compile(r"(?i)key|secret|token|passw|pwd|credential")
_NAMED = re.compile(
    r"(?i)(?:(?:api[_-]?key|access[_-]?key|account[_-]?key|secret|token|passw(?:or)?d|pwd|credentials?"
    r"|private[_-]?key)[\w-]{0,30})[\"']?\]?\s{0,3}(?:=|:=|:|=>)\s{0,3}[\"'\\]{0,9}([A-Za-z0-9+/_=.~!#%@^*-]{10,400})"
)
_PLACE = re.compile(r"(?i)x{4,}|\*{3,}|your|example|placeholder|dummy|redacted|change.?me|<|\$\{|none|null")
_TURN = re.compile(r"[a-z][A-Z0-9]|[A-Z][a-z0-9][A-Z]|[0-9][A-Za-z]")
_CODE = re.compile(r"[A-Za-z_]+(?:[._-][A-Za-z_]+)*\d{0,3}[(\[.]?|\d{1,9}|[\d.]+")


def secrets_in(text: str, low: str) -> Iterator[Found]:
    """Keys, tokens, passwords, signatures and private keys."""
    for match in find_secrets(text):
        yield _found(match.start, match.end, text)
    for shape in _SHAPES:
        if any(hint in low for hint in shape.hints):
            for one in shape.pattern.finditer(text):
                yield _found(*one.span(shape.group), text)
    end = 0
    for hint in _NAME.finditer(text):
        if hint.end() <= end:
            continue
        start = max(end, hint.start() - 12)
        end = hint.end() + 40
        for one in _NAMED.finditer(text, start, min(hint.end() + 460, len(text))):
            if one.start() < end and _is_secret(one[1]):
                yield _found(*one.span(1), text)


def _is_secret(value: str) -> bool:
    """Letters and digits, or letters of both cases, in no order that a word or a name in code has."""
    digits = sum(sign.isdigit() for sign in value)
    turns = len(_TURN.findall(value))
    mixed = (digits > 1 and any(sign.isalpha() for sign in value)) or turns > 2
    return mixed and not _PLACE.search(value) and (turns > 3 or not _CODE.fullmatch(value))


def _found(start: int, end: int, text: str) -> Found:
    return Found(start, end, Kind.SECRET, text[start:end])
