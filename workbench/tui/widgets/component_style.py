"""Styles of parts of a widget, whole."""

from __future__ import annotations

from textual.style import Style
from textual.widget import Widget


def component_style(widget: Widget, name: str) -> Style:
    """The style of a component class. ``Widget.get_visual_style`` leaves out ``reverse``, by which alone a
    cursor is seen without colours.
    """
    style = widget.get_visual_style(name)
    return style + Style(reverse=True) if widget.get_component_styles(name).text_style.reverse else style
