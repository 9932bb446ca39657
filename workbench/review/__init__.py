"""Skills in git, sign-offs, caveats: versions, diffs, saving, proposals, merging, review."""

from workbench.review.adjudicating import adjudicate, adjudication_of, state_of
from workbench.review.agreeing import Agreement, agreement
from workbench.review.audit_file import GENERAL, AuditText, open_audit
from workbench.review.authorship import Author, parse_author
from workbench.review.caveat_anchors import AnchorState, FoundAnchor, find_anchor, make_anchor
from workbench.review.caveat_list import ListedCaveat, list_caveats
from workbench.review.caveats import (
    EDITABLE,
    CaveatDesk,
    act_on_caveat,
    add_caveat,
    anchor_caveat,
    edit_caveat,
    link_caveat,
)
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
    "EDITABLE",
    "GENERAL",
    "WORK_TREE",
    "Agreement",
    "AnchorState",
    "AuditText",
    "Author",
    "BlamedLine",
    "CaveatDesk",
    "Choice",
    "Comparison",
    "Conflict",
    "ContentChange",
    "DiffLine",
    "Distance",
    "Drafts",
    "FileChange",
    "FileConflict",
    "FoundAnchor",
    "KnownSignOff",
    "LineKind",
    "ListedCaveat",
    "MergedText",
    "Piece",
    "Proposal",
    "ReviewState",
    "Saved",
    "SkillPlace",
    "Standing",
    "Version",
    "act_on_caveat",
    "add_caveat",
    "adjudicate",
    "adjudication_of",
    "agreement",
    "anchor_caveat",
    "blame",
    "changes_of",
    "commit_of",
    "compare",
    "content_changes",
    "diff_texts",
    "distance",
    "edit_caveat",
    "fetch",
    "file_sign_off",
    "find_anchor",
    "hunks",
    "link_caveat",
    "list_caveats",
    "make_anchor",
    "merge",
    "open_audit",
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
