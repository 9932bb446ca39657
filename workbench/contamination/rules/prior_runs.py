"""Other runs: their ids, logs, sessions and outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.contamination.attribution import Gain, gained
from workbench.contamination.material import HiddenMaterial
from workbench.contamination.outcome import Outcome, outcome
from workbench.contamination.places import inside
from workbench.contamination.rule import Action, RunContext, StepContext, distinct, excerpt_of, file_violation
from workbench.contamination.sayings import said
from workbench.contamination.spellings import spelled
from workbench.contamination.step_texts import Origin, folded_texts, step_texts
from workbench.contamination.view import RunView
from workbench.patterns import Access, Command, arguments, program
from workbench.records import Level, Place, Step, StepSource, ToolKind, Violation

_LEVELS = {Gain.SURE: Level.FAIL, Gain.LIKELY: Level.QUARANTINE, Gain.NONE: Level.WARN}
_RUN_ID = re.compile(r"(?<!\d)20\d{6}-\d{6}-[a-z0-9]{6}(?![a-z0-9])")
_RECORDS = re.compile(
    r"/\.codex/(?:sessions|history|archived_sessions|log|memories)(?:[/.*]|$)|/\.claude/(?:projects|history"
    r"|todos"
    r"|transcripts|sessions|memory|shell-snapshots)(?:[/.*]|$)|/\.gemini/(?:tmp|history|sessions)(?:[/.*]|$)"
    r"|/\.local/share/(?:opencode|goose|workbench)|/rollout-[^/]*\.jsonl|/\.(?:bash|zsh|python|psql"
    r"|duckdb)_history$"
    r"|(?:^|/)(?:other|prev(?:ious)?|prior|past|earlier|old|sibling)[_-]?(?:runs?|trials?|sessions?"
    r"|agents?)(?:/|$)"
    r"|/\.?(?:workbench|harbor|bench)/(?:\w+/)*(?:runs?|jobs|trials?|logs?)(?:/|$)|^/(?:runs?|jobs"
    r"|trials?)(?:/|$)"
    r"|/(?:trajectory|events|egress|session|transcript)[\w.-]*\.jsonl?$",
    re.IGNORECASE,
)
_RESUMES = {
    "codex": {"resume", "--last", "--continue", "fork"},
    "claude": {"-c", "--continue", "-r", "--resume"},
    "gemini": {"--resume", "-r"},
    "opencode": {"-c", "--continue", "-s", "--session", "export"},
    "goose": {"-r", "--resume", "session"},
}
_BENCH = {"workbench", "harbor", "clinical-skills-workbench"}
_OTHERS = (
    r"(?:previous|earlier|prior|last|other|another|past|sibling|parallel|first|second|demonstration|finished"
    r"|old"
    r"|perfect|best)"
)
_SPEAKS = re.compile(
    rf"\b(?:the |an? |some )?{_OTHERS} (?:\w+ )?(?:runs?|agents?|sessions?|trials?|demonstrations?)(?:'s?"
    rf"|s')?"
    r" (?:\w+ ){0,2}(?:outputs?|answers?|results?|solutions?|logs?|transcripts?|trajector(?:y|ies)|sql"
    r"|quer(?:y|ies)"
    r"|code|values|file|wrote|found|did|got|used)\b"
    rf"|\b(?:outputs?|answers?|results?|solutions?|logs?|transcripts?|trajector(?:y|ies)|sql|values) (?:of"
    rf"|from|in)"
    rf" (?:the |an? )?{_OTHERS} (?:runs?|agents?|sessions?|trials?|demonstrations?)\b",
    re.IGNORECASE,
)


class PriorRuns:
    """Asking for another run warns; what came back of one waits for a person or fails."""

    name = "prior-runs"
    version = 1
    severity = Level.FAIL
    description = "the run refers to other runs: their ids, logs, sessions or outputs"
    explanation = (
        "Ids of earlier runs in any spelling, folders of runs and of agents' sessions, commands that show or "
        "resume a run. Asking warns; an id that came back or is spoken of waits for a person; content of a "
        "session or of a run's record fails."
    )
    false_positives = (
        "An agent may speak of its own earlier attempts or keep copies of them in its work folder: words "
        "alone "
        "never fail, and own files are let be."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        return distinct(self._step(step, context))

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        ids = [run.run_id for run in view.hidden.earlier]
        found: list[Violation] = []
        for file in (*view.files, *view.home_files):
            text = file.text
            if text and spelled(text, ids):
                message = "the id of another run stands in a file"
                found.append(file_violation(self.name, Level.QUARANTINE, message, file.name))
        for record in view.egress:
            if _RUN_ID.search(record.path) or spelled(record.path, ids):
                message = "the gateway was asked for another run"
                found.append(file_violation(self.name, Level.WARN, message, "egress.jsonl", record.sequence))
        return found

    def _step(self, step: Step, context: StepContext) -> Iterator[Violation]:
        place = Place(step=step.number)
        for origin, level, text in _ids(step, context):
            message = f"the id of another run {origin}"
            yield Violation(
                rule=self.name, level=level, message=message, place=place, excerpt=excerpt_of(text)
            )
        if step.source is StepSource.AGENT:
            told = f"{step.message}\n{step.reasoning}"
            sentence = said(told, _SPEAKS) or said(told, _suffixes(context.hidden))
            if sentence:
                message = "the agent speaks of what another run did"
                yield Violation(
                    rule=self.name,
                    level=Level.QUARANTINE,
                    message=message,
                    place=place,
                    excerpt=excerpt_of(sentence),
                )
        for action in context.actions:
            yield from self._paths(action)
            if action.runs:
                for layer in action.layers.layers:
                    for command in layer.shell.commands if layer.shell is not None else ():
                        yield from self._command(action, command)

    def _paths(self, action: Action) -> Iterator[Violation]:
        for use in action.paths:
            path = action.behind_links(use.path)
            if (
                use.access is Access.WRITE
                or inside(path, action.context.hidden.work_folders)
                or action.is_own(path)
            ):
                continue
            if not _RECORDS.search(path):
                continue
            gain = (
                Gain.NONE if use.access is Access.ENTER else gained(action, [path, path.rsplit("/", 1)[-1]])
            )
            if gain is Gain.SURE and use.access is Access.LIST:
                gain = Gain.LIKELY
            got = " and got content" * (gain is not Gain.NONE)
            message = f"{use.by} reads records of other runs or sessions{got}"
            yield action.violation(self.name, _LEVELS[gain], message, path)

    def _command(self, action: Action, command: Command) -> Iterator[Violation]:
        name = program(command)
        words = [text for word in arguments(command) for text in word.values]
        wanted = _RESUMES.get(name, set())
        bench = name in _BENCH and bool(words) and words[0] not in ("--version", "--help", "-h")
        if not bench and not wanted & set(words):
            return
        level = Level.QUARANTINE if gained(action, [name]) is Gain.SURE else Level.WARN
        message = f"{name} is asked for another run or session"
        yield action.violation(self.name, level, message, " ".join([name, *words]))


def _ids(step: Step, context: StepContext) -> Iterator[tuple[str, Level, str]]:
    ids = [run.run_id for run in context.hidden.earlier]
    if step.source is not StepSource.AGENT and not step.observations:
        return
    for item in step_texts(step):
        known = spelled(item.text, ids) if ids else []
        if not known:
            continue
        if item.origin is Origin.SHOWN:
            told = [seen for seen in step.observations if seen.text == item.text]
            refused = any(outcome(seen, known) is Outcome.REFUSED for seen in told)
            yield "came back", Level.WARN if refused else Level.QUARANTINE, known[0]
        elif item.origin is Origin.SAID:
            yield "is spoken of", Level.QUARANTINE, known[0]
        else:
            yield "stands in a call", Level.WARN, known[0]
    for text in folded_texts(context):
        if len(text) > 10 and spelled_plainly(text, ids):
            yield "is put together in a call", Level.WARN, text
    for action in context.actions:
        words = action.call.command or ""
        if _RUN_ID.search(words) and action.call.kind is ToolKind.COMMAND:
            yield "stands in a call", Level.WARN, words


def spelled_plainly(text: str, ids: list[str]) -> bool:
    """Whether a run's id stands in the text as it is."""
    return any(item in text for item in ids)


def _suffixes(hidden: HiddenMaterial) -> re.Pattern[str]:
    ends = "|".join(re.escape(run.run_id.rsplit("-", 1)[-1]) for run in hidden.earlier) or r"(?!)"
    return re.compile(rf"\b(?:run|attempt|session|trial|agent|id)s?\W{{1,4}}(?:{ends})\b", re.IGNORECASE)
