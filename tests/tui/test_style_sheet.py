"""Style sheets are parsed once, and anew for other variables."""

from __future__ import annotations

import pytest
from textual.css.errors import UnresolvedVariableError
from textual.css.stylesheet import StylesheetError

from workbench.tui.style_sheet import StyleSheet, own_kinds
from workbench.tui.widgets.line_pane import LinePane, Prompt


def test_a_new_source_leaves_the_others_as_they_were() -> None:
    sheet = StyleSheet(variables={"tone": "red"})
    sheet.add_source("A { color: $tone; }", read_from=("a", ""))
    sheet.reparse()
    (first,) = sheet.rules
    sheet.add_source("B { color: $tone; }", read_from=("b", ""))
    sheet.reparse()
    assert sheet.rules[0] is first and len(sheet.rules) == 2
    sheet.set_variables({"tone": "red"})
    sheet.reparse()
    assert sheet.rules[0] is first


def test_other_variables_change_the_rules() -> None:
    sheet = StyleSheet(variables={"tone": "red"})
    sheet.add_source("A { color: $tone; }", read_from=("a", ""))
    sheet.reparse()
    before = sheet.rules[0].styles.color
    sheet.set_variables({"tone": "blue"})
    sheet.reparse()
    assert sheet.rules[0].styles.color != before


def test_an_error_leaves_the_rules() -> None:
    sheet = StyleSheet()
    sheet.add_source("A { color: red; }", read_from=("a", ""))
    sheet.reparse()
    sheet.add_source("B { color: $nothing; }", read_from=("b", ""))
    with pytest.raises((StylesheetError, UnresolvedVariableError)):
        sheet.reparse()
    assert [rule.selector_names for rule in sheet._rules] == [{"A"}]


def test_a_class_is_learnt_once() -> None:
    sheet = StyleSheet()
    assert sheet.learn(Prompt) and not sheet.learn(Prompt)
    assert any("DEFAULT_CSS" in name and "Prompt" in name for _, name in sheet.source)
    assert Prompt in own_kinds() and LinePane in own_kinds()
