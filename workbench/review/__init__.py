"""Skills in git, sign-offs, caveats: versions, diffs, saving, proposals, merging, review."""

from workbench.review.adjudicating import adjudicate, adjudication_of, state_of
from workbench.review.agreeing import Agreement, agreement
from workbench.review.audit_file import GENERAL, AuditText, open_audit
from workbench.review.audit_tables import TABLES, AuditTable, audit_tables, session_table
from workbench.review.authorship import Author, parse_author
from workbench.review.caveat_anchors import AnchorState, FoundAnchor, find_anchor, make_anchor
from workbench.review.caveat_list import ListedCaveat, list_caveats
from workbench.review.caveats import (
    EDITABLE,
    act_on_caveat,
    add_caveat,
    anchor_caveat,
    edit_caveat,
    link_caveat,
)
from workbench.review.comparison import Comparison, FileConflict, compare
from workbench.review.drafts import Drafts
from workbench.review.export_formats import ExportFormat
from workbench.review.exporting import export_files, export_text
from workbench.review.line_blame import BlamedLine, blame
from workbench.review.merging import merge, settle
from workbench.review.private_sources import source_lookup
from workbench.review.proposals import Proposal, proposals, propose, proposed
from workbench.review.remote import Distance, distance, fetch, pull, push
from workbench.review.repository import FileChange, SkillPlace, Standing, changes_of, place_of, standing_of
from workbench.review.restoring import restore
from workbench.review.review_desk import ReviewDesk, require_desk
from workbench.review.review_sessions import (
    add_to_session,
    list_sessions,
    open_session,
    own_session,
    session_of,
)
from workbench.review.reviewers import reviewer_names
from workbench.review.run_audits import KnownMark, list_run_audits, mark_run, marks_of
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
from workbench.review.signed_content import UPSTREAM, ContentChange, content_changes, signed_content
from workbench.review.skill_states import SkillState, skill_states
from workbench.review.skill_versions import WORK_TREE, Version, commit_of, text_at, versions
from workbench.review.text_diff import DiffLine, LineKind, Piece, diff_texts, hunks
from workbench.review.three_way import Choice, Conflict, MergedText

__all__ = [
    "EDITABLE",
    "GENERAL",
    "TABLES",
    "UPSTREAM",
    "WORK_TREE",
    "Agreement",
    "AnchorState",
    "AuditTable",
    "AuditText",
    "Author",
    "BlamedLine",
    "Choice",
    "Comparison",
    "Conflict",
    "ContentChange",
    "DiffLine",
    "Distance",
    "Drafts",
    "ExportFormat",
    "FileChange",
    "FileConflict",
    "FoundAnchor",
    "KnownMark",
    "KnownSignOff",
    "LineKind",
    "ListedCaveat",
    "MergedText",
    "Piece",
    "Proposal",
    "ReviewDesk",
    "ReviewState",
    "Saved",
    "SkillPlace",
    "SkillState",
    "Standing",
    "Version",
    "act_on_caveat",
    "add_caveat",
    "add_to_session",
    "adjudicate",
    "adjudication_of",
    "agreement",
    "anchor_caveat",
    "audit_tables",
    "blame",
    "changes_of",
    "commit_of",
    "compare",
    "content_changes",
    "diff_texts",
    "distance",
    "edit_caveat",
    "export_files",
    "export_text",
    "fetch",
    "file_sign_off",
    "find_anchor",
    "hunks",
    "link_caveat",
    "list_caveats",
    "list_run_audits",
    "list_sessions",
    "make_anchor",
    "mark_run",
    "marks_of",
    "merge",
    "open_audit",
    "open_seal",
    "open_session",
    "opened",
    "own_session",
    "parse_author",
    "place_of",
    "proposals",
    "propose",
    "proposed",
    "pull",
    "push",
    "put_text",
    "require_desk",
    "restore",
    "review_state",
    "reviewer_names",
    "save",
    "session_of",
    "session_table",
    "settle",
    "sign_offs_of",
    "signed_content",
    "skill_states",
    "source_lookup",
    "standing_of",
    "state_of",
    "text_at",
    "versions",
]
