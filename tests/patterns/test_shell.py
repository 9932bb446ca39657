"""Pairs of shell text and the commands it would run."""

from __future__ import annotations

import pytest

from workbench.patterns import (
    UNKNOWN,
    arguments,
    program,
    read_shell,
    shell_paths,
    standard_input,
    written_texts,
)

COMMANDS: list[tuple[str, list[list[str]]]] = [
    ("cat a 'b c' \"d e\" f\\ g", [["cat", "a", "b c", "d e", "f g"]]),
    ("D=ground_; cat /x/${D}truth*", [["cat", "/x/ground_truth*"]]),
    ("a=1; b=\"$a\"2; echo $b '$b' \\$b", [["echo", "12", "$b", "$b"]]),
    ("p=/etc; p+=/x; cat $p", [["cat", "/etc/x"]]),
    (
        "x=/a/b.txt; cat ${x%.txt} ${x/a/c} ${x:0:2} ${x:-d} ${y:-d}",
        [["cat", "/a/b", "/c/b.txt", "/a", "/a/b.txt", "d"]],
    ),
    ("v=/x; w=v; cat ${!w}", [["cat", "/x"]]),
    ("cat $UNSET ${#x} $((1 + 2)) $1", [["cat", UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN]]),
    ("cat $'\\x2fetc'", [["cat", "/etc"]]),
    ("cat /e{tc,nd}/x", [["cat", "/etc/x | /end/x"]]),
    ("a=(x 'y z'); cat ${a[@]}", [["cat", "x | y z"]]),
    ("for f in a b; do cat $f; done", [["for", "f", "in", "a", "b"], ["cat", "a | b"]]),
    ("if [ -f x ]; then A=1; else A=2; fi; echo $A", [["[", "-f", "x", "]"], ["echo", "2 | 1"]]),
    ("cat $(echo x)y", [["echo", "x"], ["cat", "xy"]]),
    ("cat `printf %s z`", [["printf", "%s", "z"], ["cat", "z"]]),
    ("cat $(ls | head -1)", [["ls"], ["head", "-1"], ["cat", UNKNOWN]]),
    ("a && b || c; d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
    ("(cd /x; a); b", [["cd", "/x"], ["a"], ["b"]]),
    ("f() { a; }; f", [["a"], ["f"]]),
    ("function g { a; }", [["a"]]),
    ("case $x in a) b;; c) d;; esac; e", [["b"], ["d"], ["e"]]),
    ("[[ a < b && -f /x ]] && c", [["[[", "a", "b", "-f", "/x", "]]"], ["c"]]),
    ("ls # comment; rm x", [["ls"]]),
    ("ls a#b", [["ls", "a#b"]]),
    ("cat /et\\\nc", [["cat", "/etc"]]),
    ("bash -lc 'a b'", [["bash", "-lc", "a b"], ["a", "b"]]),
    ('eval "a $(echo b)"', [["echo", "b"], ["eval", "a b"], ["a", "b"]]),
    ("bash <<E\na\nE", [["bash"], ["a"]]),
    ("echo 'a b' | sh", [["echo", "a b"], ["sh"], ["a", "b"]]),
    ("find . -exec a {} \\;", [["find", ".", "-exec", "a", "{}", ";"], ["a", "{}"]]),
    ("diff <(a) <(b)", [["a"], ["b"], ["diff", UNKNOWN, UNKNOWN]]),
    ('echo "open', [["echo", "open"]]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), COMMANDS)
def test_commands(text: str, expected: list[list[str]]) -> None:
    found = [[" | ".join(word.values) for word in command.argv] for command in read_shell(text).commands]
    assert found == expected


def test_heredocs_have_their_body_and_line() -> None:
    text = "X=1\ncat <<A <<-'B' | python3 -\n$X\nA\n\t$X\n\tB\nls"
    first, second, third = read_shell(text).commands
    assert [(item.body, item.line) for item in first.heredocs] == [("1\n", 3), ("$X\n", 5)]
    assert (program(second), standard_input(second), third.line) == ("python", "$X\n", 7)


def test_folders_are_tracked() -> None:
    script = read_shell(
        "cat a; cd /data/x && cat a; (cd /tmp; cat a); cat a; cd ..; cat a; cd -; cat a; cd $Y; cat b"
    )
    folders = [command.folder for command in script.commands if program(command) == "cat"]
    assert folders == ["/workspace", "/data/x", "/tmp", "/data/x", "/data", None, None]


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("sudo -u x timeout -k 5 10 env A=b /usr/bin/python3.11 -c 1", "python", ["-c", "1"]),
        ("nohup nice -n 5 cat x", "cat", ["x"]),
        ("xargs -n 1 cat", "cat", []),
        ("A=1 cat x", "cat", ["x"]),
    ],
)
def test_programs_are_unwrapped(text: str, name: str, words: list[str]) -> None:
    command = read_shell(text).commands[0]
    assert (program(command), [word.text for word in arguments(command)]) == (name, words)


PATHS = [
    (
        "cat a ../b /c 2>/dev/null > out",
        {"read /workspace/a", "read /b", "read /c", "write /dev/null", "write /workspace/out"},
    ),
    ("cat < /x >> y", {"read /x", "write /workspace/y"}),
    (
        "cp a /t; mv b c",
        {"read /workspace/a", "write /t", "read /workspace/b", "write /workspace/b", "write /workspace/c"},
    ),
    ("find / -name '/x'; ls -R ..; ls -a", {"list! /", "list /workspace"}),
    ("grep -rn '/etc/shadow' .; grep x /f; rg y", {"read! /workspace", "read /f"}),
    (
        "sed -i 's/a/b/' f; awk -F/ '{print $1/2}' g",
        {"read /workspace/f", "write /workspace/f", "read /workspace/g"},
    ),
    (
        "tee a < /dev/null; rm -rf b; touch c",
        {"write /workspace/a", "read /dev/null", "write! /workspace/b", "write /workspace/c"},
    ),
    ("dd if=/a of=/b bs=1", {"read /a", "write /b"}),
    ("prog --in=/a /b x/y s/a/b/ 1/2", {"read /a", "read /b"}),
    ("echo /etc/shadow; test -f /etc/shadow; date +%Y/%m", set()),
    ("curl http://a/b", set()),
    ("head -n 5 x", {"read /workspace/x"}),
    ("cd $X; cat y; cat /z", {"read /z"}),
]


@pytest.mark.parametrize(("text", "expected"), PATHS)
def test_paths(text: str, expected: set[str]) -> None:
    uses = shell_paths(read_shell(text))
    found = {f"{item.access.value}{'!' * item.recursive} {item.path}" for item in uses}
    assert found == expected


def test_texts_that_are_written() -> None:
    text = "cat > a.py <<'E'\nx\nE\necho 'b c' >> d\ntee e.sql <<E\ny\nE\nls > f"
    assert [(item.path, item.text) for item in written_texts(read_shell(text))] == [
        ("/workspace/a.py", "x\n"),
        ("/workspace/d", "b c\n"),
        ("/workspace/e.sql", "y\n"),
    ]


HOSTILE = [
    "$(" * 50_000,
    "`" * 50_001,
    "{a," * 50_000,
    "(" * 100_000,
    "${" * 50_000,
    "<<A\n" * 30_000,
    "bash -c " * 20_000,
    "x={a,b}$x; " * 300,
    "x=aa;" + "x=$x$x;" * 2_000,
    "\\" * 100_000,
    "a" * 5_000_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_bounded(text: str) -> None:
    read_shell(text)
