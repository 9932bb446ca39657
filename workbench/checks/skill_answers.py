"""A skill beside the answers: the reference's SQL, the stories and expected values of made-up rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.catalog import Content, FamilyFiles
from workbench.checks.finding import Report, line_at, text_at
from workbench.records import BadInput, Expectation, Family
from workbench.records.audit import Cell

SQL_RUN = 7
"""Words in a row that a skill may not share with a reference's code; by chance it shares four at most."""
STORY_RUN = 10
"""The same of the story of a case; by chance it is six at most."""
LEAST_VALUES, LEAST_WITH_TELLING = 4, 3
"""Values of an expected row that one line may not hold in order; fewer where one is unlikely by chance."""
_WORD = re.compile(r"[a-z_][a-z0-9_]*")
_STORY_WORD = re.compile(r"[a-z0-9_]+(?:\.[0-9]+)?")
_VALUE = re.compile(r"\d+(?:\.\d+)?|[a-z][a-z0-9_-]*")
_LITERAL = re.compile(r"'(?:[^']|'')*'|\b\d+(?:\.\d+)?\b")


def check_answers(content: Content, family: Family, skills: Iterable[str], report: Report) -> None:
    """The skills that a family's tasks give, against everything that says the answer."""
    files = content.files(family.name)
    codes = [(path.name, _code_words(text_at(path))) for path in sorted(files.paths.folder.glob("*.sql"))]
    stories, expected = _made_up(content, files)
    for name in skills:
        path = content.paths.skill(name)
        text = text_at(path)
        runs = _Runs.of(text, _WORD, SQL_RUN)
        for file, code in codes:
            if found := runs.shared(code):
                report.add("skill-answer", path, f"holds SQL of {file}: {found[0]}", line=found[1])
        runs = _Runs.of(text, _STORY_WORD, STORY_RUN)
        for case, story in stories:
            if found := runs.shared(story):
                what = f"tells the story of the case {case}: {found[0]}"
                report.add("skill-answer", path, what, line=found[1])
        for case, values in expected:
            line = _line_with_all(text, values)
            if line:
                report.add("skill-answer", path, f"holds the expected values of the case {case}", line=line)
                break


@dataclass(frozen=True)
class _Runs:
    """The runs of so many words in a row of a skill, each with the line where it first begins."""

    length: int
    lines: Mapping[tuple[str, ...], int]

    @classmethod
    def of(cls, text: str, word: re.Pattern[str], length: int) -> _Runs:
        """Of a text whose words are what ``word`` matches."""
        found = [(match[0], match.start()) for match in word.finditer(text.lower())]
        lines: dict[tuple[str, ...], int] = {}
        for start in range(len(found) - length + 1):
            run = tuple(name for name, _ in found[start : start + length])
            lines.setdefault(run, found[start][1])
        return cls(length, {run: line_at(text, start) for run, start in lines.items()})

    def shared(self, words: Sequence[str]) -> tuple[str, int] | None:
        """The first run that ``words`` have too, and its line here."""
        for start in range(len(words) - self.length + 1):
            run = tuple(words[start : start + self.length])
            if run in self.lines:
                return " ".join(run), self.lines[run]
        return None


def _code_words(sql: str) -> list[str]:
    """Words of the code, an empty one for each literal: lists of codes are shared on purpose."""
    code = "\n".join(line.split("--")[0] for line in sql.lower().split("\n"))
    return [word.strip("|") for word in re.findall(r"[a-z_][a-z0-9_]*|\|", _LITERAL.sub(" | ", code))]


def _made_up(
    content: Content, files: FamilyFiles
) -> tuple[list[tuple[str, list[str]]], list[tuple[str, list[str]]]]:
    """Stories of made-up rows as words, and their expected values, each with the case's id."""
    told: list[tuple[str, str, Sequence[Expectation]]] = []
    try:
        told += [
            (stay.id, stay.story, stay.expected) for one in files.worked_examples() for stay in one.stays
        ]
        cases = [case for caveat in content.audit(files.name).caveats for case in caveat.witness]
        told += [(case.id, case.story, [*case.reference, *case.definition]) for case in cases]
    except BadInput:
        return [], []  # told elsewhere
    stories = [(name, [found[0] for found in _STORY_WORD.finditer(story.lower())]) for name, story, _ in told]
    return stories, [(name, values) for name, _, rows in told for values in _telling(rows)]


def _telling(rows: Sequence[Expectation]) -> Iterator[list[str]]:
    for row in rows:
        values = [_as_text(value) for value in (*row.key.values(), *row.values.values()) if value is not None]
        unlikely = any(re.search(r"\d\.\d|\d{3}", value) for value in values[len(row.key) :])
        if row.values and len(values) >= (LEAST_WITH_TELLING if unlikely else LEAST_VALUES):
            yield values


def _as_text(value: Cell) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if number else str(value).lower()


def _line_with_all(text: str, values: Sequence[str]) -> int:
    """The first line that holds all values in their order; 0 if there is none."""
    for number, line in enumerate(text.lower().split("\n"), 1):
        found = iter([_number(word) for word in _VALUE.findall(line)])
        if all(value in found for value in values):
            return number
    return 0


def _number(word: str) -> str:
    return f"{float(word):g}" if word[0].isdigit() else word
