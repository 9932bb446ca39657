"""Who is behind C1, C2, …: a private map in the data directory; the repository knows the identifiers only."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from workbench.records import BadInput, DataPaths, Refused, ReviewerId, ReviewerNames
from workbench.review.authorship import Author
from workbench.store import FileLock, atomic_write, private_folder

_WAIT_S = 5.0


def reviewer_names(data: DataPaths) -> ReviewerNames:
    """The map as this machine knows it. Raises BadInput for a file that cannot be read."""
    return ReviewerNames.load(data.reviewers) if data.reviewers.exists() else ReviewerNames()


def require_reviewer(data: DataPaths, reviewer: str, person: Author) -> None:
    """Note that ``reviewer`` is this person, once and for all.

    Raises BadInput for what is no identifier; Refused where it is somebody else's, or the person has another.
    """
    try:
        TypeAdapter(ReviewerId).validate_python(reviewer)
    except ValidationError:
        raise BadInput(f"{reviewer[:20]!r} is no reviewer", remedy="As C1, C2, …") from None
    private_folder(data.root)
    with FileLock(data.reviewers_lock, "the list of reviewers", wait_s=_WAIT_S):
        names = reviewer_names(data).names
        own = [known for known, name in names.items() if name == str(person)]
        if names.get(reviewer, str(person)) != str(person) or own not in ([], [reviewer]):
            raise Refused(
                f"{reviewer} is somebody else" if reviewer in names else f"you are {own[0]} already",
                where=str(data.reviewers),
                remedy="Sign with your own identifier; a new reviewer takes the next free one.",
            )
        if reviewer not in names:
            atomic_write(data.reviewers, ReviewerNames(names=names | {reviewer: str(person)}).to_json())
