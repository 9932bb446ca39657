"""The table of all actions. One block a scope; ``actions.py`` says what the fields mean."""

from __future__ import annotations

from workbench.tui.actions import Action, Scope

SCOPES = (
    Scope("app", "Everywhere"),
    Scope("list", "Lists"),
    Scope("lines", "Text"),
    Scope("home", "Home", ("app", "list")),
    Scope("help", "Help", ("app", "list")),
    Scope("finder", "Finder", ("app",)),
    Scope("sources", "Sources", ("app", "lines")),
    Scope("prompt", "Prompt"),
    Scope("log", "Log", ("app", "lines")),
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
    Action("lines.up", "up,k", "Up", "One line up.", shown=False),
    Action("lines.down", "down,j", "Down", "One line down.", shown=False),
    Action("lines.page-up", "pageup,b", "Page up", "One page up.", shown=False),
    Action("lines.page-down", "pagedown,space", "Page down", "One page down.", shown=False),
    Action("lines.first", "home,g", "First", "To the first line.", shown=False),
    Action(
        "lines.last", "end,G", "Last", "To the last line; a text that still grows is followed.", shown=False
    ),
    Action("lines.left", "left,h", "Left", "Columns further left.", shown=False),
    Action("lines.right", "right,l", "Right", "Columns further right.", shown=False),
    Action("lines.choose", "enter", "Open", "Open or close what the cursor is on."),
    Action("lines.search", "slash", "Search", "Search for text, or for a regular expression after re:."),
    Action("lines.next-match", "n", "Next match", "To the next match.", shown=False),
    Action("lines.previous-match", "N", "Match before", "To the match before.", shown=False),
    Action("lines.jump", "colon", "Go to line", "Go to a line by its number.", shown=False),
    Action("lines.fold-all", "z", "Fold all", "Close everything that folds.", shown=False),
    Action("lines.unfold-all", "Z", "Unfold all", "Open everything that folds.", shown=False),
    Action("lines.select-up", "shift+up,K", "Select up", "Extend the selection a line up.", shown=False),
    Action(
        "lines.select-down", "shift+down,J", "Select down", "Extend the selection a line down.", shown=False
    ),
    Action("lines.copy", "y", "Copy", "Copy the selected lines to the terminal's clipboard.", shown=False),
    Action("lines.follow", "F", "Follow", "Stay at the end while more comes, or stop it.", shown=False),
    Action("prompt.close", "escape", "Close", "Leave the prompt; nothing changes."),
    Action("trajectory.next-error", "e", "Next error", "To the next step that failed."),
    Action("trajectory.previous-error", "E", "Error before", "To the failed step before.", shown=False),
    Action("trajectory.next-sql", "s", "Next SQL", "To the next SQL that was run."),
    Action("trajectory.previous-sql", "S", "SQL before", "To the SQL before.", shown=False),
    Action("trajectory.next-violation", "v", "Next violation", "To the next violation of the lint."),
    Action("trajectory.previous-violation", "V", "Violation before", "To the violation before.", shown=False),
    Action("trajectory.next-step", "right_square_bracket", "Next step", "To the next step.", shown=False),
    Action(
        "trajectory.previous-step", "left_square_bracket", "Step before", "To the step before.", shown=False
    ),
    Action("trajectory.outline", "o", "Outline", "Show or hide the list of steps; again to go into it."),
    Action("trajectory.log", "L", "Raw log", "Show what the agent printed, byte for byte.", shown=False),
    Action("skill.next-section", "right_square_bracket", "Next section", "To the next heading."),
    Action("skill.previous-section", "left_square_bracket", "Section before", "To the heading before."),
    Action("skill.outline", "o", "Sections", "Show or hide the list of sections; again to go into it."),
    Action("home.reload", "r", "Reload", "Read the content and the runs again."),
    Action("finder.down", "down", "Down", "The next one.", shown=False, priority=True),
    Action("finder.up", "up", "Up", "The one before.", shown=False, priority=True),
    Action("finder.page-down", "pagedown", "Page down", "A page down.", shown=False, priority=True),
    Action("finder.page-up", "pageup", "Page up", "A page up.", shown=False, priority=True),
)
