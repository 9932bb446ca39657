"""``workbench skill log``, ``diff``, ``blame`` and ``save``: the versions of a skill in git."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.output import JsonOption, open_session, print_envelope, print_table, say, say_wrapped
from workbench.patterns import visible

if TYPE_CHECKING:
    from workbench.review import DiffLine, Saved, SkillPlace

Name = Annotated[str, typer.Argument(help="The skill's name.")]
Message = Annotated[str, typer.Option("--message", "-m", help="What is changed and why, in words.")]
AuthorOption = Annotated[
    str, typer.Option("--author", help="'Name <address>', where it is not you as git knows you.")
]


def add_to(app: typer.Typer) -> None:
    """Put these commands into the group ``skill``."""
    app.command("log", help="The versions of a skill: commits that changed its folder, newest first.")(log)
    app.command("diff", help="What differs between two versions, words within lines.")(diff)
    app.command("blame", help="Who last changed each line of a skill, in which version.")(blame)
    app.command("save", help="Commit the skill's folder as it is; nothing else is committed or touched.")(
        save
    )


def open_place(name: str) -> SkillPlace:
    """The skill in its repository."""
    from workbench import review

    session = open_session()
    return review.place_of(session.content.paths, session.data, name)


def log(
    name: Name,
    revision: Annotated[str, typer.Option("--at", help="Of this branch, tag or commit.")] = "HEAD",
    most: Annotated[int, typer.Option("--most", min=0, help="At most so many; 0 for all.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """One line a version."""
    from workbench import review

    place = open_place(name)
    found = review.versions(place, revision, most=most)
    now = review.standing_of(place)
    unsaved = [change.path for change in review.changes_of(place)]
    items = [
        {
            "version": version.short,
            "time": version.time,
            "author": version.author,
            "subject": version.subject,
            **({"commit": version.commit, "email": version.email} if as_json else {}),
        }
        for version in found
    ]
    if as_json:
        items = [
            item | {"time": version.time.isoformat()} for item, version in zip(items, found, strict=True)
        ]
    summary = {"skill": name, "branch": now.branch, "shallow": now.shallow, "unsaved": unsaved}
    print_table(
        "versions",
        items,
        ("version", "time", "author", "subject"),
        as_json=as_json,
        summary=summary,
        empty="no versions yet",
        shorten="subject",
    )
    if not as_json:
        if unsaved:
            say_wrapped(f"not saved yet: {', '.join(unsaved)}", 2, err=True)
        if now.shallow:
            say_wrapped(
                "the clone is shallow: older versions are not here (git fetch --unshallow)", 2, err=True
            )


def diff(
    name: Name,
    old: Annotated[str, typer.Argument(help="A version; the last saved one unless given.")] = "HEAD",
    new: Annotated[str, typer.Argument(help="Another one; the file as it is now unless given.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Lines with - and +; changed words in [-…-] and {+…+}."""
    from workbench import review

    place = open_place(name)
    lines = review.diff_texts(review.text_at(place, old), review.text_at(place, new))
    found = review.hunks(lines)
    if as_json:
        items = [_line_item(line, at) for at, hunk in enumerate(found, 1) for line in hunk]
        print_envelope(
            "diff lines", items, {"skill": name, "old": old, "new": new or "the file as it is now"}
        )
        return
    for hunk in found:
        first = hunk[0]
        say(f"@@ line {first.old or first.new} @@")
        for line in hunk:
            say(_diff_line(line))
    if not found:
        say("no difference")


def diff_lines(old: str, new: str) -> list[str]:
    """All lines of both texts, marked as ``diff`` prints them."""
    from workbench import review

    return [_diff_line(line) for line in review.diff_texts(old, new)]


def _line_item(line: DiffLine, hunk: int) -> dict[str, object]:
    pieces = [{"text": piece.text, "changed": piece.changed} for piece in line.pieces]
    return {"hunk": hunk, "kind": line.kind.value, "old": line.old, "new": line.new, "pieces": pieces}


def _diff_line(line: DiffLine) -> str:
    mark, opening, closing = {
        "same": (" ", "", ""),
        "removed": ("-", "[-", "-]"),
        "added": ("+", "{+", "+}"),
    }[line.kind.value]
    whole = all(piece.changed for piece in line.pieces)
    texts = [
        f"{opening}{visible(piece.text)}{closing}" if piece.changed and not whole else visible(piece.text)
        for piece in line.pieces
    ]
    return mark + "".join(texts) + ("" if line.ended else "\n\\ no line feed at the end")


def blame(
    name: Name,
    revision: Annotated[
        str, typer.Option("--at", help="In this version; the file as it is now unless given.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """One line a line."""
    from workbench import review

    items = [
        {
            "line": line.line,
            "version": line.commit[:10],
            "author": line.author,
            "day": line.time.date().isoformat() if line.commit else "",
            "text": line.text,
            **({"commit": line.commit, "subject": line.subject} if as_json else {}),
        }
        for line in review.blame(open_place(name), revision)
    ]
    print_table(
        "lines", items, ("line", "version", "author", "day", "text"), as_json=as_json, empty="no lines"
    )


def save(name: Name, message: Message, author: AuthorOption = "", as_json: JsonOption = False) -> None:
    """Prints the new version and its files."""
    from workbench import review

    saved = review.save(open_place(name), message, review.parse_author(author) if author else None)
    tell_saved(name, saved, as_json=as_json)


def tell_saved(name: str, saved: Saved, *, as_json: bool) -> None:
    """What was committed where; what did not work afterwards as notes."""
    if as_json:
        summary = {"skill": name, "commit": saved.commit, "branch": saved.branch, "notes": list(saved.notes)}
        print_envelope("saved", [{"file": file} for file in saved.files], summary)
        return
    files = ", ".join(visible(file) for file in saved.files) or "no file differs"
    say(f"{saved.commit[:10]} on {visible(saved.branch)}: {files}")
    for note in saved.notes:
        say_wrapped(f"note: {note}", 2, err=True)
