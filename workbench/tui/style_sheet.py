"""Style sheets parsed once. Textual parses all of them again whenever a screen brings one of its own."""

from __future__ import annotations

from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet

_SOURCES = 512


class StyleSheet(Stylesheet):
    """Textual's, keeping what is parsed for as long as the theme's variables stay the same.

    Pinned to one version of Textual: its cache and its variables are private.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(_SOURCES)

    def set_variables(self, variables: dict[str, str]) -> None:
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Parse what is new. An error leaves the rules as they were."""
        self.parse()
