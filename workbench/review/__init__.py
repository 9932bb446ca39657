"""Skills in git: versions, diffs, saving, proposals, merging."""

from workbench.review.adjudicating import adjudicate, adjudication_of, state_of
from workbench.review.agreeing import Agreement, agreement
from workbench.review.authorship import Author, parse_author
from workbench.review.comparison import Comparison, FileConflict, compare
from workbench.review.drafts import Drafts
from workbench.review.line_blame import BlamedLine, blame
from workbench.review.merging import merge, settle
from workbench.review.proposals import Proposal, proposals, propose, proposed
from workbench.review.remote import Distance, distance, fetch, pull, push
from workbench.review.repository import FileChange, SkillPlace, Standing, changes_of, place_of, standing_of
from workbench.review.restoring import restore
from workbench.review.reviewers import reviewer_names
from workbench.review.saving import Saved, put_text, save
from workbench.review.sign_offs import (
    KnownSignOff,
    ReviewState,
    file_sign_off,
    open_seal,
    opened,
    review_state,
    sign_offs_of,
)
from workbench.review.signed_content import ContentChange, content_changes, signed_content
from workbench.review.skill_versions import WORK_TREE, Version, commit_of, text_at, versions
from workbench.review.text_diff import DiffLine, LineKind, Piece, diff_texts, hunks
from workbench.review.three_way import Choice, Conflict, MergedText

__all__ = [
    "WORK_TREE",
    "Agreement",
    "Author",
    "BlamedLine",
    "Choice",
    "Comparison",
    "Conflict",
    "ContentChange",
    "DiffLine",
    "Distance",
    "Drafts",
    "FileChange",
    "FileConflict",
    "KnownSignOff",
    "LineKind",
    "MergedText",
    "Piece",
    "Proposal",
    "ReviewState",
    "Saved",
    "SkillPlace",
    "Standing",
    "Version",
    "adjudicate",
    "adjudication_of",
    "agreement",
    "blame",
    "changes_of",
    "commit_of",
    "compare",
    "content_changes",
    "diff_texts",
    "distance",
    "fetch",
    "file_sign_off",
    "hunks",
    "merge",
    "open_seal",
    "opened",
    "parse_author",
    "place_of",
    "proposals",
    "propose",
    "proposed",
    "pull",
    "push",
    "put_text",
    "restore",
    "review_state",
    "reviewer_names",
    "save",
    "settle",
    "sign_offs_of",
    "signed_content",
    "standing_of",
    "state_of",
    "text_at",
    "versions",
]
