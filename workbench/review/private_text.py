"""Words of reviewers hold no patient-level value: what looks like one is refused before it is written."""

from __future__ import annotations

import re

from workbench.patterns import find_personal, find_secrets, visible
from workbench.records import BadInput, Refused
from workbench.redaction import IdentifierLookup, NoSource, ReleaseCheck

_NUMBER = re.compile(r"(?<![\w./-])(?<!PMID )(?<!PMID: )\d{7,}(?![\w-])")
"""As long as the numbers of patients, stays and admissions; item numbers are shorter."""
_SHIFTED = re.compile(r"(?<!\d)2[1-9]\d\d-[01]\d-[0-3]\d(?!\d)")
"""A day in the years into which published records are shifted."""


def private_kinds(text: str, lookup: IdentifierLookup | None = None) -> list[str]:
    """What in the text names a person, is secret, or is of the source behind ``lookup``: kinds only."""
    found = [match.kind for match in find_secrets(text)]
    found += [match.kind for match in find_personal(text)]
    found += [fault.kind for fault in ReleaseCheck(lookup or NoSource()).of_text("text", text)]
    return list(dict.fromkeys(found))


def doubtful_kinds(text: str) -> list[str]:
    """What only looks like a value of a patient, and may be something else."""
    kinds = {"a number as long as an identifier": _NUMBER, "a day of shifted records": _SHIFTED}
    return [kind for kind, shape in kinds.items() if shape.search(text)]


def require_no_values(text: str, *, lookup: IdentifierLookup | None = None, allowed: str = "") -> None:
    """Raises BadInput for hidden characters, and Refused for what may be of a patient or is secret.

    ``allowed``: why what only looks like a value is none; what is known to be one is refused all the same.
    """
    if visible(text) != text:
        raise BadInput("the text holds control or hidden characters", remedy="Write it in plain text.")
    known = private_kinds(text, lookup)
    if known:
        raise Refused(
            f"the text holds what may not be written down here: {', '.join(known)}; nothing was saved",
            remedy="Say it without the value: what kind of row, which rule, how it differs.",
        )
    doubtful = doubtful_kinds(text)
    if doubtful and len(allowed.strip()) < 3:
        raise Refused(
            f"the text holds {' and '.join(doubtful)}; nothing was saved",
            remedy="Say it without the value. If it is none of a patient, give the reason (--force-reason).",
        )
    if allowed and (visible(allowed) != allowed or private_kinds(allowed, lookup) or doubtful_kinds(allowed)):
        raise Refused("the reason itself holds what may not be written", remedy="Give it in words alone.")
