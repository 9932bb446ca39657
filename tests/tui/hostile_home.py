"""A home in which every text that can come from outside is an attack on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from made_up import FAMILY, make_content
from recorded_runs import NOON, NoonClock, make_identity, make_plan, make_result, make_score
from skill_repository import make_proposal, make_repository, put_sign_offs
from test_sources_screen import put_source

from workbench.catalog import Content
from workbench.gateway.egress import EgressLog
from workbench.patterns import visible
from workbench.records import (
    AgentChoice,
    ContentPaths,
    DataPaths,
    Draft,
    Level,
    LintReport,
    Observation,
    Place,
    RecoveryFile,
    RuleOutcome,
    SandboxReport,
    SkillDraft,
    Step,
    StepSource,
    ToolCall,
    ToolKind,
    TrajectorySummary,
    Usage,
    Violation,
)
from workbench.store import EventLog, FileLock, RunStore, atomic_write

EVIL_RUN = "20300501-120000-bad000"
SKILL_NAME = "evil-skill"
EVIL = (
    "[/foo] arr[0] [bold]b[/] \x1b[31337m\x1b[2J\x1b[6n \x1b]52;c;RVZJTA==\x07 "
    "\x1b]8;;http://evil.example/\x1b\\k \x1bPq#0\x1b\\ \x1b_Gevil\x1b\\ \x1b]0;evil\x07 "
    "\x9b31mC1\x9d0;t\x9c "
    "\x08\x0b\x0c\x00\x7f\x0e\x0f \u202eabc\u2066d \u200bz\ufeff \u0085\u2028 \U000e0041 $error %s {0} 漢字 "
    "👩\u200d👩\u200d👧 "
)
"""One line. Tests look for ``[/foo] arr[0]`` and for what of it may never reach a terminal."""
LONG = EVIL + "a" * 1_000_000
MARKS = "e" + "\u0301" * 5000
TOLD = "\n".join((EVIL, MARKS, "\t" + EVIL))


def toml(text: str) -> str:
    """A TOML string, escaped."""
    return "".join(
        letter
        if letter.isascii() and letter.isprintable() and letter not in '"\\'
        else f"\\U{ord(letter):08X}"
        for letter in text
    )


def make_hostile_content(root: Path) -> None:
    """Titles, aliases and a skill that are attacks."""
    make_content(root)
    family = root / "tasks" / "m4bench" / FAMILY / "family.toml"
    text = family.read_text(encoding="utf-8")
    text = text.replace('title = "', f'title = "{toml(EVIL)}', 1).replace(
        '["sus', f'["{toml(EVIL)}", "sus', 1
    )
    family.write_text(text, encoding="utf-8")
    for task in family.parent.glob("*/task.toml"):
        text = task.read_text(encoding="utf-8")
        task.write_text(text.replace('title = "', f'title = "{toml(EVIL)}', 1), encoding="utf-8")
    make_hostile_parts(root, family.parent)
    skill = root / "skills" / SKILL_NAME / "SKILL.md"
    skill.parent.mkdir()
    body = (
        f"# {EVIL}\n\n[{EVIL}](http://x/{EVIL}) ![{EVIL}](javascript:evil)\n\n<b onclick=x>{EVIL}</b>\n\n"
        f"<script>{EVIL}</script>\n\n`{EVIL}` **{EVIL}**\n\n- {EVIL}\n\n| a |\n|---|\n| {EVIL} |\n\n"
        f"```sql\nSELECT '{EVIL}'\n```\n\n> {EVIL}\n\n[r]: http://x '{EVIL}'\n\n{MARKS}\n\n{LONG[:200_000]}\n"
    )
    front = f"---\nname: {SKILL_NAME}\ndescription: Use it. {visible_only(EVIL)}\n---\n\n"
    skill.write_text(front + body, encoding="utf-8", errors="surrogatepass")
    commitable = EVIL.replace("\x00", "")
    make_repository(root, SKILL_NAME, message=commitable, author=commitable)
    put_sign_offs(Content(ContentPaths(root)), SKILL_NAME, comment=visible(EVIL))
    make_proposal(root, SKILL_NAME, f"# {EVIL}\n", commitable)


def make_hostile_parts(root: Path, folder: Path) -> None:
    """Every text of a family that its screens show; a task that cannot be read for its evil key."""
    family = folder / "family.toml"
    text = family.read_text(encoding="utf-8")
    family.write_text(text.replace('summary = "', f'summary = "{toml(EVIL)}', 1), encoding="utf-8")
    audit = root / "audits" / f"{FAMILY}.toml"
    text = audit.read_text(encoding="utf-8")
    for key in ("title", "source", "explanation", "story", "rule"):
        text = text.replace(f'\n{key} = "', f'\n{key} = "{toml(EVIL)}')
    audit.write_text(text, encoding="utf-8")
    for task in folder.glob("*/task.toml"):
        text = task.read_text(encoding="utf-8")
        task.write_text(text.replace('\nnote = "', f'\nnote = "{toml(EVIL)}'), encoding="utf-8")
    raw = folder / "mimic-suspicion-infection-raw" / "task.toml"
    raw.write_text(raw.read_text(encoding="utf-8") + f'\n["{toml(EVIL)}"]\n', encoding="utf-8")
    for path in (*folder.glob("*.sql"), *folder.glob("*/*.md")):
        mark = "-- " if path.suffix == ".sql" else ""
        path.write_text(f"{mark}{EVIL}\n" + path.read_text(encoding="utf-8"), encoding="utf-8")


def visible_only(text: str) -> str:
    """What a frontmatter can hold."""
    return "".join(letter for letter in text if letter.isprintable())


def make_hostile_home(data: DataPaths) -> None:
    """A run, a source and a draft left behind, all of attacks."""
    run = RunStore(data).create(
        make_plan(
            EVIL_RUN, task=EVIL, family=EVIL, source=EVIL,
            agent=AgentChoice(name=EVIL, file=EVIL, model=EVIL, effort=EVIL), sandbox=EVIL,
        )
    )  # fmt: skip
    result = hostile_result()
    with FileLock(run.lock, "run"):
        identity = make_identity(EVIL_RUN)
        inputs = identity.inputs.model_copy(update={"skills": {EVIL: EVIL}, "code": EVIL, "runtime": EVIL})
        atomic_write(run.identity, identity.model_copy(update={"inputs": inputs}).to_json())
        egress = EgressLog(run.egress, NoonClock())
        egress.write(method=EVIL, path=EVIL, allowed=False, reason=EVIL, model=EVIL)
        egress.close()
        log = EventLog(run.events, NoonClock())
        log.stage("execute", "begin", EVIL)
        for step in hostile_steps():
            log.step(step)
        for violation in result.lint.violations if result.lint is not None else ():
            log.violation(violation)
        log.note(EVIL)
        log.stage("execute", "end", EVIL)
        log.finished(result)
        log.close()
        atomic_write(run.result, result.to_json())
    printed = EVIL.encode() + b"\xed\xa0\x80\xff\x9b2J\n" + LONG.encode() + b"\n" + MARKS.encode() + b"\n"
    run.trajectory.write_bytes(printed * 3)
    source = put_source(data, "evil")
    tables = [table.model_copy(update={"table": EVIL + table.table}) for table in source.tables]
    atomic_write(
        data.source("evil").manifest,
        source.model_copy(update={"origin": EVIL, "tables": tables, "schema_name": EVIL}).to_json(),
    )
    data.recovery.mkdir(parents=True, mode=0o700)
    draft = Draft(key=EVIL, title=EVIL, screen="skill", text=EVIL, changed=NOON)
    data.drafts.mkdir(parents=True, mode=0o700)
    typed = SkillDraft(
        root=str(data.root.parent / "content"), skill=SKILL_NAME, editor="ab", text=EVIL, kept=NOON
    )
    atomic_write(data.draft(SKILL_NAME, "ab"), typed.to_json())
    (data.recovery / "1-ab.json").write_text(RecoveryFile(pid=1, drafts=[draft]).to_json(), encoding="utf-8")


def hostile_steps() -> list[Step]:
    """Every field of a step, a call and an answer."""

    def call(number: int, kind: ToolKind, **more: Any) -> ToolCall:
        return ToolCall(call_id=f"c{number}", name=EVIL, kind=kind, **more)

    calls = [
        call(1, ToolKind.COMMAND, command=f"duckdb -c \"SELECT '{EVIL}'\"\n{TOLD}"),
        call(2, ToolKind.FILE_CHANGE, path=EVIL, content=TOLD),
        call(3, ToolKind.WEB, arguments={EVIL: EVIL}),
    ]
    answers = [Observation(call_id=f"c{number}", text=TOLD, exit_code=number) for number in (1, 2, 3)]
    step = Step(
        number=1, source=StepSource.AGENT, timestamp=EVIL, model=EVIL, reasoning=TOLD, message=TOLD,
        calls=calls, observations=answers, is_error=True,
    )  # fmt: skip
    return [step, Step(number=2, source=StepSource.AGENT, message=LONG)]


def hostile_result() -> Any:
    """Every text of a result."""
    violation = Violation(
        rule="network", level=Level.FAIL, message=EVIL, excerpt=TOLD,
        place=Place(step=1, file=EVIL, line=3),
    )  # fmt: skip
    score = make_score()
    target = score.targets[0]
    columns = [column.model_copy(update={"column": EVIL}) for column in target.columns]
    checks = [check.model_copy(update={"check": EVIL, "detail": EVIL}) for check in target.strict_checks]
    target = target.model_copy(update={"columns": columns, "strict_checks": checks})
    return make_result(
        EVIL_RUN, reasons=[EVIL, TOLD], score=score.model_copy(update={"problem": EVIL, "targets": [target]}),
        lint=LintReport(
            verdict="fail", violations=[violation],
            outcomes=[RuleOutcome(rule="network", ran=False, reason=EVIL)],
        ),
        sandbox=SandboxReport(
            backend=EVIL, degraded=True, reasons=[EVIL], enforced={EVIL: EVIL}, exit_code=None, wall_s=1.0,
            ended_by=EVIL, refused_results=[EVIL],
        ),
        trajectory=TrajectorySummary(format=EVIL, steps=1, usage=Usage()),
        stage_s={EVIL: 1.0},
    )  # fmt: skip
