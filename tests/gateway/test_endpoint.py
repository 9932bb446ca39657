"""Addresses of model endpoints."""

from __future__ import annotations

import socket

import pytest

from workbench.gateway import EndpointKind, endpoint_health, endpoint_kind, parse_endpoint
from workbench.records import BadInput, HealthState, Refused, WorkbenchError


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://127.0.0.1:8000/v1", EndpointKind.LOOPBACK),
        ("http://127.9.9.9", EndpointKind.LOOPBACK),
        ("http://[::1]:80/v1", EndpointKind.LOOPBACK),
        ("http://[::ffff:127.0.0.1]/v1", EndpointKind.LOOPBACK),
        ("http://LOCALHOST./v1", EndpointKind.LOOPBACK),
        ("http://model.localhost/v1", EndpointKind.LOOPBACK),
        ("http://10.1.2.3/v1", EndpointKind.PRIVATE),
        ("http://192.168.1.1/v1", EndpointKind.PRIVATE),
        ("http://[fd00::1]/v1", EndpointKind.PRIVATE),
        ("http://gpu-box/v1", EndpointKind.PRIVATE),
        ("http://llm.hospital.internal/v1", EndpointKind.PRIVATE),
        ("https://8.8.8.8/v1", EndpointKind.PUBLIC),
        ("https://api.example.com/v1", EndpointKind.PUBLIC),
        ("https://localhost.example.com/v1", EndpointKind.PUBLIC),
        ("https://127.0.0.1.example.com/v1", EndpointKind.PUBLIC),
    ],
)
def test_how_far_away(url: str, kind: EndpointKind) -> None:
    assert endpoint_kind(url) is kind
    assert parse_endpoint(url).kind is kind


@pytest.mark.parametrize(
    ("url", "prefix", "authority"),
    [
        ("http://127.0.0.1:8000", "/v1", "127.0.0.1:8000"),
        ("http://127.0.0.1:8000/", "/v1", "127.0.0.1:8000"),
        ("https://api.example.com/openai/v1/", "/openai/v1", "api.example.com"),
        ("http://[::1]:9/v1", "/v1", "[::1]:9"),
    ],
)
def test_base_urls(url: str, prefix: str, authority: str) -> None:
    endpoint = parse_endpoint(url)
    assert (endpoint.prefix, endpoint.authority) == (prefix, authority)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("", BadInput),
        ("api.example.com/v1", BadInput),
        ("ftp://example.com", BadInput),
        ("https://", BadInput),
        ("https://user:sk-secret@example.com/v1", BadInput),
        ("https://example.com/v1?key=sk-secret", BadInput),
        ("https://example.com/v1#x", BadInput),
        ("https://example.com:99999/v1", BadInput),
        ("https://exa mple.com/v1", BadInput),
        (f"https://{'a' * 70}.com/v1", BadInput),
        ("https://bücher.example/v1", BadInput),
        ("http://api.example.com/v1", Refused),
    ],
)
def test_unusable_addresses(url: str, error: type[WorkbenchError]) -> None:
    with pytest.raises(error) as caught:
        parse_endpoint(url)
    assert "sk-secret" not in str(caught.value)


def test_health() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        assert endpoint_health(url, has_key=False).state is HealthState.OK
    assert endpoint_health(url, has_key=True).state is HealthState.BROKEN
    assert endpoint_health("", has_key=False).state is HealthState.MISSING
    assert endpoint_health("https://api.example.com/v1", has_key=False).state is HealthState.LIMITED
    assert endpoint_health("nonsense", has_key=True).state is HealthState.BROKEN
