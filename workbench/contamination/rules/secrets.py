"""Secrets in what was said, run, printed and left behind."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.contamination.files import PIECE_BYTES
from workbench.contamination.material import HiddenMaterial
from workbench.contamination.rule import RunContext, StepContext, file_violation
from workbench.contamination.view import RunView
from workbench.patterns import find_secrets
from workbench.records import Level, Place, Step, Violation

MAX_SHAPED_BYTES = 32 << 20
"""Of one file, searched for shapes of secrets; the model key is searched for in all of it."""

_KEY = "the run's model key"
_CUT = "shapes of secrets were looked for in the first 32 MiB only"
Statement = tuple[Level, str, int | None, str]


class Secrets:
    """Something shaped like a secret warns; the run's model key fails. Excerpts are masked."""

    name = "secrets"
    version = 1
    severity = Level.FAIL
    description = "a key, token or password occurs in a step or a file"
    explanation = (
        "Shapes of keys, tokens and passwords in what was said, run, printed and left behind warn; "
        "the key of this run fails. Excerpts are masked."
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
        return list(found.values())

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        found: list[Violation] = []
        for file in view.files:
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
    yield step.message
    yield step.reasoning
    for call in step.calls:
        yield call.command or ""
        yield call.content or ""
        for value in call.arguments.values():
            if isinstance(value, str) and value != call.command:
                yield value
    for observation in step.observations:
        yield observation.text


def _key(text: str, hidden: HiddenMaterial) -> Iterator[Statement]:
    if hidden.is_key is not None and hidden.is_key(text):
        yield Level.FAIL, f"{_KEY} occurs", None, "(not shown)"


def _found(text: str, hidden: HiddenMaterial) -> Iterator[Statement]:
    if not text:
        return
    yield from _key(text, hidden)
    for secret in find_secrets(text):
        value = text[secret.start : secret.end]
        if hidden.is_key is not None and hidden.is_key(value):
            continue
        yield Level.WARN, f"something shaped like a secret: {secret.kind}", secret.line, secret.masked
