"""How long each screen takes to open for the first time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tui_start import fresh, leave, ready

TARGET_MS = 150.0
SKILLS = ("6", "○ draft")
ROWS = ("2", " runs  newest first")
SCREENS: tuple[tuple[str, tuple[tuple[str, str], ...], str, str], ...] = (
    ("help", (), "?", "Workbench > Help"),
    ("messages", (), "M", "Workbench > Messages"),
    ("commands", (), "\x10", "Workbench > Commands"),
    ("go to", (), "\x07", "Workbench > Go to"),
    ("runs", (), "2", "Workbench > Runs"),
    ("sources", (), "3", "Workbench > Sources"),
    ("new run", (), "4", "Workbench > New run"),
    ("settings", (), "5", "Workbench > Settings"),
    ("skill", (("j", "> skill"),), "\r", "Workbench > Skill: "),
    ("skills", (), "6", "Workbench > Skills"),
    ("edit", (SKILLS,), "E", "Workbench > Edit"),
    ("proposals", (SKILLS,), "p", ": proposals"),
    ("sign-offs", (SKILLS,), "S", ": sign-offs"),
    ("versions", (SKILLS,), "H", ": versions"),
    ("difference", (SKILLS, ("H", "newest first")), "\r", "lines came"),
    ("blame", (SKILLS, ("H", "newest first")), "W", ": who wrote"),
    ("caveats", (), "8", "Workbench > Caveats"),
    ("caveat", (("8", " caveats"),), "\r", "Workbench > Caveat: "),
    ("rule diff", (("j", "> skill"), ("\r", "Workbench > Skill: ")), "=", "Workbench > Rule diff"),
    ("family", (("j", "> skill"),), "p", "Workbench > Family: "),
    ("document", (("p", "Workbench > Family: "),), "C", ": caveats"),
    ("run", (ROWS,), "\r", "Workbench > Run 2"),
    ("live", (ROWS,), "a", "Workbench > Run 2"),
    ("trajectory", (ROWS,), "t", "Workbench > Run 2"),
    ("compare", (ROWS, ("c", "is marked")), "jc", "Workbench > Compare"),
    ("log", (ROWS, ("t", "Workbench > Run 2")), "L", "Workbench > what the agent"),
)
"""A screen; keys on the way from Home, pressed until the text is there; the opening key; its heading."""


def measure_with(emulator: Any, home: Path) -> list[tuple[str, float, float, str]]:
    """Milliseconds from the key to the heading; the slowest screen is named."""
    times = {name: _opened_ms(emulator, home, *steps) for name, *steps in SCREENS}
    slowest = max(times, key=lambda name: times[name])
    return [(f"a screen opens, the slowest of {len(times)} ({slowest})", times[slowest], TARGET_MS, "ms")]


def _opened_ms(emulator: Any, home: Path, way: Any, key: str, heading: str) -> float:
    with fresh(emulator, home) as app:
        ready(app)
        for keys, shown in way:
            while shown not in app.text:
                app.spent(keys, quiet_s=1.0)
            app.settle(0.5)
        began = time.monotonic()
        app.send(key)
        app.wait_for(heading, 30)
        opened_ms = (time.monotonic() - began) * 1000
        leave(app)
    return opened_ms
