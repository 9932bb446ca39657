"""How the screens look: text and colours at two sizes, dark, light and without colour; and some as SVG."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_up import OPENERS, ROOT, make_content, make_home
from make_pictures import FOLDER, PICTURES, draw, picture_context
from recorded_runs import NoonClock
from snapshots import FOLDER as SNAPSHOTS
from snapshots import compare, compare_svg, compare_text
from textual.pilot import Pilot

from workbench.records import Settings
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screen_table import SCREENS
from workbench.tui.terminal import Terminal

SIZES = {"80x24": (80, 24), "140x45": (140, 45)}
LOOKS = {
    "dark": ("workbench-dark", Terminal()),
    "light": ("workbench-light", Terminal()),
    "none": ("", Terminal(colours=0)),
    "high-contrast": ("high-contrast", Terminal()),
    "colour-blind": ("colour-blind", Terminal()),
}
SETTLES = 60
"""Looks at a picture, a twentieth of a second apart, before it is another one."""
ELSEWHERE = {"trajectory", "skill", "log"}
"""Have text pictures in the tests of their own, in the same folder."""
DRAWN = {
    "home": ("dark", "light"),
    "runs": ("dark", "colour-blind"),
    "run-detail": ("dark", "high-contrast", "none"),
    "trajectory": ("dark", "light", "none", "colour-blind"),
    "skill": ("dark",),
    "compare": ("dark", "none"),
    "rule-diff": ("dark",),
    "caveat": ("dark",),
    "live": ("high-contrast",),
    "run": ("light",),
    "sources": ("light",),
    "help": ("none",),
    "family": ("dark", "colour-blind"),
    "document": ("light",),
    "settings": ("high-contrast",),
    "finder": ("dark",),
}
VECTORS = [f"{screen}.{look}" for screen, looks in DRAWN.items() for look in looks]


@pytest.fixture
def pictured(tui_context: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppContext:
    """A recorded run, an interrupted one, two sources; nothing in it depends on the day or the folder."""
    monkeypatch.setattr("workbench.tui.screens.run_detail.folder_name", lambda _: "FOLDER")
    make_home(tui_context.data)
    return replace(tui_context, content=make_content(tmp_path / "content"), clock=NoonClock())


def app_in(context: AppContext, look: str) -> WorkbenchApp:
    theme, terminal = LOOKS[look]
    return WorkbenchApp(replace(context, settings=Settings(theme=theme), terminal=terminal))


def test_every_screen_has_pictures() -> None:
    assert {entry.name for entry in SCREENS} <= set(OPENERS)


@pytest.mark.parametrize("look", ["dark", "light", "none"])
@pytest.mark.parametrize("size", SIZES)
async def test_pictures(pictured: AppContext, size: str, look: str) -> None:
    await compare_all(
        app_in(pictured, look), SIZES[size],
        {screen: (compare, f"{screen}.{size}.{look}") for screen in OPENERS if screen not in ELSEWHERE},
    )  # fmt: skip


@pytest.mark.parametrize("look", LOOKS)
async def test_vector_pictures(pictured: AppContext, look: str) -> None:
    screens = [screen for screen, looks in DRAWN.items() if look in looks]
    await compare_all(
        app_in(pictured, look), (100, 30), {screen: (compare_svg, f"{screen}.{look}") for screen in screens}
    )


async def compare_all(
    app: WorkbenchApp, size: tuple[int, int], wanted: dict[str, tuple[Callable[..., None], str]]
) -> None:
    """Open one screen after the other; fail with all that look otherwise."""
    other = []
    async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        for screen, (compare_with, name) in wanted.items():
            await OPENERS[screen](app, pilot)
            problem = await settled(pilot, partial(compare_with, app, name))
            other += [problem] if problem else []
    assert other == [], "\n".join(other)


async def settled(pilot: Pilot[int], compared: Callable[[], None]) -> str:
    """What is wrong with a picture once nothing changes any more; a slow machine gets its time."""
    problem = ""
    for _ in range(SETTLES):
        await pilot.pause(0.05)
        try:
            compared()
        except AssertionError as error:
            problem = str(error).splitlines()[0]
        else:
            return ""
    return problem


@pytest.mark.parametrize("name", PICTURES)
async def test_the_readmes_pictures_are_what_the_app_draws(tmp_path: Path, name: str) -> None:
    with picture_context(tmp_path) as context:
        compare_text(await draw(context, name), FOLDER / f"{name}.svg")


def test_vector_pictures_load_nothing_and_the_readme_shows_some() -> None:
    vectors = [SNAPSHOTS / "svg" / f"{name}.svg" for name in VECTORS]
    assert sorted((SNAPSHOTS / "svg").iterdir()) == sorted(vectors)
    for path in [*vectors, *FOLDER.iterdir()]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"url\((?!#)|@import|@font-face|<(image|script|use|foreignObject)\b|href=", text)
        assert not re.search(r"terminal-\d", text)
        ElementTree.fromstring(text)
    shown = re.findall(r"!\[([^\]]*)\]\((docs/pictures/[\w.-]+)\)", (ROOT / "README.md").read_text())
    assert shown and all(len(words) > 40 and (ROOT / path).is_file() for words, path in shown)
