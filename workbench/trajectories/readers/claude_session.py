"""Claude Code's own record of a session, ``<session>.jsonl``.

Beside it may be ``<session>/subagents/agent-*.jsonl``. The lines are a graph by ``parentUuid``. Nested agents
are side chains in the file itself, or files of their own. A prompt whose parent another prompt has already is
a conversation that went back. No total of tokens and no price is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.trajectories.anthropic import user_parts
from workbench.trajectories.claude_reader import ClaudeReader, Thread
from workbench.trajectories.detect import CLAUDE_SESSION
from workbench.trajectories.values import joined_text, list_of, mapping_of, text_of

MOST_PROMPTS = 64
MOST_AGENTS = 256
MOST_LINKS = 64
"""Prompts to go back to, nested agents, and lines of side chains that are remembered."""

_SILENT = {
    "file-history-snapshot", "summary", "queue-operation", "permission-mode", "mode", "ai-title",
    "custom-title", "agent-name", "agent-color", "agent-setting", "last-prompt", "pr-link", "worktree-state",
    "bridge-session", "tag", "task-summary", "content-replacement", "saved_hook_context",
    "speculation-accept", "attribution-snapshot",
}  # fmt: skip
_SILENT_SYSTEM = {"turn_duration", "bridge_status", "away_summary", "scheduled_task_fire", "memory_saved"}
_PROMPT_ATTACHMENTS = {"queued_command"}


class ClaudeSessionReader(ClaudeReader):
    """Lines of a session to steps; the files of nested agents are read after it."""

    format = CLAUDE_SESSION
    starts = ('{"parentUuid":', '{"type":"', '{"isSidechain":')

    def is_event(self, value: Mapping[str, Any]) -> bool:
        return "sessionId" in value and "uuid" in value

    def event(self, event: dict[str, Any]) -> None:
        if self.seen_before(event):
            return
        kind, time = event.get("type"), event.get("timestamp")
        self.session(event, "sessionId")
        if kind == "assistant":
            self._versions(event)
            self.assistant(event, self._thread(event), time)
        elif kind == "user":
            self._versions(event)
            self._user(event, time)
        elif kind == "system":
            self._system(text_of(event.get("subtype")), event, time)
        elif kind == "progress":
            self._progress(event)
        elif kind == "attachment":
            self._attachment(mapping_of(event.get("attachment")), event, time)
        elif text_of(kind) not in _SILENT:
            self.totals.count_unknown(text_of(kind) or "(no type)")

    def _versions(self, event: Mapping[str, Any]) -> None:
        if not self.totals.agent:
            self.totals.agent = f"claude-code {text_of(event.get('version'))}".strip()

    def _user(self, event: Mapping[str, Any], time: object) -> None:
        thread = self._thread(event)
        results, _ = user_parts(mapping_of(event.get("message")).get("content"))
        self._link_agent(event, results)
        by_system = bool(event.get("isCompactSummary"))
        typed = not event.get("isMeta") and not by_system and not event.get("isSidechain")
        if typed and not results:
            self._prompt(text_of(event.get("parentUuid")), time)
        self.user(event, thread, time, by_system)

    def _prompt(self, parent: str, time: object) -> None:
        """A person's words; where others were there before, what followed those was given up."""
        self.speak(self.thread(""))
        prompts = self.state.prompts
        for index, (before, step) in enumerate(prompts):
            if before == parent:
                self.finish(self.thread(""))
                self.note(f"The conversation went back: steps {step} to {self.steps} were given up.", time)
                del prompts[index:]
                break
        prompts.append([parent, self.steps + 1])
        del prompts[:-MOST_PROMPTS]

    def _link_agent(self, event: Mapping[str, Any], results: list[dict[str, Any]]) -> None:
        """Which call a nested agent answered, for the file that it has of its own."""
        told = event.get("toolUseResult") if results else None
        agent = text_of(told.get("agentId")) if type(told) is dict else ""
        if agent:
            self._remember(self.state.agents, agent, text_of(results[0].get("tool_use_id")), MOST_AGENTS)

    def _progress(self, event: Mapping[str, Any]) -> None:
        agent = text_of(mapping_of(event.get("data")).get("agentId"))
        call = text_of(event.get("parentToolUseID"))
        if agent and call:
            self._remember(self.state.agents, agent, call, MOST_AGENTS)

    def _thread(self, event: Mapping[str, Any]) -> Thread:
        if not event.get("isSidechain"):
            return self.thread("")
        agent = text_of(event.get("agentId"))
        if agent:
            found = self.state.threads.get(agent)
            known = found["parent"] if found else self.state.agents.get(agent, "")
            return self.thread(agent, agent, known or self._caller(event))
        parent, uuid = text_of(event.get("parentUuid")), text_of(event.get("uuid"))
        key = self.state.sidechains.get(parent, "") or uuid or "sidechain"
        self._remember(self.state.sidechains, uuid, key, MOST_LINKS)
        found = self.state.threads.get(key)
        return found if found is not None else self.thread(key, key, self._caller(event))

    def _caller(self, event: Mapping[str, Any]) -> str:
        """The call that waits for an agent to which just these words were given."""
        words = joined_text(mapping_of(event.get("message")).get("content"))
        main = self.state.threads.get("")
        for call_id, call in main["pending"].items() if main else ():
            prompt = mapping_of(call["call"].get("input")).get("prompt")
            if words and text_of(prompt) == words:
                return str(call_id)
        return ""

    @staticmethod
    def _remember(links: dict[str, str], name: str, value: str, most: int) -> None:
        links.pop(name, None)
        links[name] = value
        if len(links) > most:
            del links[next(iter(links))]

    def _system(self, kind: str, event: Mapping[str, Any], time: object) -> None:
        if kind in ("compact_boundary", "microcompact_boundary"):
            self.compacted(mapping_of(event.get("compactMetadata", event.get("microcompactMetadata"))), time)
        elif kind == "api_error":
            error = mapping_of(event.get("error"))
            why = text_of(error.get("message")) or text_of(error.get("status")) or "error of the model's API"
            wait = event.get("retryInMs")
            self.retry(event.get("retryAttempt"), event.get("maxRetries"), wait, why, time)
        elif kind == "stop_hook_summary":
            errors = [joined_text(error) for error in list_of(event.get("hookErrors"))]
            if errors:
                self.note("Stop hook:\n" + "\n".join(errors), time, is_error=True)
        elif kind in _SILENT_SYSTEM:
            return
        elif isinstance(event.get("content"), str):
            self.note(text_of(event["content"]), time, is_error=event.get("level") == "error")
        else:
            self.totals.count_unknown(f"system {kind}")

    def _attachment(self, attachment: Mapping[str, Any], event: Mapping[str, Any], time: object) -> None:
        """What Claude Code gave the model besides: of these, prompts and what hooks said are steps."""
        kind = text_of(attachment.get("type"))
        if kind in _PROMPT_ATTACHMENTS:
            words = {"message": {"content": attachment.get("prompt")}}
            self.user(words, self._thread(event), time, False)
        elif kind.startswith("hook_"):
            given = attachment.get("content") or attachment.get("stderr") or attachment.get("blockingError")
            words_of_hook = joined_text(given)
            if words_of_hook:
                failed = "error" in kind
                self.note(
                    f"Hook {text_of(attachment.get('hookName'))}:\n{words_of_hook}", time, is_error=failed
                )
