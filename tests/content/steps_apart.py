"""A reference whose steps lie in tables, so that an edit of it runs only what the edit can reach."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from workbench.ehr import Connection
from workbench.ehr.connect import identifier
from workbench.sql.steps import step_spans

Edit = Callable[[str], str]


@dataclass(frozen=True)
class Step:
    """One CTE: ``text`` is its name, its columns and its query; ``before`` is what stands ahead of it."""

    name: str
    before: str
    text: str


class StepsApart:
    """``schema`` gets a table for each step of ``sql``; unqualified names resolve there from now on."""

    def __init__(self, connection: Connection, schema: str, sql: str) -> None:
        spans = step_spans(sql)
        place = 0
        self._steps = []
        for name, (start, end) in spans.items():
            self._steps.append(Step(name, sql[place:start], sql[start : end + 1]))
            place = end + 1
        self._rest = sql[place:]
        self._connection, self._schema = connection, schema
        connection.execute(f"CREATE SCHEMA {identifier(schema)}")
        connection.execute(f"SET search_path = '{schema}'")
        for step in self._steps:
            table = identifier(step.name)
            connection.execute(
                f"CREATE TABLE {table} AS {self._steps[0].before} {step.text} SELECT * FROM {table}"
            )

    def close(self) -> None:
        """Drop the tables."""
        self._connection.execute("RESET search_path")
        self._connection.execute(f"DROP SCHEMA {identifier(self._schema)} CASCADE")

    def edited(self, edit: Edit) -> str:
        """SQL with the rows of the edited statement: the steps that change, those that name them, the rest.

        Where the edit reaches over the bounds of steps it is the whole statement.
        """
        texts = {step.name: edit(step.text) for step in self._steps}
        rest = edit(self._rest)
        whole = "".join(step.before + step.text for step in self._steps) + self._rest
        if "".join(step.before + texts[step.name] for step in self._steps) + rest != edit(whole):
            return edit(whole)
        touched: list[str] = []
        for step in self._steps:
            if texts[step.name] != step.text or _names(step.text, touched):
                touched.append(step.name)
        if not touched:
            return rest
        return self._steps[0].before + ",\n".join(texts[name] for name in touched) + rest


def _names(text: str, steps: list[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) for name in steps)
