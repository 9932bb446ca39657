"""Messages: what the app said in the footer, in full, the last one first."""

from __future__ import annotations

from workbench.tui.actions import bindings
from workbench.tui.screens.text import TextScreen
from workbench.tui.widgets.folding import Block, BlockLines

_TIME_CELLS = 10
_ALL_ROWS = 1000


class MessagesScreen(TextScreen):
    """Of this session; kept nowhere."""

    screen_name = "messages"
    title_text = "Messages"
    BINDINGS = [*bindings("messages")]
    kept = False

    @property
    def plain_twin(self) -> str:
        return "workbench --help"

    def on_mount(self) -> None:
        told = reversed(self.workbench.told)
        blocks = [
            Block(
                body=text.plain,
                first=f"{f'{when:%H:%M:%S}':<{_TIME_CELLS}}",
                rest=" " * _TIME_CELLS,
                words=True,
                kept=_ALL_ROWS,
            )
            for when, text in told
        ]
        self.pane.show(BlockLines(blocks or [Block(body="Nothing was said yet.")]))
        self.view.focus()
        self.moved()
