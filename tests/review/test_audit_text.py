"""One place of a TOML text changed: whatever else stands there, in whatever form, keeps every byte."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.records import Refused, parse_toml
from workbench.review.audit_text import toml_value, with_caveat, with_part, with_value

ODD = (
    "# head\n"
    'schema_version = 1\nfamily = "x"\n\n'
    "[[ caveats ]] # first\n"
    "\"id\" = 'one'\n"
    'title = """\n[[caveats]]\nid = "not this"\n# no comment\n"""  # behind\n'
    'evidence = [\n  "code", # why ]\n  "review",\n] # two\n'
    'severity="minor"# close\n'
    "\n"
    "[[caveats.witness]]\nid = 'w'\nrows = [\n  { a = 1 },\n\n  # between\n  { a = 2 } ]\n"
    "\n# about the second\n"
    "[[caveats]]\n"
    'id = "two"\ntitle = "a\u2028b \\" # not a comment" # \u2028 comment\n'
    '\n[[reported]]\nid = "B001"\n'
)


def test_a_value_in_an_odd_place() -> None:
    assert with_value(ODD, "one", "severity", "major") == ODD.replace(
        'severity="minor"# close', 'severity="major"# close'
    )
    assert with_value(ODD, "one", "evidence", ["x"]) == ODD.replace(
        'evidence = [\n  "code", # why ]\n  "review",\n] # two', 'evidence = ["x"] # two'
    )
    changed = with_value(ODD, "one", "title", "t")
    assert 'title = "t"  # behind\n' in changed and changed.count("[[caveats]]") == 1
    assert with_value(ODD, "two", "title", 'q"') == ODD.replace('"a\u2028b \\" # not a comment"', '"q\\""')
    added = with_value(ODD, "one", "bias", "late")
    assert added == ODD.replace("# close\n", '# close\nbias = "late"\n')


def test_parts_and_caveats_go_to_the_end_of_their_own() -> None:
    part = with_part(ODD, "one", "entries", {"act": "comment", "n": 2})
    before, _, after = part.partition('\n[[caveats.entries]]\nact = "comment"\nn = 2\n')
    assert before + after == ODD and after.startswith("\n# about the second\n")
    more = with_caveat(ODD, {"id": "three", "evidence": ["code"]})
    before, _, after = more.partition('\n[[caveats]]\nid = "three"\nevidence = ["code"]\n')
    assert before + after == ODD and after == '\n[[reported]]\nid = "B001"\n'


@pytest.mark.parametrize(
    "text", ['caveats = [{ id = "one" }]\n', "[[caveats]]\nid.x = 1\n", '[caveats.one]\nid = "one"\n', ""]
)
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="cannot be changed in place"):
        with_part(text, "one", "entries", {"act": "comment"})


@settings(max_examples=150, deadline=None)
@given(
    words=st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    key=st.sampled_from(["title", "new"]),
)
def test_any_words_read_back_and_nothing_else_changes(words: str, key: str) -> None:
    made = with_value(with_part(ODD, "one", "entries", {"text": words}), "two", key, words)
    said, wanted = parse_toml(made), parse_toml(ODD)
    wanted["caveats"][0]["entries"] = [{"text": words}]
    wanted["caveats"][1][key] = words
    assert said == wanted
    assert parse_toml(f"x = {toml_value(words)}") == {"x": words}
