"""Where an Inspect sample's parts are read from: a member of the zip, members in chunks, or a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from workbench.trajectories.json_elements import JsonElements, Piece
from workbench.trajectories.values import list_of, mapping_of, number_of
from workbench.trajectories.zip_members import DamagedMember, Member, ZipMembers

MEMBER_BYTES = 256 * 1024 * 1024
"""Of one part of a sample that is held while its events are read."""

_CHUNK = re.compile(
    r"samples/(?P<name>[^/]+_epoch_\d+)/(?P<what>messages|events|attachments)/(?P<at>\d{1,15})\.json"
)
_SEQUENCES = frozenset({"messages", "events"})

Chunks = Mapping[str, list[Member]]


class SampleSource(Protocol):
    """One sample. ``damaged`` counts what could not be read of it, so far; ``name`` is its file's."""

    damaged: int
    name: str

    def about(self) -> dict[str, Any]:
        """Everything but its messages and events."""
        ...

    def attachments(self, about: Mapping[str, Any]) -> Mapping[str, Any]:
        """Long texts by the names that stand for them."""
        ...

    def pool(self, about: Mapping[str, Any]) -> list[Any]:
        """Messages that events name by their places."""
        ...

    def parts(self) -> Iterator[Piece]:
        """Its messages and events, each an element of ``messages`` or ``events``."""
        ...

    def conversation(self, about: Mapping[str, Any], pool: list[Any]) -> list[Any]:
        """Its messages where they stand in the pool only."""
        ...


class DocumentSample:
    """A sample that is in memory."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self.damaged = 0
        self.name = ""

    def about(self) -> dict[str, Any]:
        return {key: value for key, value in self._document.items() if key not in _SEQUENCES}

    def attachments(self, about: Mapping[str, Any]) -> Mapping[str, Any]:
        return mapping_of(about.get("attachments"))

    def pool(self, about: Mapping[str, Any]) -> list[Any]:
        return list_of(mapping_of(about.get("events_data")).get("messages"))

    def parts(self) -> Iterator[Piece]:
        for key in ("messages", "events"):
            for value in list_of(self._document.get(key)):
                yield Piece(key, value, True)

    def conversation(self, about: Mapping[str, Any], pool: list[Any]) -> list[Any]:
        return []


class MemberSample:
    """A sample in one member of the zip or, where there are ``chunks``, in many."""

    def __init__(self, archive: ZipMembers, member: Member, chunks: Chunks | None) -> None:
        self._archive, self._member, self._chunks = archive, member, chunks
        self.damaged = 0
        self.name = member.name.removeprefix("samples/").removesuffix(".json").removesuffix("/sample")

    def about(self) -> dict[str, Any]:
        return {
            piece.key: piece.value
            for piece in self._read(self._member, JsonElements((), _SEQUENCES, limit_bytes=MEMBER_BYTES))
            if not piece.element
        }

    def attachments(self, about: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._chunks is None:
            return mapping_of(about.get("attachments"))
        return {str(place): text for place, text in enumerate(self._sequence("attachments"))}

    def pool(self, about: Mapping[str, Any]) -> list[Any]:
        if self._chunks is None:
            return list_of(mapping_of(about.get("events_data")).get("messages"))
        return list(self._sequence("messages"))

    def parts(self) -> Iterator[Piece]:
        if self._chunks is not None:
            for event in self._sequence("events"):
                yield Piece("events", event, True)
            return
        seen = self.damaged
        for piece in self._read(self._member, _EventsOnly()):
            if piece.element:
                yield piece
        self.damaged = max(seen, self.damaged - seen)

    def conversation(self, about: Mapping[str, Any], pool: list[Any]) -> list[Any]:
        return ranges_of(about.get("message_refs"), pool)

    def _sequence(self, what: str) -> Iterator[Any]:
        for member in (self._chunks or {}).get(what, ()):
            for piece in self._read(member, JsonElements()):
                if piece.element:
                    yield piece.value

    def _read(self, member: Member, elements: JsonElements) -> Iterator[Piece]:
        broken = 0
        try:
            for data in self._archive.pieces(member):
                yield from elements.feed(data)
        except DamagedMember:
            broken = 1
        elements.close()
        self.damaged += max(elements.damaged, broken, not elements.documents)


class _EventsOnly(JsonElements):
    """Passes over every member but messages and events."""

    def __init__(self) -> None:
        super().__init__(_SEQUENCES, _AllBut(_SEQUENCES))


class _AllBut:
    """Every name but these."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)

    def __contains__(self, name: object) -> bool:
        return name not in self._names


def chunks_of(members: Iterable[Member]) -> dict[str, dict[str, list[Member]]]:
    """Samples that are in many members: by the sample's name and what they hold, in their order."""
    found: dict[str, dict[str, list[tuple[int, Member]]]] = {}
    for member in members:
        chunk = _CHUNK.fullmatch(member.name)
        if chunk is not None:
            kinds = found.setdefault(chunk["name"], {})
            kinds.setdefault(chunk["what"], []).append((int(chunk["at"]), member))
    return {
        name: {
            what: [member for _, member in sorted(parts, key=lambda part: part[0])]
            for what, parts in kinds.items()
        }
        for name, kinds in found.items()
    }


def ranges_of(refs: object, pool: list[Any]) -> list[Any]:
    """What stands at pairs of places, each from the first up to before the second."""
    found: list[Any] = []
    for ref in list_of(refs):
        bounds = [number_of(place) for place in list_of(ref)]
        if len(bounds) == 2 and bounds[0] is not None and bounds[1] is not None:
            found += pool[max(bounds[0], 0) : max(bounds[1], 0)]
    return found
