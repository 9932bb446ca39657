"""Steps of any log into steps that may be released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
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
BATCH_CHARACTERS, STEP_CHARACTERS = 2_000_000, 500
"""What the agent said in the steps that are cleaned together, and what a step has besides."""
MOST_CALLS = 1_000


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
        self._calls, self._said_calls = _Calls(), _Calls()
        scanner = Scanner(self._quoted, self._names, threshold)
        self._texts = Texts(scanner, Membership(lookup, self._pseudonyms), self._pseudonyms, threshold)
        self.replaced: Counter[str] = self._texts.replaced

    def log(self, steps: Iterable[Step], summary: TrajectorySummary) -> tuple[list[Step], TrajectorySummary]:
        """A whole log, cleaned. Of a log without structure only descriptions are left: nothing in it tells
        output from words. Of a log that is not held, ``learned``, ``cleaned`` and ``summary`` do the same."""
        plain = summary.format == PLAIN
        held = [self._emptied(step, plain) for step in self.learned(steps, summary.format)]
        return list(self._cleaned(held)), self.summary(summary)

    def learned(self, steps: Iterable[Step], format: str) -> Iterator[Step]:
        """The same steps, of which is learned as they go by what has to go wherever it stands."""
        for step in steps:
            self._learn(_as_output(step) if format == PLAIN else step)
            yield step

    def cleaned(self, steps: Iterable[Step], format: str) -> Iterator[Step]:
        """Steps of a log of which all was learned, read a second time: no more than a part of it is held."""
        batch: list[tuple[Step, list[Described]]] = []
        held = 0
        for step in steps:
            batch.append(self._emptied(step, format == PLAIN))
            held += sum(map(len, said_texts(batch[-1][0]))) + STEP_CHARACTERS
            if held > BATCH_CHARACTERS:
                yield from self._cleaned(batch)
                self._texts.forget()
                batch, held = [], 0
        yield from self._cleaned(batch)

    def summary(self, summary: TrajectorySummary) -> TrajectorySummary:
        """The summary, cleaned; after the steps."""
        if summary.format == PLAIN:
            summary = summary.model_copy(update={"final_message": ""})
        self._texts.learn(summary_texts(summary))
        return with_summary_texts(summary, self._texts.clean, self._texts.word, self._describer.error)

    def _cleaned(self, batch: Iterable[tuple[Step, list[Described]]]) -> Iterator[Step]:
        batch = list(batch)
        self._texts.learn(text for step, _ in batch for text in said_texts(step))
        for step, outputs in batch:
            cleaned = with_step_texts(step, self._texts.clean, self._texts.word)
            self._said_calls.put(cleaned.calls)
            described = [
                back.model_copy(
                    update={"text": self._describer.describe(output, self._said_calls.get(back.call_id))}
                )
                for back, output in zip(cleaned.observations, outputs, strict=True)
            ]
            yield cleaned.model_copy(update={"observations": described})

    def _emptied(self, step: Step, plain: bool) -> tuple[Step, list[Described]]:
        """The step without what came back, and what is told of that."""
        if plain:
            step = _as_output(step)
        outputs = [self._describer.read(back) for back in step.observations]
        emptied = [back.model_copy(update={"text": ""}) for back in step.observations]
        return step.model_copy(update={"observations": emptied}), outputs

    def _learn(self, step: Step) -> None:
        said = dict.fromkeys(said_texts(step))
        for text in said:
            if step.source is StepSource.AGENT:
                self._quoted.said(text)
            self._names.add(names_told(text))
        self._calls.put(step.calls)
        for back in step.observations:
            self._quoted.blind = False
            if not self._documents.shown_by(self._calls.get(back.call_id)):
                self._quoted.printed(back.text)
            self._names.add(names_told(back.text))
        self._documents.went_by(step)


def redact_file(path: Path, redactor: Redactor, format: str = "") -> tuple[list[Step], TrajectorySummary]:
    """A log of any known format with the files of its nested agents, cleaned. Raises BadInput."""
    return redactor.log(*read_log(path, format))


def redacted_atif(path: Path, redactor: Redactor, format: str = "") -> bytes:
    """The same as an ATIF document. Raises BadInput."""
    return atif_bytes(*redact_file(path, redactor, format))


class _Calls:
    """The newest calls by their ids: what comes back for them comes soon."""

    def __init__(self) -> None:
        self._newer: dict[str, ToolCall] = {}
        self._older: dict[str, ToolCall] = {}

    def put(self, calls: Iterable[ToolCall]) -> None:
        self._newer.update((call.call_id, call) for call in calls)
        if len(self._newer) > MOST_CALLS:
            self._older, self._newer = self._newer, {}

    def get(self, call_id: str) -> ToolCall | None:
        return self._newer.get(call_id) or self._older.get(call_id)


def _as_output(step: Step) -> Step:
    back = Observation(call_id="", text=step.message)
    return step.model_copy(update={"message": "", "observations": [*step.observations, back]})
