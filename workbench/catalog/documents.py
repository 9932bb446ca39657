"""Files written by hand into records; every error says the file, the line and the nearest right key."""

from __future__ import annotations

import errno
import pickle
import re
import tomllib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from workbench.catalog.names import did_you_mean
from workbench.catalog.toml_lines import line_of
from workbench.records import BadInput, Record, parse_toml, read_regular

MAX_BYTES = 8_000_000
"""A hand-written file of more is a mistake."""

_POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")

Document = TypeVar("Document", bound=Record)
Reader = Callable[[Path], str]
"""Gives the text of a file, as ``read_text`` does or changed."""


def read_text(path: Path) -> str:
    """UTF-8 text with ``\\n`` line ends. Raises BadInput: missing, not a file, too large, not UTF-8."""
    try:
        content = read_regular(path, MAX_BYTES)
    except FileNotFoundError:
        raise BadInput("there is no such file", where=str(path)) from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise BadInput(f"is too large (at most {MAX_BYTES} bytes)", where=str(path)) from None
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadInput("not UTF-8 text", where=f"{path}, line {line}", remedy="Save it as UTF-8.") from None
    if text.startswith("\ufeff"):
        raise BadInput(
            "starts with a byte order mark", where=f"{path}, line 1", remedy="Save it as UTF-8 without."
        )
    return text.replace("\r\n", "\n")


def read_toml(path: Path, model: type[Document], read: Reader = read_text) -> Document:
    """Read and check a TOML document. Raises BadInput with the line of the first problem."""
    text = read(path)
    try:
        raw = pickle.loads(_parsed(text))
    except tomllib.TOMLDecodeError as error:
        place = _POSITION.search(str(error))
        what = f"not valid TOML: {_POSITION.sub('', str(error))}"
        if place is None:
            raise BadInput(what, where=str(path), remedy="Correct it.") from None
        line = int(place[1]) if place[1] else text.count("\n") + 1
        raise BadInput(what, where=f"{path}, line {line}", remedy="Correct the line.") from None
    try:
        return model.model_validate(model.upgraded(raw, str(path)))
    except ValidationError as error:
        items = sorted(
            _items(error), key=lambda item: (item["type"] == "missing", line_of(text, item["loc"]))
        )
        problems = [(line_of(text, item["loc"]), _problem(item, model)) for item in items]
        line = problems[0][0]
        told = [what if at == line else f"{what} (line {at})" for at, what in problems]
        raise BadInput(
            "; ".join(told), where=f"{path}, line {line}", remedy="Correct the keys named."
        ) from None


@lru_cache(maxsize=256)
def _parsed(text: str) -> bytes:
    """The document as a pickle: loading that takes a small part of the time of reading TOML, and what a
    caller does to its copy stays there.
    """
    return pickle.dumps(parse_toml(text), pickle.HIGHEST_PROTOCOL)


def _items(error: ValidationError) -> Sequence[Any]:
    return error.errors(include_input=False, include_url=False, include_context=False)


def _problem(item: Any, model: type[BaseModel]) -> str:
    place = ".".join(str(step) for step in item["loc"]) or "document"
    if item["type"] == "extra_forbidden":
        hint = did_you_mean(str(item["loc"][-1]), _keys(model, item["loc"][:-1]))
        return f"unknown key {place!r}{f'. {hint}' if hint else ''}"
    if item["type"] == "missing":
        return f"key {place!r} is missing"
    return f"{place}: {item['msg'].removeprefix('Value error, ')}"


def _keys(model: type[BaseModel], location: Sequence[str | int]) -> list[str]:
    """Keys allowed at ``location`` of a document of ``model``."""
    for step in location:
        if isinstance(step, int):
            continue
        field = model.model_fields.get(step)
        inner = _model_in(field.annotation) if field else None
        if inner is None:
            return []
        model = inner
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
