"""Style sheets parsed once. Textual parses all of them again whenever a screen brings one of its own."""

from __future__ import annotations

from collections.abc import Iterator

from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widget import Widget

_SOURCES = 512


def own_kinds(kind: type[DOMNode] = Widget) -> Iterator[type[DOMNode]]:
    """All classes of widgets in this package that are imported by now."""
    for narrower in kind.__subclasses__():
        if narrower.__module__.startswith(__package__):
            yield narrower
        yield from own_kinds(narrower)


class StyleSheet(Stylesheet):
    """Textual's, keeping what is parsed for as long as the theme's variables stay the same.

    Pinned to one version of Textual: its cache and its variables are private.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(_SOURCES)

    def learn(self, kind: type[DOMNode]) -> bool:
        """Add the sheets that a class brings with it before its first widget does. Whether any is new."""
        known = len(self.source)
        node = kind.__new__(kind)
        for place, css, rank, scope in node._get_default_css():
            self.add_source(css, read_from=place, is_default_css=True, tie_breaker=rank, scope=scope)
        return len(self.source) > known

    def set_variables(self, variables: dict[str, str]) -> None:
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Parse what is new. An error leaves the rules as they were."""
        self.parse()
