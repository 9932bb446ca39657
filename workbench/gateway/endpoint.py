"""A model endpoint: its address checked, and how far away it is."""

from __future__ import annotations

import http.client
import ipaddress
import ssl
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from workbench.records import BadInput, Refused

PRIVATE_SUFFIXES = (".local", ".internal", ".lan", ".home.arpa", ".intranet", ".corp", ".test")
CONNECT_TIMEOUT_S = 10.0


class EndpointKind(StrEnum):
    """Where requests end up."""

    LOOPBACK = "loopback"  # this machine
    PRIVATE = "private"  # a network one controls
    PUBLIC = "public"  # anybody's


@dataclass(frozen=True)
class Endpoint:
    """A base URL as in ``OPENAI_BASE_URL``: what follows ``/v1`` in a request is put after ``prefix``."""

    scheme: str
    host: str
    port: int
    prefix: str
    kind: EndpointKind

    @property
    def authority(self) -> str:
        """The Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        default = 443 if self.scheme == "https" else 80
        return host if self.port == default else f"{host}:{self.port}"

    def connect(self, timeout_s: float = CONNECT_TIMEOUT_S) -> http.client.HTTPConnection:
        """An open connection; never through a proxy. Raises OSError."""
        connection: http.client.HTTPConnection
        if self.scheme == "https":
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(self.host, self.port, timeout=timeout_s, context=context)
        else:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout_s)
        connection.connect()
        return connection


def parse_endpoint(url: str) -> Endpoint:
    """Check a configured endpoint. Raises BadInput, and Refused where a key would travel unprotected."""
    remedy = "Give it like https://host/v1 or http://127.0.0.1:8000/v1."
    where = "model endpoint"
    try:
        parts = urlsplit(url)
        port = parts.port
        (parts.hostname or "").encode("idna")
    except ValueError:
        raise BadInput("not a valid URL", where=where, remedy=remedy) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isascii():
        raise BadInput("not an http or https URL with a host", where=where, remedy=remedy)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise BadInput(
            "it holds a user, password, query or fragment",
            where=where,
            remedy=f"Keep keys out of it. {remedy}",
        )
    if any(character <= " " or character == "\x7f" for character in url):
        raise BadInput("it holds white space or control characters", where=where, remedy=remedy)
    kind = endpoint_kind(url)
    if parts.scheme == "http" and kind is EndpointKind.PUBLIC:
        raise Refused(
            "the key and the patients' data would cross a public network in clear text",
            where=where,
            remedy="Use https, or a model on this machine or in your own network.",
        )
    return Endpoint(
        scheme=parts.scheme,
        host=parts.hostname,
        port=port or (443 if parts.scheme == "https" else 80),
        prefix=parts.path.rstrip("/") or "/v1",
        kind=kind,
    )


def endpoint_kind(url: str) -> EndpointKind:
    """How far away a URL's host is, told from its name alone (nothing is looked up)."""
    host = (urlsplit(url).hostname or "").rstrip(".").lower()
    try:
        address = ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        if host == "localhost" or host.endswith(".localhost"):
            return EndpointKind.LOOPBACK
        if "." not in host or host.endswith(PRIVATE_SUFFIXES):
            return EndpointKind.PRIVATE
        return EndpointKind.PUBLIC
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if address.is_loopback:
        return EndpointKind.LOOPBACK
    if address.is_private or address.is_link_local:
        return EndpointKind.PRIVATE
    return EndpointKind.PUBLIC
