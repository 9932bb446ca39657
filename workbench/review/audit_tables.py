"""Rows of the validity audit: caveats, provenance, sign-offs, rule coverage, sessions, run audits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.catalog import Content
from workbench.records import (
    BadInput,
    Caveat,
    Expectation,
    Refused,
    ReviewSession,
    SessionAct,
    WitnessCase,
    blob_hash,
    utc_text,
)
from workbench.review.adjudicating import adjudication_of, state_of
from workbench.review.caveat_list import list_caveats
from workbench.review.review_sessions import list_sessions
from workbench.review.run_audits import list_run_audits
from workbench.review.sign_offs import sign_offs_of
from workbench.rules import Status, compare, reference_side, skill_side, tasks_of_skill


@dataclass(frozen=True)
class AuditTable:
    """``rows`` hold a text for each of ``columns``. ``made_up``: columns of witness values, which are
    invented; ``words``: free texts, each with where it stands, that no reviewer vouched for.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, str]]
    made_up: frozenset[str] = frozenset()
    words: Sequence[tuple[str, str]] = field(default=())


def audit_tables(content: Content, names: Sequence[str] = ()) -> list[AuditTable]:
    """The tables of those names, all without one, in the order of ``TABLES``.

    Raises BadInput for an unknown name; Refused where a document of the audits cannot be read, as a table
    without it would say something else.
    """
    unknown = sorted(set(names) - set(TABLES))
    if unknown:
        raise BadInput(f"there is no table {unknown[0]!r}", remedy=f"One of: {', '.join(TABLES)}.")
    return [make(content) for name, make in TABLES.items() if not names or name in names]


def caveats_table(content: Content) -> AuditTable:
    """A row a caveat, by family."""
    found, problems = list_caveats(content)
    _whole(problems)
    rows = []
    words = []
    for one in found:
        caveat = one.caveat
        rows.append(
            {
                "family": one.family,
                "caveat": caveat.id,
                "convention retained": caveat.title,
                "what follows": " ".join(caveat.explanation.split()),
                "rule": caveat.rule,
                "severity": caveat.severity.value,
                "bias": caveat.bias.value,
                "reference": caveat.status,
                "witness values": "; ".join(_case(case) for case in caveat.witness),
                "status": caveat.review.value,
                "reviewers": _reviewers(caveat),
            }
        )
        at = f"{one.family} {caveat.id}"
        words += [(at, f"{caveat.title} {caveat.explanation} {caveat.rule}")]
    columns = tuple(rows[0]) if rows else ("family", "caveat")
    return AuditTable("caveats", "Caveats", columns, rows, frozenset({"witness values"}), words)


def provenance_table(content: Content) -> AuditTable:
    """A row a skill: what was reviewed, where that stands."""
    rows = []
    words = []
    for skill in content.skill_names():
        found = sign_offs_of(content, skill)
        settled = adjudication_of(content, skill)
        signed = [f"{path} {blob}" for one in found for path, blob in sorted(one.sign_off.content.items())]
        changed = sorted({f"{change.path} ({change.what})" for one in found for change in one.changes})
        rows.append(
            {
                "skill": skill,
                "state": state_of(content, skill).value,
                "sign-offs that hold": str(sum(one.holds for one in found)),
                "signed content": blob_hash("\n".join(signed).encode())[:12] if signed else "",
                "minutes": f"{sum(one.verdict.minutes for one in found if one.verdict):g}",
                "adjudicated by": settled.by if settled else "",
                "reason": settled.reason if settled else "",
                "changed since": "; ".join(changed),
            }
        )
        words += [(skill, settled.reason)] if settled else []
    columns = ("skill", "state", "sign-offs that hold", "signed content", "minutes", "adjudicated by")
    return AuditTable(
        "provenance", "Review provenance", (*columns, "reason", "changed since"), rows, words=words
    )


def sign_offs_table(content: Content) -> AuditTable:
    """A row a sign-off; verdicts that are sealed stay so."""
    rows = []
    words = []
    for skill in content.skill_names():
        for one in sign_offs_of(content, skill):
            verdict = one.verdict
            rows.append(
                {
                    "skill": skill,
                    "reviewer": one.sign_off.reviewer,
                    "affiliation": one.sign_off.affiliation.value,
                    "filed": utc_text(one.sign_off.filed),
                    "holds": "yes" if one.holds else "no",
                    "decision": verdict.decision.value if verdict else "sealed",
                    "definition": verdict.definition_source.value if verdict else "",
                    "framing": verdict.task_framing.value if verdict else "",
                    "plausible": verdict.plausibility.value if verdict else "",
                    "minutes": f"{verdict.minutes:g}" if verdict else "",
                    "comment": verdict.comment if verdict else "",
                }
            )
            words += [(f"{skill} {one.sign_off.reviewer}", verdict.comment)] if verdict else []
    columns = ("skill", "reviewer", "affiliation", "filed", "holds", "decision", "definition", "framing")
    return AuditTable(
        "sign-offs", "Sign-offs", (*columns, "plausible", "minutes", "comment"), rows, words=words
    )


def rules_table(content: Content) -> AuditTable:
    """A row a skill and kind of rule: how the skill's rules stand beside the reference's."""
    rows = []
    for skill in content.skill_names():
        tasks = tasks_of_skill(content, skill)
        if not tasks:
            continue
        compared = compare(skill_side(content, skill), reference_side(content, tasks))
        for one in compared.coverage:
            if one.first or one.second:
                counts = {status.value: str(one.rows.get(status, 0)) for status in Status}
                sides = {"in the skill": str(one.first), "in the reference": str(one.second)}
                rows.append({"skill": skill, "kind": one.kind.value} | sides | counts)
    columns = ("skill", "kind", "in the skill", "in the reference", *(status.value for status in Status))
    return AuditTable("rules", "Rule coverage", columns, rows)


def sessions_table(content: Content) -> AuditTable:
    """A row a review session, by name."""
    found, problems = list_sessions(content)
    _whole(problems)
    rows = []
    words = []
    for one in sorted(found, key=lambda session: session.id):
        decided = "; ".join(f"{event.subject}: {event.text}" for event in one.decisions)
        rows.append(
            {
                "session": one.id,
                "participants": ", ".join(one.participants),
                "agenda": "; ".join(one.agenda),
                "opened": utc_text(one.events[0].at),
                "state": "open" if one.is_open else "closed",
                "minutes": f"{one.minutes:g}",
                "decisions": decided,
            }
        )
        words += [(one.id, "; ".join(one.agenda))]
        words += [(one.id, f"{event.subject} {event.text}") for event in one.decisions if not event.allowed]
    columns = ("session", "participants", "agenda", "opened", "state", "minutes", "decisions")
    return AuditTable("sessions", "Review sessions", columns, rows, words=words)


def session_table(session: ReviewSession) -> AuditTable:
    """One session, a row an event."""
    rows = [
        {
            "time": utc_text(event.at),
            "reviewer": event.by,
            "event": event.act.value,
            "about": event.subject,
            "text": event.text or ("; ".join(session.agenda) if event.act == SessionAct.OPEN else ""),
        }
        for event in session.events
    ]
    words = [(session.id, f"{one.subject} {one.text}") for one in session.events if not one.allowed]
    minutes = f"{session.minutes:g} minutes"
    title = f"Session {session.id}: {', '.join(session.participants)}; {minutes}"
    return AuditTable(session.id, title, ("time", "reviewer", "event", "about", "text"), rows, words=words)


def runs_table(content: Content) -> AuditTable:
    """A row a mark on a run, by run."""
    found, problems = list_run_audits(content)
    _whole(problems)
    rows = [
        {
            "run": audit.run,
            "mark": mark.kind,
            "name": mark.label or (mark.failure.value if mark.failure else ""),
            "step": str(mark.step or ""),
            "reviewer": mark.by,
            "time": utc_text(mark.at),
            "log": mark.trajectory[:12],
            "text": mark.text,
        }
        for audit in found
        for mark in audit.marks
    ]
    words = [(audit.run, mark.text) for audit in found for mark in audit.marks if not mark.allowed]
    columns = ("run", "mark", "name", "step", "reviewer", "time", "log", "text")
    return AuditTable("runs", "Run audits", columns, rows, words=words)


TABLES: Mapping[str, Callable[[Content], AuditTable]] = {
    "caveats": caveats_table,
    "provenance": provenance_table,
    "sign-offs": sign_offs_table,
    "rules": rules_table,
    "sessions": sessions_table,
    "runs": runs_table,
}


def _case(case: WitnessCase) -> str:
    said = f"{case.id}: reference {' / '.join(_expected(item) for item in case.reference)}"
    if case.definition:
        said += f", definition {' / '.join(_expected(item) for item in case.definition)}"
    return said


def _expected(item: Expectation) -> str:
    if item.absent:
        return "no row"
    values = {**item.values, **dict.fromkeys(item.null)}
    return ", ".join(f"{name} {'NULL' if value is None else value}" for name, value in values.items())


def _reviewers(caveat: Caveat) -> str:
    return ", ".join(dict.fromkeys(f"{entry.by} ({entry.act.value})" for entry in caveat.entries))


def _whole(problems: Sequence[object]) -> None:
    if problems:
        raise Refused(
            f"{len(problems)} documents of the audits cannot be read; nothing was exported",
            remedy="`workbench caveat list`, `review list` and `audit show` say which; correct them first.",
        )
