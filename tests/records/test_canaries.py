"""Planted tokens: their shape, where they stand, and what of a file is a run's mark."""

from __future__ import annotations

import pytest

from workbench.records import CANARY, mark_length, new_run_canary, run_mark, skill_canary, with_canary

TOKEN = "wbc-abcdefghij234567"
RUN = "20300501-120000-abcdef"


def test_a_text_has_one_token_and_a_run_its_own() -> None:
    assert skill_canary("a" * 40) == skill_canary("a" * 40) != skill_canary("b" * 40)
    made = {new_run_canary() for _ in range(200)} | {skill_canary(f"{number}") for number in range(200)}
    assert len(made) == 400
    assert all(CANARY.fullmatch(token) for token in made)


def test_what_a_text_got_stays_what_it_got() -> None:
    """Tokens in the records of earlier runs are found by the hashes there."""
    assert skill_canary("60f3fe2a1a5c0a9c8f6e1df0a3c1f7b1d2e3f405") == "wbc-ujqs2r5w3uwb55nl"


@pytest.mark.parametrize(
    "text", [f"x {TOKEN} y", f"<!-- {TOKEN} -->", f'"{TOKEN}"', f"{TOKEN}\n", f"_{TOKEN}_"]
)
def test_a_token_is_found_in_a_text(text: str) -> None:
    assert CANARY.findall(text) == [TOKEN]


@pytest.mark.parametrize("text", [TOKEN + "a", "a" + TOKEN, TOKEN[:-1], TOKEN.replace("a", "1"), "wbc-"])
def test_what_is_no_token(text: str) -> None:
    assert CANARY.findall(text) == []


@pytest.mark.parametrize("text", [b"# A\n", b"# A", b""])
def test_the_token_stands_in_a_comment_at_the_end(text: bytes) -> None:
    given = with_canary(text, TOKEN)
    assert given.startswith(text)
    assert given.endswith(f"\n\n<!-- {TOKEN} -->\n".encode())


def test_a_mark_is_the_first_line() -> None:
    mark = run_mark(RUN, TOKEN)
    assert mark.count(b"\n") == 1
    assert CANARY.findall(mark.decode()) == [TOKEN]
    assert mark_length(mark) == mark_length(mark + b'{"a": 1}\n') == mark_length(mark + mark) == len(mark)
    assert mark_length(run_mark("0" + "a" * 80, TOKEN)) > 0


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\n" + run_mark(RUN, TOKEN),
        run_mark(RUN, TOKEN)[:-1],
        run_mark(RUN, "wbc-short"),
        run_mark(RUN, TOKEN).replace(b"}", b', "command": "cat"}'),
        run_mark("a" * 300, TOKEN),
    ],
)
def test_nothing_else_is_passed_over(head: bytes) -> None:
    assert mark_length(head) == 0
