"""The network: programs, Python calls, addresses in SQL, web tools, nested agents, and the egress log."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from workbench.contamination.attribution import Gain, answered, gained, only_program
from workbench.contamination.network_names import (
    BUSYBOXES,
    EXTENSION_SQL,
    EXTENSIONS,
    INTERPRETERS,
    MODULES_RUN,
    NESTED_AGENTS,
    ONLY_REACH,
    OTHER_LANGUAGES,
    REACH_BY_WORD,
    REPLIED,
    SHELL_SOCKET,
    SHOW_TEXT,
    TOLD,
    is_loopback,
    outside_host,
)
from workbench.contamination.python_reach import python_reaches
from workbench.contamination.rule import Action, RunContext, StepContext, distinct, file_violation
from workbench.contamination.view import RunView
from workbench.patterns import Command, arguments, program, resolve
from workbench.records import WORK_FOLDER, Level, Step, ToolKind, Violation

_HOST = re.compile(r"(?:[a-z0-9_-]+\.)+[a-z]{2,}(?:[:/]|$)", re.IGNORECASE)
_FILE = re.compile(
    r"\.(?:csv|json|html?|txt|sql|py|sh|gz|zip|parquet|md|js|rb|pl|go|rs|toml|ya?ml|cfg)$", re.IGNORECASE
)
_SOCAT = re.compile(r"\b(?:TCP|UDP|OPENSSL|SSL|SOCKS|PROXY|SCTP)[\w-]*:(?P<host>[^:,\s]+)", re.IGNORECASE)
_LOCAL_SOURCE = re.compile(r"(?:/|\./|\.\./|file:)|[\w-]+$")
NESTED_STARTED = "a nested agent was started"
_FETCHERS = {"curl", "wget", "http", "https", "fetch"}
_MODEL_PATHS = re.compile(
    r"^/(?:v\d\w*/)?(?:responses|chat/completions|completions|messages|models|embeddings|health|count_tokens"
    r"|api/)"
    r"|:(?:stream)?[gG]enerateContent|:countTokens|^/$|/v1/(?:responses|messages|models|chat)"
)
_MADE = re.compile(
    r"^\t[@-]?.*\b(?:curl|wget|lynx|w3m|links|aria2c|git clone|pip install|npm i)\b", re.MULTILINE
)
_FETCHED = re.compile(
    r"^\s*(?:Successfully (?:installed|downloaded) \S|Saved \S+\.(?:whl|tar\.gz|zip)"
    r"|Downloading \S+\.(?:whl|tar\.gz)"
    r"|Receiving objects:|Resolving deltas:|added \d+ package|Installed \d+ package|Fetched \d|Get:\d+ http"
    r"|Status: Downloaded newer|Unpacking objects:|\s*Downloaded \S+ v?\d|\+ \S+==\d|Successfully built \S)",
    re.MULTILINE,
)
_CONNECTED = re.compile(
    r"^\s*(?:\* Connected to |Connecting to )(?!localhost|127\.|\[?::1)[\w.-]+ ?(?:\(|.*\bconnected\.)",
    re.MULTILINE,
)
_OTHER_CODE = re.compile(
    r"\.(?:c|cc|cpp|m?js|ts|rb|p[lm]|php|go|rs|java|lua|r|jl|awk|mk|el|tcl|ps1)$|makefile$", re.IGNORECASE
)


class Network:
    """Tries warn; an answer that only the outside can have given fails.

    The gateway on loopback is allowed; comments do not count.
    """

    name = "network"
    version = 3
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
        started = [
            item for item in context.found if item.rule == self.name and item.message == NESTED_STARTED
        ]
        if started and not view.nested:
            message = "a nested agent was started, and no log of it is at hand"
            found.append(Violation(rule=self.name, level=Level.WARN, message=message, place=started[0].place))
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
                found = SHELL_SOCKET.search(layer.text)
                if found and not is_loopback(found["host"]):
                    yield self._statement(action, f"the shell connects to {found['host']}", found.group())
            elif layer.python is not None:
                for reached, by in python_reaches(layer.python):
                    yield self._statement(action, f"Python reaches for {reached}", by)
        yield from self._other(action)
        yield from self._sql(action)
        yield from self._told(action)

    def _sql(self, action: Action) -> Iterator[Violation]:
        for snippet in action.sql.snippets if action.runs else ():
            for path in sorted(snippet.use.files_read | snippet.use.files_written):
                host = outside_host(path)
                if host:
                    yield self._statement(action, f"SQL reaches for {host}", path)
            for extension in sorted(snippet.use.extensions):
                message = f"SQL installs the extension {extension}"
                yield action.violation(self.name, Level.WARN, message, snippet.sql)
            for found in EXTENSION_SQL.finditer(snippet.sql):
                name = (found["a"] or found["b"] or "").lower()
                if (
                    name
                    and name not in EXTENSIONS
                    and not found.group().upper().startswith(("INSTALL", "FORCE"))
                ):
                    continue
                said = f"the extension {name}" if name else "a remote database or its secrets"
                yield self._statement(action, f"SQL uses {said}", found.group())

    def _told(self, action: Action) -> Iterator[Violation]:
        """What only the network, or the want of one, can have said; whatever was run."""
        seen = action.observation
        if seen is None or action.call.kind is not ToolKind.COMMAND:
            return
        asked = action.call.command or ""
        found = TOLD.search(seen.text[:100_000])
        if found and not TOLD.search(asked):
            message = "what came back tells that the network was tried"
            yield action.violation(self.name, Level.WARN, message, found.group())
        replied = REPLIED.search(seen.text[:100_000])
        if replied and not re.search(r"localhost|127\.0\.0|\bhtml?\b", asked):
            message = "what came back is the answer of another host"
            yield action.violation(self.name, Level.QUARANTINE, message, replied.group())

    def _other(self, action: Action) -> Iterator[Violation]:
        """Code of other languages, and make with a file that the run wrote."""
        command = action.call.command or ""
        text = command or action.call.content or ""
        if re.search(r"(?:^|[\s;&|])make\b", command):
            made = [body for path, body in action.context.files.items() if path.endswith(("akefile", ".mk"))]
            text = "\n".join([text, *made])
            if _MADE.search("\n".join(made)):
                yield self._statement(action, "make runs a program that reaches for the network", text)
        elif command:
            names = [
                word for word in command[:20_000].split() if len(word) < 300 and _OTHER_CODE.search(word)
            ][:20]
            known = [action.context.files.get(resolve(name, WORK_FOLDER) or "", "") for name in names]
            text = "\n".join([text, *known])
        if not (INTERPRETERS.search(command[:200_000]) or _OTHER_CODE.search(action.call.path or "")):
            return
        found = OTHER_LANGUAGES.search(text[:200_000])
        host = outside_host(text[:20_000])
        where = re.search(r"['\"]([\w-]{1,80}(?:\.[\w-]{1,80})+)(?::\d+)?['\"]", text[:20_000])
        if found and (host or not re.search(r"localhost|127\.0\.0\.1", text)):
            yield self._statement(
                action, f"code reaches for {host or (where[1] if where else 'the network')}", found.group()
            )
        elif (
            host
            and action.runs
            and re.search(r"(?:java|go|node|ruby|perl|php|deno|bun|emacs|vim?|tclsh)\s", command)
        ):
            yield self._statement(action, f"code is given the address of {host}", host)

    def _command(self, action: Action, command: Command) -> Iterator[Violation]:
        name = program(command)
        words = [text for word in arguments(command) for text in word.values]
        plain = [word for word in words if not word.startswith("-")]
        shown = " ".join([name, *words])
        asks_itself = words in (["--version"], ["-V"], ["--help"], ["version"], ["-h"], ["help"])
        host = next((found for word in words if "\n" not in word and (found := outside_host(word))), "")
        if name in BUSYBOXES and plain and plain[0] in ONLY_REACH | _FETCHERS | REACH_BY_WORD[name]:
            yield self._statement(action, f"{name} {plain[0]} reaches for the network", shown)
        elif asks_itself:
            return
        elif name in _FETCHERS and not _from_a_list(command):
            yield from self._fetched(action, command, words, plain, host, shown)
        elif name in ("scp", "rsync"):
            if (
                any(
                    re.match(r"(?:[\w.-]+@)?[\w.-]+::?(?!//)", word) and "/" not in word.split(":")[0]
                    for word in plain
                )
                or host
            ):
                yield self._statement(action, f"{name} reaches for the network", shown)
        elif name in _FETCHERS | ONLY_REACH and _from_a_list(command):
            yield self._statement(action, f"{name} fetches what a list holds", shown)
        elif name == "socat":
            to = _SOCAT.search(shown)
            if to and not is_loopback(to["host"]):
                yield self._statement(action, f"socat connects to {to['host']}", shown)
        elif name in ONLY_REACH and words:
            if not plain or not all(is_loopback(word) or word.isdigit() for word in plain[:2]):
                yield self._statement(action, f"{name} reaches for the network", shown)
        elif name in NESTED_AGENTS and words:
            yield from self._nested(action, shown)
        elif name == "python" and words[:1] == ["-m"] and words[1:]:
            if words[1] in ("pip", "uv"):
                yield from self._installer(action, words[1], words[2:], shown)
            elif words[1] in MODULES_RUN and (host or plain[1:] or words[1] == "ensurepip"):
                yield self._statement(action, f"Python's {words[1]} reaches for the network", shown)
        elif name == "git":
            yield from self._git(action, words, host, shown)
        elif name in REACH_BY_WORD:
            yield from self._installer(action, name, words, shown)
        elif name in ("psql", "mysql", "mariadb", "mongosh", "redis-cli") and any(
            word in ("-h", "--host") or word.startswith(("--host=", "host=")) for word in words
        ):
            if not any(is_loopback(word) or word.startswith("/") for word in plain):
                yield self._statement(action, f"{name} reaches for another host", shown)
        elif name == "duckdb" and any(word.startswith(("md:", "motherduck:")) for word in plain):
            yield self._statement(action, "duckdb opens a database in the cloud", shown)
        elif name == "mount" and re.search(r"-t\s*(?:nfs|cifs|smb|sshfs|fuse)", shown):
            yield self._statement(action, "mount reaches for the network", shown)
        elif host and name not in SHOW_TEXT:
            yield self._statement(action, f"{name} is given the address of {host}", shown)

    def _fetched(
        self, action: Action, command: Command, words: list[str], plain: list[str], host: str, shown: str
    ) -> Iterator[Violation]:
        name = program(command)
        local = [word for word in plain if is_loopback(word) or word.startswith("file:")]
        named = [word for word in plain if name != "fetch" and _host_like(word)]
        socket = next((words[at + 1] for at, word in enumerate(words[:-1]) if word == "--unix-socket"), "")
        if host or named:
            yield self._statement(action, f"{name} fetches {host or named[0].split('/')[0]}", shown)
        elif socket and not _MODEL_PATHS.search(re.sub(r"^\w+://[^/]*", "", plain[-1] if plain else "")):
            yield self._statement(action, f"{name} asks the gateway for what no model call is", shown)
        elif not local and not socket and (plain or len(words) > 1):
            yield action.violation(self.name, Level.WARN, f"{name} fetches something", shown)

    def _git(self, action: Action, words: list[str], host: str, shown: str) -> Iterator[Violation]:
        rest = _without_settings(words)
        if rest[:2] in (["remote", "update"], ["remote", "show"]):
            rest = ["fetch"]
        elif rest[:1] == ["archive"] and any(word.startswith("--remote") for word in rest):
            rest = ["fetch", *rest[1:]]
        elif rest[:1] in (["clone"], ["fetch"], ["pull"], ["ls-remote"]) and not host:
            sources = [word for word in rest[1:] if not word.startswith("-")]
            local = sources and _LOCAL_SOURCE.match(sources[0])
            if local and sources[0] not in ("origin", "upstream"):
                return
        yield from self._installer(action, "git", rest, shown)

    def _nested(self, action: Action, shown: str) -> Iterator[Violation]:
        yield action.violation(self.name, Level.WARN, NESTED_STARTED, shown)

    def _installer(self, action: Action, name: str, words: list[str], shown: str) -> Iterator[Violation]:
        plain = [word for word in words if not word.startswith("-")]
        verbs = REACH_BY_WORD[name]
        asked = (
            next((word for word in (*plain[:1], *words) if word in verbs), "")
            if verbs
            else (plain[:1] or [""])[0]
        )
        if not asked or "--no-index" in words or (name in ("docker", "podman") and not plain[1:]):
            return
        targets = [word for word in plain if word != asked]
        if (
            targets
            and all(word.startswith((".", "/")) for word in targets)
            and "-r" not in words
            and name != "git"
        ):
            return
        text = action.observation.text if action.observation else ""
        fetched = bool(_FETCHED.search(text))
        said = f"{name} {asked} reaches for the network"
        if fetched:
            yield action.violation(self.name, Level.FAIL, f"{said} and got something", shown)
        elif "already" in text or "up to date" in text:
            yield action.violation(self.name, Level.WARN, said, shown)
        else:
            yield self._statement(action, said, shown)

    def _statement(self, action: Action, message: str, shown: str) -> Violation:
        level = Level.WARN
        if answered(action) or _connected(action):
            level = Level.FAIL
        elif _inside_other_code(action) and only_program(action) and gained(action) is not Gain.NONE:
            level = Level.QUARANTINE
        got = " and got an answer" * (level is not Level.WARN)
        return action.violation(self.name, level, message + got, shown)


def _inside_other_code(action: Action) -> bool:
    """Whether more than one shell alone runs: then who printed is not known for sure."""
    running = [layer for layer in action.layers.layers if layer.executed]
    return (
        any(layer.python is not None for layer in running)
        or sum(layer.shell is not None for layer in running) > 1
    )


def _from_a_list(command: Command) -> bool:
    """Whether ``xargs`` or its like gives the program its words."""
    first = command.argv[0].text.rsplit("/", 1)[-1] if command.argv else ""
    return first in ("xargs", "parallel")


def _connected(action: Action) -> bool:
    """Whether curl or wget itself tells that it was connected to a host outside."""
    return action.observation is not None and bool(_CONNECTED.search(action.observation.text))


def _without_settings(words: list[str]) -> list[str]:
    """``git -c name=value -C folder clone``: from the verb on."""
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in ("-c", "-C", "--git-dir", "--work-tree", "--namespace") else 1
    return words[place:]


def _host_like(word: str) -> bool:
    return bool(_HOST.match(word)) and not _FILE.search(word)
