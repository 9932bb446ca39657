"""Themes: every text that is drawn can be read, and a state is never told by colour alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from made_up import OPENERS, make_content, make_home
from recorded_runs import NoonClock
from rich.segment import Segment
from textual.color import Color

from workbench.records import Level, LintReport, RunState, Settings, Severity, Verdict
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.terminal import Terminal
from workbench.tui.themes import LOOKS, THEMES, look, state_text

LEAST = 4.5
"""WCAG 2.1, level AA, of text and its ground."""
DIMMED = 0.5
"""Of a dim foreground that a terminal leaves, the rest is ground."""
COLOURED = [theme.name for theme in THEMES if not theme.ansi]
COLOURLESS = [theme.name for theme in THEMES if theme.ansi]
LINT = get_args(LintReport.model_fields["verdict"].annotation)


def luminance(colour: Color) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part / 255) for part in colour.rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    """From 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def too_faint(segment: Segment) -> str:
    """What cannot be read, with its colours; empty for what can."""
    text, style, _ = segment
    if not text.strip() or style is None or style.color is None or style.bgcolor is None:
        return ""
    if set(text.strip()) <= set("▁▂▃▄▅▆▇█▔▏▎▍▌▋▊▉▐"):  # scrollbars
        return ""
    fore, back = (Color.from_rich_color(colour) for colour in (style.color, style.bgcolor))
    if style.dim:
        fore = back.blend(fore, DIMMED)
    found = contrast(fore, back)
    return "" if found >= LEAST else f"{text.strip()[:20]!r}: {fore.hex} on {back.hex} is {found:.2f}"


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast(Color.parse("#000000"), Color.parse("#FFFFFF")) == pytest.approx(21)
    assert contrast(Color.parse("#777777"), Color.parse("#FFFFFF")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", COLOURED)
def test_every_look_of_a_theme_can_be_read_on_every_ground(theme: str) -> None:
    (found,) = (item for item in THEMES if item.name == theme)
    grounds = {name: Color.parse(str(getattr(found, name))) for name in ("background", "surface", "panel")}
    names = ("foreground", "primary", "secondary", "accent", "success", "warning", "error")
    faint = {
        f"{name} on {ground}": round(contrast(Color.parse(str(getattr(found, name))), colour), 2)
        for name in names
        for ground, colour in grounds.items()
        if contrast(Color.parse(str(getattr(found, name))), colour) < LEAST
    }
    assert faint == {}
    assert {style.removeprefix("$") for style in (item.style for item in LOOKS.values())} <= set(names)


@pytest.mark.parametrize("theme", COLOURED)
async def test_everything_drawn_can_be_read(tui_context: AppContext, tmp_path: Path, theme: str) -> None:
    make_home(tui_context.data)
    context = replace(
        tui_context, content=make_content(tmp_path / "content"), clock=NoonClock(),
        settings=Settings(theme=theme),
    )  # fmt: skip
    faint = set()
    app = WorkbenchApp(context)
    async with app.run_test(size=(120, 30), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        for name, opener in OPENERS.items():
            await opener(app, pilot)
            assert app.theme == theme
            for key in ("", "end", "home"):
                await pilot.press(*([key] if key else []))
                await pilot.pause()
                for strip in app.screen._compositor.render_strips():
                    faint |= {f"{name}: {problem}" for segment in strip if (problem := too_faint(segment))}
    assert faint == set()


@pytest.mark.parametrize("theme", COLOURLESS)
async def test_without_colours_of_ours_the_terminals_are_used(
    tui_context: AppContext, tmp_path: Path, theme: str
) -> None:
    """No ground but the terminal's own, so that its owner's choice of contrast holds; NO_COLOR: no colour."""
    make_home(tui_context.data)
    terminal = Terminal(colours=0 if theme == "none" else 16)
    context = replace(
        tui_context, content=make_content(tmp_path / "content"), clock=NoonClock(), terminal=terminal,
        settings=Settings(theme=theme),
    )  # fmt: skip
    app = WorkbenchApp(context)
    async with app.run_test(size=(120, 30), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        for opener in OPENERS.values():
            await opener(app, pilot)
            assert app.theme == theme
            strips = []
            for key in ("", "end", "home"):
                await pilot.press(*([key] if key else []))
                await pilot.pause()
                strips += app.screen._compositor.render_strips()
            for _, style, _ in (segment for strip in strips for segment in strip):
                colours = [] if style is None else [style.color, style.bgcolor]
                named = {colour.name for colour in colours if colour is not None} - {"default"}
                assert theme != "none" or named == set()
                assert not any(name.startswith("#") for name in named)


STATES = sorted({*RunState, *Verdict, *Level, *Severity, *LINT, "ok", "limited", "missing", "broken"})


@pytest.mark.parametrize("state", STATES)
def test_a_state_has_a_sign_and_a_word(state: str) -> None:
    assert state in LOOKS
    shown = look(state)
    assert len(shown.sign) == 1 and len(shown.ascii) == 1 and shown.ascii.isascii() and shown.ascii.strip()
    assert state_text(state).plain == f"{shown.sign} {state}"
