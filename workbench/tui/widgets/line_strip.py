"""A line as segments: gutter, tones, highlighted matches; its cursor, and the sign that it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from workbench.tui.inert import Inert
from workbench.tui.widgets.line_source import SIGN_TONES, Fold, Line, Sign, Tone

GOES_ON = "…"
"""At the right of a row that goes on there."""
CURSOR_CELLS = 12
"""Of the cursor's row that are drawn in its style: all of a row would be a kilobyte a key."""
MORE_CURSOR_CELLS = 33
"""The same where a row is one thing, as in a list: its first columns, within what a key may cost."""
Look = Callable[[str], Style]
"""Name of a component to its style."""


def gutter_segments(line: Line, base: Style, look: Look, *, mark: str, label_cells: int) -> list[Segment]:
    """``mark`` (cursor, selection), sign, fold mark, and the label where ``label_cells`` leaves room."""
    sign_style = base + look(SIGN_TONES[line.sign]) if line.sign is not Sign.NONE else base
    segments = [
        Segment(mark, base),
        Segment(line.sign.value, sign_style),
        Segment(line.fold.value, base + look("gutter") if line.fold is not Fold.NONE else base),
    ]
    if label_cells:
        label = Inert.of(line.label).fit(label_cells - 1, right=True).plain
        segments.append(Segment(label + " ", base + look("gutter")))
    return segments


def text_segments(
    line: Line, base: Style, look: Look, matches: Sequence[tuple[int, int]] = ()
) -> list[Segment]:
    """The text in its tones; matches are laid over them."""
    text = line.text.plain
    ground = base + look(line.tone) if line.tone is not Tone.PLAIN else base
    if not line.spans and not matches and not line.text.spans:
        return [Segment(text, ground)]
    layers = [(span.start, span.end, span.style) for span in line.text.spans]
    layers += [(span.start, span.end, span.tone.value) for span in line.spans]
    layers += [(start, end, "match") for start, end in matches]
    return [
        Segment(text[start:end], _over(ground, names, look)) for start, end, names in _pieces(text, layers)
    ]


def with_cursor(strip: Strip, look: Style, *, focused: bool, more: bool) -> Strip:
    """The row's beginning in the cursor's style; ``more`` of it, as far as there is text."""
    cells = CURSOR_CELLS
    if more:
        cells = max(cells, min(cell_len(strip.text.rstrip()) + 1, MORE_CURSOR_CELLS))
    begin = [
        Segment(text, look if focused and style and not style.underline else (style or Style.null()) + look)
        for text, style, _ in strip.crop(0, cells)
    ]
    return Strip([*begin, *strip.crop(cells)], strip.cell_length)


def columns_in_view(
    strip: Strip, base: Style, mark: Style, *, gutter: int, column: int, width: int, room: int
) -> Strip:
    """The gutter and a row's text from ``column`` on, ``width`` cells in all. Where text goes on behind
    ``room``, up to the scroll bar, there is a sign in the style ``mark``.
    """
    if column:
        strip = Strip.join((strip.crop(0, gutter), strip.crop(gutter + column, gutter + column + width)))
    goes_on = strip.cell_length > room > gutter
    strip = strip.crop_extend(0, width, base)
    if not goes_on:
        return strip
    sign = Segment(GOES_ON, mark)
    return Strip([*strip.crop(0, room - 1), sign, *strip.crop(room, strip.cell_length)], strip.cell_length)


def _pieces(text: str, layers: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Stretches with the same layers on them, bottom layer first."""
    edges: list[tuple[int, int, str]] = []
    for order, (start, end, name) in enumerate(layers):
        if start < min(end, len(text)):
            edges += [(start, order, name), (min(end, len(text)), -order - 1, name)]
    at = 0
    active: dict[int, str] = {}
    for edge, order, name in sorted(edges):
        if edge > at:
            yield at, edge, tuple(active[key] for key in sorted(active))
            at = edge
        if order >= 0:
            active[order] = name
        else:
            active.pop(-order - 1, None)
    if at < len(text) or not text:
        yield at, len(text), ()


def _over(ground: Style, names: tuple[str, ...], look: Look) -> Style:
    for name in names:
        ground += look(name)
    return ground
