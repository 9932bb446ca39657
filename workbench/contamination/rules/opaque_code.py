"""Code that runs and cannot be read from the log."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.contamination.rule import Action, RunContext, StepContext
from workbench.contamination.view import RunView
from workbench.patterns import (
    UNKNOWN,
    Command,
    Layer,
    PythonCode,
    ShellScript,
    arguments,
    program,
    resolve,
    standard_input,
)
from workbench.records import Level, Step, Violation

_SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "source", "."}
_CLIENTS = {"duckdb", "sqlite3", "psql"}
_LANGUAGES = {"python", "node", "perl", "ruby", "Rscript", "R", "php", "lua"}
_CHANGERS = {
    "tr",
    "sed",
    "envsubst",
    "awk",
    "gawk",
    "mawk",
    "perl",
    "rev",
    "openssl",
    "gunzip",
    "zcat",
    "xxd",
}
_INLINE = re.compile(r"-\w{0,3}[ce]$|-m$|-s$|-cmd$|--(?:command|eval|expression)$")
_GENERATED = re.compile(
    r"(?:\$\(|`|<\()[^)`]{0,300}?\b(?:(?:base64|base32)\s+(?:-d|-D|--decode)|envsubst|openssl|perl|rev|xxd"
    r"|tr|sed|awk)\b"
)
_STARTS_OTHERS = {
    "perl": re.compile(r"\b(?:system|exec|qx|eval|DBI)\b|`|\bopen\b[^;]{0,300}\|"),
    "ruby": re.compile(r"\b(?:system|exec|eval|spawn|popen)\b|`|%x"),
    "php": re.compile(r"\b(?:system|exec|shell_exec|passthru|eval)\b"),
    "lua": re.compile(r"\b(?:os\.execute|io\.popen|load)\b"),
    "node": re.compile(r"child_process|\b(?:exec|execSync|spawn|spawnSync|eval|Function)\s*\(|duckdb"),
    "awk": re.compile(
        r"\bsystem\s*\(|\|\s*getline|\|&|\|\s*(?:[a-z_]\w*|\"\s*(?:ba|z|da)?sh\b|\"\s*(?:duckdb|python))"
    ),
    "R": re.compile(r"\b(?:system2?|dbConnect|dbGetQuery|duckdb|parse|shell)\b"),
}
_SAME = {"gawk": "awk", "mawk": "awk", "Rscript": "R"}
_PYTHON_RUNS = {"exec", "eval", "compile", "builtins.exec", "builtins.eval"}
_PYTHON_DECODES = re.compile(
    r"(?:^|\.)(?:[a-z0-9]*b(?:16|32|64|85)decode|decodebytes|fromhex|unhexlify|a2b_\w+|decompress|maketrans"
    r"|loads)$"
)
_PYTHON_QUERIES = {".execute", ".sql", ".query", "duckdb.sql", "duckdb.execute", "duckdb.query", "os.system"}


class OpaqueCode:
    """Decoded or generated text that goes to a shell, interpreter or database warns; never more.

    What can be worked out from the log (literals decoded, pipes over known texts and files, Python that is
    followed) is read by the other rules as the code it is, and not stated here. Not covered: files decoded
    in one step and run in another, and names computed from query results, which honest exploration does as
    well.
    """

    name = "opaque-code"
    version = 3
    severity = Level.WARN
    description = "code runs that cannot be read from the log"
    explanation = (
        "Decoded or generated text that goes to a shell, interpreter or database, and cannot be "
        "worked out from the log, warns."
    )
    false_positives = "Templates filled by tools look like it; it never does more than warn."

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        found = []
        for action in context.actions:
            first = next(_opaque(action), None) if action.runs else None
            if first is not None:
                found.append(action.violation(self.name, Level.WARN, "opaque code executed", first))
        return found

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        return []


def unreadable(action: Action) -> bool:
    """Whether code runs in the call that cannot be read from the log."""
    return next(_opaque(action), None) is not None


def _opaque(action: Action) -> Iterator[str]:
    """What shows it, for an excerpt."""
    for layer in action.layers.layers:
        if layer.shell is not None and layer.executed:
            yield from _in_shell(action, layer, layer.shell)
        elif layer.python is not None and (layer.executed or action.call.command is None):
            yield from _in_python(layer.python)


def _in_shell(action: Action, layer: Layer, script: ShellScript) -> Iterator[str]:
    made = {path for command in script.commands for path in _generated_files(command)}
    generated = bool(_GENERATED.search(layer.text))
    read = any(program(command) == "read" for command in script.commands)
    for command in script.commands:
        name = program(command)
        words = [text for word in arguments(command) for text in word.values]
        shown = " ".join([name, *words])
        if name == "eval" and any(UNKNOWN in word for word in words):
            yield shown
        if name in _SHELLS | _CLIENTS | _LANGUAGES and (
            (_reads_code(name, words) and _changed_before(command))
            or (generated and _has_unknown(command, words))
            or (made and made & _run_files(command, words))
            or (read and name in _CLIENTS and _has_unknown(command, words))
            or _spread_over(command, name, words)
        ):
            yield shown
        pattern = _STARTS_OTHERS.get(_SAME.get(name, name))
        if pattern is not None and any(pattern.search(code) for code in _codes(action, command, words)):
            yield shown


def _in_python(code: PythonCode) -> Iterator[str]:
    decodes = any(_PYTHON_DECODES.search(call.name) for call in code.calls)
    for call in code.calls:
        first = call.texts[0] if call.texts else ()
        unknown = bool(call.texts) and (not first or any(UNKNOWN in text for text in first))
        if unknown and (call.name in _PYTHON_RUNS or (decodes and call.name in _PYTHON_QUERIES)):
            yield f"{call.name}(…)"


def _reads_code(name: str, words: list[str]) -> bool:
    """Whether the program takes its code from standard input."""
    if any(_INLINE.match(word) for word in words if name not in _SHELLS or word != "-s"):
        return False
    plain = [word for word in words if not word.startswith("-") and word != "/dev/stdin"]
    if name in _CLIENTS:
        return len(plain) <= 1 and not any(re.search(r"\s", word) for word in plain)
    return not plain or "-s" in words


def _changed_before(command: Command) -> bool:
    """Whether the text in its pipe was decoded or changed, and is not known."""
    given = standard_input(command)
    if given is not None and UNKNOWN not in given:
        return False
    before = command.reads_from
    while before is not None:
        if _changes(before):
            return True
        before = before.reads_from
    return False


def _changes(command: Command) -> bool:
    name = program(command)
    if name in ("base64", "base32"):
        return any(re.match(r"-\w*[dD]|--decode", word.text) for word in arguments(command))
    return name in _CHANGERS


def _has_unknown(command: Command, words: list[str]) -> bool:
    texts = [
        *words,
        *(item.body for item in command.heredocs),
        *(item.target.text for item in command.redirects),
    ]
    return any(UNKNOWN in text for text in texts)


def _generated_files(command: Command) -> Iterator[str]:
    """Files that a decoder or generator prints into."""
    if _changes(command) and standard_input(command) is None:
        for item in command.redirects:
            path = resolve(item.target.text, command.folder) if item.operator in (">", ">>", ">|") else None
            if path:
                yield path


def _run_files(command: Command, words: list[str]) -> set[str]:
    read = [item.target.text for item in command.redirects if item.operator == "<"]
    dotted = [found for word in words for found in re.findall(r"\.read\s+(\S+)", word)]
    name = program(command)
    plain = [word for word in words if not word.startswith("-")]
    first = plain[:1] if name in _SHELLS | _LANGUAGES else []
    option = [words[place + 1] for place, word in enumerate(words[:-1]) if word in ("-f", "-init", "-file")]
    return {path for word in (*read, *dotted, *first, *option) if (path := resolve(word, command.folder))}


def _spread_over(command: Command, name: str, words: list[str]) -> bool:
    """``… | xargs -I{} duckdb -c '… {}'`` with lines that are not known."""
    if not command.argv or command.argv[0].text.rsplit("/", 1)[-1] != "xargs":
        return False
    if standard_input(command) is not None:
        return False
    outer = [word.text for word in command.argv]
    marks = [
        outer[place + 1] if word == "-I" else word[2:]
        for place, word in enumerate(outer[:-1])
        if word[:2] == "-I"
    ]
    codes = [words[place + 1] for place, word in enumerate(words[:-1]) if _INLINE.match(word)]
    if name in _CLIENTS:
        return any(mark and mark in code for mark in marks for code in codes) or words[-1:] == ["-c"]
    return any(code in marks for code in codes) or words[-1:] == ["-c"]


def _codes(action: Action, command: Command, words: list[str]) -> Iterator[str]:
    yield from words
    given = standard_input(command)
    if given:
        yield given
    for word in words:
        path = resolve(word, command.folder)
        if path in action.context.files:
            yield action.context.files[path]
