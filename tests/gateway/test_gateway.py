"""The gateway between a client inside (a raw socket) and an upstream on loopback."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from workbench.gateway import Bounds, Gateway, read_egress, verify_egress
from workbench.llm import ScriptedModel, Turn
from workbench.records import BadInput, EgressSummary, Usage

KEY = "sk-very-secret-0123456789"
Answer = Callable[[BaseHTTPRequestHandler], None]


class Upstream(ThreadingHTTPServer):
    """A model endpoint whose answer each test writes."""

    daemon_threads = True

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.answer: Answer = lambda handler: send(handler, 200, b'{"ok": true}')
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Upstream
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append((self.command, self.path, headers, body))
        self.close_connection = True
        self.server.answer(self)

    do_GET = do_POST

    def log_message(self, format: str, *args: Any) -> None:
        pass


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in {"content_type": "application/json", **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    server = Upstream()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


class Running:
    """A serving gateway and a client's view of it."""

    def __init__(self, endpoint: str, log: Path, **options: Any) -> None:
        self.log = log
        self.gateway = Gateway(endpoint, KEY, log, **options)
        listener = socket.create_server(("127.0.0.1", 0))
        self.address = listener.getsockname()
        self.gateway.serve(listener)
        self.summary: EgressSummary | None = None

    def raw(self, data: bytes) -> bytes:
        with socket.create_connection(self.address, timeout=10) as client:
            client.sendall(data)
            return b"".join(iter(lambda: client.recv(65536), b""))

    def post(self, body: object, path: str = "/v1/responses", *headers: str) -> tuple[int, bytes, bytes]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {len(data)}", *headers, "", ""]
        return parts(self.raw("\r\n".join(lines).encode() + data))

    def close(self) -> EgressSummary:
        if self.summary is None:
            self.summary = self.gateway.close()
        return self.summary


def parts(answer: bytes) -> tuple[int, bytes, bytes]:
    """Status, head, body (chunks joined)."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if b"Transfer-Encoding: chunked" in head:
        pieces = []
        while body:
            size, _, body = body.partition(b"\r\n")
            pieces.append(body[: int(size, 16)])
            body = body[int(size, 16) + 2 :]
        body = b"".join(pieces)
    return int(head.split()[1]), head, body


@pytest.fixture
def running(upstream: Upstream, tmp_path: Path) -> Iterator[Running]:
    one = Running(upstream.url, tmp_path / "egress.jsonl")
    yield one
    one.close()


def request(line: str, *headers: str, body: str = "") -> bytes:
    return "\r\n".join([line, "Host: x", *headers, "", body]).encode("latin-1")


JSON = '{"model": "m", "input": "hi"}'
LENGTH = f"Content-Length: {len(JSON)}"

REFUSED_REQUESTS = {
    "another path": (request("POST /v1/embeddings HTTP/1.1", LENGTH, body=JSON), 403),
    "a stored response": (request("GET /v1/responses/resp_1 HTTP/1.1"), 403),
    "files": (request("GET /v1/files HTTP/1.1"), 403),
    "root": (request("GET / HTTP/1.1"), 403),
    "wrong method": (request("GET /v1/responses HTTP/1.1"), 405),
    "delete": (request("DELETE /v1/models HTTP/1.1"), 405),
    "dots": (request("POST /v1/responses/../files HTTP/1.1", LENGTH, body=JSON), 403),
    "dots that end at an allowed path": (request("GET /v1/x/../models HTTP/1.1"), 403),
    "encoded slash": (request("GET /v1%2fmodels HTTP/1.1"), 403),
    "encoded letter": (request("GET /v1/model%73 HTTP/1.1"), 403),
    "encoded dots": (request("GET /v1/%2e%2e/v1/models HTTP/1.1"), 403),
    "double slash": (request("GET //v1/models HTTP/1.1"), 403),
    "backslash": (request("GET /v1\\models HTTP/1.1"), 403),
    "fragment": (request("GET /v1/models#x HTTP/1.1"), 403),
    "trailing slash": (request("GET /v1/models/ HTTP/1.1"), 403),
    "upper case": (request("GET /V1/MODELS HTTP/1.1"), 403),
    "another host": (request("GET http://example.org/v1/models HTTP/1.1"), 403),
    "authority in the path": (request("GET //example.org/v1/models HTTP/1.1"), 403),
    "tunnel": (request("CONNECT example.org:443 HTTP/1.1"), 403),
    "websocket": (request("GET /v1/models HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket"), 403),
    "asterisk": (request("OPTIONS * HTTP/1.1"), 403),
    "encoded body": (
        request("POST /v1/responses HTTP/1.1", LENGTH, "Content-Encoding: gzip", body=JSON),
        415,
    ),
    "two lengths": (request("POST /v1/responses HTTP/1.1", LENGTH, "Content-Length: 5", body=JSON), 400),
    "length and chunks": (
        request("POST /v1/responses HTTP/1.1", LENGTH, "Transfer-Encoding: chunked", body=JSON),
        400,
    ),
    "negative length": (request("POST /v1/responses HTTP/1.1", "Content-Length: -1"), 400),
    "huge length": (request("POST /v1/responses HTTP/1.1", "Content-Length: 99999999999"), 413),
    "huge chunk": (
        request("POST /v1/responses HTTP/1.1", "Transfer-Encoding: chunked", body="ffffffff\r\n"),
        413,
    ),
    "odd coding": (request("POST /v1/responses HTTP/1.1", "Transfer-Encoding: gzip", body="x"), 501),
    "no JSON": (request("POST /v1/responses HTTP/1.1", "Content-Length: 3", body="abc"), 400),
    "JSON list": (request("POST /v1/responses HTTP/1.1", "Content-Length: 2", body="[]"), 400),
    "deep JSON": (request("POST /v1/responses HTTP/1.1", "Content-Length: 100000", body="[" * 100_000), 400),
    "not HTTP": (b"\x16\x03\x01\x02\x00\r\n\r\n", 400),
    "folded header": (request("GET /v1/models HTTP/1.1", "A: b", " c"), 400),
    "carriage return in a header": (request("GET /v1/models HTTP/1.1", "Accept: a\rInjected: b"), 400),
    "space before colon": (request("GET /v1/models HTTP/1.1", "Accept : a"), 400),
    "endless line": (b"GET /" + b"a" * 40_000, 431),
    "many headers": (request("GET /v1/models HTTP/1.1", *[f"H{n}: x" for n in range(200)]), 431),
    "http/2": (request("GET /v1/models HTTP/2.0"), 400),
}


@pytest.mark.parametrize("name", REFUSED_REQUESTS)
def test_only_the_models_paths_pass(name: str, running: Running, upstream: Upstream) -> None:
    data, status = REFUSED_REQUESTS[name]
    answer = running.raw(data)
    assert int(answer.split()[1]) == status
    assert json.loads(parts(answer)[2])["error"]["type"] == "gateway_refused"
    summary = running.close()
    assert (summary.requests, summary.refused, summary.chain_valid) == (1, 1, True)
    first = read_egress(running.log)[0]
    assert (first.allowed, first.status) == (False, status) and first.reason
    assert upstream.seen == []


def tool(**values: Any) -> dict[str, Any]:
    return {"model": "m", "input": "hi", "tools": [{"type": "function", "name": "f"}, values]}


REFUSED_BODIES: dict[str, tuple[dict[str, Any], str]] = {
    "web search": (tool(type="web_search", external_web_access=True), "web_search"),
    "web search, dated": (tool(type="web_search_preview_2025_03_11"), "web_search_preview_2025_03_11"),
    "code interpreter": (tool(type="code_interpreter", container={"type": "auto"}), "code_interpreter"),
    "file search": (tool(type="file_search", vector_store_ids=["v"]), "file_search"),
    "remote MCP": (tool(type="mcp", server_url="https://example.org"), "mcp"),
    "hosted shell": (tool(type="shell", environment={"type": "container_auto"}), "shell"),
    "image generation": (tool(type="image_generation"), "image_generation"),
    "inside a namespace": (
        tool(type="namespace", name="n", tools=[{"type": "namespace", "tools": [{"type": "mcp"}]}]),
        "mcp",
    ),
    "declared in the input": (
        {"model": "m", "input": [{"type": "additional_tools", "tools": [{"type": "web_search"}]}]},
        "web_search",
    ),
    "chosen": (
        {"model": "m", "tool_choice": {"type": "allowed_tools", "tools": [{"type": "web_search"}]}},
        "web_search",
    ),
    "chat option": ({"model": "m", "messages": [], "web_search_options": {"x": 1}}, "web_search_options"),
    "plug-in": ({"model": "m", "plugins": [{"id": "web"}]}, "plugins"),
    "searching model": ({"model": "gpt-4o-search-preview"}, "searches the web"),
    "online model": ({"model": "vendor/model:online"}, "searches the web"),
    "background": ({"model": "m", "background": True}, "background"),
    "stored response": ({"model": "m", "previous_response_id": "resp_1"}, "previous_response_id"),
    "stored prompt": ({"model": "m", "prompt": {"id": "p"}}, "prompt"),
    "image by address": (
        {"input": [{"content": [{"type": "input_image", "image_url": "https://example.org/?q=secret"}]}]},
        "image_url",
    ),
    "image by address, chat": (
        {"messages": [{"content": [{"image_url": {"url": "http://example.org/a.png"}}]}]},
        "image_url",
    ),
    "file by address": ({"input": [{"type": "input_file", "file_url": "https://example.org"}]}, "file_url"),
    "stored file": ({"input": [{"type": "input_file", "file_id": "file_1"}]}, "file_id"),
    "live search": ({"model": "m", "search_parameters": {"mode": "on"}}, "search_parameters"),
    "search switched on": ({"model": "m", "enable_search": True}, "enable_search"),
    "data sources": ({"model": "m", "data_sources": [{"type": "azure_search"}]}, "data_sources"),
    "further models": ({"model": "m", "models": ["x/y:online"]}, "models"),
    "online model with a variant": ({"model": "x/y:online:nitro"}, "searches the web"),
    "a body in the body": ({"model": "m", "extra_body": {"tools": []}}, "extra_body"),
    "another letter case": ({"model": "m", "Tools": []}, "Tools"),
    "search in a template": ({"chat_template_kwargs": {"enable_search": True}}, "enable_search"),
    "stored files": ({"input": [{"role": "user", "file_ids": ["f"]}]}, "file_ids"),
    "stored vectors": ({"input": [{"type": "message", "vector_store_ids": ["v"]}]}, "vector_store_ids"),
    "kept at the provider": ({"model": "m", "store": True}, "store"),
    "search results": ({"include": ["web_search_call.action.sources"]}, "include"),
    "reference to a stored item": ({"input": [{"type": "item_reference", "id": "i"}]}, "item_reference"),
    "image of a source": (
        {"messages": [{"content": [{"type": "image", "source": {"type": "url", "url": "https://x"}}]}]},
        "source",
    ),
    "document": (
        {"messages": [{"content": [{"type": "text", "document_url": "https://x"}]}]},
        "document_url",
    ),
    "video": ({"messages": [{"content": [{"video": "https://example.org/a"}]}]}, "video"),
    "capital letters": ({"messages": [{"content": [{"image_url": {"URL": "https://x"}}]}]}, "image_url"),
    "two addresses": (
        {"messages": [{"content": [{"image_url": {"url": "data:,", "Url": "https://x"}}]}]},
        "image_url",
    ),
    "prediction": ({"prediction": {"content": [{"image_url": "https://x"}]}}, "prediction"),
    "image in a tool's output": (
        {"input": [{"type": "function_call_output", "output": [{"image_url": "file:///etc/passwd"}]}]},
        "image_url",
    ),
    "address in a plain field": ({"user": {"url": "https://x"}}, "user"),
    "function with an address": (tool(type="function", name="g", server_url="https://x"), "server_url"),
    "tool chosen alone": ({"tool_choice": {"type": "web_search"}}, "web_search"),
}


@pytest.mark.parametrize("name", REFUSED_BODIES)
def test_what_the_provider_would_do_by_itself_is_refused(
    name: str, running: Running, upstream: Upstream
) -> None:
    body, named = REFUSED_BODIES[name]
    status, _, answer = running.post(body)
    assert status == 403
    assert named in json.loads(answer)["error"]["message"]
    assert upstream.seen == []
    running.close()
    assert named in read_egress(running.log)[0].reason


def test_what_an_agent_needs_passes_unchanged(running: Running, upstream: Upstream) -> None:
    body = tool(type="custom", name="apply_patch")
    body["tools"].append({"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "g"}]})
    body["input"] = [
        {
            "type": "function_call",
            "arguments": '{"tools": [{"type": "web_search"}], "image_url": "http://x"}',
        },
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "message", "content": "\ud800 NaN é"},
    ]
    assert running.post(body)[0] == 200
    assert json.loads(upstream.seen[0][3]) == body


PASSING_BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "as Codex asks": (
        "/v1/responses",
        {
            "model": "m", "stream": True, "store": False, "parallel_tool_calls": True, "tool_choice": "auto",
            "include": ["reasoning.encrypted_content"], "prompt_cache_key": "k", "service_tier": None,
            "reasoning": {"effort": "high", "summary": "auto"}, "client_metadata": {"session_id": "s"},
            "text": {"verbosity": "low"}, "instructions": "Read https://example.org",
            "tools": [{"type": "function", "name": "f", "strict": False, "parameters": {"source": {}}}],
            "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "https://x"}]},
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}],
                 "encrypted_content": "e"},
                {"type": "local_shell_call", "call_id": "c", "status": "completed",
                 "action": {"type": "exec", "command": ["ls"], "env": {"URL": "http://x"}}},
                {"type": "function_call_output", "call_id": "c", "output": [
                    {"type": "input_image", "image_url": "data:image/png;base64,AA", "detail": "low"}]},
            ],
        },
    ),
    "as a chat client asks": (
        "/v1/chat/completions",
        {
            "model": "vendor/model:free", "temperature": 0.1, "stop": ["a"], "min_p": 0.1, "n": 1,
            "response_format": {"type": "json_schema", "json_schema": {"schema": {"url": {}}}},
            "messages": [
                {"role": "user", "content": [
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]},
                {"role": "assistant", "content": None, "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "c", "content": "https://example.org"},
            ],
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PASSING_BODIES)
def test_what_clients_ask_passes(name: str, running: Running, upstream: Upstream) -> None:
    path, body = PASSING_BODIES[name]
    assert running.post(body, path)[0] == 200
    assert json.loads(upstream.seen[0][3]) == body


def test_the_key_is_put_in_and_nothing_of_the_clients_own(running: Running, upstream: Upstream) -> None:
    upstream.answer = lambda handler: send(
        handler, 200, b"{}", Set_Cookie="a=b", Location="http://x", X_Request_Id="r1", Retry_After="3"
    )
    status, head, _ = running.post(
        {"model": "m"},
        "/v1/responses?leak=data",
        "Authorization: Bearer sk-of-the-client",
        "X-Api-Key: other",
        "Cookie: c=d",
        "X-Leak: data",
        "User-Agent: agent",
        "Accept: text/event-stream",
    )
    method, path, headers, _ = upstream.seen[0]
    assert (status, method, path) == (200, "POST", "/v1/responses")
    assert headers == {
        "host": upstream.url.split("/")[2],
        "user-agent": "clinical-skills-workbench",
        "accept-encoding": "identity",
        "accept": "text/event-stream",
        "content-type": "application/json",
        "content-length": headers["content-length"],
        "connection": "close",
        "authorization": f"Bearer {KEY}",
    }
    assert b"x-request-id: r1" in head.lower() and b"retry-after: 3" in head.lower()
    assert b"cookie" not in head.lower() and b"location" not in head.lower()
    running.close()
    assert read_egress(running.log)[0].path == "/v1/responses"


def test_a_body_that_two_parsers_read_differently_is_written_anew(
    running: Running, upstream: Upstream
) -> None:
    assert running.post(b'{"tools": [{"type": "web_search"}], "model": "m", "tools": []}')[0] == 200
    assert upstream.seen[0][3] == b'{"tools": [], "model": "m"}'


def test_a_chunked_request_is_read(running: Running, upstream: Upstream) -> None:
    data = request(
        "POST /v1/responses HTTP/1.1",
        "Transfer-Encoding: chunked",
        body='4;x=y\r\n{"n"\r\n3\r\n: 1\r\n1\r\n}\r\n0\r\n\r\n',
    )
    assert parts(running.raw(data))[0] == 200
    assert upstream.seen[0][3] == b'{"n": 1}'


def test_events_pass_as_they_arrive(running: Running, upstream: Upstream) -> None:
    seen = threading.Event()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write(b'data: {"n": 1}\n\n')
        handler.wfile.flush()
        assert seen.wait(10)
        handler.wfile.write(b'data: {"n": 2}\n\n')

    upstream.answer = answer
    with socket.create_connection(running.address, timeout=10) as client:
        client.sendall(request("POST /v1/responses HTTP/1.1", LENGTH, body=JSON))
        data = b""
        while b'{"n": 1}' not in data:
            data += client.recv(65536)
        seen.set()
        data += b"".join(iter(lambda: client.recv(65536), b""))
    assert parts(data)[2] == b'data: {"n": 1}\n\ndata: {"n": 2}\n\n'
    assert data.endswith(b"0\r\n\r\n")


RESPONSES_USAGE = {
    "input_tokens": 10, "output_tokens": 4,
    "input_tokens_details": {"cached_tokens": 6}, "output_tokens_details": {"reasoning_tokens": 2},
}  # fmt: skip
CHAT_USAGE = {
    "prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14,
    "prompt_tokens_details": {"cached_tokens": 6}, "completion_tokens_details": {"reasoning_tokens": 2},
}  # fmt: skip
COUNTED = Usage(input_tokens=10, cached_input_tokens=6, output_tokens=4, reasoning_output_tokens=2)


def events(*documents: object) -> bytes:
    return b"".join(b"event: x\r\ndata: " + json.dumps(item).encode() + b"\r\n\r\n" for item in documents)


@pytest.mark.parametrize(
    ("path", "kind", "answer"),
    [
        pytest.param(
            "/v1/responses",
            "text/event-stream; charset=utf-8",
            events(
                {"type": "response.created", "response": {"usage": None}},
                {"type": "response.completed", "response": {"usage": RESPONSES_USAGE}},
            ),
            id="responses, streamed",
        ),
        pytest.param(
            "/v1/responses",
            "application/json",
            json.dumps({"usage": RESPONSES_USAGE}).encode(),
            id="responses",
        ),
        pytest.param(
            "/v1/chat/completions",
            "text/event-stream",
            events({"choices": [{}], "usage": None}, {"choices": [], "usage": CHAT_USAGE})
            + b"data: [DONE]\n\n",
            id="chat, streamed",
        ),
        pytest.param(
            "/v1/chat/completions", "application/json", json.dumps({"usage": CHAT_USAGE}).encode(), id="chat"
        ),
    ],
)
def test_tokens_are_counted(
    path: str, kind: str, answer: bytes, running: Running, upstream: Upstream
) -> None:
    upstream.answer = lambda handler: send(handler, 200, answer, content_type=kind)
    assert (
        running.post({"model": "m", "stream": True, "stream_options": {"include_obfuscation": False}}, path)[
            2
        ]
        == answer
    )
    running.post({"model": "m"}, path)
    summary = running.close()
    assert summary.usage == COUNTED + COUNTED
    assert [(one.model, one.usage) for one in read_egress(running.log)[:2]] == [("m", COUNTED)] * 2
    sent = json.loads(upstream.seen[0][3])["stream_options"]
    assert sent == {"include_obfuscation": False} | ({"include_usage": True} if "chat" in path else {})


@pytest.mark.parametrize(
    ("status", "expected", "body"),
    [
        (429, 429, b'{"error": {"message": "slow down"}}'),
        (500, 500, b"oops"),
        (400, 400, b'{"error": {"message": "bad model"}}'),
        (302, 502, None),
        (401, 401, None),
        (403, 403, None),
    ],
)
def test_what_the_endpoint_says(
    status: int, expected: int, body: bytes | None, running: Running, upstream: Upstream
) -> None:
    said = body if body is not None else f"key {KEY[:6]}… is wrong".encode()
    upstream.answer = lambda handler: send(handler, status, said, Retry_After="7", Location="http://x/")
    got, head, answer = running.post({"model": "m"})
    assert got == expected
    if body is not None:
        assert answer == body and b"retry-after: 7" in head.lower()
    else:
        assert json.loads(answer)["error"]["type"] == "gateway_upstream" and b"sk-" not in answer
    assert len(upstream.seen) == 1


@pytest.mark.parametrize(
    "shown",
    [
        f"{KEY[:9]}*****{KEY[-6:]}",
        f"{KEY[:5]}...",
        f"…{KEY[-4:]}",
        f"{KEY[:7]}\\u2026{KEY[-4:]}",
        KEY[:12],
        KEY[-9:],
        KEY,
    ],
)
def test_no_part_of_the_key_is_in_an_error(shown: str, running: Running, upstream: Upstream) -> None:
    said = f'{{"error": {{"message": "Incorrect API key provided: ({shown}). Ask **us**..."}}}}'
    upstream.answer = lambda handler: send(handler, 400, said.encode(), X_Request_Id=f"r {KEY[:9]}...")
    status, head, answer = running.post({"model": "m"})
    assert status == 400 and b"x-request-id" not in head.lower()
    assert answer.decode() == said.replace(shown, "*" * 8)
    running.close()
    assert "taken out" in read_egress(running.log)[0].reason


def test_a_key_that_the_client_sends_is_not_logged(running: Running, upstream: Upstream) -> None:
    foreign = "sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv"
    for key in (KEY, foreign):
        running.raw(request(f"GET /v1/files/{key} HTTP/1.1"))
        running.post({"model": key, "input": "hi"})
        running.post({"model": "m", key: "hi"})
        running.post({"model": "m", "tools": [{"type": key}]})
    running.close()
    text = running.log.read_text()
    assert KEY not in text and foreign not in text
    assert len(read_egress(running.log)) == 9


@pytest.mark.parametrize(("interim", "expected"), [((103,), 200), ((100, 102, 103), 200), ((101,), 502)])
def test_interim_answers_are_passed_over(
    interim: tuple[int, ...], expected: int, running: Running, upstream: Upstream
) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        for status in interim:
            handler.wfile.write(f"HTTP/1.1 {status} Wait\r\nLink: </x>\r\n\r\n".encode())
        send(handler, 200, b'{"final": true}')

    upstream.answer = answer
    status, _, body = running.post({"model": "m"})
    assert status == expected
    assert (body == b'{"final": true}') is (expected == 200)


def test_the_key_never_comes_back(running: Running, upstream: Upstream) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("X-Request-Id", f"echo {KEY}")
        handler.send_header("Content-Type", "text/plain")
        handler.end_headers()
        for piece in (b"your key: ", KEY[:9].encode(), KEY[9:].encode(), b" and sk-very-sec", b"ond"):
            handler.wfile.write(piece)
            handler.wfile.flush()

    upstream.answer = answer
    raw = running.raw(request("POST /v1/responses HTTP/1.1", LENGTH, body=JSON))
    assert KEY.encode() not in raw
    assert parts(raw)[2] == b"your key: " + b"*" * len(KEY) + b" and sk-very-second"
    running.close()
    assert KEY not in running.log.read_text()
    assert "taken out" in read_egress(running.log)[0].reason


def test_an_answer_that_breaks_off_shows_as_broken(running: Running, upstream: Upstream) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")

    upstream.answer = answer
    raw = running.raw(request("POST /v1/responses HTTP/1.1", LENGTH, body=JSON))
    assert raw.endswith(b"4\r\nhalf\r\n")
    running.close()
    assert read_egress(running.log)[0].reason == "the answer broke off"


def test_a_silent_endpoint_and_one_that_is_not_there(upstream: Upstream, tmp_path: Path) -> None:
    release = threading.Event()
    upstream.answer = lambda handler: release.wait(10) and None
    silent = Running(upstream.url, tmp_path / "a", bounds=Bounds(upstream_idle_s=0.2))
    assert silent.post({})[0] == 504
    release.set()
    silent.close()
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    absent = Running(f"http://127.0.0.1:{port}", tmp_path / "b")
    assert absent.post({})[0] == 502
    assert absent.close().refused == 0


def test_closing_ends_what_is_open_and_the_log_stays_whole(upstream: Upstream, tmp_path: Path) -> None:
    asked, release = threading.Event(), threading.Event()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.set()
        release.wait(10)

    upstream.answer = answer
    one = Running(upstream.url, tmp_path / "log")
    with socket.create_connection(one.address) as waiting, socket.create_connection(one.address):
        waiting.sendall(request("POST /v1/responses HTTP/1.1", LENGTH, body=JSON))
        assert asked.wait(10)
        summary = one.close()
    release.set()
    assert (summary.requests, summary.chain_valid) == (1, True)
    assert verify_egress(one.log) == (True, "")
    with pytest.raises(OSError):
        socket.create_connection(one.address, timeout=1)


def test_too_many_at_a_time_and_in_all(upstream: Upstream, tmp_path: Path) -> None:
    one = Running(upstream.url, tmp_path / "log", request_limit=3)
    idle = [socket.create_connection(one.address) for _ in range(16)]
    with socket.create_connection(one.address, timeout=10) as late:
        assert late.recv(100).startswith(b"HTTP/1.1 503")
    for client in idle:
        client.close()
    while one.post({})[0] == 503:
        pass
    for _ in range(4):
        one.post({})
    summary = one.close()
    assert summary.chain_valid and summary.requests >= 6
    last = read_egress(one.log)[-1]
    assert (last.sequence, last.closing) == (4, True) and "further requests refused" in last.reason


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_nothing_passes_once_the_log_cannot_be_written(running: Running, upstream: Upstream) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, running.gateway._log._file)
    os.close(full)
    assert running.post({"model": "m"})[0] == 200
    status, _, body = running.post({"model": "m"})
    assert status == 503 and b"cannot be written" in body
    assert len(upstream.seen) == 1
    assert not running.close().chain_valid


def test_a_key_that_is_none_is_not_echoed(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        Gateway("http://127.0.0.1:1/v1", "sk-secret\r\nX: y", tmp_path / "log")
    assert "sk-secret" not in str(caught.value)


def test_with_the_scripted_model(tmp_path: Path) -> None:
    with ScriptedModel([Turn(message="done")], key=KEY) as model:
        one = Running(model.url, tmp_path / "log")
        status, _, body = one.post({"model": "m", "input": [], "stream": True})
        assert status == 200 and b"response.completed" in body
        assert json.loads(parts(one.raw(request("GET /v1/models HTTP/1.1")))[2])["data"]
        assert [asked.headers["authorization"] for asked in model.asked] == [f"Bearer {KEY}"] * 2
        assert one.close().usage.output_tokens > 0
