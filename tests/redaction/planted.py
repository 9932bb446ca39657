"""Logs of every format with values of a source, and secrets, planted in all carriers; and what survives.

``planted_logs`` draws identifiers, times, measured values and free text from a source's Parquet files and
lets the emitters write them. ``survivors`` says which of them a released text still tells. Neither uses any
code of the product.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import spelled_carriers
from benchmark_emitters import CARRIES, EMITTERS
from drawn_values import Cell, Draw, Table, load_pool
from emitters import Move, Session
from planted_secrets import Secret, SecretDraw, person_lines, secret_lines
from readable import Planted, Readable, spellings_of
from table_carriers import TABLES, as_row_quote, duckdb_box

ROWS = 2
PLACES = (
    "prose",
    "command",
    "reasoning",
    "content",
    "final",
    "arguments",
    "todo",
    "prompt",
    "result",
    "path",
    "asked",
)
"""Where an agent's own words stand. ``output`` comes beside them."""
ONE_LINE = frozenset({"todo", "path"})
OUTPUT_ONLY = frozenset({"uname", "ls_owner", "ps_line", "passwd_line", "cron", "prompt"})
"""Persons and machines that are told only by what a tool prints."""
FILE_NAMES = frozenset({"file_name", "partition_folder", "file_time", "compact_date"})
"""Carriers that are the path of a file that the agent writes, where a format has that."""
NAMELESS = frozenset({"tuples"})
"""Prints without the names of columns, where a mere row number says nothing."""
NEEDS = {**{place: place for place in (*PLACES, "output")}, "result": "arguments"}
"""Place to the part of a move that it needs."""


@dataclass(frozen=True)
class PlantedLog:
    """One log and all that must not be told by what is released of it."""

    format: str
    data: bytes
    planted: list[Planted]
    seed: int


@dataclass
class _Writing:
    """A log in the making."""

    format: str
    moves: list[Move] = field(default_factory=list)
    final: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    planted: list[Planted] = field(default_factory=list)
    turn: int = 0

    def place_for(self, text: str, wanted: str = "") -> str:
        """The next place that this format has and that the text fits in."""
        for _ in range(len(PLACES)):
            place = wanted or PLACES[self.turn % len(PLACES)]
            self.turn += 1
            if place == "path" and not text.startswith("/"):
                place = "prose"
            if place in ONE_LINE and "\n" in text:
                place = "prose"
            if place == "final" or NEEDS[place] in CARRIES[self.format]:
                return place
            wanted = ""
        return "final"

    def put(self, place: str, text: str) -> None:
        """Write a text where an agent would have it."""
        made = {
            "prose": lambda: Move(prose=f"Here is what I found:\n\n{text}\n\nI go on with the next check."),
            "reasoning": lambda: Move(
                reasoning=f"Let me think. The result says:\n{text}\nSo the join is right."
            ),
            "command": lambda: Move(command=_as_command(text)),
            "output": lambda: Move(command="python /workspace/show.py", output=text),
            "content": lambda: Move(path="/workspace/notes.md", content=f"# Notes\n\n{text}\n"),
            "path": lambda: Move(path=text, content="made by derive.py\n"),
            "arguments": lambda: Move(arguments={"query": text, "limit": 5}, result="ok"),
            "result": lambda: Move(arguments={"query": "the last rows", "limit": 5}, result=text),
            "todo": lambda: Move(todo=("Read the tables", text, "Write the SQL")),
            "prompt": lambda: Move(prompt=f"You check one thing only. {text}"),
        }
        if place == "final":
            self.final.append(text)
        elif place == "asked":
            self.asked.append(text)
        else:
            self.moves.append(made[place]())

    def show(self, text: str) -> None:
        """An output, where the format has one."""
        if "output" in CARRIES[self.format]:
            self.moves.append(Move(command="duckdb mimic.duckdb < /workspace/look.sql", output=text))

    def plant(self, cells: Iterable[Cell], carrier: str, place: str) -> None:
        for cell in cells:
            if cell.kind:
                forms = spellings_of(cell.plain, cell.kind)
                self.planted.append(Planted(cell.plain, cell.kind, carrier, forms, place))


def _as_command(text: str) -> str:
    """A text inside a shell command as an agent would put it there."""
    if text.startswith(
        ("python", "curl", "for ", "export", "git ", "jq ", "echo ", "ssh ", "scp ", "PGPASSWORD")
    ):
        return text
    if "SELECT" in text and "'" not in text and "\n" not in text:
        return f"duckdb mimic.duckdb -c '{text}'"
    return f"cat > /workspace/note.txt <<'END'\n{text}\nEND"


def _shown(table: Table, text: str) -> list[Cell]:
    """The cells that a print shows whole; it may have left rows or columns out."""
    unescaped = text.replace("\\", "")
    return [
        cell
        for cell in table.cells()
        if cell.kind
        and any(form in unescaped for form in (cell.plain, cell.plain.replace(" ", "T"), repr(cell.value)))
    ]


def _plant_tables(log: _Writing, draw: Draw) -> None:
    for name, render in TABLES.items():
        table = draw.table(ROWS, strong=name in NAMELESS)
        text = render(table)
        if "output" in CARRIES[log.format]:
            log.put("output", text)
            log.plant(_shown(table, text), name, "output")
        table = draw.table(ROWS, strong=name in NAMELESS)
        text = render(table)
        place = log.place_for(text)
        log.show(duckdb_box(table))
        log.put(place, text)
        log.plant(_shown(table, text), name, place)


def _plant_one(log: _Writing, cell: Cell | None, name: str, render: spelled_carriers.One) -> None:
    if cell is None:
        return
    text = render(cell)
    place = log.place_for(text, "path" if name in FILE_NAMES else "")
    log.show(f"{cell.column}\n{cell.plain}")
    log.put(place, text)
    log.plant([cell], name, place)


def _plant_spellings(log: _Writing, draw: Draw) -> None:
    for name, render in spelled_carriers.IDENTIFIERS.items():
        _plant_one(log, draw.cell("identifier"), name, render)
    for name, render_all in spelled_carriers.IN_LISTS.items():
        first = draw.cell("identifier")
        cells = [first] if first else []
        for _ in range(40):
            other = draw.cell("identifier")
            if other and first and other.column == first.column and len(cells) < 3:
                cells.append(other)
            if len(cells) == 3:
                break
        text = render_all(cells)
        place = log.place_for(text)
        log.show("\n".join([cells[0].column, *(cell.plain for cell in cells)]))
        log.put(place, text)
        log.plant(cells, name, place)
    for name, render in spelled_carriers.TIMES.items():
        wanted = "date" if name in ("python_date", "compact_date") else "timestamp"
        _plant_one(log, draw.cell(wanted) or draw.cell("timestamp"), name, render)
    for name, render in spelled_carriers.MEASURED.items():
        _plant_one(log, draw.cell("measured"), name, render)


def _plant_words(log: _Writing, draw: Draw) -> None:
    """Rows in sentences, and free text of an observation that the agent repeats."""
    for place in ("prose", "reasoning", "final", "prompt"):
        place = log.place_for("", place)
        table = draw.table(1)
        log.show(duckdb_box(table))
        log.put(place, f"The row says {as_row_quote(table.rows[0])}; that is the only one.")
        log.plant(table.cells(), "row_in_prose", place)
        note = draw.note()
        log.show(f"note\n{note}")
        log.put(place, f'The note reads "{note}", so I count it.')
        log.planted.append(Planted(note, "text", "note_quoted", (note,), place))
        if "output" in CARRIES[log.format]:
            note = draw.note()
            log.put("output", json.dumps({"text": note}))
            log.planted.append(Planted(note, "text", "note_in_output", (note,), "output"))


def _plant_secrets(log: _Writing, secrets: Iterable[Secret]) -> None:
    for secret in secrets:
        place = "output" if secret.carrier in OUTPUT_ONLY or log.turn % 3 == 0 else ""
        log.turn += place == "output"
        if place == "output" and "output" not in CARRIES[log.format]:
            if secret.carrier in OUTPUT_ONLY:
                continue
            place = ""
        place = place or log.place_for(secret.text)
        if not (log.planted and log.planted[-1].carrier == secret.carrier and secret.kind == "host"):
            log.put(place, secret.text)
        else:
            place = log.planted[-1].place
        kind = "secret" if secret.kind == "secret" else secret.kind
        log.planted.append(Planted(secret.value, kind, secret.carrier, secret.pieces, place))


def _log(format: str, draw: Draw, seed: int) -> PlantedLog:
    log = _Writing(format, turn=seed)
    _plant_tables(log, draw)
    _plant_spellings(log, draw)
    _plant_words(log, draw)
    _plant_secrets(log, secret_lines(seed))
    _plant_secrets(log, person_lines(seed))
    return _written(log, seed)


def _written(log: _Writing, seed: int) -> PlantedLog:
    """The log as its format has it, with a person's home, name and machine in what surrounds the steps."""
    draw = SecretDraw(seed + 2_000_000)
    owner, user, host = draw.name(), draw.name(), draw.host()
    asked = "Derive one row a stay into /workspace/result.parquet, as the specification says."
    session = Session(
        asked="\n".join([asked, *log.asked]),
        moves=tuple(log.moves),
        final="\n\n".join([*log.final, "Done: /workspace/result.parquet is written."]),
        cwd=f"/home/{owner}/icu",
        user=user,
        host=host,
        seed=seed,
    )
    data = EMITTERS[log.format](session)
    for kind, value in (("home", owner), ("name", user), ("host", host)):
        if value.encode() in data:
            log.planted.append(Planted(value, kind, "envelope", (value,), "envelope"))
    return PlantedLog(log.format, data, log.planted, seed)


def planted_logs(source_folder: Path, seed: int) -> list[PlantedLog]:
    """One log a format, each with its own values of the MIMIC-IV or eICU-CRD source at ``source_folder``."""
    pool = load_pool(source_folder, seed)
    return [_log(name, Draw(pool, seed * 100 + at), seed * 100 + at) for at, name in enumerate(EMITTERS)]


def survivors(released_text: str, log: PlantedLog) -> list[Planted]:
    """What of ``log.planted`` a text still tells: plain, spelled otherwise or in encoded stretches."""
    readable = Readable(released_text)
    return [planted for planted in log.planted if readable.has(planted)]


def counted(logs: Iterable[PlantedLog]) -> Iterator[tuple[str, str, str, int]]:
    """Format, carrier, kind and number of planted values."""
    counts: dict[tuple[str, str, str], int] = {}
    for log in logs:
        for planted in log.planted:
            key = (log.format, planted.carrier, planted.kind)
            counts[key] = counts.get(key, 0) + 1
    yield from ((*key, count) for key, count in sorted(counts.items()))
