"""The strings of ``must_stay.toml``: what a redaction leaves alone, and look-alikes that have to go."""

from __future__ import annotations

import tomllib
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchmark_emitters import CARRIES, EMITTERS
from drawn_values import Cell, Draw, load_pool
from emitters import Move, Session
from planted import PlantedLog
from planted_secrets import SecretDraw, pieces_of
from readable import Planted, Readable, spellings_of

QUOTE = "'\"'\"'"
"""A single quote inside single quotes of a shell."""
LIST = Path(__file__).with_name("must_stay.toml")


@dataclass(frozen=True)
class Stay:
    """One string; ``place`` is prose, command or sql."""

    text: str
    place: str
    why: str


@dataclass(frozen=True)
class Go:
    """A look-alike of ``like``; ``text`` has places for values of the source."""

    text: str
    place: str
    like: str


def must_stay() -> list[Stay]:
    """All strings that stay."""
    groups = tomllib.loads(LIST.read_text("utf-8"))["stay"]
    return [Stay(text, group["place"], group["why"]) for group in groups for text in group["texts"]]


def must_go() -> list[Go]:
    """All look-alikes."""
    return [
        Go(entry["text"], entry["place"], entry["like"])
        for entry in tomllib.loads(LIST.read_text("utf-8"))["go"]
    ]


def _move(place: str, text: str) -> Move:
    if place == "prose":
        return Move(prose=text)
    if place == "sql":
        return Move(command=f"duckdb /data/mimic.duckdb <<'SQL'\n{text}\nSQL")
    return Move(command=text)


def stay_log(format: str) -> bytes:
    """A log of a format whose agent says and runs all that has to stay, and whose tools print nothing.

    Where a format has only last words (``gemini-json``), all of it is there.
    """
    strings = must_stay()
    if "prose" not in CARRIES[format]:
        return EMITTERS[format](Session("Derive it.", (), "\n\n".join(stay.text for stay in strings)))
    moves = tuple(_move(stay.place, stay.text) for stay in strings)
    return EMITTERS[format](Session("Derive it.", moves, "Done."))


def lost(released_text: str) -> list[Stay]:
    """The strings that a released text no longer has, in any layer of its escaping or shell quoting."""
    layers = [form for layer in Readable(released_text).layers for form in (layer, layer.replace(QUOTE, "'"))]
    return [stay for stay in must_stay() if not any(stay.text in layer for layer in layers)]


def go_log(source_folder: Path, seed: int, format: str) -> PlantedLog:
    """A log with a look-alike a step, each with its own value of the source, which an output showed before.

    Look-alikes of times are left out for a database without times.
    """
    draw = Draw(load_pool(source_folder, seed), seed)
    secrets = SecretDraw(seed)
    moves: list[Move] = []
    planted: list[Planted] = []
    for go in must_go():
        kinds = {
            "identifier": ("{identifier}", "{hexadecimal}", "{grouped}", "{base64}"),
            "timestamp": ("{time}", "{day}", "{written}"),
            "measured": ("{measured}",),
        }
        kind = next((name for name, marks in kinds.items() if any(mark in go.text for mark in marks)), "")
        cell = draw.cell(kind) if kind else None
        if kind and cell is None:
            continue
        name, secret = secrets.name(), secrets.prefixed("openai")
        text = _filled(go.text, cell, name, secret)
        if cell is not None:
            moves.append(
                Move(command="duckdb /data/mimic.duckdb < look.sql", output=f"{cell.column}\n{cell.plain}")
            )
            forms = spellings_of(cell.plain, cell.kind)
            planted.append(Planted(cell.plain, cell.kind, "look-alike", forms, go.place))
        if "{name}" in go.text:
            planted.append(Planted(name, "name", "look-alike", (name,), go.place))
        if "{secret}" in go.text:
            planted.append(Planted(secret, "secret", "look-alike", pieces_of(secret[3:]), go.place))
        moves.append(_move(go.place, text))
    return PlantedLog(format, EMITTERS[format](Session("Derive it.", tuple(moves), "Done.")), planted, seed)


def _filled(text: str, cell: Cell | None, name: str, secret: str) -> str:
    values = {"name": name, "secret": secret}
    if cell is not None:
        values |= {
            "column": cell.column,
            "identifier": cell.plain,
            "time": cell.plain,
            "measured": cell.plain,
        }
        values["base64"] = b64encode(cell.plain.encode()).decode()
        if cell.plain.isdigit():
            values |= {"hexadecimal": f"{int(cell.plain):#x}", "grouped": f"{int(cell.plain):_}"}
        if isinstance(cell.value, datetime):
            values |= {"day": f"{cell.value:%Y-%m-%d}", "written": f"{cell.value.day} {cell.value:%B %Y}"}
    for mark, value in values.items():
        text = text.replace("{" + mark + "}", value)
    return text
