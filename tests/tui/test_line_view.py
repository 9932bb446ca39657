"""LineView in a small app: drawing, moving, searching, selecting, hostile text, growth."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.color import ColorSystem
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.scrollbar import ScrollBar

from workbench.records import BadInput
from workbench.tui.cells import CellTable
from workbench.tui.inert import Inert
from workbench.tui.widgets.file_lines import FileLines, FollowedFile
from workbench.tui.widgets.folding import Block, BlockLines
from workbench.tui.widgets.line_source import Line, LineSource, Sign, Span, TextLines, Tone, matching_places
from workbench.tui.widgets.line_view import LineView
from workbench.tui.widgets.search import Query
from workbench.tui.widgets.side_bar import SideBar

HOSTILE = [
    "[bold]not bold[/bold] [/foo] arr[0] [@click=app.quit]x[/]",
    "\x1b[31mred\x1b[0m \x1b]52;c;ZXZpbA==\x07 \x1b[2J",
    "back\bspace\rreturn\x00null\x7fdelete \x9b31m",
    "right \u202eto left\u202c, zero\u200bwidth, \u2066isolate\u2069",
    "日本語のテキスト 漢字",
    "combining " + "e" + "\u0301" * 300,
    "tab\there\tand\tthere",
    "\ud800 lone surrogate",
    "emoji \U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
    "עברית العربية",
    "{{ '7' * 7 }} $(rm -rf /) `id`",
]


class Host(App[None]):
    """A LineView over one source."""

    def __init__(self, source: LineSource, numbers: bool = False) -> None:
        super().__init__()
        self.view = LineView(source, numbers=numbers)
        self.messages: list[object] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def on_line_view_cursor_moved(self, message: LineView.CursorMoved) -> None:
        self.messages.append(message)

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        self.messages.append(message)

    def on_line_view_search_ended(self, message: LineView.SearchEnded) -> None:
        self.messages.append(message)

    def on_line_view_counted(self, message: LineView.Counted) -> None:
        self.messages.append(message)

    def on_line_view_told(self, message: LineView.Told) -> None:
        self.messages.append(message)

    def rows(self) -> list[str]:
        """What is on the screen."""
        return [
            "".join(part.text for part in strip).rstrip() for strip in self.screen._compositor.render_strips()
        ]


def host(source: LineSource, numbers: bool = False) -> Host:
    return Host(source, numbers)


async def ready(pilot: Pilot[None]) -> None:
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def wait_until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Let the app go on until something is so."""
    async with asyncio.timeout(20):
        while not condition():
            await pilot.pause()


def numbered(count: int) -> TextLines:
    return TextLines.of(f"line {number}" for number in range(1, count + 1))


KEYS = [
    (["down"], 1),
    (["j", "j", "k"], 1),
    (["up"], 0),
    (["end"], 999),
    (["end", "home"], 0),
    (["G", "g"], 0),
    (["pagedown"], 9),
    (["space", "space", "b"], 9),
    (["end", "down"], 999),
]


@pytest.mark.parametrize(("keys", "row"), KEYS)
async def test_keys_move_the_cursor_and_keep_it_in_view(keys: list[str], row: int) -> None:
    app = host(numbered(1000))
    async with app.run_test(size=(40, 10), notifications=True, tooltips=True) as pilot:
        await pilot.press(*keys)
        assert app.view.cursor == row
        assert f">  line {row + 1}" in [shown[: len(f">  line {row + 1}")] for shown in app.rows()]


async def test_gutter_has_mark_sign_and_number() -> None:
    source = TextLines(
        [
            Line(Inert.of("first"), label="1"),
            Line(Inert.of("failed"), sign=Sign.ERROR, label="2"),
            Line(Inert.of("seen"), sign=Sign.VIOLATION, label="3"),
        ]
    )
    app = host(source, numbers=True)
    async with app.run_test(size=(30, 4), notifications=True, tooltips=True) as pilot:
        await pilot.press("down")
        assert app.rows()[:3] == [
            "      1 first",
            f">{Sign.ERROR.value}    2 failed",
            f" {Sign.VIOLATION.value}    3 seen",
        ]


async def test_a_row_that_goes_on_says_so() -> None:
    app = host(TextLines.of(["x" * 25, "x" * 26 + "y", "z" * 30]))
    async with app.run_test(size=(30, 4), notifications=True, tooltips=True) as pilot:
        assert [row.rstrip().endswith("…") for row in app.rows()[:3]] == [False, True, True]
        await pilot.press("right")
        assert not any("…" in row for row in app.rows()[:3])


async def test_selection_is_marked_and_copied_inert() -> None:
    app = host(TextLines.of(["one", "two \x1b[2J", "three"]))
    async with app.run_test(size=(30, 5), notifications=True, tooltips=True) as pilot:
        await pilot.press("shift+down", "y")
        assert app.rows()[:3] == ["|  one", ">  two ␛[2J", "   three"]
        assert app.view.selected_text() == "one\ntwo ␛[2J"
        assert app.clipboard == "one\ntwo ␛[2J"
        await pilot.press("down")
        assert app.view.selected_text() == "three"


async def test_too_much_to_copy_is_told() -> None:
    app = host(TextLines.of(["x" * 100] * 2000))
    async with app.run_test(size=(30, 5), notifications=True, tooltips=True) as pilot:
        app.view._anchor = 0
        await pilot.press("shift+down", "end")
        app.view._anchor = 0
        await pilot.press("y")
        told = [message for message in app.messages if isinstance(message, LineView.Told)]
        assert "fewer" in told[-1].text.plain
        assert app.clipboard == ""


async def test_search_wraps_and_says_where_it_found() -> None:
    app = host(numbered(1000))
    async with app.run_test(size=(40, 10), notifications=True, tooltips=True) as pilot:
        app.view.search(Query.of("line 77"))
        await ready(pilot)
        assert app.view.cursor == 76
        found = [76]
        for key in ("n", "n", "N", "N", "N"):
            await pilot.press(key)
            await ready(pilot)
            found.append(app.view.cursor)
        assert found == [76, 769, 770, 769, 76, 778]
        ended = [message for message in app.messages if isinstance(message, LineView.SearchEnded)]
        assert [message.note for message in ended[-2:]] == ["", "again from the end"]
        await wait_until(pilot, lambda: isinstance(app.messages[-1], LineView.Counted))
        last = app.messages[-1]
        assert isinstance(last, LineView.Counted) and last.note == "11 of 11, again from the end"


async def test_matches_are_counted_in_what_is_folded_away_too() -> None:
    body = "\n".join(f"row {at}{' needle' if at % 10 == 5 else ''}" for at in range(40))
    app = host(BlockLines([Block(head=Line(Inert.of("head")), body=body, kept=3)]))
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.search(Query.of("needle"))
        await ready(pilot)
        for key in ("n", "n", "n", "n"):
            await pilot.press(key)
            await ready(pilot)
        notes = [message.note for message in app.messages if isinstance(message, LineView.Counted)]
        assert notes == ["1 of 4", "2 of 4", "3 of 4", "4 of 4", "1 of 4, again from the top"]


def test_each_match_in_a_folded_text_is_counted_once() -> None:
    body = "x\n" * 30 + "needle needle\n" + "x\n" * 30 + "needle"
    lines = BlockLines([Block(body=body, kept=3)])
    assert len(matching_places(Query.of("needle"), lines, 100, threading.Event())) == 3
    assert len(matching_places(Query.of("needle"), lines, 2, threading.Event())) == 2


async def test_search_that_finds_nothing_leaves_the_cursor() -> None:
    app = host(numbered(50))
    async with app.run_test(size=(40, 10), notifications=True, tooltips=True) as pilot:
        await pilot.press("down")
        app.view.search(Query.of("nowhere"))
        await ready(pilot)
        assert app.view.cursor == 1
        assert [message.note for message in app.messages if isinstance(message, LineView.SearchEnded)] == [
            "not found"
        ]


async def test_matches_are_drawn_in_reverse() -> None:
    app = host(TextLines([Line(Inert.of("a"), ()), Line(Inert.of("SELECT x"), (Span(0, 6, Tone.KEYWORD),))]))
    async with app.run_test(size=(40, 4), notifications=True, tooltips=True):
        app.view.search(Query.of("ect x"))
        strip = app.view.render_line(1)
        reverse = "".join(part.text for part in strip if part.style is not None and part.style.reverse)
        assert reverse == "ECT x"


async def test_sideways_keeps_the_gutter() -> None:
    app = host(TextLines.of(["0123456789abcdefghij", "short"]))
    async with app.run_test(size=(14, 3), notifications=True, tooltips=True) as pilot:
        await pilot.press("right")
        assert app.rows()[:2] == [">  89abcdefg…", ""]
        await pilot.press("left", "left")
        assert app.rows()[0].startswith(">  012345678…")


async def test_a_row_is_worked_out_once_for_each_look_it_has() -> None:
    app = host(TextLines.of(["0123456789abcdefghij", "short", "third"]))
    async with app.run_test(size=(14, 3), notifications=True, tooltips=True) as pilot:
        first, second = app.view.render_line(0), app.view.render_line(1)
        assert app.view.render_line(1) is second
        await pilot.press("down")
        assert app.view.render_line(0) is not first and app.view.render_line(1) is not second
        await pilot.press("up")
        assert (app.view.render_line(0), app.view.render_line(1)) == (first, second)
        assert app.view.render_line(1) is second
        await pilot.press("right")
        assert "8" in app.view.render_line(0).text and "0" not in app.view.render_line(0).text
        await pilot.press("left")
        await pilot.resize_terminal(20, 3)
        assert app.view.render_line(0).cell_length == 20


@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9, 30, 1000])
@pytest.mark.parametrize("height", [1, 2, 8, 23])
async def test_the_side_bar_looks_as_textual_draws_it(rows: int, height: int) -> None:
    app = host(TextLines.of([f"line {number}" for number in range(rows)]))
    async with app.run_test(size=(20, height), notifications=True, tooltips=True) as pilot:
        bar = app.view.vertical_scrollbar
        assert isinstance(bar, SideBar)
        for row in {0, 1, rows // 3, rows // 2, rows - 2, rows - 1}:
            app.view.go_to(row)
            await pilot.pause()
            crop = Region(0, 0, *bar.size)
            table = CellTable()
            ours, textuals = (
                [list(table.strip(strip, ColorSystem.TRUECOLOR)) for strip in strips]
                for strips in (bar.render_lines(crop), ScrollBar.render_lines(bar, crop))
            )
            assert ours == textuals
            clicks = [
                [[part.style.meta for part in strip if part.style] for strip in strips]
                for strips in (bar.render_lines(crop), ScrollBar.render_lines(bar, crop))
            ]
            assert clicks[0] == clicks[1]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_text_is_shown_and_does_nothing(text: str) -> None:
    app = host(TextLines.of([text, text]))
    async with app.run_test(size=(60, 4), notifications=True, tooltips=True) as pilot:
        app.view.search(Query.of("e"))
        await ready(pilot)
        await pilot.press("down", "y")
        shown = app.rows()
        assert shown[0][3:9].strip() != ""
        for row in shown:
            assert all(
                character >= " " and character not in "\x7f\x9b\u202e\u200b\u2066" for character in row
            )
        for strip in app.screen._compositor.render_strips():
            assert strip.cell_length == 60


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (3, 3), (4, 2), (8, 1), (300, 100)])
async def test_any_size(size: tuple[int, int]) -> None:
    app = host(TextLines.of(HOSTILE * 20), numbers=True)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.press("end")
        await pilot.resize_terminal(*size)
        await pilot.press("up", "pageup", "end", "home", "right")
        await pilot.resize_terminal(80, 24)
        assert app.view.cursor == 0


async def test_long_line_is_whole_in_rows(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"first\n" + b"x" * 4_000_000 + b"needle\nlast\n")
    app = host(FileLines(file), numbers=True)
    async with app.run_test(size=(60, 6), notifications=True, tooltips=True) as pilot:
        await ready(pilot)
        assert len(app.view.source) == 979
        app.view.search(Query.of("needle"))
        await ready(pilot)
        assert app.view.line is not None
        assert app.view.line.text.plain.endswith("needle")
        app.view.jump_to_number(3)
        assert app.view.line.text.plain == "last"


async def test_follows_a_growing_file(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("one\n")
    living = threading.Event()
    living.set()
    app = host(FollowedFile(file, living.is_set))
    async with app.run_test(size=(40, 4), notifications=True, tooltips=True) as pilot:
        await pilot.press("end")
        assert app.view.following
        with file.open("a") as more:
            more.write("".join(f"more {number}\n" for number in range(10)))
        await wait_until(pilot, lambda: app.view.cursor == 10)
        assert app.rows()[-1].startswith(">  more 9")
        await pilot.press("up")
        with file.open("a") as more:
            more.write("last\n")
        await wait_until(pilot, lambda: len(app.view.source) == 12)
        assert app.view.cursor == 9
        file.write_text("new\n")
        await wait_until(pilot, lambda: len(app.view.source) == 1 and app.rows()[0].startswith(">  new"))
        living.clear()
        await ready(pilot)
        assert app.view.source.complete


async def test_leaving_stops_the_thread(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("one\n")
    app = host(FollowedFile(file))
    async with app.run_test(notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        stop = app.view._stop
    assert stop.is_set()


async def test_a_pattern_that_never_ends_is_given_up_with_a_note_and_keys_work() -> None:
    app = host(TextLines.of(["first", "a" * 60 + "!", "last"]))
    async with app.run_test() as pilot:
        app.view.search(Query.of("re:(?:a|aa)+$"))
        await wait_until(pilot, lambda: any(isinstance(item, LineView.SearchEnded) for item in app.messages))
        (ended,) = (item for item in app.messages if isinstance(item, LineView.SearchEnded))
        assert ended.row is None and ended.note == "this pattern takes too long"
        await pilot.press("down", "down")
        await ready(pilot)
        assert app.view.cursor == 2
        assert "a" * 60 + "!" in app.rows()[1]


async def test_a_slow_pattern_on_the_row_of_the_cursor_does_not_hold_up_the_screen() -> None:
    app = host(TextLines.of(["a" * 60 + "!", "last"]))
    async with app.run_test() as pilot:
        query = Query.of("re:(?:a|aa)+$")
        app.view.search(query)
        await ready(pilot)
        (ended,) = (item for item in app.messages if isinstance(item, LineView.SearchEnded))
        assert ended.note == "this pattern takes too long"
        assert query.slow and query.spans("aa") == []


def test_a_pattern_that_would_be_written_out_without_end_is_refused() -> None:
    with pytest.raises(BadInput, match="too often"):
        Query.of("re:(?:(?:(?:a|b){1000}){1000}){1000}")
    assert Query.of("{1000}{1000}").matches("x{1000}{1000}")
