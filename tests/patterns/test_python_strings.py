"""Constant texts and calls in Python code."""

from __future__ import annotations

import pytest

from workbench.patterns import UNKNOWN, python_paths, python_strings

FOLDED = [
    ("p('a' + 'b' + 'c')", "abc"),
    ("x = 'a'\np(x + 'b')", "ab"),
    ("x = 'a'\nx += 'b'\np(x)", "ab"),
    ("t = 'b'\np(f'a.{t}.{y}')", f"a.b.{UNKNOWN}"),
    ("p('%s.%s' % ('a', 'b'))", "a.b"),
    ("p('%(k)s' % {'k': 'a'})", "a"),
    ("p('{}.{x}'.format('a', x='b'))", "a.b"),
    ("p('{0}{1}{0}'.format('a', 'b'))", "aba"),
    ("p(' '.join(['a', 'b', c]))", f"a b {UNKNOWN}"),
    ("import os\np(os.path.join('/a', 'b', c))", f"/a/b/{UNKNOWN}"),
    ("from pathlib import Path as P\np(P('/a') / 'b' / f'{n}.csv')", f"/a/b/{UNKNOWN}.csv"),
    ("p('abc'[::-1])", "cba"),
    ("p('a-b'.replace('-', '.').upper())", "A.B"),
    ("p(chr(97) + 'b')", "ab"),
    ("p(b'ab'.decode())", "ab"),
    ("p('a' 'b'\n  'c')", "abc"),
    ("p('a' if x else 'b')", "a"),
    ("if (y := 'a'):\n    p(y)", "a"),
    ("for t in ['a', 'b']:\n    p('x.' + t)", "x.b"),
    ("[p('x.' + t) for t in ('a', 'b')]", "x.a"),
    ("n = {'k': 'v'}\np(n['k'])", "v"),
    ("try:\n    a()\nexcept E:\n    p('x' + 'y')", "xy"),
]


@pytest.mark.parametrize(("code", "text"), FOLDED)
def test_folding(code: str, text: str) -> None:
    call = next(item for item in python_strings(code).calls if item.name == "p")
    assert text in call.texts[0]


def test_names_of_calls_follow_imports() -> None:
    code = """
import requests as r
from urllib.request import urlopen as u
r.get('a'); u('b'); con.execute('c'); __import__('os').system('d')
"""
    assert [item.name for item in python_strings(code).calls if item.name != "__import__"] == [
        "requests.get",
        "urllib.request.urlopen",
        ".execute",
        "os.system",
    ]


def test_comments_and_docstrings_do_not_count() -> None:
    code = '"""doc"""\n# comment "x"\ndef f():\n    "doc"\n    return g("a")\n\'loose\'\n'
    assert {item.text for item in python_strings(code).texts} == {"a"}


def test_code_that_does_not_parse_gives_its_quoted_pieces() -> None:
    code = python_strings("print 'a', \"b\\n\"\n# 'c'\nx = '''d\ne'''")
    assert not code.parsed
    assert [(item.text, item.line) for item in code.texts] == [("a", 1), ("b\\n", 1), ("d\ne", 3)]


def test_paths_by_call() -> None:
    code = """
import os, glob, shutil
from pathlib import Path
open('/a'); open('b', 'w'); os.listdir('/c'); os.walk('/'); shutil.copy('/d', 'e')
Path('/f').read_text(); glob.glob('/g/*.csv'); os.chdir('/h'); print('/not/a/path'); open('https://x/y')
"""
    uses = python_paths(python_strings(code), "/w")
    assert [f"{item.access.value}{'!' * item.recursive} {item.path}" for item in uses] == [
        "read /a",
        "write /w/b",
        "list /c",
        "list! /",
        "read /d",
        "write /w/e",
        "read /f",
        "list /g",
        "enter /h",
    ]


HOSTILE = [
    "x=" + "+".join(["'a'"] * 20_000),
    "f(" * 20_000,
    "-" * 50_000 + "1",
    "'\\" * 90_000,
    "'''" + "a" * 10**6,
    "x='a'\n" + "x=x+x\n" * 3_000,
    "x='a'\n" * 50_000,
    "a" + ".b" * 30_000,
    "\x00",
    "\ud800 = 'x'",
]


@pytest.mark.parametrize("code", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_code_is_bounded(code: str) -> None:
    python_strings(code)
