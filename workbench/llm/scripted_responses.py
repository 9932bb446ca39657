"""A model on loopback that plays a fixed script, in the Responses format with streaming.

For demonstrations and tests. It holds no conversation: which turn is next follows from the call ids that the
request's own outputs carry, so a retried request gets the same answer.
"""

from __future__ import annotations

import hmac
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

CHARACTERS_PER_TOKEN = 4
REQUEST_LIMIT_BYTES = 64 * 1024 * 1024
COMMAND_WAIT_MS = 30_000
"""How long one call asks to wait; a command that takes longer is polled."""

_CALL_ID = re.compile(r"^call_(\d+)_(\d+)$")
_STILL_RUNNING = re.compile(r"Process running with session ID (\d+)")


@dataclass(frozen=True)
class Turn:
    """One answer of the model: commands to run (all in one answer), or a last message."""

    commands: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True)
class Asked:
    """A request the model was sent, as it arrived; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class ScriptedModel:
    """Context manager: a server in a thread on 127.0.0.1 at a free port.

    ``key``: if set, a request without exactly this bearer token is answered with 401.
    """

    def __init__(self, turns: Sequence[Turn], *, key: str = "", name: str = "scripted-model") -> None:
        if not turns or not turns[-1].message or turns[-1].commands:
            raise ValueError("the last turn must be a message without commands")
        self.turns = tuple(turns)
        self.key = key
        self.name = name
        self.asked: list[Asked] = []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """Base URL, with ``/v1``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Output items for a request body: what a model would say next."""
        items = body.get("input")
        outputs = _outputs(items if isinstance(items, list) else [])
        polled = _poll(outputs)
        if polled is not None:
            return [polled]
        done = {match.groups() for call_id in outputs if (match := _CALL_ID.match(call_id))}
        for number, turn in enumerate(self.turns):
            missing = [
                (index, command)
                for index, command in enumerate(turn.commands)
                if (str(number), str(index)) not in done
            ]
            if missing or (turn.message and not turn.commands):
                return _said(number, turn, missing)
        return _said(len(self.turns) - 1, self.turns[-1], [])

    def usage(self, body: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Tokens by length of text, so that equal runs count equal."""
        asked = len(json.dumps(body.get("input", ""))) + len(str(body.get("instructions", "")))
        said = sum(len(json.dumps(item)) for item in items)
        count = {"input": asked // CHARACTERS_PER_TOKEN, "output": said // CHARACTERS_PER_TOKEN}
        return {
            "input_tokens": count["input"],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": count["output"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": count["input"] + count["output"],
        }


def _outputs(items: Sequence[Any]) -> dict[str, str]:
    """Call id to the text that came back, in order."""
    found: dict[str, str] = {}
    for item in items:
        if isinstance(item, dict) and item.get("type") == "function_call_output":
            output = item.get("output", "")
            found[str(item.get("call_id"))] = output if isinstance(output, str) else json.dumps(output)
    return found


def _poll(outputs: Mapping[str, str]) -> dict[str, Any] | None:
    """Ask again for a command that was still running when its call came back."""
    if not outputs:
        return None
    running = _STILL_RUNNING.search(list(outputs.values())[-1])
    if running is None:
        return None
    arguments = {"session_id": int(running.group(1)), "chars": "", "yield_time_ms": COMMAND_WAIT_MS}
    return _call(f"poll_{len(outputs)}", "write_stdin", arguments)


def _said(number: int, turn: Turn, missing: Sequence[tuple[int, str]]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    whole = len(missing) == len(turn.commands)
    if turn.message and whole:
        content = [{"type": "output_text", "text": turn.message, "annotations": []}]
        items.append(
            {
                "type": "message",
                "id": f"msg_{number}",
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        )
    for index, command in missing:
        arguments = {"cmd": command, "yield_time_ms": COMMAND_WAIT_MS}
        items.append(_call(f"call_{number}_{index}", "exec_command", arguments))
    return items


def _call(call_id: str, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": name,
        "arguments": json.dumps(arguments),
        "status": "completed",
    }


def stream_events(
    response: Mapping[str, Any], items: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The events of one streamed answer, in order."""
    opened = {**response, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": opened}
    for index, item in enumerate(items):
        begun = {**item, "status": "in_progress"}
        yield {"type": "response.output_item.added", "output_index": index, "item": begun}
        yield {"type": "response.output_item.done", "output_index": index, "item": dict(item)}
    yield {"type": "response.completed", "response": dict(response)}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model
        self.guard = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 60

    def do_GET(self) -> None:
        model = self.server.model
        self._note({})
        if not self._authorized():
            return
        if self.path.split("?")[0] == "/v1/models":
            self._json(200, {"object": "list", "data": [{"id": model.name, "object": "model"}]})
        else:
            self._error(404, "not found")

    def do_POST(self) -> None:
        model = self.server.model
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > REQUEST_LIMIT_BYTES:
            self._error(411, "a plain content length is needed")
            return
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            self._error(400, "not a JSON object")
            return
        self._note(body)
        if not self._authorized():
            return
        if self.path.split("?")[0] != "/v1/responses":
            self._error(404, "not found")
            return
        items = model.answer(body)
        response = {
            "id": f"resp_{len(_outputs(body['input'])) if isinstance(body.get('input'), list) else 0}",
            "object": "response",
            "model": body.get("model") or model.name,
            "status": "completed",
            "output": items,
            "usage": model.usage(body, items),
        }
        if body.get("stream"):
            self._stream(response, items)
        else:
            self._json(200, response)

    def _note(self, body: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.guard:
            self.server.model.asked.append(Asked(self.command, self.path, headers, body))

    def _authorized(self) -> bool:
        key = self.server.model.key
        given = self.headers.get("Authorization", "")
        if key and not hmac.compare_digest(given.encode(), f"Bearer {key}".encode()):
            self._error(401, "wrong key")
            return False
        return True

    def _stream(self, response: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number, event in enumerate(stream_events(response, items)):
            data = json.dumps({**event, "sequence_number": number})
            self.wfile.write(f"event: {event['type']}\ndata: {data}\n\n".encode())
            self.wfile.flush()

    def _json(self, status: int, document: Mapping[str, Any]) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _error(self, status: int, message: str) -> None:
        self._json(status, {"error": {"message": message, "type": "scripted_model_error"}})

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr."""
