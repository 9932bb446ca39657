"""Rule comments of a reference, and that every family says when its rules' inputs become known."""

from __future__ import annotations

import pytest

from workbench.catalog import Content, RuleMark, rule_marks, rule_names
from workbench.records import BadInput

SQL = """\
-- Plain words: rule: no
SELECT 1
  -- rule: first-window (up to 24 h (inclusive))
  -- rule: bare
-- rule: two-lines (a first weight
--   holds before)
  -- Another comment.
--rule: bare (again)
FROM x
"""


def test_comments_are_read_with_words_and_lines() -> None:
    assert rule_marks(SQL) == [
        RuleMark("first-window", "up to 24 h (inclusive)", 3),
        RuleMark("bare", "", 4),
        RuleMark("two-lines", "a first weight holds before", 5),
        RuleMark("bare", "again", 8),
    ]
    assert rule_names(SQL) == ["first-window", "bare", "two-lines"]


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT 1\n-- rule: Big (x)", "line 2: no rule comment"),
        ("-- rule: two words", "line 1: no rule comment"),
        ("-- rule:", "line 1: no rule comment"),
        ("-- rule: open (x\nSELECT 1", "line 1: the brackets of a rule comment are not closed"),
        ("-- rule: open (x\n-- rule: other (y)", "line 1: the brackets"),
    ],
)
def test_a_comment_that_is_no_rule_is_told(sql: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        rule_marks(sql)


def test_time_frames_name_exactly_the_rules_of_the_references(content: Content) -> None:
    """Of ``reference.<database>.sql`` of all the family's databases; other targets need no entries."""
    wrong = {}
    for family in content.families():
        databases = {content.task(name).database for name in family.tasks}
        named = {
            rule
            for database in databases
            for rule in rule_names(content.reference_sql(family.name, "public-code", database))
        }
        framed = [entry.rule for entry in family.time_frame]
        if set(framed) != named or len(framed) != len(set(framed)):
            wrong[family.name] = sorted(named.symmetric_difference(framed))
    assert wrong == {}
