"""Events of OpenHands' newer kit, which name their kind, as actions and observations of the older form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.trajectories.values import joined_text, list_of, mapping_of, text_of

SILENT_KINDS = frozenset(
    {
        "ConversationStateUpdateEvent", "TokenEvent", "LLMCompletionLogEvent", "StreamingDeltaEvent",
        "CondensationRequest", "PauseEvent", "InterruptEvent", "SecurityAnalysisEvent", "HookExecutionEvent",
        "ResumeTranscriptEvent",
    }
)  # fmt: skip

Event = Mapping[str, Any]


def older_event(event: Event) -> dict[str, Any] | None:
    """The same as an action or an observation of the older form; None for a kind that has none."""
    kind = text_of(event.get("kind"))
    made = _KINDS.get(kind)
    if made is None:
        return None
    common = {key: event[key] for key in ("id", "timestamp", "source") if key in event}
    return {**common, **made(event)}


def _action(event: Event) -> dict[str, Any]:
    call, name = mapping_of(event.get("tool_call")), text_of(event.get("tool_name"))
    call_id = text_of(event.get("tool_call_id"))
    own = {key: value for key, value in mapping_of(event.get("action")).items() if key != "kind"}
    arguments = call.get("arguments", own)
    message = {
        "content": event.get("thought"),
        "reasoning_content": event.get("reasoning_content"),
        "thinking_blocks": event.get("thinking_blocks"),
        "tool_calls": [{"id": call_id, "function": {"name": name, "arguments": arguments}}],
    }
    response = {"id": event.get("llm_response_id"), "choices": [{"message": message}]}
    return {
        "action": "finish" if name == "finish" else "call",
        "args": {**own, "final_thought": own.get("message") if name == "finish" else None},
        "tool_call_metadata": {
            "function_name": name, "tool_call_id": call_id, "model_response": response,
        },
    }  # fmt: skip


def _observation(event: Event) -> dict[str, Any]:
    seen = mapping_of(event.get("observation"))
    content = [*list_of(seen.get("content")), *list_of(event.get("extended_content"))]
    failed = seen.get("is_error") is True
    return {
        **_answer(event),
        "observation": "error" if failed else "run",
        "content": content,
        "extras": {"metadata": seen.get("metadata"), "exit_code": seen.get("exit_code")},
    }


def _rejected(event: Event) -> dict[str, Any]:
    return {**_answer(event), "observation": "user_rejected", "content": event.get("rejection_reason")}


def _agent_error(event: Event) -> dict[str, Any]:
    return {**_answer(event), "observation": "error", "content": event.get("error")}


def _answer(event: Event) -> dict[str, Any]:
    metadata = {"tool_call_id": event.get("tool_call_id"), "function_name": event.get("tool_name")}
    return {"cause": event.get("action_id"), "tool_call_metadata": metadata}


def _message(event: Event) -> dict[str, Any]:
    message = mapping_of(event.get("llm_message"))
    content = [*list_of(message.get("content")), *list_of(event.get("extended_content"))]
    return {"action": "message", "args": {"content": content}}


def _prompt(event: Event) -> dict[str, Any]:
    parts = (mapping_of(event.get(name)).get("text") for name in ("system_prompt", "dynamic_context"))
    return {
        "action": "system",
        "args": {"content": "\n\n".join(text for part in parts if (text := text_of(part)))},
    }


def _condensed(event: Event) -> dict[str, Any]:
    return {"observation": "recall", "content": joined_text(event.get("summary"))}


def _failed(event: Event) -> dict[str, Any]:
    text = ": ".join(part for key in ("code", "detail") if (part := text_of(event.get(key))))
    return {"observation": "failure", "content": text}


_KINDS = {
    "ActionEvent": _action,
    "ObservationEvent": _observation,
    "UserRejectObservation": _rejected,
    "AgentErrorEvent": _agent_error,
    "MessageEvent": _message,
    "SystemPromptEvent": _prompt,
    "Condensation": _condensed,
    "CondensationSummaryEvent": _condensed,
    "ConversationErrorEvent": _failed,
}
