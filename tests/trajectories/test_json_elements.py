"""Elements of a document as its bytes arrive: what a parser of the whole gives, and more where it is cut."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.trajectories.json_elements import DEPTH_LIMIT, JsonElements, Piece

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(st.sampled_from(["steps", "other", 'q"\\', ""]) | st.text(max_size=4), VALUES)


def pieces(elements: JsonElements, data: bytes, size: int = 1 << 20) -> list[Piece]:
    return [
        piece for start in range(0, len(data), size) for piece in elements.feed(data[start : start + size])
    ]


def rebuilt(found: Iterable[Piece]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for piece in found:
        if piece.element:
            document.setdefault(piece.key, []).append(piece.value)
        else:
            document[piece.key] = piece.value
    return document


@given(DOCUMENTS, st.integers(1, 9), st.sampled_from([None, 2]), st.booleans())
def test_pieces_make_up_the_document(document: dict[str, Any], size: int, indent: int, ascii: bool) -> None:
    data = json.dumps(document, indent=indent, ensure_ascii=ascii).encode()
    elements = JsonElements({"steps"})
    found = pieces(elements, data, size)
    elements.close()
    expected = {key: value for key, value in document.items() if not (key == "steps" and value == [])}
    assert rebuilt(found) == expected
    assert (elements.damaged, elements.documents, elements.text_lines) == (0, 1, 0)


@given(
    st.lists(st.dictionaries(st.text(max_size=4), st.text() | st.lists(st.none())), min_size=1, max_size=5),
    st.integers(0, 1 << 16),
)
def test_every_element_before_a_cut_is_there(items: list[dict[str, Any]], place: int) -> None:
    parts = [json.dumps(item).encode() for item in items]
    head = b'{"about": {"x": [1]}, "steps": ['
    whole = head + b", ".join(parts) + b"]}"
    cut = place % len(whole)
    ends, at = [], len(head)
    for part in parts:
        at += len(part)
        ends.append(at)
        at += 2
    elements = JsonElements({"steps"})
    found = [piece.value for piece in pieces(elements, whole[:cut], 5) if piece.element]
    elements.close()
    assert found == items[: sum(end <= cut for end in ends)]
    assert elements.damaged == (cut > 0)


@given(st.binary(max_size=300), st.integers(1, 7))
def test_any_bytes_are_survived(data: bytes, size: int) -> None:
    for start in (b"", b"{", b'{"steps":[', b"[{"):
        elements = JsonElements({"steps"})
        pieces(elements, start + data, size)
        elements.close()


def test_documents_one_after_another_between_lines_of_text() -> None:
    data = b'\xef\xbb\xbf\nWARN: [x] {y}\n[1] is no document\n{"a": 1}{"a": 2}\n[{"b": 3}, 4]\nbye'
    elements = JsonElements()
    found = pieces(elements, data, 1)
    elements.close()
    assert found == [
        Piece("a", 1, False),
        Piece("a", 2, False),
        Piece("", {"b": 3}, True),
        Piece("", 4, True),
    ]
    assert (elements.documents, elements.text_lines, elements.damaged) == (3, 3, 0)


def test_an_element_that_is_no_json_is_counted_and_the_next_is_read() -> None:
    elements = JsonElements({"steps"})
    found = pieces(elements, b'{"steps": [{"a": 1}, {"a": x}, nonsense, {"a": 2}], "b": 01, "c": 3}')
    assert rebuilt(found) == {"steps": [{"a": 1}, {"a": 2}], "c": 3}
    assert (elements.damaged, elements.documents) == (3, 1)


def test_skipped_members_are_not_held_and_long_ones_are_damage() -> None:
    elements = JsonElements({"steps"}, {"history"}, limit_bytes=50)
    text = "x" * 200
    data = json.dumps({"history": [text], "long": text, "steps": [text, "short"], "end": 1}).encode()
    assert rebuilt(pieces(elements, data, 16)) == {"steps": ["short"], "end": 1}
    assert elements.damaged == 2


def test_nothing_is_read_behind_bottomless_nesting() -> None:
    elements = JsonElements({"steps"})
    data = b'{"steps": [1, ' + b"[" * (DEPTH_LIMIT + 10) + b', {"a": 2}'
    assert [piece.value for piece in pieces(elements, data, 1000)] == [1]
    assert list(elements.feed(b"]" * 30_000 + b', 3]}{"steps": [4]}')) == []
    elements.close()
    assert elements.damaged == 1


@pytest.mark.parametrize("value", ["null", "7", '"text"', "{}"])
def test_a_wanted_array_that_is_none_comes_as_a_member(value: str) -> None:
    elements = JsonElements({"steps"})
    assert pieces(elements, f'{{"steps": {value}}}'.encode(), 2) == [Piece("steps", json.loads(value), False)]
