"""What doctor says of the model endpoint."""

from __future__ import annotations

import http.client

from workbench.gateway.endpoint import Endpoint, EndpointKind, parse_endpoint
from workbench.records import MODEL_KEY_VARIABLE, HealthCheck, HealthState, WorkbenchError

NAME = "model endpoint"
TRY_TIMEOUT_S = 2.0


def endpoint_health(url: str, *, has_key: bool) -> HealthCheck:
    """Whether an endpoint is set and usable. Only one on this machine or in a private network is tried."""
    if not url:
        return HealthCheck(
            name=NAME,
            state=HealthState.MISSING,
            detail="not set; demonstrations are replayed",
            remedy=f"Set WORKBENCH_MODEL_ENDPOINT (a base URL) and {MODEL_KEY_VARIABLE}.",
        )
    try:
        endpoint = parse_endpoint(url)
    except WorkbenchError as error:
        return HealthCheck(name=NAME, state=HealthState.BROKEN, detail=error.what, remedy=error.remedy)
    place = f"{endpoint.kind} address, {endpoint.scheme}"
    if endpoint.kind is not EndpointKind.PUBLIC and not _answers(endpoint):
        return HealthCheck(
            name=NAME,
            state=HealthState.BROKEN,
            detail=f"{place}: nothing answers there",
            remedy="Start the model's server, or correct WORKBENCH_MODEL_ENDPOINT.",
        )
    if endpoint.kind is EndpointKind.PUBLIC:
        return HealthCheck(
            name=NAME,
            state=HealthState.OK if has_key else HealthState.LIMITED,
            detail=f"{place}, not tried; what the agent reads leaves this machine",
            remedy="" if has_key else f"Set {MODEL_KEY_VARIABLE}.",
        )
    return HealthCheck(name=NAME, state=HealthState.OK, detail=f"{place}{'' if has_key else ', without key'}")


def _answers(endpoint: Endpoint) -> bool:
    try:
        connection = endpoint.connect(TRY_TIMEOUT_S)
    except (OSError, http.client.HTTPException):
        return False
    connection.close()
    return True
