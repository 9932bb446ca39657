"""Sign-offs of a skill: filed sealed, opened when two are in, void after a change, settled with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import JsonValue

from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.screens.text import TextScreen
from workbench.tui.themes import state_text
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.folding import Block, OpenLines
from workbench.tui.widgets.line_source import Tone, as_line

if TYPE_CHECKING:
    from workbench.records import Adjudication
    from workbench.review import KnownSignOff, Saved

Question = tuple[str, str, tuple[str, ...]]
"""Name, words, and the answers that there are; none: any."""

REVIEWER: Question = ("reviewer", "who are you: C1, C2, …", ())
SIGN: tuple[Question, ...] = (
    REVIEWER,
    ("affiliation", "do you belong to those who wrote it", ("author-team", "external")),
    ("definition source", "does it follow the definition that it names", ("yes", "no", "unsure")),
    ("task framing", "do its tasks ask for what is clinically meant", ("yes", "no", "unsure")),
    ("plausibility", "would its values be believed at the bedside", ("yes", "no", "unsure")),
    ("decision", "of the skill as a whole", ("accept", "change", "reject")),
    ("minutes", "how long the review took", ()),
    ("comment", "what you found, shown when it is opened; may be empty. Enter seals it", ()),
)
OPEN: tuple[Question, ...] = (REVIEWER,)
SETTLE: tuple[Question, ...] = (
    REVIEWER,
    ("decision", "between the verdicts", ("accept", "change", "reject")),
    ("reason", "what decides it; it is recorded. Enter commits", ()),
)
_SECONDS = 60


@dataclass(frozen=True)
class Signed:
    """Where the skill stands."""

    state: str
    sign_offs: list[KnownSignOff]
    settled: Adjudication | None


class SignOffsScreen(TextScreen):
    """What is asked for is asked one line at a time; escape leaves without a trace."""

    screen_name = "sign-offs"
    title_text = "Sign-offs"
    BINDINGS = [*bindings("sign-offs")]

    def __init__(self, skill: JsonValue = "") -> None:
        super().__init__()
        self._skill = str(skill)
        self._signed: Signed | None = None
        self._questions: tuple[Question, ...] = ()
        self._answers: dict[str, str] = {}
        self._reviewer = ""
        self._begun: datetime | None = None

    @property
    def heading(self) -> Inert:
        return Inert.line(f"{self._skill}: sign-offs")

    @property
    def plain_twin(self) -> str:
        return f"workbench skill sign-offs {self._skill};workbench skill states"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"skill": self._skill}

    def on_mount(self) -> None:
        self.view.focus()
        self._begun = self.workbench.context.clock.now()

    def on_screen_resume(self) -> None:
        self.action_reload()

    def action_reload(self) -> None:
        context, skill = self.workbench.context, self._skill
        self.in_background(lambda: read_sign_offs(context, skill), self._show, group="rows")

    def _show(self, found: Signed) -> None:
        self._signed = found
        self.pane.show(OpenLines(sign_off_blocks(found)))
        self.moved()

    def position(self) -> Inert:
        return Inert.of("reading") if self._signed is None else state_text(self._signed.state)

    def action_sign(self) -> None:
        self._ask(SIGN)

    def action_open_seal(self) -> None:
        self._ask(OPEN)

    def action_settle(self) -> None:
        self._ask(SETTLE)

    def _ask(self, questions: tuple[Question, ...]) -> None:
        self._questions, self._answers = questions, {}
        self._ask_next()

    def _ask_next(self) -> None:
        name, words, choices = self._questions[len(self._answers)]
        among = f": {', '.join(choices)}" if choices else ""
        AskLine.of(self).ask(name, Inert.of(f"{name}: {words}{among}"), self._known(name))

    def _known(self, name: str) -> str:
        """What stands there to be changed."""
        if name == "minutes" and self._begun is not None:
            spent = (self.workbench.context.clock.now() - self._begun).total_seconds()
            return f"{max(spent / _SECONDS, 1):.0f}"
        return self._reviewer if name == REVIEWER[0] else ""

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if not self._questions or message.name != self._questions[len(self._answers)][0]:
            return
        name, _, choices = self._questions[len(self._answers)]
        answer = message.value.strip()
        fitting = [choice for choice in choices if answer and choice.startswith(answer.lower())]
        if choices and len(fitting) != 1:
            self.tell(Inert.line(f"{name}: one of {', '.join(choices)}"))
            self._ask_next()
            return
        self._answers[name] = fitting[0] if choices else answer
        if len(self._answers) < len(self._questions):
            self._ask_next()
            return
        self.view.focus()
        self._do()

    def on_ask_line_left(self) -> None:
        self._questions, self._answers = (), {}
        self.view.focus()

    def _do(self) -> None:
        context, skill, answers, asked = self.workbench.context, self._skill, self._answers, self._questions
        self._questions, self._answers = (), {}
        self._reviewer = answers["reviewer"]
        work = {SIGN: signed_now, OPEN: opened_now, SETTLE: settled_now}[asked]
        self.in_background(lambda: work(context, skill, answers), self._done, group="write")

    def _done(self, saved: Saved) -> None:
        self.tell(Inert.line(f"committed as {saved.commit[:10]}: {', '.join([*saved.files, *saved.notes])}"))
        self.action_reload()


def sign_off_blocks(found: Signed) -> list[Block]:
    """A head a sign-off; below it what it says once it is open, or what made it void."""
    blocks = [Block(head=as_line(f"state: {found.state}", Tone.STRONG))]
    for item in found.sign_offs:
        sign_off = item.sign_off
        told = f"{sign_off.reviewer}, {sign_off.affiliation.value}, {sign_off.filed:%Y-%m-%d %H:%M}"
        state = "void" if not item.holds else "sealed" if item.verdict is None else "open"
        blocks.append(Block(head=as_line(f"{told}: {state}", Tone.HEADING)))
        lines = [f"{change.path} is {change.what}" for change in item.changes]
        verdict = item.verdict
        if verdict is not None and item.holds:
            lines += [
                f"decision: {verdict.decision.value}",
                f"definition source: {verdict.definition_source.value}",
                f"task framing: {verdict.task_framing.value}",
                f"plausibility: {verdict.plausibility.value}",
                f"minutes: {verdict.minutes:g}",
                f"comment: {verdict.comment or 'none'}",
            ]
        blocks += [Block(body=line, first="  ", rest="    ", words=True, kept=1000) for line in lines]
    opened = [item.verdict for item in found.sign_offs if item.holds and item.verdict is not None]
    if len(opened) > 1:
        blocks.append(Block(head=as_line("agreement", Tone.HEADING)))
        for question in ("decision", "definition_source", "task_framing", "plausibility"):
            answers = {getattr(verdict, question).value for verdict in opened}
            same = "= the same" if len(answers) == 1 else f"x differ: {', '.join(sorted(answers))}"
            blocks.append(Block(head=as_line(f"  {question.replace('_', ' ')}: {same}")))
    if found.settled is not None:
        told = f"settled by {found.settled.by}: {found.settled.decision.value}"
        blocks.append(Block(head=as_line(told, Tone.HEADING)))
        blocks.append(Block(body=found.settled.reason, first="  ", rest="  ", words=True, kept=1000))
    if not found.sign_offs:
        blocks.append(Block(head=as_line("nobody has signed it yet")))
    return blocks


def read_sign_offs(context: AppContext, skill: str) -> Signed:
    """Raises BadInput."""
    from workbench.review import adjudication_of, sign_offs_of, state_of

    content = context.content
    state = state_of(content, skill).value
    return Signed(state, sign_offs_of(content, skill), adjudication_of(content, skill))


def signed_now(context: AppContext, skill: str, answers: dict[str, str]) -> Saved:
    """Seal a verdict and commit the seal. Raises WorkbenchError."""
    from workbench.records import Affiliation, BadInput, Decision, Rating, ReviewVerdict
    from workbench.review import file_sign_off

    try:
        minutes = float(answers["minutes"])
        if not 0 <= minutes <= 100_000:
            raise ValueError
    except ValueError:
        raise BadInput(
            "the minutes are no number of minutes", remedy="Sign again, with a whole number."
        ) from None
    verdict = ReviewVerdict(
        decision=Decision(answers["decision"]),
        definition_source=Rating(answers["definition source"]),
        task_framing=Rating(answers["task framing"]),
        plausibility=Rating(answers["plausibility"]),
        comment=answers["comment"],
        minutes=minutes,
    )
    affiliation = Affiliation(answers["affiliation"])
    return file_sign_off(
        context.content, context.data, skill, answers["reviewer"], affiliation, verdict, clock=context.clock
    )


def opened_now(context: AppContext, skill: str, answers: dict[str, str]) -> Saved:
    """Raises WorkbenchError."""
    from workbench.review import open_seal

    return open_seal(context.content, context.data, skill, answers["reviewer"])


def settled_now(context: AppContext, skill: str, answers: dict[str, str]) -> Saved:
    """Raises WorkbenchError."""
    from workbench.records import Decision
    from workbench.review import adjudicate

    decision = Decision(answers["decision"])
    return adjudicate(
        context.content, context.data, skill, answers["reviewer"], decision, answers["reason"],
        clock=context.clock,
    )  # fmt: skip
