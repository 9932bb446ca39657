"""What commands print is known where their words, pipes and files decide it."""

from __future__ import annotations

import base64
import gzip

import pytest

from workbench.patterns import read_shell

ZIPPED = base64.b64encode(gzip.compress(b"x y", mtime=0)).decode()
KNOWN = [
    ("q $(python3 -c 'print(\"ab\"[::-1])')", "ba"),
    ("echo ab > t; q $(cat t)", "ab"),
    ("echo ab > t; q $(< t)", None),
    ("printf a > t; printf b >> t; q $(cat t)", "ab"),
    ("q $(rev < t.txt)", "cba"),
    (f"q \"$(echo {ZIPPED} | base64 -d | gunzip)\"", "x y"),
    ("printf -v t '%s_%s' a b; q $t", "a_b"),
    ("a=(x y); q \"${a[*]}\"", "x y"),
    ("q $(printf 'a\\nb\\n' | paste -sd '')", "ab"),
    ("q $(echo a-b | tr -d -)", "ab"),
    ("q $(echo abcdef | cut -c2-3)", "bc"),
    ("q $(printf \"\\\\x$(printf %x 115)\")", None),
    (". ./env.sh; q $T", "from-env"),
    ("q $(cat unknown)", "\ufffc"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), KNOWN)
def test_words_hold_what_commands_print(text: str, expected: str | None) -> None:
    files = {"/workspace/t.txt": "abc", "/workspace/env.sh": "export T=from-env\n"}
    found = read_shell(text, files=files).commands
    words = [value for command in found for word in command.argv[1:] for value in word.values]
    assert expected is None or expected in words
