"""Which keys mean what where the focus is: the registry with the user's keys, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode
from textual.keys import key_to_character

from workbench.tui.actions import by_id, keys_of

Chain = list[tuple[DOMNode, BindingsMap]]


class KeyChain:
    """Bindings of nodes with the user's keys.

    Textual takes the keys that are typed into a text away before it looks at the user's keys, so that a
    letter given to an action would not be typed any more; and it has bindings that no table names.
    Here a node has only the actions of the registry, and what is typed is taken away last.
    """

    def __init__(self) -> None:
        self._remapped: Mapping[str, str] = {}
        self._known: dict[type[DOMNode], BindingsMap] = {}

    @property
    def remapped(self) -> Mapping[str, str]:
        """The user's keys by the actions' ids."""
        return self._remapped

    def remap(self, remapped: Mapping[str, str]) -> None:
        """Take other keys from now on."""
        self._remapped = dict(remapped)
        self._known.clear()

    def of(self, nodes: Iterable[DOMNode]) -> Chain:
        """The bindings of ``nodes``, the focused one first."""
        chain: Chain = []
        typing: list[DOMNode] = []
        for node in nodes:
            found = self._bindings(node)
            if typing:
                found = BindingsMap.from_keys(
                    {
                        key: bindings
                        for key, bindings in found.key_to_bindings.items()
                        if not any(field.check_consume_key(key, key_to_character(key)) for field in typing)
                    }
                )
            chain.append((node, found))
            if node.check_consume_key("a", "a"):
                typing.append(node)
        return chain

    def _bindings(self, node: DOMNode) -> BindingsMap:
        kind = type(node)
        if kind not in self._known:
            self._known[kind] = self._made(node._bindings)
        return self._known[kind]

    def _made(self, declared: BindingsMap) -> BindingsMap:
        keys: dict[str, list[Binding]] = {}
        seen = set()
        for bindings in declared.key_to_bindings.values():
            for binding in bindings:
                action = by_id(binding.id or "")
                if action is None or action.id in seen:
                    continue
                seen.add(action.id)
                for key in keys_of(action, self._remapped):
                    keys.setdefault(key, []).append(binding.with_key(key))
        return BindingsMap.from_keys(keys)
