"""Tokens planted in references, earlier runs and other skills: who shows one has seen what it stands in."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.contamination.fingerprint import Fingerprint
from workbench.contamination.material import HiddenMaterial
from workbench.contamination.rule import CannotRun, RunContext, StepContext, file_violation
from workbench.contamination.spellings import decodings, spelled
from workbench.contamination.step_texts import Origin, folded_texts, step_texts
from workbench.contamination.view import RunView
from workbench.ehr import DuckDBError
from workbench.records import CANARY, Level, Place, Step, Violation

MAX_PIECE_BYTES = 2_000
"""Files so small are also read one behind the other."""
MAX_SPELLED_BYTES = 8 << 20
"""Of one file that are searched for other spellings; plain tokens are searched for in all of it."""
_PLACES = {Origin.SAID: "was said", Origin.CALLED: "stands in a call", Origin.SHOWN: "came back"}


class Canaries:
    """A token fails wherever it stands and however it is spelled; one that nobody knows goes to a person."""

    name = "canaries"
    version = 1
    severity = Level.FAIL
    description = "a token planted in a reference, an earlier run or another skill was shown or used"
    explanation = (
        "Messages, reasoning, calls, what came back, files, home and output are searched for planted tokens, "
        "also cut up, reversed, in Base64, in hexadecimal or as character codes (a reference's own marks in "
        "files are told by hidden-copies). A token can only come from "
        "the "
        "text that it was planted in, so it fails; a token of unknown origin waits for a person. The token "
        "of a "
        "skill that this run may see is let be."
    )
    false_positives = "Tokens have 80 random bits; a text that happens to spell one is not to be expected."

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        hidden = context.hidden
        found: dict[str, Violation] = {}
        tokens = _tokens(hidden)
        for item in step_texts(step):
            for level, what in _told(item.text, hidden, tokens, marks=True):
                message = f"{what} {_PLACES[item.origin]}"
                found.setdefault(what, self._at(step.number, level, message))
        for text in folded_texts(context):
            for token in spelled(text, tokens) if len(text) > 15 else ():
                what = tokens[token]
                found.setdefault(what, self._at(step.number, Level.FAIL, f"{what} is put together in a call"))
        return list(found.values())

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        """Raises CannotRun when a reference's own marks cannot be read."""
        try:
            marks = view.hidden.fingerprints
        except (OSError, DuckDBError) as error:
            raise CannotRun(f"a reference cannot be read ({type(error).__name__})") from None
        found: list[Violation] = []
        pieces = [
            text
            for file in (*view.files, *view.home_files)
            if file.size_bytes <= MAX_PIECE_BYTES and (text := file.text)
        ]
        tokens = _tokens(view.hidden)
        for token in spelled("".join(map(str.strip, pieces)), tokens):
            if not any(spelled(piece, [token]) for piece in pieces):
                message = f"{tokens[token]} stands in pieces over several files"
                found.append(Violation(rule=self.name, level=Level.FAIL, message=message))
        for file in (*view.files, *view.home_files):
            said: set[str] = set()
            read_bytes = 0
            for piece in file.pieces():
                read_bytes += len(piece)
                text = piece.decode("utf-8", "replace")
                tokens = _tokens(view.hidden, columns=file.name.startswith("~/"))
                told = (
                    _told(text, view.hidden, tokens, marks=False)
                    if read_bytes <= MAX_SPELLED_BYTES
                    else _plain(text, tokens)
                )
                for level, what in told:
                    if what not in said:
                        said.add(what)
                        found.append(file_violation(self.name, level, f"{what} stands in a file", file.name))
                for mark in marks:
                    if mark.target not in said and file.name.startswith("~/") and _values(mark, text):
                        said.add(mark.target)
                        message = f"a token of the hidden reference '{mark.target}' stands in a file"
                        found.append(file_violation(self.name, Level.FAIL, message, file.name))
        return found

    def _at(self, step: int, level: Level, message: str) -> Violation:
        return Violation(rule=self.name, level=level, message=message, place=Place(step=step))


def _tokens(hidden: HiddenMaterial, *, columns: bool = True) -> dict[str, str]:
    """What each token is of. ``columns``: names of the references' token columns, too."""
    known = dict.fromkeys(hidden.run_canaries, "the token of another run")
    for name, skill in hidden.skills.items():
        if skill.canary and not skill.allowed:
            known[skill.canary] = f"the token of the skill '{name}'"
    for mark in hidden.fingerprints if columns else ():
        if mark.canary_column:
            known[mark.canary_column] = f"the token column of the hidden reference '{mark.target}'"
    return {token.removeprefix("wbc-"): what for token, what in known.items()}


def _told(
    text: str, hidden: HiddenMaterial, tokens: dict[str, str], *, marks: bool
) -> Iterator[tuple[Level, str]]:
    for token in spelled(text, tokens):
        yield Level.FAIL, tokens[token]
    yield from _unknown(text, hidden)
    for mark in hidden.fingerprints if marks else ():
        if _values(mark, text) or _values(mark, " ".join(decodings(text[:20_000]))):
            yield Level.FAIL, f"a token of the hidden reference '{mark.target}'"


def _plain(text: str, tokens: dict[str, str]) -> Iterator[tuple[Level, str]]:
    for token, what in tokens.items():
        if token in text:
            yield Level.FAIL, what


def _unknown(text: str, hidden: HiddenMaterial) -> Iterator[tuple[Level, str]]:
    if "wbc-" not in text:
        return
    known = set(hidden.run_canaries) | {skill.canary for skill in hidden.skills.values()}
    if any(token not in known for token in CANARY.findall(text)):
        yield Level.QUARANTINE, "a planted token of unknown origin"


def _values(mark: Fingerprint, text: str) -> int:
    if mark.token is None:
        return 0
    words = set(mark.token.findall(text.encode("utf-8", "replace")))
    return mark.tokens_in(words) if words else 0
