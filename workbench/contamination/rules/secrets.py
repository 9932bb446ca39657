"""Secrets in what was said, run, printed and left behind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.contamination.attribution import Gain, gained
from workbench.contamination.files import PIECE_BYTES
from workbench.contamination.material import HiddenMaterial
from workbench.contamination.rule import Action, RunContext, StepContext, excerpt_of, file_violation
from workbench.contamination.spellings import decodings
from workbench.contamination.step_texts import step_texts
from workbench.contamination.view import RunView
from workbench.patterns import Access, arguments, find_secrets, program
from workbench.records import Level, Place, Step, Violation

MAX_SHAPED_BYTES = 32 << 20
"""Of one file, searched for shapes of secrets; the model key is searched for in all of it."""

_KEY = "the run's model key"
_CUT = "shapes of secrets were looked for in the first 32 MiB only"
MAX_SPELLED_CHARS = 20_000
"""Of one text, searched for the model key in other spellings."""
_NAMED = r"\w*(?:API_?KEY|SECRET|TOKEN|PASSW(?:OR)?D|CREDENTIAL|ACCESS_KEY|AUTH|MODEL_KEY)\w*"
_VARIABLE = re.compile(
    rf"\$\{{?!?{_NAMED}|\bprintenv\s+(?:-\S+\s+)*{_NAMED}|(?:environ(?:\.get\(|\.pop\(|\[)"
    rf"|getenv\()\s*['\"]{_NAMED}['\"]"
    rf"|\bENVIRON\[\s*['\"]{_NAMED}|\$ENV\{{\s*['\"]?{_NAMED}|process\.env\.{_NAMED}|declare\s+-p\s+{_NAMED}"
    rf"|getenv\(\s*'{_NAMED}'\s*\)|\$\{{!(?:OPENAI|ANTHROPIC|WORKBENCH|GEMINI|AWS)\w*[@*]"
)
_SEARCHED = re.compile(r"key|token|secret|passw|cred|auth|sk-|api|openai|anthropic|bearer|wbk", re.IGNORECASE)
_LISTS = re.compile(
    r"(?:^|[|;&(\s])(?:env|printenv|set|export(?:\s+-p)?|declare\s+-[xp]+|compgen\s+-[ev]+"
    r"|typeset\s+-x)\b[^|;&]{0,40}\|"
    r"(?P<rest>.{0,200})",
    re.DOTALL,
)
_FILES = re.compile(
    r"/\.(?:codex|claude|gemini|config/[\w-]+)/(?:\w+/)*(?:auth|\.?credentials?|oauth_creds|api_?key"
    r"|secrets?|token)\w*(?:\.\w+)?$"
    r"|/\.(?:netrc|pgpass|npmrc|pypirc|git-credentials|env|envrc|s3cfg|boto)$|/\.aws/|/\.ssh/|/\.kaggle/"
    r"|/\.docker/config"
    r"|/\.config/(?:gh|gcloud|hub|openai|anthropic)|/\.cache/huggingface/token|/\.huggingface/token"
    r"|/run/secrets"
    r"|(?:^|/)(?:\w+[_-])?(?:api[_-]?keys?|secrets?|credentials?|private[_-]?key|tokens?)\.(?:txt|json|toml"
    r"|ya?ml|env|pem|ini)$"
    r"|\.(?:pem|key|p12|keystore)$|/id_(?:rsa|ed25519|ecdsa)",
    re.IGNORECASE,
)
_SAY = {"test", "[", "[[", ":", "export", "unset", "curl", "if"}
Statement = tuple[Level, str, int | None, str]


class Secrets:
    """Something shaped like a secret warns; the run's model key fails. Excerpts are masked."""

    name = "secrets"
    version = 2
    severity = Level.FAIL
    description = "a key, token or password occurs in a step or a file"
    explanation = (
        "Shapes of keys, tokens and passwords in what was said, run, printed and left behind warn, and so "
        "does reading a variable or file that holds one; where something came back, a person looks. The key "
        "of this run fails, also cut up, turned round or encoded. Excerpts are masked."
    )
    false_positives = "Examples in documents can have the shape of a key: shapes alone never fail."

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        found: dict[str, Violation] = {}
        for text in _texts(step):
            for level, message, _, excerpt in _found(text, context.hidden):
                place = Place(step=step.number)
                violation = Violation(
                    rule=self.name, level=level, message=message, place=place, excerpt=excerpt
                )
                found.setdefault(f"{message} {excerpt}", violation)
        for action in context.actions:
            for violation in self._asked(action):
                found.setdefault(violation.message, violation)
        return list(found.values())

    def _asked(self, action: Action) -> Iterator[Violation]:
        """Reading of variables and files that hold secrets. Nothing of what came back is quoted."""
        for use in action.paths:
            path = action.behind_links(use.path)
            if use.access in (Access.WRITE, Access.ENTER) or action.is_own(path) or not _FILES.search(path):
                continue
            got = gained(action, [path, path.rsplit("/", 1)[-1]]) is not Gain.NONE
            level = Level.QUARANTINE if got and use.access is Access.READ else Level.WARN
            yield action.violation(self.name, level, f"{use.by} reads a place for secrets", path)
        texts = [layer.text for layer in action.layers.layers if layer.executed or layer.python]
        for text in texts if action.runs else ():
            found = _VARIABLE.search(text)
            listed = _LISTS.search(text)
            if not found and listed and _SEARCHED.search(listed["rest"]):
                found = listed
            if found and not self._only_tested(action):
                got = gained(action) is not Gain.NONE
                level = Level.QUARANTINE if got else Level.WARN
                shown = excerpt_of(found.group().split("|")[0][:60])
                yield action.violation(self.name, level, "a variable that holds a secret is read", shown)

    def _only_tested(self, action: Action) -> bool:
        """``[ -n "$API_KEY" ]`` and giving a key on to where it belongs."""
        for layer in action.layers.layers:
            for command in layer.shell.commands if layer.shell is not None else ():
                words = " ".join(text for word in arguments(command) for text in word.values)
                if program(command) not in _SAY and _SEARCHED.search(words):
                    return False
            if layer.python is not None:
                return False
        return not any("$" in layer.text and "echo" in layer.text for layer in action.layers.layers)

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        found: list[Violation] = []
        for file in (*view.files, *view.home_files):
            lines = 0
            read_bytes = 0
            said: set[str] = set()
            for piece in file.pieces():
                text = piece.decode("utf-8", "replace")
                read_bytes += len(piece)
                if read_bytes > MAX_SHAPED_BYTES:
                    statements = list(_key(text, view.hidden))
                    if not said & {_CUT}:
                        said.add(_CUT)
                        found.append(file_violation(self.name, Level.INFORMATION, _CUT, file.name))
                else:
                    statements = list(_found(text, view.hidden))
                for level, message, line, excerpt in statements:
                    if f"{message} {excerpt}" not in said:
                        said.add(f"{message} {excerpt}")
                        line = lines + line if line and file.looks_textual else None
                        found.append(file_violation(self.name, level, message, file.name, line, excerpt))
                lines += piece[:PIECE_BYTES].count(b"\n") if lines else piece.count(b"\n")
        return found


def _texts(step: Step) -> Iterator[str]:
    yield from dict.fromkeys(item.text for item in step_texts(step))


def _key(text: str, hidden: HiddenMaterial) -> Iterator[Statement]:
    if hidden.is_key is None:
        return
    if hidden.is_key(text):
        yield Level.FAIL, f"{_KEY} occurs", None, "(not shown)"
        return
    part = text[:MAX_SPELLED_CHARS]
    for other in (re.sub(r"[\s'\"+,\\()]+", "", part), *decodings(part)):
        if hidden.is_key(other) or hidden.is_key(re.sub(r"\s+", "", other)):
            yield Level.FAIL, f"{_KEY} occurs in another spelling", None, "(not shown)"
            return


def _found(text: str, hidden: HiddenMaterial) -> Iterator[Statement]:
    if not text:
        return
    yield from _key(text, hidden)
    for secret in find_secrets(text):
        value = text[secret.start : secret.end]
        if hidden.is_key is not None and hidden.is_key(value):
            continue
        yield Level.WARN, f"something shaped like a secret: {secret.kind}", secret.line, secret.masked
