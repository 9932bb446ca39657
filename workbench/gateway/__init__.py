"""The host-side model gateway of one run, and its hash-chained egress log."""

from workbench.gateway.egress import read_egress, verify_egress
from workbench.gateway.endpoint import Endpoint, EndpointKind, endpoint_kind, parse_endpoint
from workbench.gateway.exchange import Bounds
from workbench.gateway.health import endpoint_health
from workbench.gateway.server import Gateway

__all__ = [
    "Bounds",
    "Endpoint",
    "EndpointKind",
    "Gateway",
    "endpoint_health",
    "endpoint_kind",
    "parse_endpoint",
    "read_egress",
    "verify_egress",
]
