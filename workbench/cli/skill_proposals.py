"""``workbench skill restore``, ``propose``, ``proposals``, ``merge``, ``pull`` and ``push``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.output import JsonOption, print_envelope, print_table, say, say_wrapped
from workbench.cli.skill_versions import AuthorOption, Message, Name, diff_lines, open_place, tell_saved
from workbench.patterns import visible
from workbench.records import BadInput, ExitCode

if TYPE_CHECKING:
    from workbench.review import Comparison, Conflict, SkillPlace

OwnMessage = Annotated[str, typer.Option("--message", "-m", help="In other words than the usual ones.")]
Take = Annotated[
    list[str] | None,
    typer.Option(
        "--take", help="Settle a conflict: NUMBER=ours, theirs, both or base; or one of them for all."
    ),
]
Text = Annotated[
    Path | None, typer.Option("--text", help="A file with the whole text of the SKILL.md in conflict.")
]


def add_to(app: typer.Typer) -> None:
    """Put these commands into the group ``skill``."""
    app.command("restore", help="An earlier version once more, as a new commit.")(restore)
    app.command("propose", help="Commit the skill as it is on a branch of its own; nothing else changes.")(
        propose
    )
    app.command("proposals", help="The proposals of a skill, here and on remotes as last fetched.")(
        list_proposals
    )
    app.command("merge", help="Merge a proposal or branch. Exit code 1, nothing changed: conflicts.")(merge)
    app.command("pull", help="Fetch and merge what others pushed. Exit code 1, nothing changed: conflicts.")(
        pull
    )
    app.command("push", help="Send the current branch, or a proposal; never by force.")(push)


def restore(
    name: Name,
    version: Annotated[str, typer.Argument(help="A version, as `skill log` lists them.")],
    message: OwnMessage = "",
    author: AuthorOption = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the new version and its files."""
    from workbench import review

    who = review.parse_author(author) if author else None
    tell_saved(name, review.restore(open_place(name), version, message, who), as_json=as_json)


def propose(
    name: Name,
    proposal: Annotated[str, typer.Argument(help="Its name: lower-case letters, digits, hyphens.")],
    message: Message,
    author: AuthorOption = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the branch and its files."""
    from workbench import review

    who = review.parse_author(author) if author else None
    tell_saved(name, review.propose(open_place(name), proposal, message, who), as_json=as_json)


def list_proposals(name: Name, as_json: JsonOption = False) -> None:
    """One line a proposal."""
    from workbench import review

    items = [
        {
            "proposal": item.name,
            "from": item.remote or "here",
            "versions": item.versions,
            "merged": item.merged,
            "time": item.time.isoformat() if as_json else item.time,
            "author": item.author,
            "subject": item.subject,
            **({"commit": item.commit, "ref": item.ref} if as_json else {}),
        }
        for item in review.proposals(open_place(name))
    ]
    columns = ("proposal", "from", "versions", "merged", "time", "author", "subject")
    print_table("proposals", items, columns, as_json=as_json, empty="no proposals", shorten="subject")


def merge(
    name: Name,
    other: Annotated[str, typer.Argument(help="A proposal, a branch, or a version.")],
    take: Take = None,
    text: Text = None,
    message: OwnMessage = "",
    author: AuthorOption = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the new version; or the conflicts, and what both sides did."""
    from workbench import review

    place = open_place(name)
    compared = review.compare(place, review.proposed(place, other))
    _merge(place, compared, take or [], text, message, author, whole=False, as_json=as_json)


def pull(
    name: Name,
    take: Take = None,
    text: Text = None,
    message: OwnMessage = "",
    author: AuthorOption = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the new version, or the conflicts."""
    from workbench import review

    place = open_place(name)
    compared = review.pull(place)
    if compared is None:
        if as_json:
            print_envelope("saved", [], {"skill": name, "commit": ""})
        else:
            say("nothing new")
        return
    _merge(place, compared, take or [], text, message, author, whole=True, as_json=as_json)


def push(
    name: Name,
    proposal: Annotated[str, typer.Option("--proposal", help="Send this proposal of yours instead.")] = "",
) -> None:
    """Prints where it went."""
    from workbench import review

    say(f"sent to {review.push(open_place(name), proposal)}")


def _merge(
    place: SkillPlace,
    compared: Comparison,
    take: list[str],
    text: Path | None,
    message: str,
    author: str,
    *,
    whole: bool,
    as_json: bool,
) -> None:
    from workbench import review

    choices = dict(map(_choice, take))
    settled = review.settle(compared, choices, given=_given(place, compared, text))
    if len(settled) < len(compared.conflicts):
        _tell_conflicts(place, compared, as_json=as_json)
        raise typer.Exit(ExitCode.FOUND)
    who = review.parse_author(author) if author else None
    saved = review.merge(place, compared, message, who, settled=settled, whole=whole)
    tell_saved(place.name, saved, as_json=as_json)


def _choice(told: str) -> tuple[int, str]:
    number, _, choice = told.rpartition("=")
    if choice not in ("ours", "theirs", "both", "base") or not (number or "0").isdecimal():
        raise BadInput(
            f"--take {told[:40]!r} is none", remedy="As --take 1=ours, --take 2=both, or --take theirs."
        )
    return int(number or 0), choice


def _given(place: SkillPlace, compared: Comparison, text: Path | None) -> dict[str, str]:
    from workbench.catalog import read_text

    if text is None:
        return {}
    if place.file not in [conflict.path for conflict in compared.conflicts]:
        raise BadInput("the SKILL.md is not in conflict", where=place.file, remedy="Leave out --text.")
    return {place.file: read_text(text)}


def _tell_conflicts(place: SkillPlace, compared: Comparison, *, as_json: bool) -> None:
    places = [(file, conflict) for file in compared.conflicts for conflict in file.merged.conflicts]
    if as_json:
        items = [
            {
                "file": file.path,
                "number": conflict.number,
                "line": conflict.line,
                "section": conflict.section,
                "reason": conflict.reason,
                "base": conflict.base,
                "ours": conflict.ours,
                "theirs": conflict.theirs,
            }
            for file, conflict in places
        ]
        summary = {
            "skill": place.name,
            "files": {file.path: file.reason for file in compared.conflicts},
            "ours": [version.short for version in compared.ours],
            "theirs": [version.short for version in compared.theirs],
        }
        print_envelope("conflicts", items, summary)
        return
    for side, found in (("you", compared.ours), ("they", compared.theirs)):
        for version in found:
            say_wrapped(visible(f"{side}: {version.short} {version.author}: {version.subject}"), 2)
    for file in compared.conflicts:
        say("")
        say(visible(f"{file.path}: {file.reason}"))
        for conflict in file.merged.conflicts:
            _tell_place(conflict)
    say("")
    say_wrapped(
        "Nothing was changed. Settle each: --take 1=ours (or theirs, both, base), or --take theirs for "
        "all, or --text FILE with the whole text."
    )


def _tell_place(conflict: Conflict) -> None:
    section = f", section {conflict.section}" if conflict.section else ""
    say(visible(f"conflict {conflict.number}: line {conflict.line}{section}: {conflict.reason}"))
    for side, text in (("you", conflict.ours), ("they", conflict.theirs)):
        say(f"  {side}:")
        for line in diff_lines(conflict.base, text):
            say(f"    {line}")
