"""What Textual keeps back while a screen is put together is on the terminal when that has ended."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pyte
from batching_app import ENDED
from test_diff_output import looks
from tui_emulator import Emulated

Start = Callable[..., Emulated]
Cells = list[list[tuple[object, ...]]]


def opened(terminal: Start, diff: str) -> Emulated:
    """Home, then Help put together in a batch; waited for until there is nothing left to do."""
    emulated = terminal([sys.executable, str(Path(__file__).with_name("batching_app.py"))],
                        WORKBENCH_DIFF_OUTPUT=diff)  # fmt: skip
    emulated.wait_for("none yet")
    emulated.idle()
    emulated.send("?")
    emulated.until(lambda seen: ENDED.encode() in seen.raw)
    emulated.idle()
    return emulated


def cells(screen: pyte.Screen) -> Cells:
    return [[looks(screen.buffer[y][x]) for x in range(screen.columns)] for y in range(screen.lines)]


def test_a_screen_put_together_in_a_batch_is_shown_at_its_end(terminal: Start) -> None:
    with_stage, without = opened(terminal, "on"), opened(terminal, "off")
    assert "Workbench > Help" in with_stage.text and "Getting around" in with_stage.text
    assert with_stage.text == without.text
    assert cells(with_stage.screen) == cells(without.screen)

    before_its_end = pyte.Screen(*with_stage.size)
    pyte.ByteStream(before_its_end).feed(bytes(with_stage.raw).partition(ENDED.encode())[0])
    assert "Workbench > Help" in "\n".join(before_its_end.display)
    for emulated in (with_stage, without):
        emulated.send("\x11")
        assert emulated.wait() == 0
