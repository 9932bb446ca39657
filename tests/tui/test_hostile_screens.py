"""Attacks through every screen, on a real terminal: none of it gets there raw, and a person can see it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_home import EVIL, EVIL_RUN, SKILL_NAME, make_hostile_content, make_hostile_home
from made_up import FAMILY
from tui_emulator import ROOT, Emulated, environment

from workbench.records import DataPaths, ScreenState, TerminalSession
from workbench.tui.screen_table import SCREENS
from workbench.tui.session import write_session

DOCUMENTS = [
    f"{FAMILY}/{key}"
    for key in (
        "caveat:agents-missing-from-list", "about:", "specification:mimic-suspicion-infection",
        "reference:public-code, mimic-iv", "task:mimic-suspicion-infection-raw",
    )
]  # fmt: skip
ARGUMENTS: dict[str, dict[str, object]] = {
    "skill": {"skill": SKILL_NAME},
    "trajectory": {"run": EVIL_RUN},
    "log": {"run": EVIL_RUN},
    "family": {"family": FAMILY},
    "document": {"part": DOCUMENTS[0]},
    "run-detail": {"run": EVIL_RUN},
    "live": {"run": EVIL_RUN},
    "compare": {"run": EVIL_RUN, "other": EVIL_RUN},
    "rule-diff": {"first": "spec:mimic-suspicion-infection"},
    "caveat": {"caveat": f"{FAMILY}/agents-missing-from-list"},
    "caveat-form": {"caveat": f"{FAMILY}/agents-missing-from-list"},
    "help": {"scope": "trajectory", "twin": EVIL},
    "finder": {"what": "things"},
    "whole": {"run": EVIL_RUN, "step": 2, "part": 1},
    "versions": {"skill": SKILL_NAME},
    "sign-offs": {"skill": SKILL_NAME},
    "proposals": {"skill": SKILL_NAME},
    "merge": {"skill": SKILL_NAME, "other": f"proposal/{SKILL_NAME}/other"},
    "edit": {"skill": SKILL_NAME},
    "save-skill": {"skill": SKILL_NAME, "editor": "ab"},
    "difference": {"skill": SKILL_NAME, "old": "0", "new": ""},
    "blame": {"skill": SKILL_NAME},
}
WITHOUT_TEXT_FROM_OUTSIDE = {"run", "settings", "messages", "skills"}
"""Show names that are checked when they are read, and what the user typed."""

SEQUENCE = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|.)", re.S
)
OURS = re.compile(
    rb"\x1b\[(?:[\d;]*[mHGKJLMABCDdfrX@P]|\?[\d;]+[hlu]|\?\d+\$p|[<>=]\d*u|c|\?u)|\x1b[78=>]|\x1b\]22;default\x07"
)
HARMFUL = re.compile(
    "[\x00-\x07\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def check_raw(raw: bytes) -> None:
    """Only sequences that the app itself makes, and between them only what can be seen."""
    sequences = SEQUENCE.findall(raw)
    foreign = {sequence for sequence in sequences if not OURS.fullmatch(sequence)}
    assert foreign == set()
    assert b"31337" not in b"".join(sequences)
    assert b"\x1b[6n" not in sequences
    text = SEQUENCE.sub(b"", raw).decode("utf-8")
    assert HARMFUL.search(text) is None


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Path]:
    make_hostile_content(tmp_path / "content")
    make_hostile_home(DataPaths(tmp_path / "data"))
    yield tmp_path


CASES = [(entry.name, ARGUMENTS.get(entry.name, {}), "all") for entry in SCREENS]
CASES += [("document", {"part": part}, "all") for part in DOCUMENTS[1:]]
CASES += [(screen, ARGUMENTS[screen], "synthetic") for screen in ("trajectory", "live", "whole", "compare")]
"""Screen, its arguments, whose logs are shown as they are: those of others are redacted."""


@pytest.mark.parametrize(("screen", "arguments", "access"), CASES)
def test_nothing_reaches_the_terminal_raw(
    hostile: Path, screen: str, arguments: dict[str, str], access: str
) -> None:
    standing = {entry.name: entry.mode for entry in SCREENS}
    stack = [] if standing[screen] else [ScreenState(name=screen, arguments=dict(arguments))]
    session = TerminalSession(mode=screen if standing[screen] else "home", stack=stack)
    write_session(DataPaths(hostile / "data"), session)
    settings = environment(hostile, PYTHONPATH=str(ROOT), WORKBENCH_DATA_ACCESS=access)
    with Emulated(size=(100, 30), environment=settings, folder=hostile / "content") as emulated:
        emulated.wait_for("Workbench >")
        seen = []
        if screen == "help":  # the plain command stands at its end
            emulated.wait_for("Getting around")
            emulated.send("\x1b[F")
        if screen not in WITHOUT_TEXT_FROM_OUTSIDE:
            emulated.wait_for("[/foo]", 30)
        for keys in (
            "",
            "j",
            "\x1b[6~",
            "\x1b[6~",
            "\x1b[C",
            "Z",
            "\x1b[6~",
            "v",
            "\x1b[F",
            "\x1b[5~",
            "o",
            "z",
        ):
            if keys:
                emulated.send(keys)
            emulated.idle()
            seen.append(emulated.text)
        assert emulated.process.poll() is None
        check_raw(bytes(emulated.raw))
        if screen not in WITHOUT_TEXT_FROM_OUTSIDE:
            assert "[/foo] arr[0]" in "".join(seen)
            spelled = "\\x1b[31337m" if "/task:" in str(arguments) else "␛[31337m"  # a key is quoted
            assert spelled in "".join(seen) or screen == "runs"  # its column has no room for more
            assert "Workbench >" in emulated.text
            assert "evil" not in emulated.screen.title
        emulated.send("\x11")
        assert emulated.wait() == 0


def test_the_check_of_raw_bytes_sees_every_attack() -> None:
    check_raw(b"\x1b[1;2Hplain \x1b[31mred\x1b[?25l")
    for attack in EVIL.split(" "):
        piece = attack.encode()
        if HARMFUL.search(attack) is not None:
            with pytest.raises((AssertionError, UnicodeDecodeError)):
                check_raw(piece)


def test_a_draft_left_behind_is_told_and_found_inertly(hostile: Path) -> None:
    settings = environment(hostile, PYTHONPATH=str(ROOT))
    with Emulated(size=(140, 30), environment=settings, folder=hostile / "content") as emulated:
        emulated.wait_for("Unsaved text was recovered (Go to finds it): [/foo] arr[0]")
        emulated.send("\x07")
        emulated.wait_for("> draft")
        assert "[/foo] arr[0] [bold]b[/] ␛[31337m" in emulated.text
        emulated.idle()
        check_raw(bytes(emulated.raw))
