"""Python code is followed over its own values, runs nothing and stays within bounds."""

from __future__ import annotations

import base64
import zlib

import pytest

from workbench.patterns import python_strings
from workbench.patterns.python_interpreter import MAX_CHARS, followed
from workbench.patterns.python_values import Surroundings

PACKED = base64.b64encode(zlib.compress(b"from a.b")).decode()
FOLLOWED = [
    ("".join(("p('_'", ".join(['a', 'b', 'c']))")), "a_b_c"),
    ("p(''.join(chr(c ^ 7) for c in [102, 99, 105]))", "adn"),
    (f"import zlib, base64 as b\np(zlib.decompress(b.b64decode('{PACKED}')).decode())", "from a.b"),
    ("def f(x, y='!'):\n    return x[::-1] + y\np(f('ab'))", "ba!"),
    ("p('abc'.translate(str.maketrans('abc', 'xyz')))", "xyz"),
    ("from functools import reduce\np(reduce(lambda a, b: a + b, ['a', 'b', 'c']))", "abc"),
    ("p(''.join(map(chr, (97, 98))))", "ab"),
    ("s = ''\nfor c in 'abc':\n    s = c + s\np(s)", "cba"),
    ("i = 0\ns = ''\nwhile i < 3:\n    s += str(i)\n    i += 1\np(s)", "012"),
    ("d = {'k': ['a', 'b']}\np(''.join(d['k']))", "ab"),
    ("p('%s.%s' % ('a', 'b'))", "a.b"),
    ("import string\np(string.Template('from $t').substitute(t='x'))", "from x"),
    ("import codecs\np(codecs.decode('nop', 'rot_13'))", "abc"),
    ("x = [3, 1, 2]\np(''.join(map(str, sorted(x, key=lambda v: -v))))", "321"),
    ("class A:\n    def m(self):\n        self.q = 'a' + 'b'\n        p(self.q)", "ab"),
    ("import json\np(json.loads('{\"t\": \"a b\"}')['t'])", "a b"),
    ("import sys, os\np(sys.argv[1] + os.environ['T'] + input())", "xyz"),
    ("p(open('name.txt').read().strip())", "from a file"),
    ("from names import T\np(T.upper())", "T"),
    ("a, *b = 'x y'.split()\np(a)", "x"),
]


@pytest.mark.parametrize(("code", "text"), FOLLOWED)
def test_texts_are_what_they_come_to(code: str, text: str) -> None:
    around = Surroundings(
        files={"/workspace/name.txt": "from a file\n", "/workspace/lib/names.py": "T = 't'"},
        environment={"T": "y"},
        arguments=("x",),
        stdin="z\n",
    )
    found = [call for call in python_strings(code, around).calls if call.name == "p"]
    assert text in [each for call in found for texts in call.texts for each in texts]


def test_methods_by_a_name_put_together_are_known() -> None:
    calls = python_strings("getattr(con, 'exe' + 'cute')('a' + 'b')").calls
    assert (".execute", (("ab",),)) in [(call.name, call.texts) for call in calls]


def test_files_that_are_written_and_what_is_printed_are_known() -> None:
    result = followed("from pathlib import Path\nPath('q.sql').write_text('a' + 'b')\nprint('x', 1, sep='-')")
    assert result is not None
    assert (result.written, result.printed) == ({"/workspace/q.sql": "ab"}, ["x-1\n"])


HOSTILE = [
    "while True:\n    x = 1",
    "x = 'a'\nwhile True:\n    x = x + x",
    "x = [1]\nwhile True:\n    x += x",
    "x = 10 ** 10 ** 10",
    "x = 'a' * 10 ** 12",
    "x = f'{1:>999999999}'",
    "x = '{:999999999}'.format(1)",
    "x = '%999999999d' % 1",
    "sum(range(10 ** 15))",
    "def f(x):\n    return f(x) + f(x)\nf(1)",
    "import re\nre.sub('(a+)+$', '', 'a' * 40 + 'b')",
    "[[[[i for i in range(9999)] for j in range(9999)] for k in range(9999)] for m in range(9999)]",
    "f(" * 500 + ")" * 500,
    "break\nreturn 1\nyield 2",
    "x = {}[1]; y = None.a; z = 1 / 0; print(x, y, z)",
    "'{0.__class__.__mro__}'.format('a')",
    "x" * (MAX_CHARS + 1),
]


@pytest.mark.parametrize("code", HOSTILE)
def test_hostile_code_is_given_up(code: str) -> None:
    python_strings(code)
    result = followed(code)
    assert result is None or len(result.made) <= 1_000
