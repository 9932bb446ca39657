"""The cell-diff stage shows what Textual itself would have shown, with fewer bytes."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from pathlib import Path

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_runs import AFTER, BEFORE, RUN, record_pair, record_run
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from tui_emulator import Emulated

from workbench.records import DataPaths, ScreenState, TerminalSession
from workbench.tui.cells import DEFAULT_PEN, UNKNOWN, CellTable, Difference, Pen, change_pen, pen_of
from workbench.tui.screen_table import SCREENS
from workbench.tui.session import write_session

Start = Callable[..., Emulated]
Shot = list[tuple[str, list[tuple[object, ...]]]]
WIDTH, HEIGHT = 12, 6

STYLES = ("", "bold", "red", "on blue", "bold green on black", "reverse", "#123456 on #654321", "underline")
SIGNS = ("a", "b", " ", "  ", "漢", "é", "e\u0301", "✓", "xyz", "          ")
pieces = st.lists(st.tuples(st.sampled_from(SIGNS), st.sampled_from(STYLES)), max_size=8)
screens = st.lists(pieces, min_size=HEIGHT, max_size=HEIGHT)


def drawn(table: CellTable, lines: list[list[tuple[str, str]]]) -> list[array[int]]:
    """Rows of exactly WIDTH cells."""
    rows = []
    for line in lines:
        cells = table.row([Segment(text, Style.parse(style)) for text, style in line], ColorSystem.TRUECOLOR)
        cells = (cells + [1] * WIDTH)[:WIDTH]
        if table.texts[cells[-1]] == "漢":
            cells[-1] = 1
        rows.append(array("l", cells))
    return rows


def looks(cell: pyte.screens.Char) -> tuple[object, ...]:
    """What a person sees of a cell: of a blank one no foreground."""
    if cell.data == " " and not (cell.underscore or cell.reverse or cell.strikethrough):
        return (" ", cell.bg)
    return tuple(cell)


def shown_by(sequences: list[str]) -> list[list[tuple[object, ...]]]:
    emulator = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.Stream(emulator)
    stream.feed("\x1b[?7l")
    for sequence in sequences:
        stream.feed(sequence)
    return [[looks(emulator.buffer[y][x]) for x in range(WIDTH)] for y in range(HEIGHT)]


def difference(table: CellTable, shown: list[array[int]], wanted: list[array[int]]) -> str:
    before = [array("l", row) for row in shown]
    text, _ = Difference(table, before, wanted, WIDTH).text()
    assert before == wanted
    return text


def unknown() -> list[array[int]]:
    return [array("l", [UNKNOWN]) * WIDTH for _ in range(HEIGHT)]


def test_a_strip_that_is_drawn_again_was_worked_out_before() -> None:
    table = CellTable()
    strip = Strip([Segment("ab日", Style(bold=True)), Segment(" ", None)])
    cells = table.strip(strip, ColorSystem.TRUECOLOR)
    assert list(cells) == table.row(strip, ColorSystem.TRUECOLOR) and len(cells) == 5
    assert table.strip(strip, ColorSystem.TRUECOLOR) is cells
    for number in range(2000):
        made = table.strip(Strip([Segment(str(number))]), ColorSystem.TRUECOLOR)
        assert [table.texts[cell] for cell in made] == list(str(number))
    assert len(table._strips) < 1000


@settings(max_examples=150, deadline=None)
@given(screens, screens)
def test_the_difference_makes_one_screen_into_the_other(first: list, second: list) -> None:
    table = CellTable()
    before, after = drawn(table, first), drawn(table, second)
    whole = shown_by([difference(table, unknown(), after)])
    stepwise = shown_by([difference(table, unknown(), before), difference(table, before, after)])
    assert stepwise == whole


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("abcdefgh", min_size=4, max_size=10), min_size=14, max_size=14), st.integers(0, 8))
def test_scrolled_rows_are_moved_by_the_terminal(lines: list[str], by: int) -> None:
    table = CellTable()
    rows = [[(line, "bold" if at % 3 else "")] for at, line in enumerate(lines)]
    before, after = drawn(table, rows[4 : 4 + HEIGHT]), drawn(table, rows[by : by + HEIGHT])
    whole = shown_by([difference(table, unknown(), after)])
    assert shown_by([difference(table, unknown(), before), difference(table, before, after)]) == whole


def test_scrolling_a_full_screen_costs_one_line() -> None:
    table = CellTable()
    lines = [[(f"line number {at} of many".ljust(200, chr(97 + at % 26)), "")] for at in range(60)]
    rows = [array("l", table.row([Segment(line[0][0])], ColorSystem.TRUECOLOR)) for line in lines]
    shown = [array("l", row) for row in rows[:50]]
    text, _ = Difference(table, shown, rows[1:51], 200).text()
    assert len(text) < 260 and "\x1b[1M" in text


@given(st.sampled_from(STYLES), st.sampled_from(STYLES))
def test_a_change_of_pen_ends_in_the_new_one(old: str, new: str) -> None:
    def char(text: str) -> pyte.screens.Char:
        emulator = pyte.Screen(2, 1)
        pyte.Stream(emulator).feed(text + "x")
        return emulator.buffer[0][0]

    def pen(style: str) -> Pen:
        codes = Style.parse(style).render("x", color_system=ColorSystem.TRUECOLOR)
        found = re.match(r"\x1b\[([\d;]*)m", codes)
        return pen_of(found.group(1) if found else "")

    first = change_pen(DEFAULT_PEN, pen(old))
    assert char(first + change_pen(pen(old), pen(new))) == char(change_pen(DEFAULT_PEN, pen(new)))


def test_nothing_but_characters_reaches_the_terminal() -> None:
    table = CellTable()
    evil = "a\x1b[31mb\x07c\u009b2Jd\u202ee\x00f\u200bg\ud800h"
    style = Style(link="http://x/\x1b]0;t\x07")
    cells = table.row([Segment(evil, style), Segment("\x1b[2J", None, [(1,)])], ColorSystem.TRUECOLOR)
    text = "".join(table.texts[cell] for cell in cells)
    assert text.isprintable() and "\x1b" not in text and "[31m" in text


ARGUMENTS = {
    "skill": {"skill": "suspicion-infection"},
    "trajectory": {"run": RUN},
    "log": {"run": RUN},
    "family": {"family": "sofa"},
    "document": {"part": "sofa/reference:adjudicated, mimic-iv"},
    "run-detail": {"run": RUN},
    "live": {"run": RUN},
    "compare": {"run": BEFORE, "other": AFTER},
    "rule-diff": {"first": "skill:suspicion-infection"},
    "caveat": {"caveat": "suspicion-infection/agents-missing-from-list"},
    "caveat-form": {"caveat": "suspicion-infection/agents-missing-from-list"},
    "versions": {"skill": "suspicion-infection"},
    "difference": {"skill": "suspicion-infection", "old": "0"},
    "blame": {"skill": "suspicion-infection"},
    "proposals": {"skill": "suspicion-infection"},
    "sign-offs": {"skill": "suspicion-infection"},
    "help": {"scope": "trajectory"},
    "finder": {"what": "things"},
    "whole": {"run": RUN, "step": 3, "part": 2},
}
SEEN = {
    "home": ("Home", "none yet|quarantined|publishable"),
    "runs": ("Runs", "quarantined"),
    "sources": ("Sources", "source"),
    "run": ("New run", "Task"),
    "live": ("Run ", "1 fail, 1 warn"),
    "run-detail": ("Run ", "quarantined"),
    "compare": ("Compare", "ehr.duckdb"),
    "rule-diff": ("Rule diff", "skill only"),
    "caveats": ("Caveats", "major"),
    "caveat": ("Caveat: ", "severity"),
    "caveat-form": ("Caveat form", "severity"),
    "skills": ("Skills", "apsiii"),
    "versions": ("suspicion-infection: versions", "newest first"),
    "difference": ("suspicion-infection: nothing", "description: Derive"),
    "blame": ("suspicion-infection: who wrote", "description: Derive"),
    "proposals": ("suspicion-infection: proposals", r"\d+ proposals"),
    "sign-offs": ("suspicion-infection: sign-offs", "state: "),
    "help": ("Help", "Getting around"),
    "whole": ("Step 3", "no such file"),
    "messages": ("Messages", "Nothing was said yet"),
    "settings": ("Settings", "Theme|theme"),
    "finder": ("Go to", r"Go to .* of [1-9]\d* *\n"),
    "trajectory": ("Run ", "Derive suspicion"),
    "skill": ("Skill", "onset|infection"),
    "log": ("what the agent printed", "printed 3"),
    "family": ("Family", "worked|example"),
    "document": ("sofa", "Sequential organ"),
}
"""The screen's heading, and what is seen when it has its data."""
RIGHT = "\x1b[C"
KEYS = ("j\x1b[B", "\x1b[6~", "k\x1b[5~", RIGHT, "\x1b[H")
"""Down, down, page down, up, page up, right, home: whatever they mean on a screen."""
LOOKS = {
    "80x24-dark": (
        (80, 24),
        "workbench-dark",
        (
            *("runs", "run", "live", "help", "trajectory", "log", "document", "messages", "compare"),
            *("rule-diff", "versions", "blame", "sign-offs"),
        ),
    ),
    "140x45-none": (
        (140, 45),
        "none",
        (
            *("home", "sources", "settings", "run-detail", "finder", "skill", "whole", "family"),
            *("caveats", "caveat", "caveat-form", "skills", "difference", "proposals"),
        ),
    ),
}
"""Size, theme, and the screens that are seen so: standing ones, then what is above them, the last on top."""
STANDING = {"home": "1", "runs": "2", "sources": "3", "run": "4", "settings": "5", "skills": "6"}
CHANGING = {"edit", "save-skill", "merge"}
"""Keys that move elsewhere change a skill's text there; the tests of these screens look at their cells."""


def test_every_screen_is_seen_in_some_look() -> None:
    seen = sorted(name for _, _, names in LOOKS.values() for name in names)
    assert seen == sorted({entry.name for entry in SCREENS} - CHANGING)
    assert set(STANDING) == {entry.name for entry in SCREENS if entry.mode}


@pytest.mark.parametrize("look", LOOKS)
def test_every_screen_ends_up_the_same_with_and_without(terminal: Start, tmp_path: Path, look: str) -> None:
    """The session file opens what stands above Home; one after the other is looked at, used and left."""
    data = DataPaths(tmp_path / "data")
    printed = "\n".join(f"printed {number} 漢字 \x1b[1m" + "x" * (number % 90) for number in range(300))
    record_run(data).trajectory.write_text(printed)
    record_pair(data)
    size, theme, names = LOOKS[look]
    above = [name for name in names if name not in STANDING]
    stack = [ScreenState(name=name, arguments=ARGUMENTS.get(name, {})) for name in above]
    shots: dict[str, list[Shot]] = {"on": [], "off": []}
    for diff, taken in shots.items():
        write_session(data, TerminalSession(mode="home", stack=stack))
        emulated = terminal(size=size, WORKBENCH_DIFF_OUTPUT=diff, WORKBENCH_THEME=theme)
        for name in reversed(above):
            taken.append(used(emulated, name))
            emulated.send("\x1b")
        emulated.until(lambda seen: seen.text.startswith(" Workbench > Home"))
        for name in (name for name in names if name in STANDING):
            emulated.send(STANDING[name])
            taken.append(used(emulated, name))
        emulated.send("\x11")
        assert emulated.wait() == 0
    for with_stage, without in zip(shots["on"], shots["off"], strict=True):
        assert with_stage == without


def used(emulated: Emulated, name: str) -> Shot:
    """The screen's cells after some keys, once it is in front and has its data."""
    heading, loaded = SEEN[name]

    def there(seen: Emulated) -> bool:
        return seen.text.startswith(f" Workbench > {heading}") and bool(re.search(loaded, seen.text))

    emulated.until(there)
    emulated.idle(0.2)
    for key in KEYS:
        if (name, key) != ("settings", RIGHT):  # it would change what the second start reads
            emulated.send(key)
            emulated.idle()
    emulated.idle()
    return [
        (text, [looks(cell) for cell in cells])
        for text, cells in zip(emulated.text.splitlines(), emulated.cells, strict=False)
        if not text.lstrip(" >").startswith("Diff")  # Settings says which of the two it is
    ]


HOME, HELP, FINDER = "Workbench > Home", "Workbench > Help", "Workbench > Go to"


def test_going_to_and_fro_ends_up_the_same_with_and_without(terminal: Start, tmp_path: Path) -> None:
    steps = [
        ("?", HELP), ("j", HELP), ("\x1b", HOME), ("j", HOME), ("\x07", FINDER), ("raw", "raw\n"),
        ("\x7f", FINDER), ("\x1b", HOME), ("\x10", "Workbench > Commands"), ("quit", "Save where you are"),
        ("\x1b", HOME), ("k", HOME),
    ]  # fmt: skip
    seen = []
    for diff in ("on", "off"):
        emulated = terminal(WORKBENCH_DIFF_OUTPUT=diff)
        emulated.wait_for("none yet")
        emulated.wait_for(" famil")
        shots = []
        for keys, text in steps:
            emulated.send(keys)
            cursor = "\n> " if text == HOME else ""
            emulated.until(lambda seen, text=text, cursor=cursor: text in seen.text and cursor in seen.text)
            emulated.idle()
            shots.append((emulated.text, [[looks(cell) for cell in row] for row in emulated.cells]))
        seen.append(shots)
        emulated.send("\x11")
        assert emulated.wait() == 0
        DataPaths(tmp_path / "data").terminal_session.unlink()
    for (keys, _), with_stage, without in zip(steps, *seen, strict=True):
        assert with_stage[0] == without[0], keys
        assert with_stage[1] == without[1], keys


def test_after_a_resize_and_a_redraw_the_screen_is_whole(terminal: Start) -> None:
    emulated = terminal(size=(100, 30))
    emulated.wait_for(" famil")
    for columns, rows in ((60, 15), (120, 40), (1, 1), (30, 3), (80, 24)):
        emulated.resize(columns, rows)
        emulated.idle()
    emulated.wait_for("none yet")
    before = emulated.text
    assert " famil" in before.splitlines()[0] and before.splitlines()[-1].endswith("Help")
    emulated.screen.reset()
    emulated.send("\x0c")
    emulated.until(lambda seen: seen.text == before)


def test_bytes_of_a_key_and_of_idling(terminal: Start) -> None:
    for size, cursor, typing in (((80, 24), 300, 300), ((200, 50), 300, 500)):
        emulated = terminal(size=size)
        emulated.wait_for("none yet")
        emulated.wait_for(" tasks, ")
        emulated.idle()
        assert max(emulated.spent("j"), emulated.spent("k")) <= cursor
        emulated.send("\x07")
        emulated.wait_for("task ")
        emulated.idle()
        emulated.spent("mimic")
        assert emulated.spent("-") <= typing
        assert emulated.spent("", quiet_s=2.5) == 0


def test_the_ssh_profile_sends_no_mouse_codes(terminal: Start) -> None:
    emulated = terminal(SSH_CONNECTION="1.2.3.4 5 6.7.8.9 22")
    emulated.wait_for(" famil")
    assert b"\x1b[?1000h" not in emulated.raw and b"\x1b[?1003h" not in emulated.raw
