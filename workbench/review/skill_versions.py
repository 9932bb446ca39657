"""The versions of one skill: which commits changed it, and its text in any of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from workbench.records import BadInput, read_regular
from workbench.review.earlier_names import earlier_names
from workbench.review.repository import SkillPlace

WORK_TREE = ""
"""In place of a version: the file as it is now, saved or not."""
_FIELDS = ("%H", "%P", "%an", "%ae", "%aI", "%s")


@dataclass(frozen=True)
class Version:
    """A commit that changed the skill. Author and subject are whatever somebody wrote: show them inert."""

    commit: str
    parents: tuple[str, ...]
    author: str
    email: str
    time: datetime
    subject: str

    @property
    def short(self) -> str:
        return self.commit[:10]


def versions(place: SkillPlace, revision: str = "HEAD", *, most: int = 0, since: str = "") -> list[Version]:
    """Commits that changed the skill's folder, newest first; none in an empty repository.

    ``most``: at most so many, 0 for all; ``since``: without those that this revision already has, and then
    without those under an earlier name of the skill, which else come after the others. In a shallow clone
    the oldest one stands for everything before it. Raises BadInput for an unknown revision.
    """
    if revision == "HEAD" and not place.git.try_text("rev-parse", "--verify", "--quiet", "HEAD"):
        return []
    known = commit_of(place, revision)
    if since:
        return _versions(place, known, place.folder, most, [f"^{commit_of(place, since)}"])
    found = _versions(place, known, place.folder, most)
    if not most or len(found) < most:
        for earlier in earlier_names(place, known):
            seen = {version.commit for version in found}
            more = _versions(place, f"{earlier.commit}^", earlier.folder, 0)
            found += [version for version in more if version.commit not in seen]
    return found[:most] if most else found


def _versions(
    place: SkillPlace, known: str, folder: str, most: int, without: Sequence[str] = ()
) -> list[Version]:
    limit = [f"--max-count={most}"] if most else []
    fields = place.git.run(
        *("log", "-z", f"--format={'%x00'.join(_FIELDS)}", *limit, known, *without, "--", folder)
    ).fields
    count = len(_FIELDS)
    return [_version(fields[at : at + count]) for at in range(0, len(fields) - count + 1, count)]


def _version(fields: list[str]) -> Version:
    commit, parents, author, email, time, subject = (
        field.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for field in fields
    )
    return Version(commit, tuple(parents.split()), author, email, _time(time), subject)


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:  # a commit may claim any time
        return datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def commit_of(place: SkillPlace, revision: str) -> str:
    """The commit that a person means by a revision. Raises BadInput for none, and for more than one."""
    found = ""
    if revision and "\0" not in revision:
        found = place.git.try_text(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
        )
    if not found:
        raise BadInput(
            f"there is no version {revision[:80]!r}",
            where=str(place.top),
            remedy=f"workbench skill log {place.name} lists the versions; a branch or tag will do too.",
        )
    return found


def text_at(place: SkillPlace, revision: str = WORK_TREE) -> str:
    """The SKILL.md in a version, or as it is now; empty where it was not there then, under no name.

    Lines end with a line feed. Raises BadInput for an unknown version and for what is not UTF-8.
    """
    data = bytes_at(place, place.file, revision)
    if not data and revision != WORK_TREE:
        folder = folder_at(place, revision)
        data = bytes_at(place, f"{folder}/{place.main}", revision) if folder else b""
    return decoded(data, place.file)


def folder_at(place: SkillPlace, revision: str) -> str:
    """The folder that the skill had in a version; empty where it was not there."""
    commit = commit_of(place, revision)
    newest = place.git.try_text("rev-parse", "--verify", "--quiet", "HEAD")
    if blob_at(place, place.file, commit) or not newest:
        return place.folder
    for earlier in earlier_names(place, newest):
        if blob_at(place, f"{earlier.folder}/{place.main}", commit):
            return earlier.folder
    return ""


def bytes_at(place: SkillPlace, path: str, revision: str = WORK_TREE) -> bytes:
    """A file as git keeps it in a version; of the work tree as it is on the disk. Empty where it is not."""
    if revision == WORK_TREE:
        try:
            return read_regular(place.top / path, follow_link=False)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise BadInput(f"cannot be read ({error.strerror})", where=str(place.top / path)) from None
    blob = blob_at(place, path, revision)
    return place.git.run("cat-file", "blob", blob).data if blob else b""


def blob_at(place: SkillPlace, path: str, revision: str) -> str:
    """The blob of a file in a version; empty where it is not there or is no file."""
    told = place.git.run("ls-tree", "-z", commit_of(place, revision), "--", path).fields
    mode, kind, blob = told[0].partition("\t")[0].split(" ") if told else ("", "", "")
    return blob if kind == "blob" and mode != "120000" else ""


def decoded(data: bytes, where: str) -> str:
    """Text with line feeds. Raises BadInput for what is not UTF-8."""
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"is not UTF-8 (byte {error.start})", where=where, remedy="Save it as UTF-8."
        ) from None
