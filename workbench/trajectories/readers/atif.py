"""ATIF documents of any version, and with nested agents: a document inside the document each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from workbench.records import TrajectorySummary
from workbench.trajectories.atif_steps import nested_refs, ours, step_fields, tokens_of
from workbench.trajectories.detect import ATIF
from workbench.trajectories.document_reader import DocumentReader
from workbench.trajectories.json_elements import Piece
from workbench.trajectories.tool_tables import ALL_TOOLS, tools_of
from workbench.trajectories.values import list_of, mapping_of, money_of, number_of, plain_json, text_of

FORMAT = ATIF
FINAL = "final_metrics"
STEPS = "steps"
NO_STEPS = "no_steps"
"""Our mark on the one step of a log that has none; ATIF asks for one."""
IN_ORDER = "in_order"
"""Our mark on a document whose steps say their numbers, since nested ones stand apart."""

_MEMBERS = frozenset(
    {
        "schema_version", "session_id", "trajectory_id", "agent", "extra", "notes", "final_metrics",
        "continued_trajectory_ref",
    }
)  # fmt: skip
_MOST_LEVELS = 16


class AtifReader(DocumentReader):
    """Bytes of one document to steps; those of nested agents come after the others, unless we wrote it."""

    format = FORMAT
    usage_order = (FINAL, STEPS)
    arrays = frozenset({"steps", "subagent_trajectories"})

    def document_began(self) -> None:
        self._tools = ALL_TOOLS
        self._session = ""
        self._model = ""
        self._parents: dict[str, str] = {}
        self._told: Mapping[str, Any] = {}
        self._waiting: list[tuple[int, str, dict[str, Any]]] | None = None

    def piece(self, piece: Piece) -> None:
        if not isinstance(piece.value, dict) and piece.element:
            self.totals.damaged += 1
        elif piece.key == "steps" and piece.element:
            self._step(piece.value, self._model, "", "")
        elif piece.key == "subagent_trajectories" and piece.element:
            self._nested(piece.value, 0)
        elif piece.key in _MEMBERS:
            self._member(piece.key, piece.value)
        elif piece.value is not None:
            self.totals.count_unknown(piece.key)

    def document_ended(self, whole: bool) -> None:
        for _, name, fields in sorted(self._waiting or (), key=lambda step: step[0]):
            self.in_session(name)
            self.put(**fields)
        self._waiting = None
        ours = False
        for session in self.totals.sessions:
            ours = ours or session is self.main
            if ours and whole:
                session.end_turn()

    def summary(self) -> TrajectorySummary:
        summary = super().summary()
        if not self._told or self._nth_document > 1:
            return summary
        told = {**summary.model_dump(), **plain_json(dict(self._told))}
        try:
            merged = TrajectorySummary.model_validate({**told, "format": FORMAT, "steps": self.steps})
        except ValidationError:
            return summary
        damaged = merged.damaged_lines if "damaged_lines" in self._told else 0
        return merged.model_copy(
            update={
                "complete": merged.complete and self.whole,
                "damaged_lines": summary.damaged_lines + damaged,
            }
        )

    def _member(self, name: str, value: Any) -> None:
        if name == "session_id":
            self._session = text_of(value)
            self.name_document(self._session)
        elif name == "agent":
            self._agent(mapping_of(value))
        elif name == "final_metrics":
            self._final(mapping_of(value))
        elif name == "extra":
            added = mapping_of(mapping_of(value).get("workbench"))
            self._told = mapping_of(added.get("summary"))
            if added.get(IN_ORDER) is True:
                self._waiting = []
        elif name == "continued_trajectory_ref" and value:
            self.now.unfinished += 1

    def _agent(self, agent: Mapping[str, Any]) -> None:
        name, version = text_of(agent.get("name")), text_of(agent.get("version"))
        self._tools = tools_of(name)
        self.totals.agent = " ".join(part for part in (name, version) if part not in ("", "unknown"))
        self._model = self.main.model = text_of(agent.get("model_name"))

    def _final(self, metrics: Mapping[str, Any]) -> None:
        tokens = tokens_of(metrics, "total_")
        if tokens is None:
            return
        self.main.replace(FINAL, tokens, money_of(metrics.get("total_cost_usd")))

    def _nested(self, document: Mapping[str, Any], level: int) -> None:
        """The steps of a nested agent, and of those nested in it."""
        if level >= _MOST_LEVELS:
            self.totals.damaged += 1
            return
        name = text_of(document.get("trajectory_id") or document.get("session_id"))
        about = mapping_of(document.get("agent"))
        agent = name or text_of(about.get("name")) or "nested"
        model = text_of(about.get("model_name"))
        for step in list_of(document.get("steps")):
            if isinstance(step, dict):
                self._step(step, model, agent, self._parents.get(name, ""))
            else:
                self.totals.damaged += 1
        for nested in list_of(document.get("subagent_trajectories")):
            self._nested(mapping_of(nested), level + 1)

    def _step(self, raw: Mapping[str, Any], model: str, agent: str, parent: str) -> None:
        added = ours(raw) or {}
        if added.get(NO_STEPS) is True:
            return
        for result in list_of(mapping_of(raw.get("observation")).get("results")):
            for name in nested_refs(mapping_of(result)):
                self._parents[name] = text_of(mapping_of(result).get("source_call_id"))
        fields = step_fields(raw, self._tools, model)
        if "agent" not in added and "parent_call_id" not in added:
            fields |= {"agent": agent, "parent_call_id": parent}
        session = text_of(added.get("session", self._session))
        self._count(raw)
        if self._waiting is not None:
            number = number_of(added.get("number"))
            self._waiting.append((len(self._waiting) + 1 if number is None else number, session, fields))
            return
        self.in_session(session)
        self.put(**fields)

    def _count(self, raw: Mapping[str, Any]) -> None:
        """Steps copied from an earlier document were counted there."""
        tokens = tokens_of(raw.get("metrics"))
        if tokens is None or raw.get("is_copied_context") is True:
            return
        self.main.add(STEPS, tokens, money_of(mapping_of(raw.get("metrics")).get("cost_usd")))
