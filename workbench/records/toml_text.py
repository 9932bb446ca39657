"""TOML that a person or a program wrote, hostile or not: every fault is the one error of ``tomllib``."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_KEY_PARTS = 40
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[A-Za-z0-9_-]++[ \t]*+\.[ \t]*+){{{MOST_KEY_PARTS}}}")


def parse_toml(text: str) -> dict[str, Any]:
    """The document. Raises TOMLDecodeError, also for nesting, numbers and dotted keys beyond all use, which
    ``tomllib`` answers with other errors or not in time.
    """
    if _LONG_KEY.search(text):
        raise tomllib.TOMLDecodeError(f"a key of more than {MOST_KEY_PARTS} parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError("nested too deep") from None
    except ValueError as error:
        raise tomllib.TOMLDecodeError(f"a value that cannot be read ({error})") from None
