"""Values out of JSON that nobody vouches for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json

from workbench.trajectories.values import (
    MOST_PARTS,
    cut_json,
    joined_text,
    json_object,
    json_value,
    money_of,
    plain_json,
)

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 1]), st.booleans())
def test_both_parsers_read_alike(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert json_value(text) == json.loads(text.decode("utf-8", "surrogatepass"))


@given(st.binary(max_size=40), JSON)
def test_where_the_fast_parser_reads_the_tolerant_one_reads_the_same(noise: bytes, value: Any) -> None:
    text = json.dumps(value).encode()
    place = len(noise) % (len(text) + 1)
    for odd in (noise, text[:place] + noise[:3] + text[place:], text[:place] + text[place + 1 :]):
        try:
            fast = from_json(odd)
        except ValueError:
            continue
        assert repr(fast) == repr(json.loads(odd.decode()))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'{"a":-0}', {"a": 0}),
        (b'{"a":"\\ud800"}', {"a": "\ud800"}),
        (b'{"a":"\xff"}', {"a": "\ufffd"}),
        (b'{"a":1e999}', {"a": float("inf")}),
        (b'{"a":' + b"9" * 300 + b"}", {"a": int("9" * 300)}),
        (b'{"a":' + b"9" * 5000 + b"}", None),
        (b"[1]", None),
        (b"", None),
        (b'{"a":' * 5000, None),
    ],
)
def test_odd_objects(text: bytes, value: Any) -> None:
    assert json_object(text) == value


def test_objects_deeper_than_the_fast_parser_goes() -> None:
    deep = json_object(b'{"a":' * 300 + b"1" + b"}" * 300)
    assert deep is not None
    assert plain_json(deep) != deep, "but not stored so deep"


@pytest.mark.parametrize(
    ("text", "value", "whole"),
    [
        (b'{"a": 1}', {"a": 1}, True),
        (b'{"a": [1, {"b": "c', {"a": [1, {"b": "c"}]}, False),
        (b'{"a": [1, 2],\n "b": [3, nonsense], "c": 4}', {"a": [1, 2], "b": [3]}, False),
        (b'{"a": "x\x00y"}', {"a": "x"}, False),
        (b"nothing", None, False),
        (b"", None, False),
    ],
)
def test_a_cut_document_is_read_as_far_as_it_goes(text: bytes, value: Any, whole: bool) -> None:
    assert cut_json(text) == (value, whole)


@given(JSON, st.binary(max_size=6), st.data())
def test_cutting_never_raises(value: Any, noise: bytes, data: st.DataObject) -> None:
    text = json.dumps(value, indent=1).encode()
    place = data.draw(st.integers(0, len(text)))
    cut_json(text[:place] + noise)
    cut_json(text[:place] + noise + text[place:])


def test_texts_of_messages() -> None:
    assert joined_text("a") == "a"
    assert (
        joined_text([{"type": "text", "text": "a"}, {"type": "image", "source": {}}, "b", {}, 3])
        == "a\n[image]\nb\n{}\n3"
    )
    assert joined_text(None) == ""
    assert joined_text([{"text": "x"}] * (MOST_PARTS + 2)).endswith("x\n[2 more parts]")


def test_sums_of_money() -> None:
    values = (1, 0.5, True, -1, float("nan"), float("inf"), "1", None)
    assert [money_of(value) for value in values] == [1.0, 0.5, None, None, None, None, None, None]
