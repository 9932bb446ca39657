"""Skills in git: versions, diffs, saving, proposals, merging."""

from workbench.review.authorship import Author, parse_author
from workbench.review.line_blame import BlamedLine, blame
from workbench.review.repository import FileChange, SkillPlace, Standing, changes_of, place_of, standing_of
from workbench.review.saving import Saved, put_text, save
from workbench.review.skill_versions import WORK_TREE, Version, commit_of, text_at, versions
from workbench.review.text_diff import DiffLine, LineKind, Piece, diff_texts, hunks

__all__ = [
    "WORK_TREE",
    "Author",
    "BlamedLine",
    "DiffLine",
    "FileChange",
    "LineKind",
    "Piece",
    "Saved",
    "SkillPlace",
    "Standing",
    "Version",
    "blame",
    "changes_of",
    "commit_of",
    "diff_texts",
    "hunks",
    "parse_author",
    "place_of",
    "put_text",
    "save",
    "standing_of",
    "text_at",
    "versions",
]
