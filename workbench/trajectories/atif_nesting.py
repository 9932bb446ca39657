"""Steps of nested agents as a tree: whose steps they are, and which call began them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workbench.records import Step

_Key = tuple[str, str, str]


@dataclass
class Nest:
    """One nested agent. ``parent``: index of the calling step among those of what it is nested in."""

    trajectory_id: str
    agent: str
    parent_call_id: str
    steps: list[Step] = field(default_factory=list)
    nested: list[Nest] = field(default_factory=list)
    parent: int | None = None


def nests(steps: Iterable[Step]) -> tuple[list[Step], list[Nest]]:
    """The main agent's steps, and the agents nested in it; those of no known call are among them."""
    main: list[Step] = []
    found: dict[_Key, Nest] = {}
    names: set[str] = set()
    for step in steps:
        if not step.agent and not step.parent_call_id:
            main.append(step)
            continue
        key = (step.session, step.agent, step.parent_call_id)
        if key not in found:
            found[key] = Nest(_unused(step.agent or "nested", names), step.agent, step.parent_call_id)
        found[key].steps.append(step)
    return main, _placed(main, found)


def _placed(main: Sequence[Step], found: dict[_Key, Nest]) -> list[Nest]:
    """Each under the agent whose step has its call, seen from the main one on."""
    left = dict(found)
    top: list[Nest] = []
    reached: list[tuple[Sequence[Step], list[Nest]]] = [(main, top)]
    while reached:
        steps, children = reached.pop(0)
        for key in [key for key in left if key[2]]:
            index = _calling(steps, key)
            if index is not None:
                nest = left.pop(key)
                nest.parent = index
                children.append(nest)
                reached.append((nest.steps, nest.nested))
        if not reached and left:
            orphan = left.pop(next(iter(left)))
            top.append(orphan)
            reached.append((orphan.steps, orphan.nested))
    return top


def _calling(steps: Sequence[Step], key: _Key) -> int | None:
    session, _, call_id = key
    for index, step in enumerate(steps):
        if step.session == session and any(call.call_id == call_id for call in step.calls):
            return index
    return None


def _unused(name: str, names: set[str]) -> str:
    candidate, number = name, 1
    while candidate in names:
        number += 1
        candidate = f"{name}#{number}"
    names.add(candidate)
    return candidate
