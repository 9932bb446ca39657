"""Skills in git: versions, diffs, saving, proposals, merging."""

from workbench.review.authorship import Author, parse_author
from workbench.review.comparison import Comparison, FileConflict, compare
from workbench.review.drafts import Drafts
from workbench.review.line_blame import BlamedLine, blame
from workbench.review.merging import merge, settle
from workbench.review.proposals import Proposal, proposals, propose, proposed
from workbench.review.remote import Distance, distance, fetch, pull, push
from workbench.review.repository import FileChange, SkillPlace, Standing, changes_of, place_of, standing_of
from workbench.review.restoring import restore
from workbench.review.saving import Saved, put_text, save
from workbench.review.skill_versions import WORK_TREE, Version, commit_of, text_at, versions
from workbench.review.text_diff import DiffLine, LineKind, Piece, diff_texts, hunks
from workbench.review.three_way import Choice, Conflict, MergedText

__all__ = [
    "WORK_TREE",
    "Author",
    "BlamedLine",
    "Choice",
    "Comparison",
    "Conflict",
    "DiffLine",
    "Distance",
    "Drafts",
    "FileChange",
    "FileConflict",
    "LineKind",
    "MergedText",
    "Piece",
    "Proposal",
    "Saved",
    "SkillPlace",
    "Standing",
    "Version",
    "blame",
    "changes_of",
    "commit_of",
    "compare",
    "diff_texts",
    "distance",
    "fetch",
    "hunks",
    "merge",
    "parse_author",
    "place_of",
    "proposals",
    "propose",
    "proposed",
    "pull",
    "push",
    "put_text",
    "restore",
    "save",
    "settle",
    "standing_of",
    "text_at",
    "versions",
]
