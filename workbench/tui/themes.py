"""Themes, and the signs that say a state without colour."""

from __future__ import annotations

from dataclasses import dataclass

from textual.theme import Theme

from workbench.tui.inert import Inert
from workbench.tui.terminal import Terminal

DEFAULT = "workbench-dark"

THEMES = (
    Theme(
        "workbench-dark", primary="#4C9BE8", secondary="#7FB4E6", accent="#E0B050", warning="#E0A030",
        error="#F07070", success="#60C080", foreground="#E4E4E4", background="#121212", surface="#1A1A1A",
        panel="#2A2A2A", variables={"block-cursor-foreground": "#101010"},
    ),
    Theme(
        "workbench-light", primary="#0B5CAD", secondary="#1F5E99", accent="#7A4F00", warning="#7A4F00",
        error="#B01E2E", success="#1B6B36", foreground="#1A1A1A", background="#FAFAFA", surface="#F0F0F0",
        panel="#DDDDDD", dark=False, variables={"block-cursor-foreground": "#FFFFFF"},
    ),
    Theme(
        "high-contrast", primary="#FFFFFF", secondary="#FFFFFF", accent="#FFFF00", warning="#FFFF00",
        error="#FF8080", success="#80FF80", foreground="#FFFFFF", background="#000000", surface="#000000",
        panel="#000000",
        variables={"block-cursor-foreground": "#000000", "block-cursor-background": "#FFFF00"},
    ),
    Theme(
        "colour-blind", primary="#56B4E9", secondary="#8FB8DE", accent="#E69F00", warning="#E69F00",
        error="#F08A4B", success="#56B4E9", foreground="#E8E8E8", background="#101418", surface="#181E24",
        panel="#26303A", variables={"block-cursor-foreground": "#101010"},
    ),
    Theme(
        "sixteen", ansi=True, primary="ansi_blue", secondary="ansi_cyan", accent="ansi_yellow",
        warning="ansi_yellow", error="ansi_red", success="ansi_green", foreground="ansi_default",
        background="ansi_default", surface="ansi_default", panel="ansi_default", boost="ansi_default",
        variables={
            "ansi-background": "ansi_default", "ansi-foreground": "ansi_default",
            "block-cursor-foreground": "ansi_black", "block-cursor-background": "ansi_white",
            "input-cursor-background": "ansi_white", "input-cursor-foreground": "ansi_black",
            "input-cursor-text-style": "none",
        },
    ),
    Theme(
        "none", ansi=True, primary="ansi_default", secondary="ansi_default", accent="ansi_default",
        warning="ansi_default", error="ansi_default", success="ansi_default", foreground="ansi_default",
        background="ansi_default", surface="ansi_default", panel="ansi_default", boost="ansi_default",
        variables={
            "ansi-background": "ansi_default", "ansi-foreground": "ansi_default",
            "block-cursor-foreground": "ansi_default", "block-cursor-background": "ansi_default",
            "block-cursor-text-style": "reverse", "input-cursor-background": "ansi_default",
            "input-cursor-foreground": "ansi_default", "input-cursor-text-style": "reverse",
            "input-selection-background": "ansi_default",
            "scrollbar": "ansi_default", "scrollbar-hover": "ansi_default",
            "scrollbar-active": "ansi_default",
            "scrollbar-background": "ansi_default", "scrollbar-background-hover": "ansi_default",
            "scrollbar-background-active": "ansi_default", "scrollbar-corner-color": "ansi_default",
        },
    ),
)  # fmt: skip
"""Dark, light, high contrast, colour-blind safe (blue and orange), 16 colours, none (NO_COLOR)."""


@dataclass(frozen=True)
class Look:
    """How a state is shown: a sign, its ASCII form, and a style; the word always stands beside it."""

    sign: str
    ascii: str
    style: str


LOOKS: dict[str, Look] = {
    "planned": Look("○", "o", "$secondary"),
    "running": Look("▶", ">", "$primary"),
    "finished": Look("●", "*", "$foreground"),
    "interrupted": Look("■", "=", "$warning"),
    "publishable": Look("✓", "v", "$success"),
    "quarantined": Look("!", "!", "$warning"),
    "quarantine": Look("!", "!", "$warning"),
    "failed": Look("✗", "x", "$error"),
    "information": Look("·", ".", "$secondary"),
    "warn": Look("!", "!", "$warning"),
    "fail": Look("✗", "x", "$error"),
    "not-run": Look("?", "?", "$warning"),
    "clean": Look("✓", "v", "$success"),
    "minor": Look("·", ".", "$secondary"),
    "moderate": Look("!", "!", "$warning"),
    "major": Look("‼", "#", "$error"),
    "ok": Look("✓", "v", "$success"),
    "limited": Look("!", "!", "$warning"),
    "missing": Look("✗", "x", "$warning"),
    "broken": Look("✗", "x", "$error"),
    "error": Look("✗", "x", "$error"),
    "draft": Look("○", "o", "$secondary"),
    "in review": Look("▶", ">", "$primary"),
    "signed": Look("✓", "v", "$success"),
    "not accepted": Look("✗", "x", "$error"),
    "disputed": Look("‼", "#", "$error"),
    "stale": Look("!", "!", "$warning"),
}
_UNKNOWN = Look("?", "?", "$foreground")


def look(state: str) -> Look:
    """Of a run's state or verdict, a level, a severity, a health state, a skill's state in the review."""
    return LOOKS.get(state, _UNKNOWN)


def state_text(state: str, word: str = "") -> Inert:
    """Sign and word: ``✓ publishable``. ASCII mode turns the sign into its ASCII form when it is drawn."""
    shown = look(state)
    return Inert.of(f"{shown.sign} {word or state}", shown.style) if state else Inert()


def verdict_text(state: str, fails: int, warns: int) -> Inert:
    """The same with what the lint counted: ``✓ publishable, 5 warns``."""
    from workbench.records import said_verdict

    counted = said_verdict("", fails, warns)
    return state_text(state) + Inert.of(counted, look("fail" if fails else "warn").style)


def theme_for(chosen: str, terminal: Terminal) -> str:
    """The theme's name: none without colours, the user's, else by what the terminal has."""
    names = {theme.name for theme in THEMES}
    if terminal.colours == 0:
        return "none"
    if chosen in names:
        return chosen
    return "sixteen" if terminal.colours == 16 else DEFAULT
