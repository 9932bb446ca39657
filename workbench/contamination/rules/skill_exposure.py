"""Skills: a run that must not see one saw it; a run that was given one never opened it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from workbench.contamination.attribution import Gain, gained
from workbench.contamination.material import SkillMaterial
from workbench.contamination.rule import Action, RunContext, StepContext, actions_of, distinct, file_violation
from workbench.contamination.sayings import said
from workbench.contamination.view import RunView
from workbench.patterns import Access
from workbench.records import Level, Place, Step, ToolKind, Violation

LEAST_LINE_CHARS = 40
"""Shorter lines of a skill are like lines of any text."""
LINES_SHOWN = 2
"""So many lines of a skill are no accident."""
_LEVELS = {Gain.SURE: Level.FAIL, Gain.LIKELY: Level.QUARANTINE, Gain.NONE: Level.WARN}
_SKILL_PLACE = re.compile(r"(?:^|/)(?:\.?skills?)(?:/|$)(?!\.system)|(?:^|/)SKILL\.md$", re.IGNORECASE)
_TOOLS = {
    "skill",
    "skills",
    "use_skill",
    "load_skill",
    "read_skill",
    "activate_skill",
    "list_skills",
    "get_skill",
}
_SKILL_WORD = re.compile(r"\bSKILL\.md\b|(?<![\w-])skills?/", re.IGNORECASE)
_TOLD = re.compile(
    r"\b(?:the|my|this|our|its) skill(?:'s)? (?:says|said|states|tells|told|recommends|describes|suggests"
    r"|defines"
    r"|asks|wants|uses|file|text|instructions?|definition)|\b(?:according to|following|per|from|read|opened"
    r"|using"
    r"|used|with) (?:the|my|its) (?:[\w-]+ )?(?:skill|SKILL\.md)\b",
    re.IGNORECASE,
)


class SkillExposure:
    """What was seen of skills that this run's condition does not give, and whether its own was opened."""

    name = "skill-exposure"
    version = 1
    severity = Level.FAIL
    description = "a skill was seen that this run must not see, or its own skill was never opened"
    explanation = (
        "Looking for skills warns in a run without them; names or parts of a skill that came back wait for a "
        "person; its text or a file out of its folder fails. A run with a skill that never opened it waits "
        "for "
        "a person, since its result says nothing about the skill. Needs to know the run's condition."
    )
    false_positives = (
        "Agents look at what lies in their home. Skills that a command line tool brings along itself "
        "(`.system`) are let be, and so is the run's own skill."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        if not context.hidden.skills or not context.hidden.condition:
            return []
        return distinct(self._step(step, context))

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        hidden = view.hidden
        found: list[Violation] = []
        for name, skill in sorted(hidden.skills.items()) if hidden.condition else ():
            for file in (*view.files, *view.home_files) if not skill.allowed else ():
                if file.text and _lines_shown(skill, file.text) >= LINES_SHOWN:
                    message = f"the text of the skill '{name}' stands in a file"
                    found.append(file_violation(self.name, Level.FAIL, message, file.name))
            judged = skill.expected and view.complete and any(step.calls for step in view.steps)
            if judged and not _opened(name, skill, view):
                message = f"the run was given the skill '{name}' and never opened it"
                found.append(Violation(rule=self.name, level=Level.QUARANTINE, message=message))
        return found

    def _step(self, step: Step, context: StepContext) -> Iterator[Violation]:
        hidden = context.hidden
        barred = {name: skill for name, skill in hidden.skills.items() if not skill.allowed}
        allowed = [name for name, skill in hidden.skills.items() if skill.allowed]
        for observation in step.observations:
            for name, skill in barred.items():
                lines = _lines_shown(skill, observation.text)
                front = _front(name, observation.text)
                if lines or front:
                    level = Level.FAIL if lines >= LINES_SHOWN else Level.QUARANTINE
                    message = f"text of the skill '{name}' came back"
                    yield Violation(
                        rule=self.name, level=level, message=message, place=Place(step=step.number)
                    )
        for action in context.actions:
            if action.call.name.lower() in _TOOLS and not allowed:
                level = Level.FAIL if gained(action, ["unknown"]) is Gain.SURE else Level.WARN
                yield action.violation(self.name, level, "a tool for skills was used", action.call.name)
            yield from self._paths(action, barred, allowed)
        if not allowed and (sentence := said(f"{step.message}\n{step.reasoning}", _TOLD)):
            message = "the agent of a run without skills speaks of a skill that it follows"
            yield Violation(
                rule=self.name,
                level=Level.QUARANTINE,
                message=message,
                place=Place(step=step.number),
                excerpt=sentence[:200],
            )

    def _paths(
        self, action: Action, barred: dict[str, SkillMaterial], allowed: list[str]
    ) -> Iterator[Violation]:
        text = action.observation.text if action.observation else ""
        for use in action.paths:
            path = action.behind_links(use.path)
            names = [name for name in barred if re.search(rf"(?:^|/){re.escape(name)}(?:/|\.|$)", path)]
            place = _SKILL_PLACE.search(path) or _SKILL_PLACE.search(use.pattern)
            if use.access is Access.WRITE or not place or action.is_own(path):
                continue
            if names and use.access is Access.READ:
                gain = gained(
                    action, [path, path.rsplit("/", 1)[-1]], silent=use.by in ("cp", "tar", "rsync")
                )
                yield action.violation(
                    self.name, _LEVELS[gain], f"{use.by} reads the skill '{names[0]}'", path
                )
            elif any(f"/{name}" in path for name in allowed):
                continue
            elif not allowed or names:
                told = [name for name in barred if name in text]
                gain = gained(action, [path, path.rsplit("/", 1)[-1]])
                if use.access is Access.READ and path.lower().endswith(".md"):
                    level = _LEVELS[gain]
                else:
                    level = Level.QUARANTINE if told and gain is not Gain.NONE else Level.WARN
                yield action.violation(self.name, level, f"{use.by} looks for skills", path)
        words = " ".join(
            part
            for part in (action.call.command, *map(str, action.call.arguments.values()))
            if part and action.runs
        )
        if not allowed and _SKILL_WORD.search(words) and not any(action.is_own(p) for p in _own(action)):
            shown = _SKILL_WORD.search(text) and gained(action) is not Gain.NONE
            level = Level.QUARANTINE if shown else Level.WARN
            by = "a nested agent is sent" if action.call.kind is ToolKind.AGENT else "a call looks"
            yield action.violation(self.name, level, f"{by} for skills", words)


def _own(action: Action) -> list[str]:
    """Paths of skills in the call, as the agent may have made some itself."""
    return [use.path for use in action.paths if _SKILL_PLACE.search(use.path)]


def _opened(name: str, skill: SkillMaterial, view: RunView) -> bool:
    context = RunContext(view.hidden)
    for step in (*view.steps, *view.nested):
        texts = [item.text for item in step.observations]
        if step.source != "agent":
            texts.append(step.message)
        for text in texts:
            if (skill.canary and skill.canary in text) or _lines_shown(skill, text):
                return True
        for action in actions_of(step, context):
            shown = action.observation.text.strip() if action.observation else ""
            if not shown:
                continue
            call = action.call
            asked = " ".join(map(str, (call.command, call.path, *call.arguments.values())))
            if not re.search(r"SKILL\.md|skills", asked) or gained(action, ["SKILL.md"]) is Gain.NONE:
                continue
            reads = [use.path for use in action.paths if use.access is Access.READ]
            if any(re.search(rf"/{re.escape(name)}/[^/]+$|/SKILL\.md$|\*", path) for path in reads):
                return True
            if "SKILL.md" in asked and len(shown) > LEAST_LINE_CHARS and "exec" in asked:
                return True
    return False


@lru_cache(maxsize=256)
def _lines(text: str) -> frozenset[str]:
    """Lines of a skill that are long enough to tell it, in one spelling."""
    return frozenset(line for item in text.splitlines() if len(line := _plain(item)) >= LEAST_LINE_CHARS)


def _lines_shown(skill: SkillMaterial, text: str) -> int:
    wanted = _lines(skill.text)
    if not wanted or len(text) < LEAST_LINE_CHARS:
        return 0
    return len(
        wanted & {_plain(item) for item in text[:400_000].splitlines() if len(item) >= LEAST_LINE_CHARS}
    )


def _plain(line: str) -> str:
    return re.sub(r"\W+", " ", line).strip().lower()


def _front(name: str, text: str) -> bool:
    """Whether the head of a skill's file is in a text."""
    return bool(re.search(rf"\bname:\s*['\"]?{re.escape(name)}\b", text)) and bool(
        re.search(r"\bdescription:|^# |skill", text, re.IGNORECASE | re.MULTILINE)
    )
