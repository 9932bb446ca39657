"""Changes of caveats by reviewers: added, edited, discussed, confirmed, settled, anchored, linked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from workbench.records import (
    BadInput,
    Bias,
    Caveat,
    CaveatAct,
    CaveatAnchor,
    CaveatEntry,
    EvidenceLink,
    Refused,
    Severity,
    explain,
    utc_text,
)
from workbench.review.audit_file import AuditText, open_audit, write_audit
from workbench.review.audit_text import TomlValue, with_caveat, with_part, with_value
from workbench.review.caveat_anchors import make_anchor
from workbench.review.private_text import require_no_values
from workbench.review.review_desk import ReviewDesk, require_desk

EDITABLE = ("title", "severity", "bias", "rule", "evidence", "source", "status", "explanation")
"""Keys of a caveat that an edit may change; ``evidence`` is a list, the others are texts."""
_WITH_REASON = (CaveatAct.COMMENT, CaveatAct.DISPUTE, CaveatAct.RESOLVE, CaveatAct.RETAIN)


def add_caveat(
    desk: ReviewDesk,
    family: str,
    name: str,
    *,
    title: str,
    severity: Severity,
    bias: Bias,
    rule: str,
    explanation: str,
    source: str,
    evidence: Sequence[str] = ("review",),
    anchors: Sequence[tuple[str, int]] = (),
    expected: str | None = None,
) -> AuditText:
    """Propose a caveat; the desk's reviewer is its proposer. ``anchors``: files and lines from 1.

    ``expected``: the hash of the file when the reviewer looked at it; None: whatever it is now. Raises
    BadInput (id taken, a wrong value), Refused (file changed meanwhile, words with values).
    """
    read = _opened(desk, family, expected)
    fields: dict[str, TomlValue] = {
        "id": name,
        "title": title.strip(),
        "severity": severity.value,
        "bias": bias.value,
        "rule": rule.strip(),
        "evidence": list(evidence),
        "source": source.strip(),
        "explanation": explanation.strip(),
    }
    if read.audit and name in [caveat.id for caveat in read.audit.caveats]:
        raise BadInput(f"{read.family} has a caveat {name!r} already", remedy="Edit it, or take another id.")
    caveat = _valid(fields)
    _check_words(desk, [title, rule, explanation, source])
    text = read.text or f'schema_version = 1\nfamily = "{read.family}"\n'
    text = with_caveat(text, fields)
    for file, line in anchors:
        text = with_part(text, name, "anchors", _anchor_fields(desk, file, line))
    entry = _entry(desk, CaveatAct.PROPOSE, "", caveat)
    return _written(desk, read, with_part(text, name, "entries", entry))


def edit_caveat(
    desk: ReviewDesk,
    family: str,
    name: str,
    changes: Mapping[str, str | Sequence[str]],
    *,
    why: str = "",
    expected: str | None = None,
) -> AuditText:
    """Change keys of ``EDITABLE``. Who edits cannot confirm, and earlier confirmations no longer count.

    Raises as ``add_caveat``, and BadInput where nothing changes.
    """
    read = _opened(desk, family, expected)
    before = read.caveat(name)
    unknown = sorted(set(changes) - set(EDITABLE))
    if unknown:
        raise BadInput(f"{unknown[0]!r} cannot be edited", remedy=f"One of: {', '.join(EDITABLE)}.")
    held = before.model_dump(mode="json")
    real = {key: _plain(value) for key, value in changes.items() if held[key] != _plain(value)}
    if not real:
        raise BadInput("nothing is changed", where=f"{read.family}/{name}", remedy="Give another value.")
    after = _valid(
        before.model_dump(mode="json", exclude_unset=True) | {k: _plain(v) for k, v in real.items()}
    )
    _check_words(desk, [why, *(value for value in real.values() if isinstance(value, str))])
    text = read.text
    for key, value in real.items():
        text = with_value(text, name, key, value)
    said = f"{', '.join(real)}{': ' + why.strip() if why.strip() else ''}"
    return _written(desk, read, with_part(text, name, "entries", _entry(desk, CaveatAct.EDIT, said, after)))


def act_on_caveat(
    desk: ReviewDesk, family: str, name: str, act: CaveatAct, text: str = "", *, expected: str | None = None
) -> AuditText:
    """Comment on a caveat, confirm, dispute, resolve or retain it; all but a confirmation need words.

    Raises Refused for a confirmation of one's own words or a second one, and as ``add_caveat``.
    """
    if act in (CaveatAct.PROPOSE, CaveatAct.EDIT):
        raise BadInput(f"{act} is not said, it is done", remedy="Add or edit the caveat.")
    read = _opened(desk, family, expected)
    caveat = read.caveat(name)
    if act in _WITH_REASON and len(text.strip()) < 3:
        raise BadInput("words are missing", remedy="Say in a few words what you found, or why.")
    if act == CaveatAct.CONFIRM:
        _require_other(desk, caveat, f"{read.family}/{name}")
    _check_words(desk, [text])
    return _written(desk, read, with_part(read.text, name, "entries", _entry(desk, act, text, caveat)))


def anchor_caveat(
    desk: ReviewDesk, family: str, name: str, file: str, line: int, *, expected: str | None = None
) -> AuditText:
    """Anchor a caveat to a line (from 1) of a file below the content root. Raises as ``add_caveat``."""
    read = _opened(desk, family, expected)
    read.caveat(name)
    return _written(desk, read, with_part(read.text, name, "anchors", _anchor_fields(desk, file, line)))


def link_caveat(
    desk: ReviewDesk, family: str, name: str, link: EvidenceLink, *, expected: str | None = None
) -> AuditText:
    """Link evidence: a run and step, a witness case, a paper, an issue. Raises as ``add_caveat``."""
    read = _opened(desk, family, expected)
    caveat = read.caveat(name)
    cases = [case.id for one in (read.audit.caveats if read.audit else []) for case in one.witness]
    if link.kind == "witness" and link.target not in cases:
        raise BadInput(f"{read.family} has no witness case {link.target!r}", where=caveat.id)
    _check_words(desk, [link.target, link.note])
    fields = link.model_dump(mode="json", exclude_defaults=True)
    return _written(desk, read, with_part(read.text, name, "links", fields))


def _opened(desk: ReviewDesk, family: str, expected: str | None) -> AuditText:
    read = open_audit(desk.content, family)
    require_desk(desk)
    if expected is not None and read.hash != expected:
        raise Refused(
            "was changed by somebody else since you looked at it; nothing was written",
            where=str(read.path),
            remedy="Look at it once more, then make your change again.",
        )
    return read


def _written(desk: ReviewDesk, read: AuditText, text: str) -> AuditText:
    return write_audit(desk.content, desk.data, read, text)


def _entry(desk: ReviewDesk, act: CaveatAct, text: str, caveat: Caveat) -> dict[str, TomlValue]:
    entry = CaveatEntry(
        act=act,
        by=desk.reviewer,
        at=desk.clock.now(),
        text=text.strip(),
        content=caveat.content_hash,
        allowed=desk.allowed.strip(),
    )
    said = {"act": entry.act.value, "by": entry.by, "at": utc_text(entry.at), "text": entry.text}
    said |= {"content": entry.content, "allowed": entry.allowed}
    return {key: value for key, value in said.items() if value}


def _anchor_fields(desk: ReviewDesk, file: str, line: int) -> dict[str, TomlValue]:
    anchor: CaveatAnchor = make_anchor(desk.content, file, line)
    return {key: value for key, value in anchor.model_dump(mode="json").items() if value != ""}


def _require_other(desk: ReviewDesk, caveat: Caveat, where: str) -> None:
    wrote = [entry.by for entry in caveat.entries if entry.act in (CaveatAct.PROPOSE, CaveatAct.EDIT)]
    if desk.reviewer in wrote:
        raise Refused(
            f"{desk.reviewer} proposed or edited this caveat; others confirm it",
            where=where,
            remedy="Ask two reviewers who did not write it.",
        )
    if desk.reviewer in caveat.confirmed_by:
        raise Refused(
            f"{desk.reviewer} has confirmed it already", where=where, remedy="Ask a second reviewer."
        )


def _check_words(desk: ReviewDesk, texts: Sequence[str]) -> None:
    require_no_values("\n".join(texts), lookup=desk.lookup, allowed=desk.allowed)


def _valid(fields: Mapping[str, object]) -> Caveat:
    try:
        caveat = Caveat.model_validate(dict(fields))
    except ValidationError as error:
        raise BadInput(explain(error), remedy="Correct the value named.") from None
    empty = [key for key in ("title", "rule", "source", "explanation") if not getattr(caveat, key).strip()]
    if empty:
        raise BadInput(f"{empty[0]} is empty", remedy="Say it in words.")
    return caveat


def _plain(value: str | Sequence[str]) -> str | list[str]:
    return value.strip() if isinstance(value, str) else list(value)
