"""The bar at the side of a text: Textual's, drawn without its way over renderables."""

from __future__ import annotations

from rich.style import Style
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip


class SideBar(ScrollBar):
    """A vertical bar. It is drawn at every move through a text, so that it must not take longer than that."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """One strip for all rows that look the same. There are no borders, no padding and no opacity."""
        if self.parent is None:  # it is being left, and drawn once more
            return [Strip.blank(crop.width)] * crop.height
        bar = self.render()
        width, height = self.size
        if not isinstance(bar, ScrollBarRender) or not isinstance(bar.style, Style) or not (width and height):
            return super().render_lines(crop)
        back, front = bar.style.bgcolor, bar.style.color
        if back is None or front is None:
            return super().render_lines(crop)
        rows = bar.render_bar(
            size=height,
            virtual_size=bar.virtual_size,
            window_size=bar.window_size,
            position=bar.position,
            thickness=width,
            back_color=back,
            bar_color=front,
        ).segments
        base, ground, filters = (
            self.visual_style.rich_style,
            self.background_colors[1],
            self.get_line_filters(),
        )
        drawn: dict[int, Strip] = {}
        for segment in rows:
            if id(segment) not in drawn:
                style = base + segment.style if segment.style is not None else base
                strip = Strip([segment._replace(style=style)], width)
                for line_filter in filters:
                    strip = strip.apply_filter(line_filter, ground)
                drawn[id(segment)] = strip.crop(*crop.column_span)
        return [drawn[id(rows[y])] for y in crop.line_range]


class SideBarView(ScrollView):
    """A ScrollView whose vertical bar is a SideBar."""

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = SideBar(name="vertical", thickness=self.scrollbar_size_vertical)
            self._vertical_scrollbar.display = False
            self.app._start_widget(self, self._vertical_scrollbar)
        return self._vertical_scrollbar
