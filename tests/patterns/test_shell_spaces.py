"""Signs at which the reader once stood still, and spaces that are letters to a shell."""

import random

import pytest

from workbench.patterns import read_shell

SIGNS = " \t\r\n\x0b\x0c\u2028\u00a0;&|<>(){}[]$`'\"\\~#=ab1-*!,"
WORDS = (
    "case",
    "in",
    "esac",
    "if",
    "[[",
    "]]",
    "function",
    "for",
    "((",
    "<<",
    "<<-E",
    "E",
    "${",
    "$(",
    "<(",
    "x=(",
)


@pytest.mark.parametrize("space", ["\x0b", "\x0c", "\x85", "\u2028", "\u00a0", "\x1c"])
def test_a_space_of_another_kind_is_a_letter(space: str) -> None:
    commands = read_shell(f"echo one{space}two\ncurl http://example.org").commands
    assert [[word.text for word in command.argv] for command in commands] == [
        ["echo", f"one{space}two"],
        ["curl", "http://example.org"],
    ]


@pytest.mark.parametrize("text", ["<>(ls)", "<>>(ls)", ">|(ls)", "&>(ls)"])
def test_an_operator_before_a_bracket_is_gone_past(text: str) -> None:
    assert "curl" in str(read_shell(f"{text}\n)\ncurl http://example.org").commands[-1])


def test_signs_in_any_order_come_to_an_end() -> None:
    drawn = random.Random(7)
    for _ in range(1_500):
        pieces = drawn.choices(WORDS, k=3) + drawn.choices(SIGNS, k=drawn.randint(1, 40))
        drawn.shuffle(pieces)
        assert read_shell("".join(pieces)).commands is not None
