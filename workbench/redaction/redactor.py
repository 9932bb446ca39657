"""Steps of any log into steps that may be released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from workbench.records import Observation, Step, StepSource, ToolCall, TrajectorySummary
from workbench.redaction.documents import Documents
from workbench.redaction.lookup import IdentifierLookup
from workbench.redaction.membership import Membership
from workbench.redaction.observations import Described, Describer
from workbench.redaction.people import KnownNames, names_told
from workbench.redaction.pseudonyms import Pseudonyms
from workbench.redaction.quotes import Quoted
from workbench.redaction.scan import Scanner
from workbench.redaction.spans import Kind
from workbench.redaction.step_fields import said_texts, summary_texts, with_step_texts, with_summary_texts
from workbench.redaction.texts import Texts
from workbench.trajectories import atif_bytes, read_log

SMALL_COUNT = 10
"""Counts of patients below this are masked unless a release says otherwise."""
PLAIN = "plain"


class Redactor:
    """Cleans one log. Redactors with one salt give one value the same pseudonym, in any process.

    ``replaced``: kind of what was taken out to how often, of all steps so far.
    """

    def __init__(
        self,
        lookup: IdentifierLookup,
        salt: bytes,
        *,
        threshold: int = SMALL_COUNT,
        public: Iterable[str] = (),
        names: Iterable[str] = (),
    ) -> None:
        """``public``: texts whose thresholds and sentences stay, such as the task's instruction.
        ``names``: of persons and machines, that go wherever they stand alone.
        """
        self._pseudonyms = Pseudonyms(salt)
        self._quoted, self._names = Quoted(public), KnownNames()
        self._names.add((name, Kind.PERSON) for name in names)
        self._describer = Describer(self._pseudonyms, threshold)
        self._documents = Documents()
        self._calls: dict[str, ToolCall] = {}
        scanner = Scanner(self._quoted, self._names, threshold)
        self._texts = Texts(scanner, Membership(lookup, self._pseudonyms), self._pseudonyms, threshold)
        self.replaced: Counter[str] = self._texts.replaced

    def log(self, steps: Iterable[Step], summary: TrajectorySummary) -> tuple[list[Step], TrajectorySummary]:
        """A whole log, cleaned. Of a log without structure only descriptions are left: nothing in it tells
        output from words. What tools gave back is not kept while the rest is read."""
        plain = summary.format == PLAIN
        held = [self._without_output(_as_output(step) if plain else step) for step in steps]
        if plain:
            summary = summary.model_copy(update={"final_message": ""})
        self._texts.learn(text for step, _ in held for text in said_texts(step))
        self._texts.learn(summary_texts(summary))
        clean, word = self._texts.clean, self._texts.word
        calls: dict[str, ToolCall] = {}
        made = []
        for step, outputs in held:
            cleaned = with_step_texts(step, clean, word)
            calls.update((call.call_id, call) for call in cleaned.calls)
            described = [
                back.model_copy(update={"text": self._describer.describe(output, calls.get(back.call_id))})
                for back, output in zip(cleaned.observations, outputs, strict=True)
            ]
            made.append(cleaned.model_copy(update={"observations": described}))
        return made, with_summary_texts(summary, clean, word, self._describer.error)

    def _without_output(self, step: Step) -> tuple[Step, list[Described]]:
        """The step without what came back, of which values and names are learned."""
        said = dict.fromkeys(said_texts(step))
        for text in said:
            if step.source is StepSource.AGENT:
                self._quoted.said(text)
            self._names.add(names_told(text))
        self._calls.update((call.call_id, call) for call in step.calls)
        outputs = []
        for back in step.observations:
            self._quoted.blind = False
            if not self._documents.shown_by(self._calls.get(back.call_id)):
                self._quoted.printed(back.text)
            self._names.add(names_told(back.text))
            outputs.append(self._describer.read(back))
        self._documents.went_by(step)
        emptied = [back.model_copy(update={"text": ""}) for back in step.observations]
        return step.model_copy(update={"observations": emptied}), outputs


def redact_file(path: Path, redactor: Redactor, format: str = "") -> tuple[list[Step], TrajectorySummary]:
    """A log of any known format with the files of its nested agents, cleaned. Raises BadInput."""
    return redactor.log(*read_log(path, format))


def redacted_atif(path: Path, redactor: Redactor, format: str = "") -> bytes:
    """The same as an ATIF document. Raises BadInput."""
    return atif_bytes(*redact_file(path, redactor, format))


def _as_output(step: Step) -> Step:
    back = Observation(call_id="", text=step.message)
    return step.model_copy(update={"message": "", "observations": [*step.observations, back]})
