"""What tools printed and a release still says: sentences, and values that stood beside each other in a row.

What was said before any tool printed it is no quotation, and a file of words or code that was shown is not a
print of data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from workbench.records import Step, ToolCall
from workbench.redaction.documents import Documents
from workbench.redaction.release_units import Unit

WORDS = 10
"""So many words in a row are no coincidence."""
MOST_HELD = 400_000
"""Stretches of the release that are held; of a larger one only every second, fourth, ... of them."""
MOST_CALLS = 2_000
"""Calls that are remembered for what comes back for them."""
SENTENCE, ROW = "a sentence of an output", "values of a row of an output"
_LETTERS = r"[^\W_]+(?:['’-][^\W_]+)*"
_SENTENCE = re.compile(rf"(?<!\w)(?!\d){_LETTERS}(?:[,;.:]? \(?{_LETTERS}\)?){{9,4000}}")
_DECIMAL = re.compile(r"(?<![\w.,])\d{1,9}\.\d{1,12}(?!\w|[.,]\d)")
_WORD = re.compile(_LETTERS)


class Overlap:
    """Filled with the released texts, then told the raw steps in their order."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[str, str]] = {}
        self._every = 1
        self.faults: dict[tuple[str, str], None] = {}
        """(kind, place) in the order of the raw log."""
        self._rows = False

    def add(self, unit: Unit) -> None:
        """A text of the release."""
        for kind, stretches in _stretches(unit.text, rows=True):
            here = kind, unit.place
            self._rows = self._rows or kind == ROW
            for stretch in stretches:
                if stretch % self._every == 0:
                    self._held.setdefault(stretch, here)
        while len(self._held) > MOST_HELD:
            self._every *= 2
            self._held = {at: one for at, one in self._held.items() if at % self._every == 0}

    def compare(self, steps: Iterable[Step], public: Iterable[str] = ()) -> None:
        """The raw steps: what each says, and then what came back for it. ``public`` is no quotation."""
        for text in public:
            self._own(text)
        documents = Documents()
        calls: dict[str, ToolCall] = {}
        for step in steps:
            if not self._held:  # nothing is left that could be a quotation
                continue
            for text in (step.message, step.reasoning, *(call.model_dump_json() for call in step.calls)):
                self._own(_unescaped(text))
            if len(calls) > MOST_CALLS:
                calls.clear()
            calls.update((call.call_id, call) for call in step.calls)
            for back in step.observations:
                if documents.shown_by(calls.get(back.call_id)):
                    continue
                for _, stretches in _stretches(_unescaped(back.text), rows=self._rows):
                    for stretch in self._held.keys() & stretches:
                        self.faults.setdefault(self._held.pop(stretch))
            documents.went_by(step)

    def _own(self, text: str) -> None:
        for _, stretches in _stretches(text, rows=self._rows):
            for stretch in self._held.keys() & stretches:
                del self._held[stretch]


def _stretches(text: str, *, rows: bool) -> Iterator[tuple[str, list[int]]]:
    """Kind and hashes of the stretches of each sentence; values of rows only where they are wanted."""
    low = text.lower()
    for sentence in _SENTENCE.finditer(low):
        words = _WORD.findall(sentence[0])
        yield SENTENCE, [hash(stretch) for stretch in zip(*(words[at:] for at in range(WORDS)), strict=False)]
    if rows and low.count(".") > 1:
        before, end = "", -1
        for value in _DECIMAL.finditer(low):
            if len(value[0].replace(".", "").strip("0")) < 3:
                continue
            near = end >= 0 and value.start() - end < 40 and "\n" not in low[end : value.start()]
            if near and before != value[0]:
                yield ROW, [hash((before, value[0]))]
            before, end = value[0], value.end()


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n").replace('\\"', '"') if "\\" in text else text
