"""What in a text may be an identifier or a time, however it is spelled or packed; standard library only."""

from __future__ import annotations

import base64
import binascii
import calendar
import gzip
import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from urllib.parse import unquote

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
SHIFTED_YEARS = range(2100, 2213)
NEAR_BEFORE, NEAR_AFTER = 600, 300
DEPTH = 4
MONTHS = {name[:3].lower(): at for at, name in enumerate(calendar.month_name) if name}

_MONTH = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?"
_CLOCK = r"(?:(?:[ t,_]|at )*(?P<hour>\d{1,2})[:\-h](?P<minute>\d{2})(?:[:\-]\d{2})?\s*(?P<half>[ap]m)?)?"
_YEAR = r"(?P<year>[12]\d{3})"
_LATER = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
DAY_PATTERNS = [
    re.compile(pattern)
    for pattern in (
        rf"(?<!\d){_YEAR}(?P<mark>[-/._ ])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})(?!\d){_CLOCK}",
        rf"(?<!\d)(?P<one>\d{{1,2}})(?P<mark>[-/. ])(?P<two>\d{{1,2}})(?P=mark){_YEAR}(?!\d){_CLOCK}",
        rf"(?<!\d){_LATER}(?:[ \-/.,]|of )*{_MONTH}[ \-/.,]*{_YEAR}(?!\d){_CLOCK}",
        rf"{_MONTH}[ \-]+{_LATER}[ \-,]+{_YEAR}(?!\d){_CLOCK}",
        rf"{_MONTH} +{_LATER} +(?P<hour>\d\d):(?P<minute>\d\d):\d\d (?:[a-z]{{3,4}} )?{_YEAR}(?!\d)",
        rf"\(\s*{_YEAR},\s*(?P<month>\d{{1,2}}),\s*(?P<day>\d{{1,2}})"
        r"(?:,\s*(?P<hour>\d{1,2}),\s*(?P<minute>\d{1,2}))?",
        rf"(?<!\d){_YEAR}(?P<month>\d\d)(?P<day>\d\d)(?:t?(?P<hour>\d\d):?(?P<minute>\d\d)(?::?\d\d)?)?(?!\d)",
    )
]
DIGITS = re.compile(r"(?<!\d\.)(?<!\d)\d{6,24}(?!\d)")
GROUPED = re.compile(r"(?<![\d.])\d{1,3}(?:(?P<mark>[,_'’. ])\d{3})(?:(?P=mark)\d{3})*(?!\d)")
SPLIT = re.compile(r"(?<!\d)\d+(?P<mark>[-_ ./·|,])\d+(?:(?P=mark)\d+)*(?!\d)")
SCIENTIFIC = re.compile(r"(?<![\d.])\d(?:\.\d+)?e\+?\d{1,2}(?!\d)")
HEX_NUMBER = re.compile(r"(?<![0-9a-z])(?P<sign>0x)?0*(?P<digits>[0-9a-f]{5,10})(?![0-9a-z])")
TEXT_KEY = re.compile(r"(?<![\d-])\d{1,10}-\d{1,10}(?![\d-])")
LONG_TOKEN = re.compile(
    r"(?=[0-9]*(?:[a-z]+[0-9]+){3})[0-9a-z+]{24,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrtbf\"'/\\])")
NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
WRAPPED = re.compile(r"(?:[A-Za-z0-9+/]{60,80}\r?\n)+[A-Za-z0-9+/]+={0,2}")
ENCODED = (
    ("base64", re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")),
    ("base64", re.compile(r"[A-Za-z0-9_-]{8,}={0,2}")),
    ("base64", re.compile(r"[A-Za-z0-9]{8,}={0,2}")),
    ("hexadecimal text", re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){5,}")),
)


@dataclass(frozen=True)
class Seen:
    """Something in a text that may be a value of the source. ``named``: letters around it, squeezed."""

    kind: str  # number, key, day, moment
    value: int | str | date | datetime
    spelling: str
    offset: int
    near: str = ""
    loose: bool = False  # a spelling that chance makes often: only where the column is named


def normal(text: str) -> str:
    """Lower case, digits of all scripts as ASCII, without invisible characters."""
    return NOT_ASCII.sub(lambda match: plain(match[0]), text).lower()


def plain(text: str) -> str:
    """Characters beyond ASCII as the nearest of it."""
    kept = []
    for character in unicodedata.normalize("NFKC", text):
        digit = unicodedata.decimal(character, None)
        if digit is not None:
            kept.append(str(digit))
        elif unicodedata.category(character) != "Cf":
            kept.append(" " if unicodedata.category(character) == "Zs" else character)
    return "".join(kept)


def unescaped(text: str) -> str:
    plain = {"n": "\n", "r": "\n", "t": "\t", "b": " ", "f": " "}

    def one(match: re.Match[str]) -> str:
        mark = match[1]
        return chr(int(mark[1:], 16)) if len(mark) > 1 else plain.get(mark, mark)

    return ESCAPE.sub(one, text)


def as_text(data: bytes) -> str:
    """Bytes that are text, also packed ones; nothing otherwise."""
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError):
            return ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return text if all(c.isprintable() or c in "\r\n\t" for c in text) else ""


def _unwrapped(text: str) -> Iterator[str]:
    """Stretches over several lines as one, with a few words before; the last line may be no part of it."""
    for match in WRAPPED.finditer(text):
        parts = match[0].split()
        before = text[max(match.start() - 200, 0) : match.start()]
        yield f"{before} {''.join(parts)}\n{before} {''.join(parts[:-1])}\n"


def decoded(text: str) -> Iterator[tuple[str, str]]:
    """Encoding, and the text with one encoded stretch replaced by what it says and what stands around it."""
    joined = text + "\n".join(_unwrapped(text))
    said: set[tuple[str, str]] = set()
    for name, pattern in ENCODED:
        for match in pattern.finditer(joined):
            word = match[0]
            if (name, word) in said or (word.isalpha() and (word.islower() or word.istitle())):
                continue
            said.add((name, word))
            if name == "base64":
                for part in {word, word.lstrip("_-").rpartition("=")[2] or word}:
                    bare = part.rstrip("=").replace("-", "+").replace("_", "/")
                    try:
                        found = as_text(base64.b64decode(bare + "=" * (-len(bare) % 4)))
                    except (binascii.Error, ValueError):
                        continue
                    if found:
                        yield name, f"{joined[max(match.start() - 200, 0) : match.start()]} {found}"
            else:
                found = as_text(bytes.fromhex(re.sub("[ :]", "", word)))
                if found:
                    yield name, f"{joined[max(match.start() - 200, 0) : match.start()]} {found}"


def layers(text: str) -> Iterator[tuple[str, str]]:
    """How it is packed, and the text; of each layer the lines that were not seen before."""
    seen = set(text.split("\n"))
    turn = [("", text)]
    for _ in range(DEPTH + 1):
        news = []
        for how, layer in turn:
            yield how, layer
            made = [("escaped", unescaped(layer))] if "\\" in layer else []
            made += [("URL-encoded", unquote(layer))] if "%" in layer else []
            made += [("HTML", html.unescape(layer))] if "&" in layer else []
            for name, new in (*made, *decoded(layer)):
                lines = [line for line in new.split("\n") if not line or line not in seen]
                if any(lines):
                    seen.update(lines)
                    news.append((f"{how}, {name}".lstrip(", "), "\n".join(lines)))
        turn = news


def numbers_in(text: str) -> Iterator[tuple[int, str, int, bool]]:
    """Value, spelling, offset, and whether chance makes such a spelling often."""
    covered = LONG_TOKEN.sub(lambda match: " " * len(match[0]), text)
    for match in DIGITS.finditer(covered):
        word = match[0]
        dated = len(word) == 8 and 1990 <= int(word[:4]) <= 2035 and 1 <= int(word[4:6]) <= 12
        yield int(word), "as written" if word[0] != "0" else "zero padded", match.start(), dated
        if len(word) in (14, 16, 24):
            for size in (7, 8):
                if len(word) % size == 0:
                    for start in range(0, len(word), size):
                        yield int(word[start : start + size]), "run together", match.start(), False
    for match in GROUPED.finditer(covered):
        yield int(re.sub(r"\D", "", match[0])), "grouped", match.start(), match["mark"] in " ."
    for match in SPLIT.finditer(covered):
        parts = match[0].split(match["mark"])
        day = len(parts) == 3 and len(parts[0]) == 4
        if not day and max(len(part) for part in parts) <= 4 and set(match[0]) - set("01" + match["mark"]):
            for size in {7, 8, len("".join(parts))}:
                for start in range(len(parts)):
                    digits = "".join(parts[start:])[:size]
                    yield int(digits), "split", match.start(), len(digits) < 7
    for match in SCIENTIFIC.finditer(covered):
        value = float(match[0])
        if 1e5 <= value < 1e15 and value == int(value):
            yield int(value), "scientific", match.start(), False
    for match in HEX_NUMBER.finditer(covered):
        if match["sign"] or any(character in "abcdef" for character in match["digits"]):
            yield int(match["digits"], 16), "hexadecimal", match.start(), not match["sign"]


def moments_in(text: str) -> Iterator[tuple[date, datetime | None, int]]:
    """Days, with the minute where one is told."""
    for pattern in DAY_PATTERNS:
        for match in pattern.finditer(text):
            part = match.groupdict()
            if part.get("one"):
                orders = [(part["one"], part["two"]), (part["two"], part["one"])]
            else:
                month = MONTHS[part["name"][:3]] if part.get("name") else part["month"]
                orders = [(part["day"], month)]
            for number, month in orders:
                try:
                    day = date(int(part["year"]), int(month), int(number))
                except ValueError:
                    continue
                yield day, _minute(day, part), match.start()


def _minute(day: date, part: dict[str, str | None]) -> datetime | None:
    if not part.get("hour") or not part.get("minute"):
        return None
    hour = (
        int(part["hour"] or 0) % 12 + 12 * (part["half"] == "pm")
        if part.get("half")
        else int(part["hour"] or 0)
    )
    try:
        return datetime(day.year, day.month, day.day, hour, int(part["minute"] or 0))  # noqa: DTZ001
    except ValueError:
        return None


def since_1970(number: int) -> datetime | None:
    """The time that a count of seconds (or thousandths, millionths, billionths) is, in the shifted years."""
    for scale in (1, 1000, 1_000_000, 1_000_000_000):
        if number % scale == 0 and 4_102_444_800 <= number // scale < 7_668_000_000:
            return EPOCH + timedelta(seconds=number // scale)
    return None


def seen_in(text: str) -> Iterator[tuple[str, Seen]]:
    """Everything in a text that is worth a look at the source, with how it is packed."""
    for how, layer in layers(text):
        plain = normal(layer)
        for value, spelling, offset, loose in numbers_in(plain):
            near = plain[max(offset - NEAR_BEFORE, 0) : offset + NEAR_AFTER]
            yield how, Seen("number", value, spelling, offset, near, loose)
            moment = since_1970(value)
            if moment is not None:
                yield how, Seen("moment", moment, "seconds since 1970", offset)
        for match in TEXT_KEY.finditer(plain):
            yield how, Seen("key", match[0], "as written", match.start())
        for day, minute, offset in moments_in(plain):
            if day.year in SHIFTED_YEARS:
                yield how, Seen("day", day, "date", offset)
            elif minute is not None:
                yield how, Seen("moment", minute, "date and time", offset)
