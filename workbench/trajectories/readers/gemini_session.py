"""Gemini CLI's own record of a session: one document, or in newer versions a log of events.

In the log a message is told again in full at every change of its calls, ``$set`` changes what is known of the
session, and ``$rewindTo`` takes back a message and all behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.trajectories import gemini
from workbench.trajectories.detect import GEMINI_SESSION
from workbench.trajectories.json_elements import Piece
from workbench.trajectories.lines_or_document import LinesOrDocument
from workbench.trajectories.tool_kinds import GEMINI, call_count
from workbench.trajectories.values import mapping_of, text_of

MESSAGES = "messages, each once"
REMEMBERED = 64
"""Messages that may still change, and to which the conversation may go back."""

_TOLD_STEPS = 20
_OWN_KINDS = {"info", "warning", "error", "user"}


@dataclass
class _State:
    form: str = ""
    current: dict[str, Any] | None = None
    told: dict[str, dict[str, Any]] = field(default_factory=dict)
    agent: str = ""


class GeminiSessionReader(LinesOrDocument):
    """Messages to steps: one a message with all its calls, and one for what a message told later."""

    format = GEMINI_SESSION
    opener = b"{"
    arrays = frozenset({"messages"})
    usage_order = (MESSAGES,)
    starts = ('{"id":"', '{"$set"', '{"$rewindTo"', '{"sessionId"')
    state: _State

    def __init__(self, *, counting: bool = False) -> None:
        super().__init__(counting=counting)
        self._document: dict[str, Any] = {}

    def new_state(self) -> _State:
        return _State()

    def is_event(self, value: Mapping[str, Any]) -> bool:
        return ("id" in value and "type" in value and "timestamp" in value) or bool(
            {"$set", "$rewindTo", "sessionId"} & value.keys()
        )

    def event(self, event: dict[str, Any]) -> None:
        if "$rewindTo" in event:
            self._rewind(text_of(event["$rewindTo"]))
        elif "$set" in event:
            self._about(mapping_of(event["$set"]))
        elif "id" in event and "type" in event:
            self._message(event)
        elif {"sessionId", "projectHash", "messages", "startTime"} & event.keys():
            self._about(event)
        else:
            self.totals.count_unknown(next((text_of(key) for key in event), "(empty)"))

    def piece(self, piece: Piece) -> None:
        """What the document says of its session goes before its messages, wherever it stands."""
        if not piece.element:
            self._document[piece.key] = piece.value
        elif isinstance(piece.value, dict):
            self._begin()
            self._message(piece.value)
        else:
            self.totals.damaged += 1

    def ended(self) -> None:
        super().ended()
        self._begin()
        self._release()

    def _begin(self) -> None:
        about, self._document = self._document, {}
        if self.steps and not self.now.session:
            self.now.session = text_of(about.pop("sessionId", ""))
        if about:
            self._about(about)

    def _about(self, about: Mapping[str, Any]) -> None:
        if "sessionId" in about:
            self._release()
            self.in_session(text_of(about["sessionId"]))
            self.totals.agent = "gemini-cli"
            self.state.agent = "subagent" if about.get("kind") == "subagent" else ""
        if isinstance(about.get("messages"), list):
            self._replace(about["messages"])

    def _replace(self, messages: list[Any]) -> None:
        """The list of messages anew: those that were told stay told, those that are missing are given up."""
        self._release()
        kept = {text_of(mapping_of(message).get("id")) for message in messages}
        gone = [message["step"] for key, message in self.state.told.items() if key not in kept]
        if gone:
            which = ", ".join(str(step) for step in gone[:_TOLD_STEPS])
            more = " and others" if len(gone) > _TOLD_STEPS else ""
            self._note(f"The messages were replaced: steps {which}{more} were given up.")
        for message in messages:
            if not isinstance(message, dict):
                self.totals.damaged += 1
            elif text_of(message.get("id")) not in self.state.told:
                self._message(message)

    def _rewind(self, target: str) -> None:
        self._release()
        told = list(self.state.told)
        if target in told:
            first = self.state.told[target]["step"]
            self._note(f"The conversation went back: steps {first} to {self.steps} were given up.")
            for key in told[told.index(target) :]:
                del self.state.told[key]
        else:
            self._note("The conversation went back to an unknown message: the steps before were given up.")
            self.state.told = {}

    def _message(self, message: dict[str, Any]) -> None:
        message_id = text_of(message.get("id"))
        current = self.state.current
        if current is not None and (text_of(current.get("id")) != message_id or not message_id):
            self._release()
        kind = text_of(message.get("type"))
        if kind == "gemini":
            self.state.current = message
            self.now.turns_open = 1
        elif kind not in _OWN_KINDS:
            self.totals.count_unknown(f"message {kind}")
        elif message_id not in self.state.told or not message_id:
            self._own(message_id, kind, message)

    def _own(self, message_id: str, kind: str, message: dict[str, Any]) -> None:
        if kind == "user":
            self.now.turns_open = 1
        elif kind == "error":
            self.totals.add_error(gemini.words_of(message.get("content")))
        self._remember(message_id)
        self.put(gemini.told, message, self.state.agent)

    def _release(self) -> None:
        """No more is told of the message that waits: put it, or what is new of it."""
        message, self.state.current = self.state.current, None
        if message is None:
            return
        message_id = text_of(message.get("id"))
        known = self.state.told.get(message_id) if message_id else None
        done = known["done"] if known else []
        calls = [call for call in gemini.calls_of(message) if text_of(call.get("id")) not in done]
        if known is None or calls:
            mine = known or self._remember(message_id)
            mine["done"] += [text_of(call.get("id")) for call in calls if gemini.answered(call)]
            count = sum(call_count(GEMINI, text_of(call.get("name")), call.get("args")) for call in calls)
            self.put(gemini.spoken, message, calls, self.state.agent, calls=count, again=known is not None)
        self._end(message, calls)

    def _end(self, message: Mapping[str, Any], calls: list[dict[str, Any]]) -> None:
        words = gemini.words_of(message.get("content"))
        if words:
            self.now.final = words
        if not gemini.calls_of(message):
            self.now.end_turn()
        self.now.model = self.now.model or text_of(message.get("model"))
        tokens = mapping_of(message.get("tokens"))
        if tokens and self.totals.first_time(text_of(message.get("id"))):
            self.now.add(MESSAGES, gemini.message_tokens(tokens))

    def _remember(self, message_id: str) -> dict[str, Any]:
        """The message is told by the next step."""
        mine: dict[str, Any] = {"step": self.steps + 1, "done": []}
        if message_id:
            self.state.told[message_id] = mine
            if len(self.state.told) > REMEMBERED:
                del self.state.told[next(iter(self.state.told))]
        return mine

    def _note(self, message: str) -> None:
        self.put(gemini.noted, message, "", False)
