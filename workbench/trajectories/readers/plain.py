"""Any text: one step with what was printed."""

from __future__ import annotations

import codecs

from workbench.records import Step, StepSource, TrajectorySummary

FORMAT = "plain"
TEXT_LIMIT = 8 * 1024 * 1024
"""Bytes that are kept; the rest is counted as one damaged line."""


class PlainReader:
    """Keeps the text and hands it on at the end."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pieces: list[str] = []
        self._held = 0
        self._cut = False
        self._steps = 0
        self._text = ""

    def feed(self, data: bytes) -> list[Step]:
        room = TEXT_LIMIT - self._held
        if len(data) > room:
            self._cut = True
            data = data[:room]
        self._held += len(data)
        self._pieces.append(self._decoder.decode(data))
        return []

    def close(self) -> list[Step]:
        self._text = "".join(self._pieces) + self._decoder.decode(b"", final=True)
        self._pieces = []
        if not self._text.strip():
            return []
        self._steps = 1
        return [Step(number=1, source=StepSource.AGENT, message=self._text)]

    def summary(self) -> TrajectorySummary:
        return TrajectorySummary(
            format=FORMAT,
            steps=self._steps,
            damaged_lines=int(self._cut),
            complete=not self._cut,
            final_message=self._text,
        )
