"""What the gateway asks of a provider's module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.records import Usage


@dataclass(frozen=True)
class Refusal:
    """Why a request goes no further; ``reason`` is told to the client and logged."""

    status: int
    reason: str


@dataclass(frozen=True)
class Route:
    """An allowed request: what is put after the endpoint's prefix, and whether it carries a JSON body."""

    method: str
    path: str
    body: bool


class Meter(Protocol):
    """Counts tokens in an answer as it passes."""

    def feed(self, data: bytes) -> None:
        """The next bytes of the body."""
        ...

    def usage(self) -> Usage | None:
        """What the provider says was used; None where it says nothing."""
        ...


class Provider(Protocol):
    """The paths of one kind of model API."""

    def route(self, method: str, target: str) -> Route | Refusal:
        """Only exact paths and methods; ``target`` is as sent."""
        ...

    def check(self, route: Route, body: Mapping[str, Any]) -> Refusal | None:
        """Whether the provider would do more than answer: search, run code, fetch, use stored state."""
        ...

    def prepare(self, route: Route, body: dict[str, Any]) -> dict[str, Any]:
        """The body to send on."""
        ...

    def credentials(self, key: str) -> dict[str, str]:
        """Headers that carry the key."""
        ...

    def meter(self, content_type: str) -> Meter:
        """A counter for an answer of this type."""
        ...
