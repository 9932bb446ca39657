"""One request: from the sandbox to the model's endpoint and back, the key put in on the way."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from workbench.gateway.endpoint import Endpoint
from workbench.gateway.provider import Provider, Refusal, Route
from workbench.gateway.scrub import Scrubber, masked, without_fragments
from workbench.gateway.upstream import FinalAnswer
from workbench.gateway.wire import Malformed, RequestHead, read_body, read_head
from workbench.records import Usage

PIECE_BYTES = 64 * 1024
FORWARDED = ("accept", "content-type", "openai-beta")
"""Request headers that are sent on; everything else the client says about itself stays here."""
RETURNED = ("content-type", "retry-after", "x-request-id", "openai-processing-ms", "openai-model")
"""Answer headers that are handed back, and those that begin with ``RATE_PREFIX``."""
RATE_PREFIX = "x-ratelimit-"
KEY_REFUSED = {
    401: "the model endpoint does not accept the key it was given",
    403: "the model endpoint does not allow this key to ask this",
}
"""Answers whose text is not handed on: it mostly quotes the key, or says whose it is."""
ERROR_BYTES = 1024 * 1024
MODEL_READ = 2_000
USER_AGENT = "clinical-skills-workbench"


@dataclass(frozen=True)
class Bounds:
    """What one exchange may take; bytes and seconds."""

    request_bytes: int = 32 * 1024 * 1024
    answer_bytes: int = 256 * 1024 * 1024
    client_idle_s: float = 30.0
    upstream_idle_s: float = 300.0


@dataclass
class Outcome:
    """What the egress log says of an exchange, filled in as it goes."""

    method: str = "-"
    path: str = "-"
    allowed: bool = False
    reason: str = ""
    status: int | None = None
    bytes_in: int = 0
    bytes_out: int = 0
    model: str = ""
    usage: Usage | None = None


@dataclass
class Exchange:
    """Serves one connection from inside the sandbox.

    Within ``track(socket)`` the gateway ends the socket when it closes.
    """

    endpoint: Endpoint
    provider: Provider
    key: str
    bounds: Bounds
    track: Callable[[socket.socket], AbstractContextManager[None]]
    outcome: Outcome = field(default_factory=Outcome)
    _chunked: bool = False

    def serve(self, client: socket.socket) -> bool:
        """Read one request and answer it. False if the connection ended without one."""
        client.settimeout(self.bounds.client_idle_s)
        with client.makefile("rb") as reader:
            try:
                head = read_head(reader)
                if head is None:
                    return False
                self._note(head)
                self._request(client, reader, head)
            except Malformed as error:
                self.outcome.reason = error.reason
                self.refuse(client, error.status, error.reason)
        return True

    def refuse(self, client: socket.socket, status: int, message: str) -> None:
        """Answer with an error document in the API's own shape."""
        self.outcome.status = status
        kind = "gateway_refused" if not self.outcome.allowed else "gateway_upstream"
        document = {"error": {"message": f"gateway: {message}", "type": kind, "code": kind}}
        data = json.dumps(document).encode()
        head = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        self._send(client, _head_bytes(status, head) + data)

    def _note(self, head: RequestHead) -> None:
        shown = masked(head.target.split("?", 1)[0], self.key)[:200]
        self.outcome.method = head.method
        self.outcome.path = "".join(c if c.isascii() and c.isprintable() else "?" for c in shown)

    def _request(self, client: socket.socket, reader: BinaryIO, head: RequestHead) -> None:
        found = self._admit(head)
        if isinstance(found, Refusal):
            self.outcome.reason = masked(found.reason, self.key)
            self.refuse(client, found.status, found.reason)
            return
        if "100-continue" in head.headers.get("expect", "").lower():
            client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        data = read_body(reader, head.headers, self.bounds.request_bytes)
        self.outcome.bytes_in = len(data)
        payload: bytes | None = None
        if found.body:
            checked = self._checked(found, data)
            if isinstance(checked, Refusal):
                self.outcome.reason = masked(checked.reason, self.key)
                self.refuse(client, checked.status, checked.reason)
                return
            payload = checked
        self.outcome.allowed = True
        self._chunked = head.minor == 1
        self._forward(client, found, head, payload)

    def _admit(self, head: RequestHead) -> Route | Refusal:
        route = self.provider.route(head.method, head.target)
        if isinstance(route, Refusal):
            return route
        if "upgrade" in head.headers:
            return Refusal(403, "changing the protocol is not allowed")
        if route.body and head.headers.get("content-encoding", "identity").lower() != "identity":
            return Refusal(415, "an encoded body cannot be checked")
        return route

    def _checked(self, route: Route, data: bytes) -> bytes | Refusal:
        """The body as it was understood here, written anew, so that nothing else can be read into it."""
        try:
            body = json.loads(data)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            return Refusal(400, "the body is not a JSON object")
        model = body.get("model")
        shown = masked(model[:MODEL_READ], self.key)[:100] if isinstance(model, str) else ""
        self.outcome.model = "".join(c if c.isprintable() else "?" for c in shown)
        refusal = self.provider.check(route, body)
        if refusal is not None:
            return refusal
        try:
            return json.dumps(self.provider.prepare(route, body), allow_nan=False).encode()
        except (ValueError, RecursionError):
            return Refusal(400, "the body cannot be written as JSON")

    def _forward(self, client: socket.socket, route: Route, head: RequestHead, payload: bytes | None) -> None:
        try:
            connection = self.endpoint.connect()
        except (OSError, http.client.HTTPException) as error:
            self._upstream_failed(client, *_failure(error))
            return
        with closing(connection), self.track(connection.sock):
            try:
                connection.sock.settimeout(self.bounds.upstream_idle_s)
                self._ask(connection, route, head, payload)
                connection.response_class = FinalAnswer
                answer = connection.getresponse()
            except (OSError, http.client.HTTPException) as error:
                self._upstream_failed(client, *_failure(error))
                return
            with answer:
                self._answer(client, answer)

    def _ask(
        self, connection: http.client.HTTPConnection, route: Route, head: RequestHead, payload: bytes | None
    ) -> None:
        path = self.endpoint.prefix + route.path
        connection.putrequest(route.method, path, skip_host=True, skip_accept_encoding=True)
        headers = {"Host": self.endpoint.authority, "User-Agent": USER_AGENT, "Accept-Encoding": "identity"}
        headers |= {name: head.headers[name] for name in FORWARDED if name in head.headers}
        if payload is not None:
            headers |= {"content-type": "application/json", "Content-Length": str(len(payload))}
        for name, value in {**headers, "Connection": "close", **self.provider.credentials(self.key)}.items():
            connection.putheader(name, value.encode("latin-1"))
        connection.endheaders(payload)

    def _answer(self, client: socket.socket, answer: http.client.HTTPResponse) -> None:
        if 300 <= answer.status < 400:
            self._upstream_failed(client, 502, "the model endpoint redirects, which is not followed")
            return
        if answer.status in KEY_REFUSED:
            self._upstream_failed(client, answer.status, KEY_REFUSED[answer.status])
            return
        if answer.status >= 400:
            self._error(client, answer)
            return
        self.outcome.status = answer.status
        headers = self._returned(answer)
        if self._chunked:
            headers["Transfer-Encoding"] = "chunked"
        self._send(client, _head_bytes(answer.status, headers))
        meter = self.provider.meter(answer.headers.get("Content-Type", ""))
        scrubber = Scrubber(self.key)
        try:
            whole = self._pass(client, answer, scrubber, meter.feed)
            self._piece(client, scrubber.close())
            if whole and self._chunked:
                self._send(client, b"0\r\n\r\n")
        finally:
            self.outcome.usage = meter.usage()
            if scrubber.found:
                self._because("the answer held the key, which was taken out")

    def _error(self, client: socket.socket, answer: http.client.HTTPResponse) -> None:
        """Hand on an error's text, which may quote the key with a part of it masked."""
        self.outcome.status = answer.status
        try:
            data = answer.read(ERROR_BYTES)
        except (OSError, http.client.HTTPException):
            data = b""
            self._because("the answer broke off")
        self.outcome.bytes_out = len(data)
        text = data.decode("utf-8", errors="replace")
        clean = without_fragments(text, self.key)
        if clean != text:
            self._because("the answer held the key or a part of it, which was taken out")
            data = clean.encode()
        headers = {**self._returned(answer), "Content-Length": str(len(data))}
        self._send(client, _head_bytes(answer.status, headers) + data)

    def _pass(
        self,
        client: socket.socket,
        answer: http.client.HTTPResponse,
        scrubber: Scrubber,
        count: Callable[[bytes], None],
    ) -> bool:
        """Hand the body on as it arrives; whether it came to its end."""
        left = answer.length
        while left is None or left > 0:
            try:
                data = answer.read1(PIECE_BYTES if left is None else min(PIECE_BYTES, left))
            except (OSError, http.client.HTTPException):
                self._because("the answer broke off")
                return False
            if not data:
                if left is not None:
                    self._because("the answer broke off")
                return left is None
            left = None if left is None else left - len(data)
            self.outcome.bytes_out += len(data)
            if self.outcome.bytes_out > self.bounds.answer_bytes:
                self._because("the answer was too large")
                return False
            count(data)
            self._piece(client, scrubber.feed(data))
        return True

    def _returned(self, answer: http.client.HTTPResponse) -> dict[str, str]:
        return {
            name: value
            for name, value in answer.headers.items()
            if (name.lower() in RETURNED or name.lower().startswith(RATE_PREFIX))
            and value.isascii()
            and value.isprintable()
            and without_fragments(value, self.key) == value
        }

    def _upstream_failed(self, client: socket.socket, status: int, message: str) -> None:
        self._because(message)
        self.refuse(client, status, message)

    def _because(self, reason: str) -> None:
        self.outcome.reason = f"{self.outcome.reason}; {reason}" if self.outcome.reason else reason

    def _piece(self, client: socket.socket, data: bytes) -> None:
        if data:
            self._send(client, b"%x\r\n%s\r\n" % (len(data), data) if self._chunked else data)

    def _send(self, client: socket.socket, data: bytes) -> None:
        try:
            client.sendall(data)
        except OSError:
            raise ClientGone from None


class ClientGone(Exception):
    """The sandbox's end of the connection is no more."""


def _failure(error: Exception) -> tuple[int, str]:
    if isinstance(error, TimeoutError):
        return 504, "the model endpoint did not answer in time"
    if isinstance(error, ssl.SSLError):
        return 502, "a safe connection to the model endpoint could not be made"
    return 502, "the model endpoint cannot be reached"


def _head_bytes(status: int, headers: Mapping[str, Any]) -> bytes:
    reason = http.client.responses.get(status, "Status")
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1")
