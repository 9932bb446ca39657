"""Whether a call brought content, judged by what came back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from workbench.records import Observation

MAX_CHARS = 200_000
"""Of an observation, half from its start and half from its end."""


class Outcome(StrEnum):
    """``obtained``: content came back. ``refused``: an error did. ``unknown``: the log does not say."""

    OBTAINED = "obtained"
    REFUSED = "refused"
    UNKNOWN = "unknown"


_ERROR = re.compile(
    r"does not exist|doesn't exist|not found|no such (?:file|table|column)|permission denied|not permitted"
    r"|access denied|cannot open|can't open|unable to open|could not|failed to|unreachable|refused|timed out"
    r"|temporary failure|name or service not known|name resolution|no files found|is not recognized"
    r"|unknown table"
    r"|(?:error|exception)\s*[:(]|no matching distribution|couldn't|command not found",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    rf"{_ERROR.pattern}|missing|absent|unavailable|\bfail|\bnot?\b|\bnone\b|\bfalse\b", re.IGNORECASE
)
_CONTEXT = re.compile(
    r"\s*(?:\^|LINE \d+:|Did you mean|File \"|Traceback|During handling|Candidate|\+|$)|\s{2,}\S"
)
_DATA = re.compile(r"\d.*[,|│\t;:]|[,|│\t;].*\d")


def outcome(observation: Observation | None, names: Iterable[str] = (), *, silent: bool = False) -> Outcome:
    """Judge an observation. ``names``: an error that names one of them is about what was asked for.

    ``silent``: success may print nothing (a result written to a file), and no error is hidden.
    """
    if observation is None:
        return Outcome.UNKNOWN
    text = observation.text
    if len(text) > MAX_CHARS:
        text = text[: MAX_CHARS // 2] + "\n" + text[-MAX_CHARS // 2 :]
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR.search(line[:1000])]
    wanted = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) for name in names if name]
    if any(name.search(line[:1000]) and _ABSENT.search(line[:1000]) for name in wanted for line in lines):
        return Outcome.REFUSED
    succeeded = observation.exit_code in (0, None) and not observation.is_error
    if not lines:
        return Outcome.OBTAINED if succeeded and silent and observation.exit_code == 0 else Outcome.UNKNOWN
    content = [line for line in lines if line not in errors and not _CONTEXT.match(line)]
    data = [line for line in content if _DATA.search(line[:1000])]
    if errors:
        return Outcome.OBTAINED if len(data) >= 2 else Outcome.REFUSED
    if not succeeded:
        return Outcome.OBTAINED if len(data) >= 2 else Outcome.UNKNOWN
    return Outcome.OBTAINED if any(sign.isalnum() for line in lines for sign in line) else Outcome.UNKNOWN
