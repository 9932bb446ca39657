"""Style sheets are parsed once, anew for other variables; steady parts look as Textual would have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from textual.css.errors import UnresolvedVariableError
from textual.css.stylesheet import Stylesheet, StylesheetError
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.widget import Widget
from waiting import until

from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.home import HomeScreen
from workbench.tui.style_sheet import StyleSheet, own_kinds
from workbench.tui.terminal import Terminal
from workbench.tui.widgets.base import ListPane
from workbench.tui.widgets.line_pane import LinePane, Prompt

Make = Callable[..., WorkbenchApp]


def test_a_new_source_leaves_the_others_as_they_were() -> None:
    sheet = StyleSheet(variables={"tone": "red"})
    sheet.add_source("A { color: $tone; }", read_from=("a", ""))
    sheet.reparse()
    (first,) = sheet.rules
    sheet.add_source("B { color: $tone; }", read_from=("b", ""))
    sheet.reparse()
    assert sheet.rules[0] is first and len(sheet.rules) == 2
    sheet.set_variables({"tone": "red"})
    sheet.reparse()
    assert sheet.rules[0] is first


def test_other_variables_change_the_rules() -> None:
    sheet = StyleSheet(variables={"tone": "red"})
    sheet.add_source("A { color: $tone; }", read_from=("a", ""))
    sheet.reparse()
    before = sheet.rules[0].styles.color
    sheet.set_variables({"tone": "blue"})
    sheet.reparse()
    assert sheet.rules[0].styles.color != before


def test_an_error_leaves_the_rules() -> None:
    sheet = StyleSheet()
    sheet.add_source("A { color: red; }", read_from=("a", ""))
    sheet.reparse()
    sheet.add_source("B { color: $nothing; }", read_from=("b", ""))
    with pytest.raises((StylesheetError, UnresolvedVariableError)):
        sheet.reparse()
    assert [rule.selector_names for rule in sheet._rules] == [{"A"}]


def test_a_class_is_learnt_once() -> None:
    sheet = StyleSheet()
    assert sheet.learn(Prompt) and not sheet.learn(Prompt)
    assert any("DEFAULT_CSS" in name and "Prompt" in name for _, name in sheet.source)
    assert Prompt in own_kinds() and LinePane in own_kinds()


async def settled(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    """Until the sheets of all other screens are learnt."""
    await until(pilot, lambda: app._session_taken and all(worker.is_finished for worker in app.workers))


Rules = dict[str, object]


def parts_by_textual(plain: Stylesheet, node: Widget) -> dict[str, Rules]:
    """The rules of a widget's parts now, as a sheet of Textual's own works them out each time."""
    found = {}
    for name in node._get_component_classes():
        part = DOMNode(classes=name)
        part._attach(node)
        plain.apply(part, animate=False)
        found[name] = dict(part.styles.base.get_rules())
    return found


def parts_shown(node: Widget) -> dict[str, Rules]:
    return {name: dict(styles.base.get_rules()) for name, styles in node._component_styles.items()}


def steady(app: WorkbenchApp) -> list[Widget]:
    return [node for node in app.screen.walk_children(Widget) if getattr(node, "steady_parts", False)]


@pytest.mark.parametrize(
    ("colours", "themes"),
    [(256, ["workbench-dark", "workbench-light", "sixteen"]), (16, ["sixteen"]), (0, ["none"])],
)
async def test_steady_parts_are_styled_as_textual_would(
    make_app: Make, colours: int, themes: list[str]
) -> None:
    """On two screens, with and without the focus, in every theme, and again where a screen was behind."""
    app = make_app(terminal=Terminal(colours=colours))
    seen: Counter[tuple[str, bool]] = Counter()
    sheets: dict[str, Stylesheet] = {}

    def compare() -> None:
        if app.theme not in sheets:
            sheets[app.theme] = app.stylesheet.copy()
            sheets[app.theme].parse()
            assert type(sheets[app.theme]) is Stylesheet
        for node in steady(app):
            shown = parts_shown(node)
            assert shown == parts_by_textual(sheets[app.theme], node), (node, app.theme, node.has_focus)
            assert set(shown) == node._get_component_classes()
            seen[type(node).__name__, node.has_focus] += 1

    looks = []
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(app, pilot)
        for theme in themes:
            app.theme = theme
            await pilot.pause()
            compare()
            looks.append(parts_shown(app.screen.query_one(ListPane)))
            app.screen.set_focus(None)
            await pilot.pause()
            compare()
            app.open_screen("help", scope="home")
            await until(pilot, lambda: isinstance(app.screen, HelpScreen) and app.screen.is_mounted)
            compare()
            app.screen.set_focus(None)
            app.theme = themes[0]
            await pilot.pause()
            compare()
            app.pop_screen()
            await until(pilot, lambda: isinstance(app.screen, HomeScreen))
            app.screen.query_one(ListPane).focus()
            await pilot.pause()
            compare()
    assert {("LineView", True), ("LineView", False), ("ListPane", True), ("ListPane", False)} == set(seen)
    assert all(looks.count(look) == 1 for look in looks)


async def test_parts_are_worked_out_once_a_class_and_theme(make_app: Make) -> None:
    """What the promise is for: the focus comes and goes, a second pane is mounted, and nothing is applied."""
    app = make_app()
    applied: list[str] = []

    class Counting(StyleSheet):
        def apply(self, node: DOMNode, **options: Any) -> None:
            if not isinstance(node, Widget) and getattr(node.parent, "steady_parts", False):
                applied.extend(node.classes)
            super().apply(node, **options)

    app.sheets.__class__ = Counting
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(app, pilot)
        first = app.screen.query_one(ListPane)
        app.screen.set_focus(None)  # the sheets that were learnt since may have meant it
        await pilot.pause()
        applied.clear()
        first.focus()
        await pilot.pause()
        second = ListPane()
        await first.parent.mount(second)
        second.focus()
        await pilot.pause()
        assert second.has_focus and applied == []
        assert parts_shown(second) == parts_shown(first)
        app.theme = "workbench-light"
        await pilot.pause()
        assert {name: applied.count(name) for name in ListPane.COMPONENT_CLASSES} == dict.fromkeys(
            ListPane.COMPONENT_CLASSES, 1
        )
