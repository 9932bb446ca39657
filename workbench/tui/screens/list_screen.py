"""What screens with a list of lines share: a search in it."""

from __future__ import annotations

from workbench.records import BadInput
from workbench.tui.inert import Inert
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.base import ListPane
from workbench.tui.widgets.search import REGEX_PREFIX, Query

SEARCH = "search"


class ListScreen(WorkbenchScreen):
    """One ``ListPane``."""

    def on_list_pane_search_wanted(self) -> None:
        self.ask_search()

    def ask_search(self) -> None:
        """Let a person type what to search for."""
        AskLine.of(self).ask(SEARCH, Inert.of(f"search; {REGEX_PREFIX} for a regular expression"))

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        pane = self.query_one(ListPane)
        pane.focus()
        if message.name != SEARCH:
            return
        try:
            pane.search(Query.of(message.value) if message.value else None)
        except BadInput as error:
            self.tell(Inert.line(f"{error.what}. {error.remedy}"))

    def on_ask_line_left(self) -> None:
        self.query_one(ListPane).focus()

    def on_list_pane_found(self, message: ListPane.Found) -> None:
        again = f", {message.again}" if message.again else ""
        self.tell(Inert.line(f"{message.text}: {message.at} of {message.count}{again}"))

    def on_list_pane_not_found(self, message: ListPane.NotFound) -> None:
        self.tell(Inert.line(f"{message.text}: not found"))
