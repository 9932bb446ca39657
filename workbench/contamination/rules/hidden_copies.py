"""Provable copies of a hidden reference: canary, bytes, random row order. Equal values prove nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.contamination.comparison import comparable, compare
from workbench.contamination.files import CollectedFile
from workbench.contamination.fingerprint import Fingerprint
from workbench.contamination.material import HiddenMaterial
from workbench.contamination.row_order import ACCUSE_BELOW_LOG10, order_chance
from workbench.contamination.rule import CannotRun, RunContext, StepContext, file_violation
from workbench.contamination.view import RunView
from workbench.ehr import DuckDBError
from workbench.records import OUTPUT_NAME, Level, Place, Step, Violation, file_sha256

_RULE = "hidden-copies"
MAX_COMPARED_BYTES = 512 << 20
_MAX_WORDS = 50_000


class HiddenCopies:
    """A copy fails however it is reordered or spelled, as long as a mark is left in it."""

    name = _RULE
    version = 1
    severity = Level.FAIL
    description = "a file or printed text is provably copied from the hidden reference"
    explanation = (
        "Canary values, bytes and the random row order of the hidden reference, in any file and any "
        "spelling, fail: they cannot be had by work. Equal values are told as agreement and prove "
        "nothing."
    )
    false_positives = (
        "None is known: marks are random. A right answer in the agent's own order has none of them."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        marks = context.hidden.fingerprints
        found = []
        for text in _texts(step):
            data = text.encode("utf-8", "replace")
            for mark in marks:
                what = _marked(mark, [data])
                if what:
                    message = f"{what} of the hidden reference '{mark.target}' was printed or used"
                    found.append(
                        Violation(
                            rule=_RULE, level=Level.FAIL, message=message, place=Place(step=step.number)
                        )
                    )
        return list({item.message: item for item in found}.values())

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        """Raises CannotRun when a reference's own marks cannot be read."""
        try:
            marks = view.hidden.fingerprints
        except (OSError, DuckDBError) as error:
            raise CannotRun(f"a reference cannot be read ({type(error).__name__})") from None
        found: list[Violation] = []
        for file in view.files:
            for mark in marks:
                found += _file(file, mark, view.hidden, is_output=file.path == view.output)
        return found


def _texts(step: Step) -> Iterator[str]:
    yield step.message
    for call in step.calls:
        yield call.command or ""
        yield call.content or ""
    for observation in step.observations:
        yield observation.text


def _file(
    file: CollectedFile, mark: Fingerprint, hidden: HiddenMaterial, *, is_output: bool
) -> Iterator[Violation]:
    if file.size_bytes == mark.path.stat().st_size and file_sha256(file.path) == mark.sha256:
        yield _accusation(file, mark, "is the hidden file itself, byte for byte")
        return
    what = _marked(mark, file.pieces())
    if what:
        yield _accusation(file, mark, f"holds {what}")
    reader = comparable(file.name) or (comparable(OUTPUT_NAME) if is_output else "")
    if not reader or not file.size_bytes:
        return
    if file.size_bytes > MAX_COMPARED_BYTES:
        message = f"row order not compared with the reference '{mark.target}': the file is too large"
        yield file_violation(_RULE, Level.NOT_RUN, message, file.name)
        return
    try:
        comparison = compare(file.path, reader, mark.path, hidden.task, hidden.column_names)
    except DuckDBError:
        return  # not a table; marks were looked for in its bytes
    if comparison is None:
        return
    chance = order_chance(comparison.positions) if len(comparison.positions) > 1 else 0.0
    if comparison.reference_random and chance < ACCUSE_BELOW_LOG10 and not what:
        shown = f"chance of accident below 1e{max(int(chance), -999)}"
        yield _accusation(file, mark, f"has its rows in the hidden file's random order ({shown})")
    if comparison.agreeing is not None and 0 < comparison.rows == comparison.agreeing:
        message = f"agreement: all {comparison.rows} rows compared equal the reference '{mark.target}'"
        yield file_violation(_RULE, Level.INFORMATION, message, file.name)


def _marked(mark: Fingerprint, pieces: Iterator[bytes] | list[bytes]) -> str:
    """What of the reference is in the bytes: its canary's name or values, or its own bytes; or nothing."""
    name = mark.canary_column.encode()
    wide = mark.canary_column.encode("utf-16-le")
    words: set[bytes] = set()
    for piece in pieces:
        if name and (name in piece or wide in piece or name.upper() in piece):
            return "the canary column"
        if mark.probe and len(mark.probe) >= 32 and mark.probe in piece:
            return "bytes"
        if mark.token is not None and len(words) < _MAX_WORDS:
            words.update(re.findall(mark.token, piece))
    return "canary values" if words and mark.tokens_in(words) else ""


def _accusation(file: CollectedFile, mark: Fingerprint, what: str) -> Violation:
    return file_violation(_RULE, Level.FAIL, f"{what} (reference '{mark.target}')", file.name)
