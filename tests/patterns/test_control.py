"""Hostile text is shown and does nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.patterns import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 🎉\tx\n", "plain é 漢 🎉\tx\n"),
        ("\x1b[31mred\x1b]0;title\x07", "␛[31mred␛]0;title␇"),
        ("a\r\nb\rc", "a\nb␍c"),
        ("\x7f\x00\x9b", "␡␀<U+009B>"),
        ("abc\u202edef\u200b\u2066\ufeff", "abc<U+202E>def<U+200B><U+2066><U+FEFF>"),
        ("\ud800\ue000\u2028", "<U+D800><U+E000><U+2028>"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_nothing_a_terminal_acts_on_is_left(text: str) -> None:
    shown = visible(text)
    assert not any((ord(sign) < 32 and sign not in "\n\t") or 127 <= ord(sign) < 160 for sign in shown)
    assert visible(shown) == shown
