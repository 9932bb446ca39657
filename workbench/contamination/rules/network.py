"""The network: programs, Python calls, addresses in SQL, web tools, nested agents, and the egress log."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from workbench.contamination.attribution import answered
from workbench.contamination.rule import Action, RunContext, StepContext, distinct, file_violation
from workbench.contamination.view import RunView
from workbench.patterns import Command, PythonCall, arguments, program
from workbench.records import Level, Step, ToolKind, Violation

_URL = re.compile(r"(?:https?|ftp|s3|gs|gcs|az|hf|r2|wss?)://([^\s/'\"?#]*)", re.IGNORECASE)
_LOOPBACK = re.compile(
    r"(?:[^@]*@)?(?:localhost|127(?:\.\d+){3}|\[?::1\]?|0\.0\.0\.0)(?::\d+)?$", re.IGNORECASE
)

_FETCHERS = {"curl", "wget", "aria2c", "http", "https", "xh", "lynx", "w3m", "links", "axel", "fetch"}
_REMOTE = {
    "ssh", "sftp", "nc", "ncat", "netcat", "telnet", "ftp", "socat", "ping", "dig", "nslookup", "host",
    "traceroute", "mosh", "kaggle", "gsutil", "aws", "az", "gcloud", "huggingface-cli", "hf", "gh",
    "docker", "podman",
}  # fmt: skip
_REMOTE_BY_COLON = {"scp", "rsync"}
_INSTALLERS: dict[str, set[str]] = {
    "pip": {"install", "download", "index", "search"},
    "uv": {"pip", "add", "sync", "tool"},
    "pipx": {"install", "run"},
    "poetry": {"add", "install"},
    "npm": {"install", "i", "ci", "view"},
    "npx": set(),
    "pnpm": {"add", "install", "i"},
    "yarn": {"add", "install"},
    "apt": {"install", "update", "download"},
    "apt-get": {"install", "update", "download"},
    "apk": {"add", "update"},
    "yum": {"install"},
    "dnf": {"install"},
    "brew": {"install"},
    "conda": {"install", "create"},
    "mamba": {"install"},
    "cargo": {"install", "add"},
    "go": {"get", "install"},
    "gem": {"install"},
    "git": {"clone", "fetch", "pull", "push", "ls-remote", "submodule"},
}
_NESTED = {"codex", "claude", "gemini", "aider", "opencode", "goose", "ollama", "cursor-agent", "qwen"}
_PYTHON_MODULES = (
    "requests.", "httpx.", "aiohttp.", "urllib.request.", "urllib3.", "http.client.", "ftplib.",
    "paramiko.", "smtplib.", "telnetlib.", "openai.", "anthropic.", "boto3.", "websocket.", "websockets.",
    "kagglehub.", "huggingface_hub.", "datasets.load_dataset", "wget.",
)  # fmt: skip
_MODEL_PATHS = re.compile(
    r"^/(?:v\d\w*/)?(?:responses|chat/completions|completions|messages|models|embeddings|health|count_tokens"
    r"|api/)"
    r"|:(?:stream)?[gG]enerateContent|:countTokens|^/$|/v1/(?:responses|messages|models|chat)"
)
_LANGUAGES = re.compile(
    r"IO::Socket|LWP::|HTTP::Tiny|Net::(?:HTTP|FTP)|open-uri|URI\.open|TCPSocket|fsockopen"
    r"|file_get_contents\(\s*['\"]http"
    r"|curl_init|download\.file|\burl\(\s*['\"]http|\bfetch\(\s*['\"`]http|https?\.(?:get|request)\("
    r"|net\.(?:connect|Socket)"
    r"|require\(\s*['\"](?:node:)?(?:https?|net|dns|axios)|http\.Get\(|net\.Dial|/inet/(?:tcp|udp)/"
    r"|luasocket|socket\.http"
    r"|getaddrinfo\(|gethostbyname\(|HttpClient|readLines\(\s*['\"]http"
)
_MADE = re.compile(
    r"^\t[@-]?.*\b(?:curl|wget|lynx|w3m|links|aria2c|git clone|pip install|npm i)\b", re.MULTILINE
)
_FETCHED = re.compile(
    r"^\s*(?:Successfully installed \S|Downloading \S+\.(?:whl|tar\.gz)|Receiving objects:"
    r"|added \d+ package)",
    re.MULTILINE,
)
_CONNECTED = re.compile(
    r"^\s*(?:\* Connected to |Connecting to )(?!localhost|127\.|\[?::1)[\w.-]+ ?(?:\(|.*\bconnected\.)",
    re.MULTILINE,
)
_PYTHON_SOCKETS = {
    "socket.create_connection", "socket.getaddrinfo", "socket.gethostbyname", "asyncio.open_connection",
}  # fmt: skip
_ADDRESS_METHODS = {".get", ".post", ".request", ".put", ".urlopen", ".urlretrieve", ".stream"}


class Network:
    """Tries warn; an answer that only the outside can have given fails.

    The gateway on loopback is allowed; comments do not count.
    """

    name = "network"
    version = 2
    severity = Level.FAIL
    description = "the run reaches for the network, the web or another agent"
    explanation = (
        "Programs, Python calls, addresses in SQL, web tools, nested agents and the egress log. A "
        "try warns; an answer that only the outside can have given fails."
    )
    false_positives = (
        "Agents install what they miss out of habit; inside the sandbox such a try fails, and only "
        "warns. The gateway on loopback is allowed."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        return distinct(item for action in context.actions for item in self._action(action))

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        found: list[Violation] = []
        if not view.egress_valid:
            why = f": {view.egress_reason}" if view.egress_reason else ""
            message = f"the egress log's chain is broken{why}"
            found.append(file_violation(self.name, Level.FAIL, message, "egress.jsonl"))
        refused = [item for item in view.egress if not item.allowed and not item.closing]
        counts = Counter((item.method, item.path, item.reason) for item in refused)
        for (method, path, reason), count in counts.items():
            first = next(
                item for item in refused if (item.method, item.path, item.reason) == (method, path, reason)
            )
            times = f" ({count} times)" if count > 1 else ""
            message = f"the gateway refused {method[:10]} {path[:100]}{times}: {reason[:100]}"
            found.append(file_violation(self.name, Level.WARN, message, "egress.jsonl", first.sequence))
        for item in view.egress:
            through = item.allowed and not item.closing and (item.status or 200) < 400
            if through and (item.method.upper() == "CONNECT" or not _MODEL_PATHS.search(item.path)):
                message = (
                    f"the gateway let {item.method[:10]} {item.path[:100]} through, which no model call is"
                )
                found.append(
                    file_violation(self.name, Level.QUARANTINE, message, "egress.jsonl", item.sequence)
                )
        return found

    def _action(self, action: Action) -> Iterator[Violation]:
        if action.call.kind is ToolKind.AGENT:
            yield from self._nested(action, action.call.name)
        for layer in action.layers.layers:
            if not (layer.executed or layer.python) or not action.runs:
                continue
            if layer.shell is not None:
                for command in layer.shell.commands:
                    yield from self._command(action, command)
            elif layer.python is not None:
                for call in layer.python.calls:
                    reached = _reached(call, layer.python.imports)
                    if reached:
                        yield self._statement(action, f"Python reaches for {reached}", call.name)
        yield from self._other(action)
        for snippet in action.sql.snippets if action.runs else ():
            for path in sorted(snippet.use.files_read | snippet.use.files_written):
                host = _outside(path)
                if host:
                    yield self._statement(action, f"SQL reaches for {host}", path)
            for extension in sorted(snippet.use.extensions):
                message = f"SQL installs the extension {extension}"
                yield action.violation(self.name, Level.WARN, message, snippet.sql)

    def _other(self, action: Action) -> Iterator[Violation]:
        """Code of other languages, and make with a file that the run wrote."""
        text = action.call.command or action.call.content or ""
        if re.search(r"(?:^|[\s;&|])make\b", action.call.command or ""):
            made = [body for path, body in action.context.files.items() if path.endswith(("Makefile", ".mk"))]
            text = "\n".join([text, *made])
            if _MADE.search("\n".join(made)):
                yield self._statement(action, "make runs a program that reaches for the network", text)
        found = _LANGUAGES.search(text)
        where = _URL.search(text) or re.search(r"['\"]([\w-]+(?:\.[\w-]+)+):\d+['\"]", text)
        if found and where and not _LOOPBACK.match(where[1]):
            yield self._statement(action, f"code reaches for {where[1]}", found.group())

    def _command(self, action: Action, command: Command) -> Iterator[Violation]:
        name = program(command)
        words = [text for word in arguments(command) for text in word.values]
        plain = [word for word in words if not word.startswith("-")]
        shown = " ".join([name, *words])
        if name in _FETCHERS:
            addresses = [word for word in words if _outside(word)]
            addresses += [
                word for word in plain if name != "fetch" and _host_like(word) and not _outside(word)
            ]
            if addresses:
                yield self._statement(action, f"{name} fetches {_host(addresses[0])}", shown)
        elif name in _REMOTE_BY_COLON and any(re.match(r"[\w.@-]+:", word) for word in plain):
            yield self._statement(action, f"{name} reaches for the network", shown)
        elif name in _REMOTE and plain:
            if not all(_LOOPBACK.match(word) or word.isdigit() for word in plain[:2]):
                yield self._statement(action, f"{name} reaches for the network", shown)
        elif name in _NESTED and words and words[0] not in ("--version", "-V", "--help"):
            yield from self._nested(action, shown)
        elif name == "python" and words[:2] in (["-m", "pip"], ["-m", "uv"]):
            yield from self._installer(action, words[1], words[2:], shown)
        elif name == "git":
            yield from self._installer(action, name, _without_settings(words), shown)
        elif name in _INSTALLERS:
            yield from self._installer(action, name, words, shown)

    def _nested(self, action: Action, shown: str) -> Iterator[Violation]:
        message = "a nested agent was started; what it did is not in this log"
        yield action.violation(self.name, Level.WARN, message, shown)

    def _installer(self, action: Action, name: str, words: list[str], shown: str) -> Iterator[Violation]:
        plain = [word for word in words if not word.startswith("-")]
        verbs = _INSTALLERS[name]
        if not plain or (verbs and plain[0] not in verbs) or "--no-index" in words:
            return
        targets = plain[1:] if verbs else plain
        if targets and all(word.startswith((".", "/")) for word in targets) and "-r" not in words:
            return
        text = action.observation.text if action.observation else ""
        fetched = bool(_FETCHED.search(text))
        level = Level.FAIL if fetched else Level.WARN
        said = f"{name} {plain[0]} reaches for the network" + (" and got something" if fetched else "")
        yield action.violation(self.name, level, said, shown)

    def _statement(self, action: Action, message: str, shown: str) -> Violation:
        got = answered(action) or _connected(action)
        level = Level.FAIL if got else Level.WARN
        return action.violation(self.name, level, message + (" and got an answer" if got else ""), shown)


def _connected(action: Action) -> bool:
    """Whether curl or wget itself tells that it was connected to a host outside."""
    return action.observation is not None and bool(_CONNECTED.search(action.observation.text))


def _without_settings(words: list[str]) -> list[str]:
    """``git -c name=value -C folder clone``: from the verb on."""
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in ("-c", "-C", "--git-dir", "--work-tree", "--namespace") else 1
    return words[place:]


def _reached(call: PythonCall, imports: frozenset[str]) -> str:
    """The host or library that a Python call reaches for, or nothing."""
    first = [text for texts in (*call.texts[:2], *(texts for _, texts in call.keywords)) for text in texts]
    hosts = [host for text in first if (host := _outside(text))]
    name = call.name.removeprefix("pip._vendor.")
    if name.startswith(_PYTHON_MODULES):
        loopback = any(_is_loopback(text) for text in first)
        constructs = call.name.rsplit(".", 1)[-1] in (
            "Session",
            "Client",
            "AsyncClient",
            "ClientSession",
            "Request",
        )
        return hosts[0] if hosts else ("" if loopback or constructs else name)
    if call.name in _PYTHON_SOCKETS:
        return "" if any(_LOOPBACK.match(text) for text in first) else call.name
    clients = any(f"{name}.".startswith(_PYTHON_MODULES) for name in imports)
    if hosts and (
        (clients and call.name in _ADDRESS_METHODS)
        or re.search(r"read_|urlopen|urlretrieve|open|connect|from_csv", call.name)
    ):
        return hosts[0]
    return ""


def _outside(text: str) -> str:
    """The host of an address that is not loopback, or nothing."""
    found = _URL.match(text.strip())
    return found[1] if found and found[1] and not _LOOPBACK.match(found[1]) else ""


def _is_loopback(text: str) -> bool:
    found = _URL.match(text.strip())
    return bool(found and _LOOPBACK.match(found[1])) or bool(_LOOPBACK.match(text.strip()))


def _host_like(word: str) -> bool:
    return bool(re.match(r"(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[:/]|$)", word, re.IGNORECASE)) and not re.search(
        r"\.(?:csv|json|html?|txt|sql|py|sh|gz|zip|parquet|md)$", word, re.IGNORECASE
    )


def _host(address: str) -> str:
    return _outside(address) or address.split("/")[0]
