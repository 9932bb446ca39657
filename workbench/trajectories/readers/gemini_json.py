"""What ``gemini -o json`` prints at its end: the last answer and the counts, but no calls."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.records import StepSource
from workbench.trajectories.detect import GEMINI_JSON
from workbench.trajectories.document_reader import DocumentReader
from workbench.trajectories.json_elements import Piece
from workbench.trajectories.totals import Tokens
from workbench.trajectories.values import count_of, joined_text, list_of, mapping_of, text_of

FORMAT = GEMINI_JSON
STATS = "stats.models"


class GeminiJsonReader(DocumentReader):
    """The answer as a step, the error as another. The summary's calls are those that the counts tell of."""

    format = FORMAT
    usage_order = (STATS,)

    def document_began(self) -> None:
        self.totals.agent = "gemini-cli"

    def piece(self, piece: Piece) -> None:
        if piece.key == "session_id":
            self.name_document(text_of(piece.value))
        elif piece.key == "response":
            if piece.value is not None:
                self.put(source=StepSource.AGENT, message=joined_text(piece.value), model=self.main.model)
        elif piece.key == "stats":
            self._stats(mapping_of(piece.value))
        elif piece.key == "error":
            self._error(mapping_of(piece.value))
        elif piece.key == "warnings":
            for warning in list_of(piece.value):
                self.put(source=StepSource.SYSTEM, message=text_of(warning))
        else:
            self.totals.count_unknown(piece.key)

    def document_ended(self, whole: bool) -> None:
        if whole:
            self.main.end_turn()

    def _stats(self, stats: Mapping[str, object]) -> None:
        for name, about in mapping_of(stats.get("models")).items():
            self.main.model = self.main.model or text_of(name)
            self.main.add(STATS, _tokens(mapping_of(mapping_of(about).get("tokens"))))
            self.totals.retries += count_of(mapping_of(mapping_of(about).get("api")).get("totalErrors"))
        self.totals.calls += count_of(mapping_of(stats.get("tools")).get("totalCalls"))

    def _error(self, error: Mapping[str, object]) -> None:
        if not error:
            return
        message = text_of(error.get("message")) or text_of(error.get("type"))
        self.totals.add_error(message)
        self.put(source=StepSource.SYSTEM, message=message, is_error=True)


def _tokens(tokens: Mapping[str, object]) -> Tokens:
    """``prompt`` has the cached ones in it, ``input`` has not; thoughts are apart from ``candidates``."""
    cached, thoughts = count_of(tokens.get("cached")), count_of(tokens.get("thoughts"))
    prompt = count_of(tokens.get("prompt")) or count_of(tokens.get("input")) + cached
    return [
        prompt + count_of(tokens.get("tool")),
        cached,
        0,
        count_of(tokens.get("candidates")) + thoughts,
        thoughts,
    ]
