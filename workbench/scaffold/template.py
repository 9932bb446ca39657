"""Templates of new files, and how they are filled in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib import resources
from string import Template

from workbench.records import BadInput

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MOST_NAME = 64


def filled(template: str, words: Mapping[str, str]) -> str:
    """The template of that name with every ``$word`` filled in."""
    text = (resources.files("workbench.scaffold") / "templates" / template).read_text(encoding="utf-8")
    return Template(text).substitute(words)


def in_toml(text: str) -> str:
    """``text`` as a TOML string in double quotes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def check_new_name(kind: str, name: str) -> str:
    """``name`` if a family, task or skill may be called so. Raises BadInput."""
    if not NAME.fullmatch(name) or len(name) > MOST_NAME:
        raise BadInput(
            f"{name!r} cannot name a {kind}",
            remedy=f"Use up to {MOST_NAME} lower-case letters and digits, with single hyphens between.",
        )
    return name


def title_of(name: str, given: str = "") -> str:
    """``given`` as one line, or the name in words."""
    title = " ".join(given.split()) or name.replace("-", " ").capitalize()
    if any(ord(character) < 32 for character in title):
        raise BadInput("the title holds control characters", remedy="Give another --title.")
    return title
