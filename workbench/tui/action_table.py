"""The table of all actions. One block a scope; ``actions.py`` says what the fields mean."""

from __future__ import annotations

from workbench.tui.actions import Action, Scope

SCOPES = (
    Scope("app", "Everywhere"),
    Scope("list", "Lists"),
    Scope("lines", "Text"),
    Scope("home", "Home", ("app", "list")),
    Scope("help", "Help", ("app", "list")),
    Scope("finder", "Finder"),
    Scope("sources", "Sources", ("app", "lines")),
    Scope("skill", "Skill", ("app", "lines")),
    Scope("trajectory", "Trajectory", ("app", "lines")),
)

ACTIONS = (
    Action("app.palette", "ctrl+p", "Commands", "Find any command by name and do it.", priority=True),
    Action(
        "app.go-to",
        "ctrl+g",
        "Go to",
        "Find a task, run, skill or source by name and open it.",
        priority=True,
    ),
    Action("app.home", "1", "Home", "Show families, tasks, skills and the last run.", shown=False),
    Action("app.sources", "3", "Sources", "Show the patient data that is here.", shown=False),
    Action("app.back", "escape", "Back", "Leave this screen for the one before it."),
    Action("app.redraw", "ctrl+l", "Redraw", "Draw the whole screen again.", shown=False),
    Action("app.help", "question_mark", "Help", "Show every key of this screen and what it does."),
    Action("app.quit", "ctrl+q", "Quit", "Save where you are and leave; runs go on.", priority=True),
    Action("list.up", "up,k", "Up", "One line up.", shown=False),
    Action("list.down", "down,j", "Down", "One line down.", shown=False),
    Action("list.page-up", "pageup", "Page up", "One page up.", shown=False),
    Action("list.page-down", "pagedown", "Page down", "One page down.", shown=False),
    Action("list.first", "home", "First", "To the first line.", shown=False),
    Action("list.last", "end", "Last", "To the last line.", shown=False),
    Action("list.choose", "enter", "Open", "Open what the cursor is on."),
    Action("home.reload", "r", "Reload", "Read the content and the runs again."),
    Action("finder.close", "escape", "Close", "Close the finder.", priority=True),
    Action("finder.down", "down,ctrl+n", "Down", "Next one.", shown=False, priority=True),
    Action("finder.up", "up,ctrl+p", "Up", "The one before.", shown=False, priority=True),
    Action("finder.page-down", "pagedown", "Page down", "A page down.", shown=False, priority=True),
    Action("finder.page-up", "pageup", "Page up", "A page up.", shown=False, priority=True),
    Action("finder.choose", "enter", "Choose", "Do or open it.", priority=True),
)
