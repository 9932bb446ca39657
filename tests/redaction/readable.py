"""Whether a planted value can still be read in a text: simple searches over unpacked views of it."""

from __future__ import annotations

import base64
import binascii
import calendar
import html
import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime, timezone
from functools import cached_property
from urllib.parse import unquote

DEPTH = 4
"""Layers of escaping and encoding that are unpacked."""

_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")
_URL_SAFE = re.compile(r"[A-Za-z0-9_-]{8,}={0,2}")
_WRAPPED = re.compile(r"(?:[A-Za-z0-9+/]{60,80}\r?\n)+[A-Za-z0-9+/]+={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){5,}")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrtbf\"'/\\])")
_PLAIN_ESCAPES = {"n": "\n", "r": "\n", "t": "\t", "b": " ", "f": " "}
_SPLIT_DIGITS = re.compile(r"\d(?:[,_'’.·|/ \-]?\d){5,}")
_DECIMAL = re.compile(r"(?<![\d.])\d+\.\d+(?![\d]|\.\d)")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|2\d)\d\d")
_DIGITS = re.compile(r"(?<!\d)(?<!\d\.)\d+")
_LONE = re.compile(r"(?<![0-9a-z])(?<!\d\.)\d+(?![0-9a-z])")
_THOUSANDS = re.compile(r"(?<!\d)\d{1,3}(?:[,_'’. ]\d{3})+(?!\d)")
_SCIENTIFIC = re.compile(r"\d\.?\d*e\+?\d{1,2}(?!\d)")
_HEX_NUMBER = re.compile(r"(?<![0-9a-z])(?:0x)?([0-9a-f]{4,10})(?![0-9a-z])")
_HASH = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9]*(?:[a-z]+[0-9]+){3})[0-9a-z]{16,}")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_WORD = re.compile(r"\w+")
TEXT_WINDOW_WORDS = 6


@dataclass(frozen=True)
class Planted:
    """One value in a log. ``spellings``: strings any of which tells it; the first is what was planted."""

    value: str
    kind: str
    carrier: str
    spellings: tuple[str, ...] = ()
    place: str = ""


def spellings_of(value: str, kind: str) -> tuple[str, ...]:
    """Plain strings by which a value of the source can be told, beside what ``Readable`` works out."""
    if kind == "timestamp":
        return (value, value.replace(" ", "T"), *day_spellings(date.fromisoformat(value[:10])))
    if kind == "date":
        return day_spellings(date.fromisoformat(value))
    return (value,)


def day_spellings(day: date) -> tuple[str, ...]:
    """A day as people and programs write it, lower case."""
    year, month, number = day.year, day.month, day.day
    long, short = calendar.month_name[month].lower(), calendar.month_abbr[month].lower()
    found = []
    for mark in "-/.":
        for order in ((number, month), (month, number)):
            found.append(f"{order[0]:02d}{mark}{order[1]:02d}{mark}{year}")
            found.append(f"{order[0]}{mark}{order[1]}{mark}{year}")
        found.append(f"{year}{mark}{month:02d}{mark}{number:02d}")
        found.append(f"{year}{mark}{month}{mark}{number}")
    found.append(f"{year}_{month:02d}_{number:02d}")
    found += [f"({year}, {month}, {number}{end}" for end in (",", ")")]
    for name in (long, short):
        for written in (str(number), f"{number:02d}"):
            found += [f"{written}{mark}{name}{mark}{year}" for mark in " -"]
            found += [f"{name} {written}, {year}", f"{name} {written} {year}"]
        for ending in ("th", "st", "nd", "rd"):
            found += [f"{number}{ending} of {name} {year}", f"{number}{ending} {name} {year}"]
            found += [f"{name} {number}{ending}, {year}", f"{name} {number}{ending} {year}"]
    return tuple(dict.fromkeys(found))


class Readable:
    """A text with all that can be unpacked from it."""

    def __init__(self, text: str) -> None:
        self.layers = _layers(text)

    @cached_property
    def normal(self) -> str:
        """Every different line once, in lower case, with ASCII digits and nothing invisible."""
        lines = dict.fromkeys(line for layer in self.layers for line in layer.splitlines())
        return _normal("\n".join(lines))

    @cached_property
    def condensed(self) -> str:
        """Digits that stand together, without single separators between them."""
        return "\n".join(re.sub(r"\D", "", run) for run in set(_SPLIT_DIGITS.findall(self.normal)))

    @cached_property
    def decimals(self) -> frozenset[str]:
        return frozenset(_DECIMAL.findall(self.normal))

    @cached_property
    def dated(self) -> str:
        """What stands around years."""
        text = self.normal
        return "\n".join({text[max(at.start() - 28, 0) : at.end() + 28] for at in _YEAR.finditer(text)})

    @cached_property
    def numbers(self) -> frozenset[int]:
        """Whole numbers as they stand, grouped, in scientific spelling or in hexadecimal digits; none out of
        hashes, which have any short number in them.
        """
        text = _HASH.sub(" ", self.normal)
        found = {int(word) for word in _DIGITS.findall(text) if len(word) < 25}
        found |= {int(re.sub(r"\D", "", word)) for word in _THOUSANDS.findall(text)}
        for word in _SCIENTIFIC.findall(text):
            value = float(word)
            if value < 1e18 and value == int(value):
                found.add(int(value))
        found |= {int(word, 16) for word in _HEX_NUMBER.findall(text)}
        return frozenset(found)

    @cached_property
    def lone_numbers(self) -> frozenset[int]:
        """Numbers that are no part of a word: short ones stand in many words by chance."""
        found = {int(word) for word in _LONE.findall(self.normal) if len(word) < 25}
        return frozenset(found | {int(re.sub(r"\D", "", word)) for word in _THOUSANDS.findall(self.normal)})

    @cached_property
    def digit_runs(self) -> str:
        """All runs of eight digits and more."""
        return " ".join(word for word in _DIGITS.findall(self.normal) if len(word) >= 8)

    @cached_property
    def words(self) -> str:
        return " ".join(_WORD.findall(self.normal))

    @cached_property
    def unspaced(self) -> str:
        """As written, without white space: for secrets that are wrapped."""
        return "".join("".join(self.layers).split())

    def has(self, planted: Planted) -> bool:
        if planted.kind == "identifier":
            return self._identifier(planted.value)
        if planted.kind in ("timestamp", "date"):
            return self._moment(planted)
        if planted.kind == "measured":
            return planted.value.lstrip("-") in self.decimals
        if planted.kind == "text":
            words = _WORD.findall(_normal(planted.value))
            starts = range(max(len(words) - TEXT_WINDOW_WORDS, 0) + 1)
            said = f" {self.words} "
            return any(f" {' '.join(words[at : at + TEXT_WINDOW_WORDS])} " in said for at in starts)
        if planted.kind == "secret":
            return any(piece in self.unspaced for piece in planted.spellings)
        return any(form.lower() in self.normal for form in planted.spellings)

    def _identifier(self, value: str) -> bool:
        if not value.isdigit():
            first = value.partition("-")[0]
            whole = _bounded(value, self.normal) or (
                len(value) > 7 and value.replace("-", "") in self.digit_runs.split()
            )
            return whole or (len(first) >= 7 and self._identifier(first))
        if int(value) in (self.numbers if len(value) > 5 else self.lone_numbers):
            return True
        if len(value) >= 7:
            return value in self.condensed
        return len(value) == 6 and f"\n{value}\n" in f"\n{self.condensed}\n"

    def _moment(self, planted: Planted) -> bool:
        value = planted.value
        moment = datetime.fromisoformat(value).replace(tzinfo=timezone.utc)  # noqa: UP017
        seconds = int(moment.timestamp())
        if any(seconds * scale in self.numbers for scale in (1, 1000, 1_000_000, 1_000_000_000)):
            return True
        if f"{moment:%Y%m%d}" in self.digit_runs:
            return True
        day = moment.date()
        ctime = (
            rf"{calendar.month_abbr[day.month].lower()} +0?{day.day} \d\d:\d\d:\d\d (?:[a-z]+ )?{day.year}"
        )
        if str(day.year) in self.dated and re.search(ctime, self.dated):
            return True
        return any(_bounded(form, self.dated) for form in day_spellings(day))


def _bounded(form: str, text: str) -> bool:
    """Whether ``form`` stands in the text and not inside a longer number."""
    start = 0
    while (at := text.find(form, start)) >= 0:
        before, after = text[at - 1 : at], text[at + len(form) : at + len(form) + 1]
        if not (form[0].isdigit() and before.isdigit()) and not (form[-1].isdigit() and after.isdigit()):
            return True
        start = at + 1
    return False


def _normal(text: str) -> str:
    return _NOT_ASCII.sub(lambda match: _plain(match[0]), text).lower()


def _plain(text: str) -> str:
    kept = []
    for character in unicodedata.normalize("NFKC", text):
        digit = unicodedata.decimal(character, None)
        if digit is not None:
            kept.append(str(digit))
        elif unicodedata.category(character) != "Cf":
            kept.append(" " if character in "\u2009\u202f\u00a0" else character)
    return "".join(kept)


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        mark = match[1]
        if mark[0] in "ux" and len(mark) > 1:
            return chr(int(mark[1:], 16))
        return _PLAIN_ESCAPES.get(mark, mark)

    return _ESCAPE.sub(one, text)


def _decoded(text: str) -> list[str]:
    """What base64 and hexadecimal stretches of a text say."""
    found = []
    stretches = {match[0] for match in _HEX.finditer(text)}
    for word in stretches:
        found.append(_as_text(bytes.fromhex(word)))
    joined = set()
    for match in _WRAPPED.finditer(text):
        parts = match[0].split()
        joined |= {"".join(parts), "".join(parts[:-1])}
    for word in joined | {match[0] for match in _BASE64.finditer(text)}:
        if word.isalpha() and (word.islower() or word.istitle()):
            continue
        found.append(_as_text(_unbase64(word, b"+/")))
    for word in {match[0] for match in _URL_SAFE.finditer(text) if "_" in match[0] or "-" in match[0]}:
        for part in (word, word.rpartition("=")[2]):
            found.append(_as_text(_unbase64(part, b"-_")))
    return [said for said in found if said]


def _unbase64(word: str, alphabet: bytes) -> bytes:
    word = word.rstrip("=")
    try:
        return base64.b64decode(word + "=" * (-len(word) % 4), alphabet)
    except (binascii.Error, ValueError):
        return b""


def _as_text(data: bytes) -> str:
    """Decoded bytes if they are text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return (
        text if text and all(character.isprintable() or character in "\r\n\t" for character in text) else ""
    )


def _layers(text: str) -> list[str]:
    """The text and the lines that unescaping and decoding make of it anew, each unpacked again."""
    seen = set(text.split("\n"))
    layers, turn = [text], [text]
    for _ in range(DEPTH):
        news: list[str] = []
        for layer in turn:
            made = [_unescaped(layer)] if "\\" in layer else []
            made += [unquote(layer)] if "%" in layer else []
            made += [html.unescape(layer)] if "&" in layer else []
            for new in [*made, *_decoded(layer)]:
                lines = [line for line in new.split("\n") if not line or line not in seen]
                if any(lines):
                    seen.update(lines)
                    news.append("\n".join(lines))
        layers += news
        turn = news
        if not news:
            break
    return layers
