"""Inspect's ``.eval``: a zip with a document for each sample. Each sample and epoch is a session.

A sample is read twice: first what its events refer to, which stands behind them, then the events one by one.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from workbench.records import BadInput, Step, TrajectorySummary, open_regular
from workbench.trajectories.detect import INSPECT_EVAL
from workbench.trajectories.inspect_parts import Attachments, usage_by_model
from workbench.trajectories.inspect_sample import EVENTS, SampleSteps
from workbench.trajectories.inspect_source import (
    MEMBER_BYTES,
    DocumentSample,
    MemberSample,
    SampleSource,
    chunks_of,
)
from workbench.trajectories.json_elements import JsonElements
from workbench.trajectories.step_maker import StepMaker
from workbench.trajectories.values import json_value, list_of, mapping_of, text_of
from workbench.trajectories.zip_members import PIECE_BYTES, DamagedMember, Member, ZipMembers

FORMAT = INSPECT_EVAL
SAMPLE = "sample.model_usage"
LOG = "stats.model_usage"
HELD_BYTES = 64 * 1024 * 1024
"""Of a log that comes as a stream, what is held in memory; the rest is in a file without a name."""
HEADER_BYTES = 64 * 1024 * 1024

_SAMPLE = re.compile(r"samples/(?P<name>[^/]+_epoch_\d+)(?:\.json|/sample\.json)")


class InspectEvalReader:
    """Bytes of a whole log to steps, at its end: its directory stands there."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=HELD_BYTES)  # noqa: SIM115 (until close)
        self._log = EvalLog()

    def feed(self, data: bytes) -> list[Step]:
        """No steps: the log is held."""
        self._file.write(data)
        return []

    def close(self) -> list[Step]:
        """The log has ended."""
        try:
            self._log.read(cast(BinaryIO, self._file))
        except BadInput as error:
            self._log.totals.add_error(str(error))
            self._log.totals.damaged += 1
        self._file.close()
        return self._log.taken()

    def summary(self) -> TrajectorySummary:
        """What the log says."""
        return self._log.summary()


def read_eval(path: Path) -> tuple[list[Step], TrajectorySummary]:
    """Read a log from its file. Raises OSError, and BadInput where a library is missing to read it."""
    log = EvalLog()
    with open_regular(path) as file:
        log.read(file)
    return log.taken(), log.summary()


class EvalLog(StepMaker):
    """One log. ``events``: how many there were of each kind, over all samples."""

    def __init__(self) -> None:
        super().__init__()
        self.totals.agent = "inspect-ai"
        self.events: dict[str, int] = {}
        self._status = ""
        self._model = ""
        self._samples = 0

    def read(self, file: BinaryIO) -> None:
        """All of it, a zip or in older versions one document."""
        file.seek(0)
        if file.read(2) == b"PK":
            self._zip(ZipMembers(file))
        else:
            self._document(file)

    def summary(self) -> TrajectorySummary:
        summary = self.totals.summary(FORMAT, self.steps, (SAMPLE, EVENTS, LOG))
        return summary.model_copy(
            update={
                "model": self._model or summary.model,
                "complete": summary.complete and self._status in ("", "success"),
            }
        )

    def _zip(self, archive: ZipMembers) -> None:
        self.totals.damaged += not archive.directory
        members = archive.members
        about = members.get("header.json") or members.get("_journal/start.json")
        if about is not None:
            self._header(mapping_of(self._whole(archive, about)))
        chunks = chunks_of(members.values())
        for name, member in members.items():
            sample = _SAMPLE.fullmatch(name)
            if sample is None:
                continue
            chunked = chunks.get(sample["name"], {}) if name.endswith("/sample.json") else None
            self._sample(MemberSample(archive, member, chunked))

    def _whole(self, archive: ZipMembers, member: Member) -> Any:
        """A small member's document; None where it is none."""
        held, size = [], 0
        try:
            for piece in archive.pieces(member):
                size += len(piece)
                if size > HEADER_BYTES:
                    raise DamagedMember("too large")
                held.append(piece)
        except DamagedMember:
            self.totals.damaged += 1
        return json_value(b"".join(held))

    def _document(self, file: BinaryIO) -> None:
        elements = JsonElements({"samples"}, limit_bytes=MEMBER_BYTES)
        file.seek(0)
        header: dict[str, Any] = {}
        while data := file.read(PIECE_BYTES):
            for piece in elements.feed(data):
                if piece.element and isinstance(piece.value, dict):
                    self._sample(DocumentSample(piece.value))
                elif not piece.element:
                    header[piece.key] = piece.value
                    if piece.key == "eval":
                        self._evaluated(mapping_of(piece.value))
                else:
                    self.totals.damaged += 1
        elements.close()
        self._header(header)
        self.totals.damaged += elements.damaged

    def _header(self, header: Mapping[str, Any]) -> None:
        self._evaluated(mapping_of(header.get("eval")))
        self._status = text_of(header.get("status"))
        error = text_of(mapping_of(header.get("error")).get("message"))
        if error:
            self.totals.add_error(error)
        elif self._status not in ("", "success"):
            self.totals.add_error(f"status {self._status}")
        for tokens, cost in usage_by_model(mapping_of(header.get("stats")).get("model_usage")):
            self.main.add(LOG, tokens, cost)

    def _evaluated(self, about: Mapping[str, Any]) -> None:
        self._model = text_of(about.get("model"))
        version = text_of(mapping_of(about.get("packages")).get("inspect_ai"))
        self.totals.agent = f"inspect-ai {version}".strip()

    def _sample(self, sample: SampleSource) -> None:
        if self._samples:
            self.next_session()
        self._samples += 1
        about = sample.about()
        named = {"id", "epoch"} <= about.keys()
        self.main.session = (
            f"{text_of(about['id'])}_epoch_{text_of(about['epoch'])}" if named else sample.name
        )
        self.main.model = self._model
        attachments = Attachments(sample.attachments(about))
        pool = sample.pool(about)
        steps = SampleSteps(self.put, self.totals, self.main, attachments, pool)
        messages: list[Any] = []
        for piece in sample.parts():
            if piece.key == "events":
                steps.event(piece.value)
            else:
                messages.append(piece.value)
        if not steps.counts or sample.damaged:
            steps.messages(messages or sample.conversation(about, pool))
        steps.ended()
        for kind, count in steps.counts.items():
            self.events[kind] = self.events.get(kind, 0) + count
        self.totals.damaged += sample.damaged + bool(attachments.missing)
        self._told(about, whole=not sample.damaged)

    def _told(self, about: Mapping[str, Any], *, whole: bool) -> None:
        for tokens, cost in usage_by_model(about.get("model_usage")):
            self.main.add(SAMPLE, tokens, cost)
        error = text_of(mapping_of(about.get("error")).get("message"))
        limit = text_of(mapping_of(about.get("limit")).get("type"))
        if error:
            self.totals.add_error(error)
        if limit:
            self.totals.add_error(f"limit: {limit}")
        self.totals.retries += len(list_of(about.get("error_retries")))
        if whole and not error and not limit:
            self.main.end_turn()
