"""The gateway of one run: accepts inside the sandbox, lives outside, holds the key, keeps the log."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

from workbench.gateway.egress import EgressLog, verify_egress
from workbench.gateway.endpoint import parse_endpoint
from workbench.gateway.exchange import Bounds, ClientGone, Exchange, Outcome
from workbench.gateway.provider import Provider
from workbench.gateway.providers.openai import OpenAI
from workbench.records import BadInput, Clock, EgressSummary, SystemClock, Usage

CONCURRENT_LIMIT = 16
REQUEST_LIMIT = 20_000
"""Requests of one run that are logged one by one; what comes after is refused and counted."""
CLOSE_WAIT_S = 10.0
LINGER_S = 2.0
TURNED_AWAY_LINGER_S = 0.2
LINGER_BYTES = 1024 * 1024


class Gateway:
    """Forwards the model's paths of one run to ``endpoint`` with ``key``; everything else is refused.

    Raises BadInput or Refused for an endpoint or key that cannot be used, WorkbenchError where the log
    cannot be made. Once a line of the log cannot be written, nothing passes any more and the chain is not
    valid. ``close`` must be called, and gives the summary.
    """

    def __init__(
        self,
        endpoint: str,
        key: str,
        log: Path,
        *,
        clock: Clock | None = None,
        provider: Provider | None = None,
        bounds: Bounds | None = None,
        request_limit: int = REQUEST_LIMIT,
    ) -> None:
        if not (key.isascii() and (key.isprintable() and " " not in key)):
            raise BadInput("the model endpoint's key holds characters that no key has", where="model key")
        self._endpoint = parse_endpoint(endpoint)
        self._key = key
        self._clock = clock or SystemClock()
        self._provider = provider or OpenAI()
        self._bounds = bounds or Bounds()
        self._request_limit = request_limit
        self._path = log
        self._log = EgressLog(log, self._clock)
        self._guard = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: set[threading.Thread] = set()
        self._listener: socket.socket | None = None
        self._acceptor: threading.Thread | None = None
        self._closing = False
        self._sealed = False
        self._unlogged = False
        self._dropped = 0
        self._summary = EgressSummary()

    def serve(self, listener: socket.socket) -> None:
        """Begin accepting on a listening socket, which is the gateway's from now on; returns at once."""
        self._listener = listener
        self._acceptor = threading.Thread(target=self._accept, args=(listener,), daemon=True)
        self._acceptor.start()

    def close(self) -> EgressSummary:
        """Stop, end what is open, write the closing line. May be called once."""
        with self._guard:
            self._closing = True
            opened, threads = list(self._open), list(self._threads)
        if self._listener is not None:
            _end(self._listener)
        for one in opened:
            _end(one)
        for thread in [self._acceptor, *threads]:
            if thread is not None:
                thread.join(CLOSE_WAIT_S)
        with self._guard:
            self._sealed = True
        dropped = f"{self._dropped} further requests refused" if self._dropped else ""
        with contextlib.suppress(OSError):
            self._log.close(dropped)
        valid, _ = verify_egress(self._path)
        return self._summary.model_copy(
            update={
                "refused": self._summary.refused + self._dropped,
                "requests": self._summary.requests + self._dropped,
                "chain_valid": valid,
                "head_hash": self._log.head,
            }
        )

    def _accept(self, listener: socket.socket) -> None:
        with listener:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with self._guard:
                    busy = self._closing or self._unlogged or len(self._threads) >= CONCURRENT_LIMIT
                    if not busy:
                        thread = threading.Thread(target=self._connection, args=(client,), daemon=True)
                        self._threads.add(thread)
                        self._open.add(client)
                        thread.start()
                if busy:
                    self._turn_away(client)

    def _turn_away(self, client: socket.socket) -> None:
        exchange = self._exchange()
        unlogged = "the egress log cannot be written, so nothing passes"
        exchange.outcome.reason = unlogged if self._unlogged else "too many requests at a time"
        client.settimeout(1.0)
        with client, contextlib.suppress(ClientGone):
            exchange.refuse(client, 503, exchange.outcome.reason)
            _linger(client, TURNED_AWAY_LINGER_S)
        self._record(exchange.outcome, self._clock.monotonic_s())

    def _exchange(self) -> Exchange:
        return Exchange(self._endpoint, self._provider, self._key, self._bounds, self._track)

    @contextlib.contextmanager
    def _track(self, upstream: socket.socket) -> Iterator[None]:
        with self._guard:
            self._open.add(upstream)
            closing = self._closing
        if closing:
            _end(upstream)
        try:
            yield
        finally:
            with self._guard:
                self._open.discard(upstream)

    def _connection(self, client: socket.socket) -> None:
        try:
            with client:
                self._exchange_and_record(client)
                _linger(client)
        finally:
            with self._guard:
                self._threads.discard(threading.current_thread())
                self._open.discard(client)

    def _exchange_and_record(self, client: socket.socket) -> None:
        exchange = self._exchange()
        began = self._clock.monotonic_s()
        asked = True
        try:
            asked = exchange.serve(client)
        except ClientGone:
            exchange.outcome.reason = exchange.outcome.reason or "the client went away"
        except OSError:
            exchange.outcome.reason = exchange.outcome.reason or "the client was too slow or went away"
        finally:
            if asked:
                self._record(exchange.outcome, began)

    def _record(self, outcome: Outcome, began: float) -> None:
        with self._guard:
            if self._sealed or self._unlogged:
                return
            if self._log.lines >= self._request_limit:
                self._dropped += 1
                return
            try:
                self._log.write(
                    **vars(outcome), milliseconds=round((self._clock.monotonic_s() - began) * 1000, 1)
                )
            except OSError:
                self._unlogged = True
            total = self._summary
            self._summary = EgressSummary(
                requests=total.requests + 1,
                refused=total.refused + (0 if outcome.allowed else 1),
                bytes_in=total.bytes_in + outcome.bytes_in,
                bytes_out=total.bytes_out + outcome.bytes_out,
                usage=total.usage + (outcome.usage or Usage()),
            )


def _end(one: socket.socket) -> None:
    """Wake whoever waits on a socket; its owner closes it."""
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


def _linger(client: socket.socket, limit_s: float = LINGER_S) -> None:
    """Let the answer arrive although the request was not read to its end."""
    with contextlib.suppress(OSError):
        client.shutdown(socket.SHUT_WR)
        client.settimeout(limit_s)
        left = LINGER_BYTES
        while left > 0 and (data := client.recv(64 * 1024)):
            left -= len(data)
