"""The steps of a derivation: the CTEs of its one statement, and SQL that gives the rows of one of them."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from workbench.records import BadInput
from workbench.sql.graph import reads
from workbench.sql.parse import parse


def step_names(sql: str) -> list[str]:
    """Names of the CTEs at the top of the first statement, in order, lower-case; empty if there are none."""
    return list(step_spans(sql))


def step_query(sql: str, step: str) -> str:
    """SQL that gives the rows of one step: the statement's own text up to that CTE, and a SELECT of it.

    Raises BadInput naming the steps there are.
    """
    spans = step_spans(sql)
    if step.lower() not in spans:
        raise BadInput(
            f"the statement has no step {step!r}",
            remedy=f"Its steps: {', '.join(spans)}." if spans else "It has no WITH clause.",
        )
    return f'{sql[: spans[step.lower()][1] + 1]}\nSELECT * FROM "{step.lower()}"'


def query_over_steps(sql: str, select: str) -> str:
    """``select`` over steps of the statement ``sql``: the statement's own text up to the last step that it
    reads, and ``select``.

    Raises BadInput where ``select`` reads an unqualified name that is no step.
    """
    spans = step_spans(sql)
    named = {name for name in reads(select) if "." not in name}
    unknown = sorted(named - spans.keys())
    if unknown:
        raise BadInput(
            f"the statement has no step {', '.join(unknown)}",
            remedy=f"Its steps: {', '.join(spans)}." if spans else "It has no WITH clause.",
        )
    end = max((spans[name][1] for name in named), default=-1)
    head = f"{sql[: end + 1]}\n" if named else ""
    return f"{head}{select.strip().rstrip(';')}"


def step_spans(sql: str) -> dict[str, tuple[int, int]]:
    """Each step, in order, with the places in ``sql`` where its name begins and where its last bracket is."""
    statements = parse(sql).statements
    words = list(statements[0].words) if statements else []
    if len(words) < 2 or words[0].token_type is not TokenType.WITH:
        return {}
    place = 2 if words[1].token_type is TokenType.RECURSIVE else 1
    found: dict[str, tuple[int, int]] = {}
    while place < len(words):
        name = words[place]
        place = _body(words, place + 1)
        close = _closing(words, place)
        if close is None:
            break
        found[name.text.lower()] = (name.start, words[close].end)
        if close + 1 >= len(words) or words[close + 1].token_type is not TokenType.COMMA:
            break
        place = close + 2
    return found


def _body(words: list[Token], place: int) -> int:
    """The bracket that opens a query: the first behind AS; a list of columns may stand before that."""
    while place < len(words) and words[place].token_type is not TokenType.ALIAS:
        place += 1
    while place < len(words) and words[place].token_type is not TokenType.L_PAREN:
        place += 1
    return place


def _closing(words: list[Token], place: int) -> int | None:
    depth = 0
    for number, word in enumerate(words[place:], place):
        if word.token_type is TokenType.L_PAREN:
            depth += 1
        elif word.token_type is TokenType.R_PAREN:
            depth -= 1
            if depth == 0:
                return number
    return None
