"""Persons and machines: home folders, user and host names, e-mail addresses. Public names stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from workbench.redaction.spans import Found, Kind

COMMON = frozenset(
    """
    adm admin administrator agent and anthropic apache app audio backup bin build builder cdrom ci claude
    codex container crontab daemon data debian default dev dialout disk docker etc example fax file files
    floppy for from ftp games gemini git github gitlab gnats guest halt home host hosts http https input
    irc kernel kmem kvm lib list local localhost logs lp lpadmin mail main man me media messagebus mnt
    mongodb mysql name netdev news nginx nobody node nogroup none null openai operator opt path paths
    plugdev postgres project projects proxy public python redis release render root run runner sandbox sasl
    sgx shadow shared shutdown someone src srv ssh sshd staff sudo sync sys syslog system tape test tests
    that the this tmp tty ubuntu user username users usr utmp uucp var version video voice wheel with work
    workspace www-data you your
    """.split()  # noqa: SIM905
)
"""Names of accounts and machines that say nothing of a person."""
_N = r"[A-Za-z][A-Za-z0-9_.-]{1,31}"
_HOME = re.compile(
    r"(?:/home/{1,2}|/Users/{1,2}|[A-Za-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/))([^\W\d][\w.-]{1,31}?)"
    r"(?=[^\w.-]|\.?$|\.\W)",
    re.MULTILINE,
)
_SLUG = re.compile(rf"(?:-home-|-Users-)({_N}?)(?=[/\\\s\"':;,)\]}}>|*`-]|\.?$|\.\s)", re.MULTILINE)
_TILDE = re.compile(rf"(?<![\w/.~])~({_N})(?=/)")
_TILDE_HOST = re.compile(rf":~({_N})(?=[/\s]|$)")
_MAIL = re.compile(
    r"(?<![\w.+-])(?:mailto:)?([\w.+-]{1,64})@((?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24})(?![\w-])"
)
_REMOTE = re.compile(rf"(?<![\w.+-])git@((?:[A-Za-z0-9-]{{1,63}}\.){{1,8}}[A-Za-z]{{2,24}}):({_N})(?=/)")
_LOGIN = re.compile(rf"(?<![\w.+/@-])({_N})@([A-Za-z][A-Za-z0-9-]{{1,62}})(?=:[~/]|[\s'\"]|$)", re.MULTILINE)
_VARIABLE = re.compile(
    rf"(?<![A-Za-z0-9_])(?P<what>USER|LOGNAME|USERNAME|HOSTNAME|COMPUTERNAME)[\"']?\s?[=:]\s?[\"']?({_N})"
)
_UNAME = re.compile(r"\bLinux ([A-Za-z0-9][\w.-]{1,62}) \d+\.\d+")
_LISTED = re.compile(rf"^[-dlbcps](?:[r-][w-][xsStT-]){{3}}[.+@]?\s+\d+\s+({_N})\s+({_N})\s", re.MULTILINE)
_PASSWD = re.compile(rf"^({_N}):[x*!]?:\d+:\d+:", re.MULTILINE)
_AUTHOR = re.compile(r"\b(?:Author|Committer|Signed-off-by):? ([^<>\n@]{2,60}) <")
_PUBLIC_HOSTS = re.compile(r"(?:^|\.)(?:github|gitlab|huggingface|bitbucket)\.(?:com|co|org)$")
_MADE_UP = re.compile(r"(?:^|\.)example\.(?:com|org|net)$")
_HINTS = (
    "/home/",
    "/Users/",
    "Users",
    "-home-",
    "-Users-",
    "@",
    "~",
    "USER",
    "LOGNAME",
    "HOST",
    "Linux ",
    ":x:",
    "Author",
)


def people_in(text: str) -> Iterator[Found]:
    """What names a person or a machine by the place where it stands."""
    if not any(hint in text for hint in _HINTS):
        return
    for pattern in (_HOME, _SLUG, _TILDE, _TILDE_HOST):
        for match in pattern.finditer(text):
            yield from _name(match, 1, Kind.PERSON)
    if "@" in text:
        yield from _addresses(text)
    for match in _VARIABLE.finditer(text):
        yield from _name(
            match,
            2,
            Kind.MACHINE if match["what"].endswith("HOSTNAME") or "COMP" in match["what"] else Kind.PERSON,
        )
    for match in _UNAME.finditer(text):
        yield from _name(match, 1, Kind.MACHINE)
    for match in _AUTHOR.finditer(text):
        yield Found(*match.span(1), Kind.PERSON, match[1])


def _addresses(text: str) -> Iterator[Found]:
    for match in _REMOTE.finditer(text):
        if not _PUBLIC_HOSTS.search(match[1].lower()):
            yield Found(*match.span(1), Kind.MACHINE, match[1])
            yield from _name(match, 2, Kind.PERSON)
    for match in _MAIL.finditer(text):
        if match[1] == "git" or _MADE_UP.search(match[2].lower()):
            continue
        yield Found(*match.span(), Kind.ADDRESS, match[0].lower())
    for match in _LOGIN.finditer(text):
        yield from _name(match, 1, Kind.PERSON)
        yield from _name(match, 2, Kind.MACHINE)


def _name(match: re.Match[str], group: int, kind: Kind) -> Iterator[Found]:
    word = match[group].strip(".-")
    if word.lower() not in COMMON and len(word) > 1:
        yield Found(match.start(group), match.start(group) + len(match[group]), kind, word)


def names_told(text: str) -> Iterator[tuple[str, Kind]]:
    """Names of persons and machines that a tool's output or a text tells, to be found elsewhere too."""
    for found in people_in(text):
        word = str(found.value)
        if found.kind is not Kind.ADDRESS:
            yield word, found.kind
    if "drwx" in text or "-rw" in text:
        for match in _LISTED.finditer(text):
            yield match[1], Kind.PERSON
            yield match[2], Kind.PERSON
    if ":x:" in text:
        for match in _PASSWD.finditer(text):
            yield match[1], Kind.PERSON


class KnownNames:
    """Names found anywhere in a log; they go wherever they stand as a word of their own.

    Short names and such as are words go only where their place shows what they are.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, Kind] = {}

    def add(self, names: Iterable[tuple[str, Kind]]) -> None:
        for name, kind in names:
            if len(name) >= 4 and name.lower() not in COMMON:
                self._kinds.setdefault(name, kind)

    def found_in(self, text: str) -> Iterator[Found]:
        for name, kind in self._kinds.items():
            at = text.find(name)
            while at >= 0:
                end = at + len(name)
                if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                    yield Found(at, end, kind, name)
                at = text.find(name, end)
