"""Texts of one log, cleaned: searched once each, looked up together, the same text cleaned the same way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from workbench.redaction.membership import Membership
from workbench.redaction.pseudonyms import Pseudonyms
from workbench.redaction.scan import Scanner
from workbench.redaction.spans import Change, Found, Kind, changed

BATCH_CHARACTERS = 4_000_000
"""So much text is searched before the source is asked."""
_NAMED = frozenset({Kind.SECRET, Kind.ADDRESS, Kind.PERSON, Kind.MACHINE})
_PLAIN = {Kind.VALUE: "[value]", Kind.QUOTE: "[quoted text]"}


class Texts:
    """``replaced``: kind of what was taken out to how often, a text that stands twice counted twice."""

    def __init__(
        self, scanner: Scanner, membership: Membership, pseudonyms: Pseudonyms, threshold: int
    ) -> None:
        self._scanner, self._membership, self._pseudonyms = scanner, membership, pseudonyms
        self._threshold = threshold
        self._cleaned: dict[str, tuple[str, list[str]]] = {}
        self.replaced: Counter[str] = Counter()

    def learn(self, texts: Iterable[str]) -> None:
        """Search all texts and ask the source for what is in them."""
        batch: dict[str, list[Found]] = {}
        held = 0
        for text in texts:
            if text in self._cleaned or text in batch:
                continue
            batch[text] = self._scanner.scan(text)
            held += len(text)
            if held > BATCH_CHARACTERS:
                self._settle(batch)
                batch, held = {}, 0
        self._settle(batch)

    def forget(self) -> None:
        """Let go of all cleaned texts; the same ones would be cleaned the same way."""
        self._cleaned.clear()

    def clean(self, text: str) -> str:
        """The text as it may be released."""
        if text not in self._cleaned:
            self.learn([text])
        made, kinds = self._cleaned[text]
        self.replaced.update(kinds)
        return made

    def word(self, kind: str, name: str) -> str:
        """Another name for the id of a call, a session, a message or a nested agent; none for none."""
        return f"{kind}-{self._pseudonyms.word(kind, name)}" if name else ""

    def _settle(self, batch: dict[str, list[Found]]) -> None:
        self._membership.ask(found for all_found in batch.values() for found in all_found)
        for text, all_found in batch.items():
            self._cleaned[text] = changed(text, self._changes(all_found))

    def _changes(self, all_found: Iterable[Found]) -> Iterator[Change]:
        for found in all_found:
            change = self._membership.change(found) if found.kind not in _PLAIN else None
            if found.kind in _NAMED:
                by = self._pseudonyms.mark(found.kind.value, str(found.value))
                change = Change(found.start, found.end, by, found.kind.value)
            elif found.kind in _PLAIN:
                change = Change(found.start, found.end, _PLAIN[found.kind], found.kind.value)
            elif found.kind is Kind.COUNT:
                change = Change(found.start, found.end, f"[under {self._threshold}]", found.kind.value)
            if change is not None:
                yield change
