"""The SQL that an agent's answer came from, out of all that its log shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.records import OUTPUT_NAME, Step
from workbench.sql import reads, tables
from workbench.trajectories.statements import step_statements
from workbench.trajectories.step_text import raw_code

LEAST_CHARACTERS = 40
"""A shorter statement looks at data and derives nothing."""
MOST_MADE = 60
"""Tables and views of the run that are followed from the answer back."""


@dataclass(frozen=True)
class FinalSql:
    """``sql``: a script that gives the answer, tables and views that the run made before it first; ``step``:
    where its last statement stands; ``names_output``: the call that holds it names the output file, else it
    is the longest query of the run."""

    sql: str
    step: int
    names_output: bool


@dataclass(frozen=True)
class _Piece:
    step: int
    call_id: str
    sql: str
    names_output: bool


def final_sql(steps: Iterable[Step], output: str = OUTPUT_NAME) -> FinalSql | None:
    """The SQL of the last call that names the output file and holds a query; None for a log without a query.

    A script that is written first and executed later counts where it is written: there its text is.
    """
    pieces = [piece for step in steps for piece in _pieces(step, output)]
    queries = [piece for piece in pieces if _is_query(piece.sql)]
    if not queries:
        return None
    named = [piece for piece in queries if piece.names_output]
    last = named[-1] if named else max(queries, key=lambda piece: (len(piece.sql), piece.step))
    own = [piece for piece in pieces if (piece.step, piece.call_id) == (last.step, last.call_id)]
    if not named:
        own = [last]
    before = pieces[: pieces.index(own[0])]
    script = ";\n\n".join(piece.sql.strip().rstrip(";") for piece in [*_made_for(own, before), *own])
    return FinalSql(script + "\n", last.step, bool(named))


def _pieces(step: Step, output: str) -> Iterator[_Piece]:
    naming = {
        call.call_id
        for call in step.calls
        if any(output in text for text in raw_code({"calls": [call.model_dump(mode="json")]}))
    }
    for statement in step_statements(step):
        yield _Piece(step.number, statement.call_id, statement.sql, statement.call_id in naming)


def _is_query(sql: str) -> bool:
    return len(sql) >= LEAST_CHARACTERS and "select" in sql.lower()


def _made_for(own: list[_Piece], before: list[_Piece]) -> list[_Piece]:
    """Statements that made the tables and views which the answer reads, in the order of the run."""
    makers: dict[str, _Piece] = {}
    for piece in before:
        makers.update(dict.fromkeys(tables(piece.sql).creates, piece))
    wanted = [name for piece in own for name in reads(piece.sql)]
    known = {name for piece in own for name in tables(piece.sql).creates}
    chosen: dict[int, _Piece] = {}
    while wanted and len(chosen) < MOST_MADE:
        name = wanted.pop()
        maker = makers.get(name)
        if maker is None or name in known:
            continue
        known.add(name)
        chosen[before.index(maker)] = maker
        wanted += reads(maker.sql)
    return [chosen[place] for place in sorted(chosen)]
