"""The base of every persisted document."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer, ValidationError

from workbench.records.clock import as_utc, utc_text
from workbench.records.errors import BadInput
from workbench.records.regular_file import read_regular

UtcTime = Annotated[
    datetime, AfterValidator(as_utc), PlainSerializer(utc_text, return_type=str, when_used="json")
]
"""A record time: UTC, written with ``Z``. Clinical times are never this type."""


_MOST_DIGITS = 18
"""Of a whole number in a document: it fits into 64 bits, as indexes and engines hold it."""


def _whole_number(digits: str) -> int:
    if len(digits.lstrip("-")) > _MOST_DIGITS:
        raise ValueError(f"a whole number of more than {_MOST_DIGITS} digits")
    return int(digits)


def _refuse_half_characters(raw: object, text: str | bytes) -> None:
    """``\\ud800`` alone is no character: nothing can write it or print it."""
    written = text.decode("latin-1") if isinstance(text, bytes) else text
    if "\\ud" in written.lower():
        try:
            json.dumps(raw, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("half of a two-part character") from None


class Record(BaseModel):
    """Frozen document; unknown keys are errors, and so are numbers that are not finite.

    ``upgrades`` maps an old schema version to a function that lifts the raw document one
    version up; a document without ``schema_version`` has the version ``1``.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_default=True, defer_build=True, allow_inf_nan=False
    )

    upgrades: ClassVar[dict[int, Any]] = {}
    current_version: ClassVar[int] = 1

    schema_version: int = 1

    @classmethod
    def upgraded(cls, raw: dict[str, Any], where: str) -> dict[str, Any]:
        """The raw document lifted to the current version. Raises BadInput for an unknown version."""
        version = raw.get("schema_version", 1)
        if not isinstance(version, int) or version > cls.current_version:
            raise BadInput(
                f"schema_version {version!r} is not known here (newest known: {cls.current_version})",
                where=where,
                remedy="Update the workbench, or correct schema_version.",
            )
        while version < cls.current_version:
            try:
                raw = cls.upgrades[version](dict(raw))
            except (KeyError, TypeError, ValueError):
                raise BadInput(f"not a valid document of schema_version {version}", where=where) from None
            version += 1
            raw["schema_version"] = version
        return raw

    @classmethod
    def from_raw(cls, raw: dict[str, Any], where: str) -> Self:
        """Validate a raw document; ``where`` names its file in the error.

        Raises BadInput naming every wrong key.
        """
        raw = cls.upgraded(raw, where)
        try:
            return cls.model_validate(raw)
        except ValidationError as error:
            raise BadInput(explain(error), where=where, remedy="Correct the keys named.") from None

    @classmethod
    def from_json(cls, text: str | bytes, where: str) -> Self:
        """Read from JSON text. Raises BadInput."""
        try:
            raw = json.loads(text, parse_int=_whole_number)
            _refuse_half_characters(raw, text)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"not valid JSON ({error})", where=where) from None
        if not isinstance(raw, dict):
            raise BadInput("not a JSON object", where=where)
        return cls.from_raw(raw, where)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a JSON document from disk. Raises BadInput."""
        try:
            text = read_regular(path)
        except OSError as error:
            raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
        return cls.from_json(text, str(path))

    def to_json(self, *, indent: int | None = 2) -> str:
        """Canonical text: keys in declared order, UTF-8, no trailing newline."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=indent)


class Part(BaseModel):
    """A frozen piece inside a record; carries no version of its own."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_default=True, defer_build=True, allow_inf_nan=False
    )


def explain(error: ValidationError) -> str:
    """The validation error as one readable line, without echoing input values."""
    pieces = []
    for item in error.errors(include_input=False, include_url=False):
        place = ".".join(str(step) for step in item["loc"]) or "document"
        pieces.append(f"{place}: {item['msg']}")
    return "; ".join(pieces)
