"""Style sheets parsed once. Textual parses all of them again whenever a screen brings one of its own."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from textual.cache import LRUCache
from textual.css.styles import RulesMap
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

    A widget whose class has ``steady_parts`` promises that the styles of its parts (component classes) follow
    from its class and the theme alone. They are then worked out once for the class, and not again whenever
    the widget gains or loses the focus.

    Pinned to one version of Textual: its cache and its variables are private.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(_SOURCES)
        self._parts: dict[tuple[type[DOMNode], str], RulesMap] = {}
        self._with_parts: WeakKeyDictionary[DOMNode, dict[tuple[type[DOMNode], str], RulesMap]] = (
            WeakKeyDictionary()
        )

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
            self._parts = {}

    def parse(self) -> None:
        super().parse()
        self._parts = {}

    def reparse(self) -> None:
        """Parse what is new. An error leaves the rules as they were."""
        self.parse()

    def _process_component_classes(self, node: DOMNode) -> None:
        if not getattr(node, "steady_parts", False):
            super()._process_component_classes(node)
            return
        self.rules_map  # noqa: B018  parses what is new, which may void the parts known
        parts = self._parts
        if self._with_parts.get(node) is parts:
            return
        self._with_parts[node] = parts
        node._component_styles.clear()
        for name in sorted(node._get_component_classes()):
            part = DOMNode(classes=name)
            part._attach(node)
            known = parts.get((type(node), name))
            if known is None:
                self.apply(part)
                parts[(type(node), name)] = part.styles.base.get_rules()
            else:
                part.styles.base.merge_rules(known)
            node._component_styles[name] = part.styles
        if isinstance(node, Widget):
            node.refresh()
