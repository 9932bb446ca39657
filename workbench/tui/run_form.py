"""What a person sets for a run, field by field; the same as the options of ``workbench run``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.records import BadInput, Condition, Limits, SchemaVariant, Settings, Task, WorkbenchError

if TYPE_CHECKING:
    from workbench.runs import RunRequest

_MIB = 1024**2
AGENTS = ("", "replay", "script", "codex", "command")
SANDBOXES = ("", "bubblewrap")


@dataclass(frozen=True)
class FormField:
    """``choices``: what left and right go through; ``typed``: any text can be typed, too.

    ``option``: of ``workbench run``. ``unit`` follows a number.
    """

    name: str
    title: str
    help: str
    option: str = ""
    choices: tuple[str, ...] = ()
    typed: bool = False
    unit: str = ""


FIELDS = (
    FormField("task", "Task", "What is to be derived."),
    FormField(
        "condition",
        "Condition",
        "What the agent gets beyond instruction and database.",
        "--condition",
        ("", *Condition),
    ),
    FormField(
        "counterfactual",
        "Changed",
        "A counterfactual: one rule changed in all texts and in the reference.",
        "--counterfactual",
    ),
    FormField(
        "agent", "Agent", "Who works: a recording, a script, Codex, a command line.", "--agent", AGENTS
    ),
    FormField("file", "File", "Script (.sql, .sh, .py) or recording to execute.", "--file", typed=True),
    FormField(
        "template",
        "Command",
        "For the agent 'command': its command line, with {prompt} {model} {gateway_url}.",
        "--template",
        typed=True,
    ),
    FormField("model", "Model", "Model name for the agent.", "--model", typed=True),
    FormField("effort", "Effort", "Reasoning effort for the agent.", "--effort", typed=True),
    FormField(
        "source",
        "Source",
        "Whose data; synthetic-<stays>-<seed> is made where it is missing.",
        "--source",
        typed=True,
    ),
    FormField(
        "schema",
        "Schema",
        "The names of tables and columns that the agent sees: the published ones, or others.",
        "--schema",
        ("", *SchemaVariant),
    ),
    FormField("sandbox", "Sandbox", "What isolates the agent; it never runs bare.", "--sandbox", SANDBOXES),
    FormField("trial", "Trial", "Number of the trial.", "--trial", typed=True),
    FormField("wall", "Time", "Limit of one run.", "--limit-wall", typed=True, unit="s"),
    FormField(
        "memory", "Memory", "Limit of all processes together.", "--limit-memory", typed=True, unit="MiB"
    ),
    FormField("processes", "Processes", "Limit of processes at once.", "--limit-processes", typed=True),
    FormField("disk", "Disk", "Limit of the work folder.", "--limit-disk", typed=True, unit="MiB"),
    FormField("output", "Printed", "Limit of printed output.", "--limit-output", typed=True, unit="MiB"),
)
"""In the order in which they are shown."""

FIELD_TITLES = {item.name: item.title for item in FIELDS}

OF_ONE_TASK = ("condition", "counterfactual", "agent", "file", "template")
"""Fields whose values were meant for the task before: a script derives one thing."""

_TITLES = {item.option: item.title for item in FIELDS if item.option}
_OPTION = re.compile(rf"({'|'.join(_TITLES)})(?![\w-])(?: ([\w-]+(?:\.\w+)*))?")
"""An option, and the value that stands behind it."""
_WORDS_BEFORE = ("Give", "give", "Use", "use", "with", "With", "Name", "and", "or")
"""Behind these a field is no next item of a list."""

_WHOLE = {"trial", "memory", "processes", "disk", "output"}


@dataclass
class RunForm:
    """Values by the fields' names; an empty one lets the workbench choose. ``counterfactuals``: by task.

    ``reading``: what there is to choose from is not known yet.
    """

    settings: Settings
    tasks: Sequence[str] = ()
    sources: Sequence[str] = ()
    values: dict[str, str] = field(default_factory=dict)
    counterfactuals: Mapping[str, Sequence[str]] = field(default_factory=dict)
    reading: bool = False

    def value(self, name: str) -> str:
        """What is set; empty where nothing is. There is always a task, if there are any."""
        value = self.values.get(name, "")
        if name == "task" and value not in self.tasks and not self.reading:
            return self.tasks[0] if self.tasks else ""
        return value

    def choices(self, item: FormField) -> tuple[str, ...]:
        """What left and right go through."""
        if item.name == "task":
            return tuple(self.tasks)
        if item.name == "source":
            return ("", *self.sources)
        if item.name == "counterfactual":
            return ("", *self.counterfactuals.get(self.value("task"), ()))
        return item.choices

    def step(self, item: FormField, by: int) -> bool:
        """To the next choice (the one before); False where there are none."""
        known = self.choices(item)
        if not known:
            return False
        now = self.value(item.name)
        at = known.index(now) if now in known else -1 if by > 0 else 0
        self.values[item.name] = known[(at + by) % len(known)]
        return True

    def set(self, name: str, typed: str) -> None:
        """Take what was typed. Raises BadInput."""
        text = typed.strip()
        self.values[name] = text if not text else _checked(name, text)

    def shown(self, item: FormField) -> str:
        """The value, or what it will be, as a person reads it."""
        value = self.value(item.name)
        if value:
            return f"{value} {item.unit}".rstrip()
        return self.default(item)

    def command(self) -> str:
        """The plain command that does the same."""
        words = ["workbench", "run", self.value("task") or "TASK"]
        for item in FIELDS:
            if item.option and self.value(item.name):
                words += [item.option, self.value(item.name)]
        return shlex.join(words)

    def request(self, task_of: Callable[[str], Task]) -> RunRequest:
        """What ``plan_run`` takes; imports the stages of runs. Raises BadInput."""
        from workbench.runs import RunRequest

        if not self.value("task"):
            raise BadInput("there is no task to run")
        file = self.value("file")
        return RunRequest(
            task=task_of(self.value("task")),
            condition=Condition(self.value("condition")) if self.value("condition") else None,
            schema_variant=SchemaVariant(self.value("schema") or SchemaVariant.NATIVE),
            counterfactual=self.value("counterfactual"),
            agent=self.value("agent"),
            model=self.value("model"),
            effort=self.value("effort"),
            trial=int(self.value("trial") or 1),
            sandbox=self.value("sandbox"),
            source=self.value("source"),
            file=Path(file).expanduser() if file else None,
            template=_words(self.value("template")),
            limits=limits_of(self.values),
        )

    def default(self, item: FormField) -> str:
        settings, limits = self.settings, Limits()
        if self.value("file"):
            agent = "script"
        else:
            agent = "codex" if settings.model_endpoint else "replay of the newest demonstration"
        defaults = {
            "task": "reading" if self.reading else "none",
            "condition": "as the demonstration has it, else no-skill",
            "schema": SchemaVariant.NATIVE,
            "agent": settings.agent or agent,
            "file": "none",
            "template": "none",
            "model": settings.model or "none",
            "effort": "the agent's own",
            "source": settings.source,
            "sandbox": settings.sandbox,
            "trial": "1",
            "wall": f"{limits.wall_s:.0f} s",
            "memory": f"{limits.memory_bytes // _MIB} MiB",
            "processes": f"{limits.processes}",
            "disk": f"{limits.work_bytes // _MIB} MiB",
            "output": f"{limits.output_bytes // _MIB} MiB",
        }
        return f"({defaults.get(item.name, 'none')})"


def in_form_words(error: WorkbenchError) -> WorkbenchError:
    """The same error, speaking of fields where it speaks of options of ``workbench run``."""
    return type(error)(_of_fields(error.what), where=error.where, remedy=_of_fields(error.remedy))


def _of_fields(text: str) -> str:
    named = _OPTION.sub(lambda found: f"the field {_TITLES[found[1]]}{_value(found[2])}", text)
    listed = named.replace(" the field ", ", the field ")
    for word in _WORDS_BEFORE:
        listed = listed.replace(f"{word}, the field ", f"{word} the field ")
    return listed.replace("Give the field ", "Fill in the field ").replace(
        "give the field ", "fill in the field "
    )


def _value(word: str | None) -> str:
    """``: codex``; nothing for a word in capitals, which stands for any value."""
    return f": {word}" if word and not word.partition(".")[0].isupper() else ""


def limits_of(values: Mapping[str, str]) -> Limits:
    """The limits that are set; the usual ones elsewhere."""
    given: dict[str, float | int] = {}
    if values.get("wall"):
        given["wall_s"] = float(values["wall"])
    if values.get("processes"):
        given["processes"] = int(values["processes"])
    for name, limit in (("memory", "memory_bytes"), ("disk", "work_bytes"), ("output", "output_bytes")):
        if values.get(name):
            given[limit] = int(values[name]) * _MIB
    return Limits.model_validate(given)


def _checked(name: str, text: str) -> str:
    if name == "wall":
        try:
            seconds = float(text)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < 1e9:
            raise BadInput("the time limit is a number of seconds above 0")
    elif name in _WHOLE and not (text.isascii() and text.isdecimal() and len(text) < 9 and int(text) > 0):
        raise BadInput("a whole number above 0 is needed")
    elif name == "template":
        _words(text)
    return text


def _words(template: str) -> list[str]:
    try:
        return shlex.split(template)
    except ValueError as error:
        raise BadInput(f"not a command line ({error})") from None
