"""Text from outside does nothing, whatever widget shows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from workbench.records import BadInput
from workbench.tui.app import WorkbenchApp
from workbench.tui.ascii_filter import as_ascii
from workbench.tui.inert import Inert
from workbench.tui.screens.help import HelpLines, help_entries
from workbench.tui.themes import state_text
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.base import Field, Label, ListItem, ListPane
from workbench.tui.widgets.frame import FooterLine, HeaderLine

TUI = Path(__file__).resolve().parents[2] / "workbench" / "tui"

ATTACKS = [
    "[/foo] arr[0] [bold]x[/]",
    "[@click=app.quit]quit[/]",
    "[link=file:///etc/passwd]x",
    "$error [$text-error on red]",
    "\x1b[2J\x1b[H\x1b]0;title\x07",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1bP+q544e\x1b\\",
    "\x9b31mC1\x9d0;t\x9c",
    "\x08\x08\x08back\rover\x0bvt\x0cff\x00nul\x7fdel",
    "\u202eright to left\u2066isolate\u200bzero\ufeffbom",
    "\ud800lone \U000e0041tag \ue000private",
    "a" * 5000,
    "漢字" * 200,
    "👩‍👩‍👧⚠️e\u0301" * 50,
    "line one\nline two\ttab\r\nthree",
    "{0} {name} %s %(x)s",
    "",
    " ",
]
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff\ud800-\udfff]")


@given(st.text())
def test_no_way_of_making_it_leaves_anything_harmful(text: str) -> None:
    for inert in (
        Inert(text),
        Inert.of(text),
        Inert.line(text),
        Inert.of("a") + text,
        Inert.join([Inert(text)] * 2),
    ):
        assert not HARMFUL.search(inert.plain)
        assert str(inert.content) == inert.plain
        assert all(0 <= span.start < span.end <= len(inert.plain) for span in inert.spans)
    assert "\n" not in Inert.line(text).plain and "\t" not in Inert.line(text).plain
    assert Inert.of(Inert.of(text).plain).plain == Inert.of(text).plain


@given(st.text(), st.integers(0, 60), st.booleans())
def test_it_fits_any_width_exactly(text: str, width: int, right: bool) -> None:
    fitted = Inert.line(text, "bold").fit(width, right=right)
    assert fitted.width == width
    assert all(span.end <= len(fitted.plain) for span in fitted.spans)


@given(st.text())
def test_ascii_mode_keeps_the_width(text: str) -> None:
    plain = Inert.line(text)
    shown = as_ascii(plain.plain)
    assert shown.isascii() and Inert(shown).width == plain.width


class Showing(App[None]):
    """Every widget that takes text, with the same text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.hostile = text

    def compose(self) -> ComposeResult:
        yield Label(Inert.of(self.hostile), id="label")
        yield ListPane([ListItem("a", Inert.line(self.hostile)), ListItem("", Inert.of(self.hostile))])
        yield Field(self.hostile, hint=Inert.of(self.hostile))


@pytest.mark.parametrize("text", ATTACKS, ids=lambda text: repr(text[:20]))
async def test_every_widget_shows_it_and_nothing_happens(text: str) -> None:
    app = Showing(text)
    async with app.run_test(size=(60, 20), tooltips=True, notifications=True) as pilot:
        app.query_one("#label", Label).say(Inert.of(text) + " more")
        app.query_one(ListPane).fill([ListItem("b", Inert.line(text, "bold"))])
        app.query_one(Field).value = Inert.line(text).plain
        for size in ((60, 20), (4, 4), (1, 1), (60, 20)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        shown = "".join(strip.text for strip in app.screen._compositor.render_strips())
        assert not HARMFUL.search(shown)
        assert app.is_running
        if text.startswith("[/foo]"):
            assert "[/foo] arr[0] [bold]x[/]" in shown


@pytest.mark.parametrize("text", ATTACKS, ids=lambda text: repr(text[:20]))
async def test_the_frame_shows_it_in_header_footer_notices_and_finder(
    make_app: Callable[..., WorkbenchApp], screen_text: Callable[[WorkbenchApp], str], text: str
) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24), tooltips=True, notifications=True) as pilot:
        screen = app.current
        await screen.settled()
        screen.query_one(HeaderLine).say(Inert.of(text))
        screen.query_one(FooterLine).say(Inert.of(text))
        screen.failed(BadInput(text, where=text, remedy=text))
        app.notify(text)
        await pilot.pause()
        assert not HARMFUL.search(screen_text(app).replace("\n", ""))
        await pilot.press("ctrl+g")
        app.current.query_one(Field).value = Inert.line(text).plain
        await app.current.settled()
        await pilot.pause()
        assert not HARMFUL.search(screen_text(app).replace("\n", ""))
    lines = HelpLines(help_entries("home", {}, text))
    lines.lay_out(80)
    assert len(lines) > 10 and not any(HARMFUL.search(line.text.plain) for line in lines.lines)
    assert isinstance(state_text(text), Inert)


def sources() -> list[Path]:
    return sorted(TUI.rglob("*.py"))


RAW = {
    "markup": r"markup=True|from_markup|\.markup\b|Text\.from_",
    "rich or textual text": r"\bText\(|\bContent\.(from|styled|assemble)",
    "a widget of Textual that takes strings": (
        r"\b(Static|Label|Button|Checkbox|Select|OptionList|Option|SelectionList|Tree|DataTable|Tabs?|Collapsible"
        r"|RichLog|Log|Markdown|Toast|Rule|Digits|Placeholder|Header|Footer|ListView)\(\s*f?[\"']"
    ),
    "a notice, title or tooltip as a string": (
        r"\.notify\(|\.tooltip\s*=|border_(sub)?title\s*=|\.(sub_)?title\s*=[^=]|\.placeholder\s*=\s*f?[\"']"
    ),
    "print": r"\bprint\(",
}
ALLOWED = {("inert.py", "rich or textual text")}


@pytest.mark.parametrize("kind", RAW)
def test_no_module_goes_around_inert(kind: str) -> None:
    found = [
        f"{path.relative_to(TUI)}:{number}: {line.strip()}"
        for path in sources()
        if (path.name, kind) not in ALLOWED
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(RAW[kind], line)
    ]
    assert found == []


DRAWING = {"widgets/base.py", "widgets/text_editor.py"}
"""Build on Textual's widgets; the editor's draws what is typed as it is."""


def test_textuals_own_text_widgets_are_imported_in_one_place_only() -> None:
    """``Input`` draws plain text and may be named anywhere, for its messages."""
    pattern = re.compile(r"from textual\.widgets import (?!Input$)", re.MULTILINE)
    found = {path.relative_to(TUI).as_posix() for path in sources() if pattern.search(path.read_text())}
    assert found <= DRAWING


def test_widgets_get_cells_from_content_or_segments_only_below_widgets() -> None:
    pattern = re.compile(
        r"from rich\.(text|segment|markup|console)|from textual\.content|from textual\.strip"
    )
    found = {path.relative_to(TUI).as_posix() for path in sources() if pattern.search(path.read_text())}
    outside = {name for name in found if not name.startswith("widgets/")}
    assert outside <= {"inert.py", "cells.py", "diff_output.py", "app.py", "ascii_filter.py"}


WRITERS = {"guard.py", "run.py", "diff_output.py", "continuing.py"}
"""Write to the terminal themselves: our own words, modes, a crash without values, cells that are checked."""
DRAWN_AS_MARKUP = {"title", "sub_title", "border_title", "border_subtitle", "tooltip", "placeholder", "label"}


def trees() -> list[tuple[str, ast.Module]]:
    return [
        (path.relative_to(TUI).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in sources()
    ]


def inert_value(value: ast.expr) -> bool:
    """``….plain``, ``….content``, a constant, or an entry of a constant table of ours."""
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Name) and value.value.id.strip("_").isupper()
    return isinstance(value, ast.Constant) or (
        isinstance(value, ast.Attribute) and value.attr in {"plain", "content"}
    )


def around(name: str, node: ast.AST) -> str:
    """What is wrong with a piece of code; empty where nothing is."""
    match node:
        case ast.ImportFrom(module="textual", names=names) if any(item.name == "widgets" for item in names):
            return "imports all widgets"
        case ast.Import(names=names) if any(item.name.startswith("textual.widgets") for item in names):
            return "imports all widgets"
        case ast.ImportFrom(module=str(module), names=names) if module.startswith("textual.widgets"):
            if name not in DRAWING and {item.name for item in names} != {"Input"}:
                return "imports a widget that takes markup"
        case ast.Assign(targets=targets, value=value):
            named = {target.attr for target in targets if isinstance(target, ast.Attribute)}
            if named & DRAWN_AS_MARKUP and not inert_value(value):
                return "sets a text that Textual draws"
        case ast.FunctionDef(name="render", returns=returns):
            if not isinstance(returns, ast.Name) or returns.id not in {"Content", "Blank"}:
                return "renders something other than Content"
        case ast.Call(func=ast.Attribute(attr="update", value=ast.Name(id="self")), args=[value, *_]):
            if not inert_value(value):
                return "updates a widget"
        case ast.Call(func=ast.Attribute(attr="write", value=writer)) if name not in WRITERS:
            if "std" in ast.unparse(writer) or "driver" in ast.unparse(writer):
                return "writes to the terminal"
        case ast.Call(func=ast.Attribute(attr="run_action"), args=[ast.JoinedStr(), *_]):
            return "makes an action out of text"
    return ""


def test_no_code_passes_text_to_textual_by_another_way() -> None:
    found = [
        f"{name}:{node.lineno}: {problem}"
        for name, tree in trees()
        for node in ast.walk(tree)
        if (problem := around(name, node)) and isinstance(node, ast.stmt | ast.expr)
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "from textual import widgets",
        "import textual.widgets as w",
        "from textual.widgets import Input, Label",
        "self.border_title = name",
        "self.placeholder = f'{name}'",
        "def render(self) -> str: ...",
        "self.update(name)",
        "sys.stdout.write(name)",
        "app.run_action(f'open({name})')",
    ],
)
def test_the_check_of_code_sees_it(code: str) -> None:
    assert any(around("screens/x.py", node) for node in ast.walk(ast.parse(code)))


@pytest.mark.parametrize("text", ATTACKS, ids=lambda text: repr(text[:20]))
async def test_a_hint_in_a_prompt_is_inert(text: str) -> None:
    class Asking(App[None]):
        def compose(self) -> ComposeResult:
            yield AskLine(id="ask")

    app = Asking()
    async with app.run_test(size=(60, 5), tooltips=True, notifications=True) as pilot:
        app.query_one(AskLine).ask("name", Inert.line(text), "")
        await pilot.pause()
        shown = "".join(strip.text for strip in app.screen._compositor.render_strips())
        assert not HARMFUL.search(shown)
        if text.startswith("[/foo]"):
            assert "[/foo] arr[0] [bold]x[/]" in shown
