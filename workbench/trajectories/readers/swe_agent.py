"""SWE-agent's ``.traj``: one step a query of the model; ``state`` is text in version 0, an object in 1.

Where steps hold what the model was asked, the prompts come first. An older log has them only in its history,
behind the steps: there they are no steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.records import Observation, StepSource
from workbench.trajectories.detect import SWE_AGENT
from workbench.trajectories.document_reader import DocumentReader
from workbench.trajectories.json_elements import Piece
from workbench.trajectories.swe_agent_actions import action_call
from workbench.trajectories.values import (
    count_of,
    joined_text,
    json_object,
    list_of,
    mapping_of,
    money_of,
    text_of,
)

FORMAT = SWE_AGENT
STATS = "info.model_stats"

_KNOWN = frozenset({"trajectory", "history", "info", "environment", "replay_config"})
_NO_FILE = "n/a"


class SweAgentReader(DocumentReader):
    """Bytes of one trajectory to steps."""

    format = FORMAT
    usage_order = (STATS,)
    arrays = frozenset({"trajectory"})
    skipped = frozenset({"history"})

    def document_began(self) -> None:
        self.totals.agent = "swe-agent"
        self._queries = 0
        self._file = ""
        self._folder = ""
        self._exited = False

    def piece(self, piece: Piece) -> None:
        if piece.key == "trajectory" and piece.element:
            self._entry(piece.value)
        elif piece.key == "info":
            self._info(mapping_of(piece.value))
        elif piece.key == "replay_config":
            self._config(piece.value)
        elif piece.key not in _KNOWN:
            self.totals.count_unknown(piece.key)
        elif piece.key == "trajectory":
            self.totals.damaged += 1

    def document_ended(self, whole: bool) -> None:
        if whole and self._exited:
            self.main.end_turn()

    def _entry(self, entry: Any) -> None:
        if not isinstance(entry, dict):
            self.totals.damaged += 1
            return
        asked = entry.get("messages") or entry.get("query")
        if not self._queries:
            self._prompts(list_of(asked))
        self._queries += 1
        self._step(entry, list_of(entry.get("messages")))
        state = entry.get("state")
        known = mapping_of(json_object(state.encode("utf-8", "replace")) if isinstance(state, str) else state)
        open_file = text_of(known.get("open_file"))
        self._file = "" if open_file == _NO_FILE else open_file
        self._folder = text_of(known.get("working_dir"))

    def _prompts(self, messages: list[Any]) -> None:
        for message in map(mapping_of, messages):
            role = text_of(message.get("role"))
            if role not in ("system", "user"):
                return
            source = StepSource.SYSTEM if role == "system" else StepSource.USER
            self.put(source=source, message=joined_text(message.get("content")))

    def _step(self, entry: Mapping[str, Any], messages: list[Any]) -> None:
        action, observed = text_of(entry.get("action")), text_of(entry.get("observation"))
        call_id = _call_id(messages) or f"step-{self._queries}"
        thinking = [
            text_of(mapping_of(block).get("thinking")) for block in list_of(entry.get("thinking_blocks"))
        ]
        calls = [action_call(action, call_id, self._file, self._folder)] if action.strip() else []
        self.put(
            source=StepSource.AGENT,
            message=text_of(entry.get("thought")) or text_of(entry.get("response")),
            reasoning="\n\n".join(part for part in thinking if part),
            calls=calls,
            observations=[Observation(call_id=call_id if calls else "", text=observed)]
            if calls or observed
            else [],
            model=self.main.model,
        )

    def _info(self, info: Mapping[str, Any]) -> None:
        status = text_of(info.get("exit_status"))
        self._exited = bool(status)
        if "exit_" in status or "error" in status:
            self.totals.add_error(status)
        version = text_of(info.get("swe_agent_version"))
        self.totals.agent = f"swe-agent {version}".strip()
        self.main.model = self.main.model or text_of(info.get("model_name") or info.get("model"))
        stats = mapping_of(info.get("model_stats"))
        if stats:
            sent, received = count_of(stats.get("tokens_sent")), count_of(stats.get("tokens_received"))
            self.main.replace(STATS, [sent, 0, 0, received, 0], money_of(stats.get("instance_cost")))
            self.totals.retries += max(count_of(stats.get("api_calls")) - self._queries, 0)

    def _config(self, value: object) -> None:
        """An object, or in newer versions one as text."""
        config = json_object(value.encode("utf-8", "replace")) if isinstance(value, str) else value
        model = mapping_of(mapping_of(mapping_of(config).get("agent")).get("model"))
        self.main.model = text_of(model.get("name")) or self.main.model
        problem = mapping_of(mapping_of(config).get("problem_statement"))
        self.name_document(text_of(problem.get("id")))


def _call_id(messages: list[Any]) -> str:
    """The id of this step's own call, where its messages go on to what came back for it."""
    if len(messages) < 2 or mapping_of(messages[-1]).get("role") != "tool":
        return ""
    ids = list_of(mapping_of(messages[-1]).get("tool_call_ids"))
    return text_of(ids[0]) if ids else ""
