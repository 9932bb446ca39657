"""What stands on a screen and explains itself least: counts, signs and measures, told by ``?``."""

from __future__ import annotations

_FOLDS = ("+ -", "before a line", "There is more of it, hidden; all of it is shown. Enter changes that.")
_STEPS = (
    ("3/13", "at the top", "The cursor is in step 3 of 13; 0 is before the first one."),
    _FOLDS,
    ("x ! V i", "before a line", "An error, a warning, a violation of the lint, a note."),
    ("(+2)", "in the outline", "The step made two more calls."),
)
_PUBLISHABLE = (
    "publishable",
    "the verdict",
    "Isolation held and the lint failed nothing, whatever the reward; its warnings are yours to look at.",
)
_SECTIONS = (("3/13", "at the top", "The cursor is in section 3 of 13; 0 is before the first one."), _FOLDS)

LEGENDS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "trajectory": _STEPS,
    "live": (
        ("0:34", "below", "How long the agent has worked, in minutes and seconds; Runs lists that, too."),
        *_STEPS,
    ),
    "rule-diff": (
        ("x", "before a row", "Both sides speak of one thing and say something else."),
        ("< >", "before a row", "Only the first side (only the second) says it."),
        ("a f w", "a column", "Accepted; accepted for other texts, holds no longer; withdrawn."),
        ("L", "a column", "The rule uses what is known only later; below the rows stands why."),
        ("x ! ✓", "before a line", "A rule here conflicts; only this text has it; it agrees."),
    ),
    "caveat": (
        ("same moved", "Where it is", "The line stands where it stood; it is elsewhere in its file now."),
        ("changed lost", "Where it is", "Another line much like it is there; no such line is left."),
        ("DIFFERS", "a witness case", "The reference gives something else than is written down."),
    ),
    "skill": _SECTIONS,
    "document": _SECTIONS,
    "runs": (
        _PUBLISHABLE,
        ("seconds", "a column", "How long the agent worked. Wide terminals show it."),
        (
            "attempt 2",
            "at the top",
            "The cursor's run is the second of its cell: same task, condition, agent and trial.",
        ),
        ("reward", "a column", "Mean share of cells that agree with the reference, 0 to 1."),
    ),
    "run-detail": (
        _PUBLISHABLE,
        ("reward", "Score", "Mean share of cells that agree with the reference, 0 to 1."),
        ("|###  |", "Score", "Share of a column's rows that agree."),
        (
            "nMAE",
            "Score",
            "Mean distance of ordered values from the reference's, as a share of their range; 0 is best.",
        ),
        ("F1", "Score", "How well the rows' keys agree, 0 to 1."),
        ("✓ x ! V", "before a line", "All agrees; an error; a warning; a violation of the lint."),
        ("the agent", "Times", "How long the agent worked, as Runs lists it; all stages are below."),
    ),
}
"""Scope to rows: what is seen, where, and what it means."""
