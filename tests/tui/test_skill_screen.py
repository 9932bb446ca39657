"""Skill: rendered Markdown, its index, jumps, search, what cannot be read."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from snapshots import compare, footer
from textual.pilot import Pilot
from waiting import searched

from workbench.catalog import Content
from workbench.records import ContentPaths, DataPaths, Settings
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.skill import SkillScreen
from workbench.tui.terminal import Terminal

SKILL = """---
name: small-skill
description: Derive a thing from [bold]data[/bold] in two steps. Use in tests.
license: MIT
metadata:
  database: MIMIC-IV
---

# Small skill

Intro with **bold**, *soft*, `code` and a [link](https://example.org/x). [/foo] \x1b[31mred

## First step

1. one
2. two, which is so long that it has to be wrapped on a screen of eighty columns, twice even, if need be
   - nested item

| column | meaning |
|---|---|
| a | first |
| b | a second meaning that is long enough to be wrapped inside its own column of the table on the screen |

## Query

```sql
SELECT stay_id -- all
FROM mimiciv_icu.icustays WHERE los > 1.5
```

> quoted words

<script>alert(1)</script>

## First step

Again.
"""


@pytest.fixture
def context(tmp_path: Path) -> Iterator[AppContext]:
    root = tmp_path / "content"
    (root / "skills" / "small-skill").mkdir(parents=True)
    (root / "workbench.toml").write_text("")
    (root / "skills" / "small-skill" / "SKILL.md").write_text(SKILL.replace("\x1b", "␛"), encoding="utf-8")
    yield AppContext(Content(ContentPaths(root)), DataPaths(tmp_path / "home"), Settings(), Terminal())


async def opened(app: WorkbenchApp, pilot: Pilot[int], name: str = "small-skill", **more: str) -> SkillScreen:
    app.open_screen("skill", skill=name, **more)
    await pilot.pause()
    screen = app.screen
    assert isinstance(screen, SkillScreen)
    await screen.settled()
    await pilot.pause()
    return screen


def rows(app: WorkbenchApp) -> list[str]:
    return ["".join(part.text for part in strip).rstrip() for strip in app.screen._compositor.render_strips()]


async def test_sections_by_key_and_by_index(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        titles = []
        for key in ("]", "]", "]", "]", "]", "["):
            await pilot.press({"]": "right_square_bracket", "[": "left_square_bracket"}[key])
            line = screen.view.line
            titles.append("" if line is None else line.text.plain)
        assert titles == [
            "# Small skill",
            "## First step",
            "## Query",
            "## First step",
            "## First step",
            "## Query",
        ]
        await pilot.press("o")
        assert not screen.pane.display or screen.has_class("narrow")
        await pilot.pause()
        assert "esc Back" in footer(app)
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is screen and screen.view.has_focus and not screen.has_class("with-outline")
        assert "esc Back" in footer(app)
        await pilot.press("o", "home", "down", "enter")
        await pilot.pause()
        assert screen.view.has_focus
        assert screen.view.line is not None
        assert screen.view.line.origin == 13


async def test_index_stands_beside_the_text_where_there_is_room(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(140, 45), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        assert [row[:20].strip() for row in rows(app)[1:5]] == [
            ">  Small skill",
            "First step",
            "Query",
            "First step",
        ]
        await pilot.press("right_square_bracket", "right_square_bracket")
        assert screen.outline.cursor == 1
        await pilot.press("o", "down")
        assert screen.view.line is not None
        assert screen.view.line.text.plain == "## Query"


async def test_opens_at_an_anchor_and_keeps_its_place(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot, section="first-step-1")
        assert screen.view.line is not None
        assert screen.view.line.origin == 35
        assert screen.state() == {"section": "first-step-1"}
        assert screen.plain_twin.split(";")[0] == "workbench skill show small-skill"


async def test_place_is_kept_over_widths(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(140, 45), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot, section="query")
        for size in ((40, 10), (20, 5), (1, 1), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert screen.view.line is not None
        assert screen.view.line.text.plain == "## Query"


async def test_search_from_the_prompt(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("slash", *"stay_id", "enter")
        await searched(pilot)
        assert screen.view.line is not None
        assert "stay_id" in screen.view.line.text.plain
        await pilot.press("slash", *"re:(", "enter")
        await pilot.pause()
        assert "not a regular expression" in footer(app)
        await pilot.press("slash", "x", "escape")
        assert screen.view.has_focus
        await pilot.press("colon", *"31", "enter")
        await pilot.pause()
        assert screen.view.line.text.plain == "| quoted words"
        await pilot.press("colon", *"x", "enter")
        await pilot.pause()
        assert "not a line number" in footer(app)


async def test_missing_skill_is_told(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await opened(app, pilot, name="no-such")
        assert "error" in footer(app)


SIZES = {"80x24": (80, 24), "140x45": (140, 45)}
LOOKS = {
    "dark": ("workbench-dark", Terminal()),
    "light": ("workbench-light", Terminal()),
    "none": ("", Terminal(colours=0)),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("size", SIZES)
async def test_pictures(context: AppContext, size: str, look: str) -> None:
    theme, terminal = LOOKS[look]
    app = WorkbenchApp(replace(context, settings=Settings(theme=theme), terminal=terminal))
    async with app.run_test(size=SIZES[size], notifications=True, tooltips=True) as pilot:
        await opened(app, pilot, section="first-step")
        compare(app, f"skill.{size}.{look}")


async def test_the_list_of_sections_is_searched(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("o", "slash", *"query", "enter")
        await searched(pilot)
        assert screen.outline.has_focus
        assert screen.outline.line is not None and screen.outline.line.text.plain.strip() == "Query"
        await pilot.press("slash", "escape")
        assert screen.outline.has_focus
        await pilot.press("enter")
        await pilot.pause()
        assert screen.view.has_focus and screen.view.line is not None
        assert screen.view.line.text.plain == "## Query"


async def test_enter_is_told_of_only_where_it_opens_something(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        await pilot.pause()
        assert "enter Open" not in footer(app)
        screen.action_outline()
        await pilot.pause()
        assert "enter Open" in footer(app)
