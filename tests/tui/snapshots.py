"""Pictures of a screen as text, compared with files under ``snapshots/``.

WORKBENCH_UPDATE_SNAPSHOTS=1 writes them anew. Below the text stand, a row a line, the stretches that are
drawn otherwise than most of their row. ``svg`` makes a picture of the same, for people, under ``svg/``.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from itertools import groupby
from pathlib import Path

from rich.style import Style
from textual.strip import Strip

from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.frame import FooterLine

FOLDER = Path(__file__).parent / "snapshots"
UPDATE = "WORKBENCH_UPDATE_SNAPSHOTS"


def rows(app: WorkbenchApp) -> list[str]:
    """What the compositor has drawn."""
    found = [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]
    return found or [""] * app.size.height


def footer(app: WorkbenchApp) -> str:
    """The keys, or what is said in their place, in one line."""
    found = app.screen.query(FooterLine)
    height = found.first().size.height if found else 1
    return " ".join(line.strip() for line in rows(app)[-height:])


def picture(app: WorkbenchApp) -> str:
    """Text and looks."""
    drawn = [*app.screen._compositor.render_strips()]
    lines = [strip.text.rstrip() for strip in drawn]
    lines.append("-" * app.size.width)
    first = 0
    for look, group in groupby(drawn, _row):
        last = first + len(list(group)) - 1
        lines.append(f"{first if first == last else f'{first}-{last}'}: {look}")
        first = last + 1
    return "\n".join(lines) + "\n"


def _row(strip: Strip) -> str:
    """The row's usual look, and where it is another."""
    looks = _looks(strip)
    cells: Counter[str] = Counter()
    for start, end, look in looks:
        cells[look] += end - start
    usual = cells.most_common(1)[0][0] if cells else ""
    return usual + "".join(f"; {start}-{end} {look}" for start, end, look in looks if look != usual)


def _looks(strip: Strip) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    at = 0
    for segment in strip:
        end = at + segment.cell_length
        look = _look(segment.style)
        if found and found[-1][2] == look:
            found[-1] = (found[-1][0], end, look)
        elif end > at:
            found.append((at, end, look))
        at = end
    return found


def _look(style: Style | None) -> str:
    if style is None:
        return "plain"
    words = [name for name in ("bold", "dim", "italic", "underline", "reverse") if getattr(style, name)]
    fore = style.color.name if style.color is not None else "default"
    back = style.bgcolor.name if style.bgcolor is not None else "default"
    return " ".join([*words, f"{fore}/{back}"])


def compare(app: WorkbenchApp, name: str) -> None:
    """Fail where the picture is another than the one kept under ``name``."""
    compare_text(picture(app), FOLDER / f"{name}.txt")


def svg(app: WorkbenchApp, title: str = "workbench tui") -> str:
    """The screen as an SVG that loads nothing and has the same names in it every time."""
    drawn = app.export_screenshot(title=title, simplify=True)
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"\s*<!--.*?-->", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"terminal-\d+-", "t-", drawn).replace("Fira Code, monospace", "monospace")
    return "\n".join(line.rstrip() for line in drawn.splitlines() if line.strip()) + "\n"


def compare_svg(app: WorkbenchApp, name: str, folder: Path = FOLDER / "svg") -> None:
    """As ``compare``, for ``<name>.svg``."""
    compare_text(svg(app), folder / f"{name}.svg")


def compare_text(now: str, path: Path) -> None:
    """Fail where ``path`` holds something else; written anew with UPDATE."""
    if os.environ.get(UPDATE):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(now, encoding="utf-8")
        return
    assert path.exists(), f"no picture {path.name}: run with {UPDATE}=1 and look at it"
    assert now == path.read_text(encoding="utf-8"), f"{path.name} looks otherwise: see {UPDATE}"
