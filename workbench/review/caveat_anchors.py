"""Lines that a caveat is about, found again after their files were edited."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from workbench.catalog import Content, read_text
from workbench.records import BadInput, CaveatAnchor, WorkbenchError, blob_hash
from workbench.review.git_command import Git
from workbench.review.text_diff import LineKind, diff_texts

_ALIKE = 0.6
"""Share of equal characters from which a line is the old one, changed."""


class AnchorState(StrEnum):
    """What became of an anchored line."""

    SAME = "same"
    MOVED = "moved"
    CHANGED = "changed"
    LOST = "lost"


@dataclass(frozen=True)
class FoundAnchor:
    """``line`` and ``text`` as they are now; 0 and empty where the line is lost."""

    anchor: CaveatAnchor
    state: AnchorState
    line: int
    text: str


def make_anchor(content: Content, file: str, line: int) -> CaveatAnchor:
    """An anchor to a line (from 1) of a file of tasks or skills, by its path below the content root.

    Raises BadInput for a file elsewhere, that is not there, or that has no such line.
    """
    path = _place(content, file)
    text = read_text(path)
    lines = text.split("\n")
    if not 1 <= line <= len(lines) or not lines[line - 1].strip():
        raise BadInput(
            f"there is nothing on line {line}",
            where=file,
            remedy=f"It has {len(lines)} lines; name one with text.",
        )
    return CaveatAnchor(
        file=path.relative_to(content.paths.root.resolve()).as_posix(),
        content=blob_hash(text.encode()),
        line=line,
        text=lines[line - 1],
        before=lines[line - 2] if line > 1 else "",
        after=lines[line] if line < len(lines) else "",
    )


def find_anchor(content: Content, anchor: CaveatAnchor) -> FoundAnchor:
    """Where the line is now: by the version it was anchored in where git has it, else by its words."""
    try:
        text = read_text(_place(content, anchor.file))
    except WorkbenchError:
        return FoundAnchor(anchor, AnchorState.LOST, 0, "")
    if blob_hash(text.encode()) == anchor.content:
        return FoundAnchor(anchor, AnchorState.SAME, anchor.line, anchor.text)
    old = _old_text(content, anchor)
    lines = text.split("\n")
    at = _by_diff(old, text, anchor) if old else _by_words(lines, anchor)
    if not at:
        return FoundAnchor(anchor, AnchorState.LOST, 0, "")
    if lines[at - 1] != anchor.text:
        return FoundAnchor(anchor, AnchorState.CHANGED, at, lines[at - 1])
    return FoundAnchor(anchor, AnchorState.SAME if at == anchor.line else AnchorState.MOVED, at, anchor.text)


def _place(content: Content, file: str) -> Path:
    root = content.paths.root.resolve()
    path = (root / file).resolve()
    below = [content.paths.tasks.resolve(), content.paths.skills.resolve()]
    if Path(file).is_absolute() or not any(path.is_relative_to(folder) for folder in below):
        raise BadInput(
            "is no file of tasks or skills",
            where=file[:200],
            remedy="Name it by its path below the content root, as skills/gcs/SKILL.md.",
        )
    return path


def _old_text(content: Content, anchor: CaveatAnchor) -> str:
    try:
        answer = Git(content.paths.root).run("cat-file", "blob", anchor.content, accept=(0, 1, 128))
    except WorkbenchError:
        return ""
    return "" if answer.code else answer.data.decode("utf-8", "replace").replace("\r\n", "\n")


def _by_diff(old: str, new: str, anchor: CaveatAnchor) -> int:
    """The line of ``new`` that the anchored one became; else where the same words went."""
    lines = diff_texts(old, new)
    place = next((at for at, line in enumerate(lines) if line.old == anchor.line), None)
    if place is None:
        return 0
    if lines[place].kind == LineKind.SAME:
        return lines[place].new
    elsewhere = [line for line in lines if line.kind == LineKind.ADDED and line.text == anchor.text]
    if elsewhere:
        return min(elsewhere, key=lambda line: abs(line.new - anchor.line)).new
    first = last = place
    while first > 0 and lines[first - 1].kind != LineKind.SAME:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].kind != LineKind.SAME:
        last += 1
    came = [line for line in lines[first : last + 1] if line.kind == LineKind.ADDED]
    likest = max(came, key=lambda line: _alike(line.text, anchor.text), default=None)
    return likest.new if likest and _alike(likest.text, anchor.text) >= _ALIKE else 0


def _by_words(lines: list[str], anchor: CaveatAnchor) -> int:
    """Without the old version: the same line, by its neighbours and distance; else one that is much alike
    between the same neighbours.
    """
    same = [at for at, line in enumerate(lines, 1) if line == anchor.text]
    if same:
        return min(same, key=lambda at: (-_around(lines, at, anchor), abs(at - anchor.line)))
    near = [at for at in range(1, len(lines) + 1) if _around(lines, at, anchor)]
    likest = max(near, key=lambda at: _alike(lines[at - 1], anchor.text), default=0)
    return likest if likest and _alike(lines[likest - 1], anchor.text) >= _ALIKE else 0


def _around(lines: list[str], at: int, anchor: CaveatAnchor) -> int:
    before = lines[at - 2] if at > 1 else ""
    after = lines[at] if at < len(lines) else ""
    return (before == anchor.before) + (after == anchor.after)


def _alike(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.strip(), other.strip(), autojunk=False).ratio()
