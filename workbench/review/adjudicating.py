"""A disagreement of reviewers, settled by a third person with a reason that is recorded."""

from __future__ import annotations

from workbench.catalog import Content, read_toml
from workbench.patterns import visible
from workbench.records import Adjudication, BadInput, Clock, DataPaths, Decision, Refused, SystemClock
from workbench.review.repository import place_of
from workbench.review.review_commit import commit_review, person_of, require_no_author
from workbench.review.reviewers import require_reviewer
from workbench.review.saving import Saved
from workbench.review.sign_offs import ReviewState, opened, review_state, sign_offs_of


def adjudication_of(content: Content, skill: str) -> Adjudication | None:
    """The recorded one, if any, whether it still holds or not. Raises BadInput for one that is none."""
    path = content.paths.adjudication(skill)
    return read_toml(path, Adjudication) if path.is_file() else None


def state_of(content: Content, skill: str) -> ReviewState:
    """Where the skill stands, its adjudication counted where it is of the very verdicts that hold now."""
    found = sign_offs_of(content, skill)
    state = review_state(found)
    settled = adjudication_of(content, skill)
    seals = sorted(item.sign_off.seal for item in opened(found))
    if state != ReviewState.DISPUTED or settled is None or settled.seals != seals:
        return state
    return ReviewState.SIGNED if settled.decision == Decision.ACCEPT else ReviewState.REJECTED


def adjudicate(
    content: Content,
    data: DataPaths,
    skill: str,
    reviewer: str,
    decision: Decision,
    reason: str,
    *,
    clock: Clock | None = None,
) -> Saved:
    """Record and commit a decision between open verdicts that do not agree.

    Raises Refused where they do agree, for one of the reviewers themselves and for an author of the skill;
    BadInput for no reason.
    """
    if not reason.strip() or visible(reason) != reason:
        raise BadInput("the reason is empty or not plain text", remedy="Say in words what decides it.")
    place = place_of(content.paths, data, skill)
    found = sign_offs_of(content, skill)
    if review_state(found) != ReviewState.DISPUTED:
        raise Refused("there is no open disagreement", where=skill, remedy="See workbench skill sign-offs.")
    if reviewer in [item.sign_off.reviewer for item in opened(found)]:
        raise Refused(f"{reviewer} is one of those who disagree", where=skill, remedy="Ask a third person.")
    person = person_of(place)
    require_no_author(place, person)
    require_reviewer(data, reviewer, person)
    record = Adjudication(
        skill=skill,
        by=reviewer,
        decision=decision,
        reason=reason.strip(),
        seals=sorted(item.sign_off.seal for item in opened(found)),
        filed=(clock or SystemClock()).now(),
    )
    path = content.paths.adjudication(skill)
    return commit_review(place, path, record, reviewer, f"Adjudication of {skill} by {reviewer}")
