"""What a written procedure claims: rules out of its Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from workbench.ehr import published_schema
from workbench.records import PUBLISHED_DATABASES
from workbench.rules.lexicon import entities, words
from workbench.rules.passages import Passage, code_spans, hidden_spans, passages
from workbench.rules.quantities import Quantity, quantities
from workbench.rules.rule import Kind, Rule, hour_unit
from workbench.rules.wording import said

_ITEM = re.compile(r"(?<![\w.])(\d{6}|5[0-3]\d{3})(?![\w.]*\d)")
_CODE = re.compile(
    r"(?<![\w.])([A-Z]\d{2}[0-9A-Z]{0,4}|\d{3,5})(?:\s+to\s+([A-Z]\d{2}[0-9A-Z]{0,4}|\d{3,5}))?(?![\w])"
)
_LETTERED = re.compile(r"(?<![\w.])([A-Z]\d{2}[0-9A-Z]{0,4})(?:\s+to\s+([A-Z]\d{2}[0-9A-Z]{0,4}))?(?![\w])")
_VERSION = re.compile(r"ICD-?\s?(9|10)", re.IGNORECASE)
_EXPRESSION = re.compile(r"[a-z_]+ ?(?:[<>=≤≥]=?|[-+*×]) ?|^[\[(].*,.*[\])]$|^[<>=]")
_NAME = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)?")
_NEGATED = re.compile(
    r"\b(?:not|never|none of|neither|no other|no filter|other than|except)\b", re.IGNORECASE
)
_NEGATED_AFTER = re.compile(
    r"\b(?:(?:is|are|was) not |never |do(?:es)? not |filters? nothing|give no |"
    r"other items|not needed|nothing)",
    re.IGNORECASE,
)
_AND = re.compile(r"\b(?:and|but)\b|[;:(]")
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_CITATION = re.compile(
    rf"\b(?:19|20)\d\d;[\w:;-]+(?:[ \n]?[\d:-]+)?|\b(?:of|since) (?:{_MONTH}) \d{{4}}|"
    r"\b(?:19|20)\d\d-\d\d-\d\d\b"
)
_SCALED = re.compile(r"(times|×|multiplied by|divided? by|divide it by|/)\s*$|\bx\s*$", re.IGNORECASE)
_DECIMALS = re.compile(r"^\s*(?:decimals?|decimal places?)\b", re.IGNORECASE)
_BLANK = "\ue001"


def claims(markdown: str, file: str = "") -> list[Rule]:
    """Every rule that the text states, by line. Never raises, whatever the text."""
    found = [rule for passage in passages(markdown) for rule in _of_passage(passage, file)]
    return sorted(found, key=lambda rule: rule.line)


@lru_cache(maxsize=1)
def _names() -> tuple[frozenset[str], frozenset[str]]:
    """Tables and columns of the published databases."""
    tables: set[str] = set()
    columns: set[str] = set()
    for database in PUBLISHED_DATABASES:
        for table in published_schema(database).tables:
            tables.add(table.bare.lower())
            columns.update(column.name.lower() for column in table.columns)
    return frozenset(tables), frozenset(columns)


def _of_passage(passage: Passage, file: str) -> Iterator[Rule]:
    reader = _Reader(passage, file)
    yield from reader.spans()
    if passage.listed:
        yield from reader.entry()
    else:
        yield from reader.codes()
        yield from reader.items()
        yield from reader.numbers()
    yield from reader.words()


class _Reader:
    """One passage; ``_rest`` is its text, out of which what was understood is blanked."""

    def __init__(self, passage: Passage, file: str) -> None:
        self._passage = passage
        self._file = file
        self._rest = _CITATION.sub(lambda found: _BLANK * len(found.group()), passage.text)

    def spans(self) -> Iterator[Rule]:
        """Code spans: sources, items, texts; expressions are left to be read as words."""
        tables, columns = _names()
        for start, content in code_spans(self._passage.text):
            if _EXPRESSION.search(content) and not content.isupper():
                continue
            name = content.lower().strip()
            short = name.rpartition(".")[2]
            self._blank(start, start + len(content))
            if short in tables:
                yield self._rule(start, Kind.SOURCE, short, "read", short)
            elif _ITEM.fullmatch(content):
                yield self._rule(start, Kind.ITEM, self._subject(start), self._equal(start), content)
            elif _LETTERED.fullmatch(content) and self._about_codes():
                yield self._code(start, content, "")
            elif (short in columns and not self._named()) or ("_" in name and _NAME.fullmatch(content)):
                continue
            else:
                yield self._rule(
                    start, Kind.TEXT, self._subject(start), self._equal(start), content.replace("␣", " ")
                )

    def entry(self) -> Iterator[Rule]:
        """One of many short entries behind each other: a text."""
        text = self._passage.text.strip().rstrip(";.").strip()
        if text and "`" not in text:
            yield self._rule(
                0, Kind.TEXT, self._passage.about or self._passage.heading, "=", " ".join(text.split("\n"))
            )

    def codes(self) -> Iterator[Rule]:
        """Diagnosis codes, where the passage is about such."""
        if not self._about_codes():
            return
        in_column = _VERSION.search(self._passage.head) is not None
        for found in (_CODE if in_column else _LETTERED).finditer(self._rest):
            yield self._code(found.start(), found[1], found[2] or "")
            self._blank(*found.span())

    def items(self) -> Iterator[Rule]:
        """Item ids."""
        for found in _ITEM.finditer(self._rest):
            yield self._rule(
                found.start(), Kind.ITEM, self._subject(found.start()), self._equal(found.start()), found[1]
            )
            self._blank(*found.span())

    def numbers(self) -> Iterator[Rule]:
        """Limits, durations, factors."""
        for quantity in quantities(self._rest.replace("`", " ").replace("*", " "), self._passage.head):
            yield self._quantity(quantity)

    def words(self) -> Iterator[Rule]:
        """What the words say."""
        plain = self._rest
        for one in said(plain.replace("\n", " "), self._passage.heading):
            yield self._rule(
                one.start,
                one.kind,
                self._subject(one.start, wide=one.kind not in (Kind.AGGREGATE, Kind.TIE)),
                one.operator,
                one.value,
            )

    def _quantity(self, quantity: Quantity) -> Rule:
        start, before = quantity.start, self._rest[: quantity.start]
        after = self._rest[quantity.end :]
        subject = self._subject(quantity.series)
        gives = quantity.gives or (self._passage.gives if quantity.operator else "")
        scaled = _SCALED.search(before)
        if _DECIMALS.match(after):
            return self._rule(start, Kind.UNIT, subject, "round", quantity.value, unit="decimals")
        if quantity.duration:
            return self._rule(
                start,
                Kind.WINDOW,
                subject,
                quantity.operator,
                quantity.duration,
                unit=hour_unit(quantity.duration),
                gives=gives,
            )
        if scaled:
            operator = "divide by" if scaled.group().lower().startswith(("div", "/")) else "times"
            return self._rule(start, Kind.UNIT, subject, operator, quantity.value)
        if (
            "offset" in (self._passage.text + self._passage.heading).lower()
            and abs(float(quantity.value)) >= 60
        ):
            return self._rule(
                start, Kind.WINDOW, subject, quantity.operator, f"{float(quantity.value) / 60:.6g}", unit="h"
            )
        return self._rule(
            start,
            Kind.THRESHOLD,
            subject,
            quantity.operator or "=",
            quantity.value,
            unit=quantity.unit,
            gives=gives,
        )

    def _code(self, start: int, low: str, high: str) -> Rule:
        version = _VERSION.search(self._passage.head) or _VERSION.search(self._passage.text)
        unit = f"ICD-{version[1]}" if version else ""
        value = f"{low} to {high}" if high and high != low else low
        return self._rule(
            start,
            Kind.CODE,
            self._passage.about or self._subject(start),
            self._equal(start),
            value,
            unit=unit,
        )

    def _about_codes(self) -> bool:
        passage = self._passage
        return "icd" in f"{passage.head} {passage.about} {passage.heading} {passage.text}".lower()

    def _named(self) -> bool:
        """Whether a column of names holds the passage: what looks like a column there is a text."""
        return any(word in self._passage.head.lower() for word in ("name", "label", "text", "value"))

    def _equal(self, start: int) -> str:
        """Whether the value is named as one that counts or as one that does not."""
        hidden = hidden_spans(self._passage.text)
        before = hidden[max([0, *(found.end() for found in _AND.finditer(hidden[:start]))]) : start]
        after = _AND.split(hidden[start:])[0]
        return "not" if _NEGATED.search(before) or _NEGATED_AFTER.search(after) else "="

    def _subject(self, start: int, wide: bool = False) -> str:
        """The clause that holds ``start``, and in front of it what the cell or the sentence is about."""
        text = self._passage.text
        left = max(text.rfind(mark, 0, start) for mark in (",", ";", ":", "(")) + 1
        ends = [at for mark in (",", ";", ")") if (at := text.find(mark, start)) >= 0]
        clause = text[left : min(ends, default=len(text))]
        head = text[: text.find(":")] if 0 < text.find(":") < start and text.find(":") < 60 else ""
        whole = text if wide or not words(clause) else ""
        return " ".join(f"{self._passage.about} {head} {whole or clause}".replace("`", "").split())[:160]

    def _rule(
        self,
        start: int,
        kind: Kind,
        subject: str,
        operator: str,
        value: str,
        *,
        unit: str = "",
        gives: str = "",
    ) -> Rule:
        line = self._passage.line_at(start)
        found = entities(value) if kind is Kind.GRAIN else words(f"{subject} {self._passage.about}")
        return Rule(kind, subject, operator, value, unit, gives, self._file, line, found)

    def _blank(self, start: int, end: int) -> None:
        self._rest = self._rest[:start] + _BLANK * (end - start) + self._rest[end:]
