"""A scripted solver that runs where an agent works: follows what it was given, writes what was asked for.

Standard library and duckdb only. Says in rehearsal.json what it followed and what did not fit.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

PLAN = ""
"""JSON in the finished program: database, prompt, answer (statements, then the query), stages."""
DICTIONARY, CHECKS, MACROS = Path("dictionary.md"), Path("check_output.py"), Path("primitives.sql")
FORM, DECLARATION, STAGES = Path("declaration-form.toml"), Path("declaration.toml"), Path("stages")
EXAMPLE, OUTPUT, REPORT = Path("worked-example.md"), Path("output.csv"), Path("rehearsal.json")
CELL = re.compile(r"^\| (`\w+`(?:, `\w+`)*) \|", re.MULTILINE)
"""The first cell of a table's row: one column's name, or those of several that one row explains."""


def section(text: str, title: str) -> str:
    """The text below a heading, up to the next of its level or above."""
    begin = re.search(rf"^(#+) {re.escape(title)}$", text, re.MULTILINE)
    if begin is None:
        return ""
    rest = text[begin.end() :]
    end = re.search(rf"^#{{1,{len(begin[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def columns_in(text: str) -> list[str]:
    """Names in the first cells of the tables of a text, in order."""
    return re.findall(r"`(\w+)`", " ".join(CELL.findall(text)))


class Solver:
    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.followed: list[str] = []
        self.problems: list[str] = []
        self.engine = duckdb.connect()
        self.engine.execute(f"ATTACH '{plan['database']}' AS given (READ_ONLY)")
        listed = self.engine.execute(
            "SELECT schema_name, table_name, column_name FROM duckdb_columns() "
            "WHERE database_name = 'given' AND NOT internal ORDER BY ALL"
        ).fetchall()
        self.catalog: dict[str, set[str]] = {}
        for schema, table, column in listed:
            self.catalog.setdefault(f"{schema}.{table}", set()).add(column)
        self.schemas = sorted({table.split(".")[0] for table in self.catalog})
        for schema in self.schemas:
            self.engine.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
        for table in self.catalog:
            schema, bare = table.split(".")
            self.engine.execute(f'CREATE VIEW "{schema}"."{bare}" AS FROM given."{schema}"."{bare}"')

    def expect(self, holds: object, what: str) -> None:
        if not holds:
            self.problems.append(what)

    def solve(self) -> None:
        columns = columns_in(section(self.plan["prompt"], "Output"))
        self.expect(columns, "the prompt names no output columns")
        *before, query = self.plan["answer"]
        for statement in before:
            self.engine.execute(statement)
        self.engine.execute(f"CREATE TEMP TABLE answer AS {query}")
        picked = ", ".join(f'"{name}"' for name in columns)
        self.engine.execute(f"COPY (SELECT {picked} FROM answer) TO '{OUTPUT}' (HEADER)")
        self.followed.append("instruction")

    def read_dictionary(self) -> None:
        text = DICTIONARY.read_text(encoding="utf-8")
        told: dict[str, set[str]] = {}
        for part in re.split(r"^## `", text, flags=re.MULTILINE)[1:]:
            told[part.split("`", 1)[0]] = set(columns_in(part))
        self.expect(
            told == self.catalog, "the dictionary lists other tables or columns than the database has"
        )
        self.followed.append("dictionary")

    def read_skill(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        front = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
        named = front and re.search(r"^name: (.+)$", front[1], re.MULTILINE)
        self.expect(
            named and named[1] == path.parent.name, f"{path.parent.name}: frontmatter without its name"
        )
        self.places(text, path.parent.name)
        statement = re.search(r"^```sql\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        if statement and "tables that are not in this database" not in text:
            self.engine.execute(f"CREATE TEMP TABLE told AS {statement[1].rstrip().rstrip(';')}")
            names = ", ".join(f'"{name}"' for name in columns_in(section(self.plan["prompt"], "Output")))
            differ = f"(SELECT {names} FROM told EXCEPT ALL SELECT {names} FROM answer)"
            self.expect(
                not self.engine.execute(f"SELECT count(*) FROM {differ}").fetchall()[0][0], "told SQL differs"
            )
            self.followed.append("sql")
        elif statement:
            absent = re.findall(r"^- `([\w.]+)`$", text, re.MULTILINE)
            self.expect(absent and not set(absent) & set(self.catalog), "absent tables are there")
            self.followed.append("absent tables")
        self.followed.append(f"skill {path.parent.name}")

    def places(self, text: str, where: str) -> None:
        """Qualified tables of source schemas that a text names are there."""
        for name in set(re.findall(r"`(\w+\.\w+)`", text)):
            schema = name.split(".")[0]
            if schema in self.plan["sources"]:
                self.expect(name in self.catalog, f"{where}: there is no {name}")

    def run_checks(self) -> None:
        done = subprocess.run([sys.executable, str(CHECKS), str(OUTPUT)], capture_output=True, check=False)
        self.expect(done.returncode == 0, f"{CHECKS} does not pass: {done.stdout.decode()[-300:]}")
        self.followed.append("checks")

    def load_macros(self) -> None:
        macros = duckdb.connect(self.plan["database"], read_only=True)
        macros.execute(MACROS.read_text(encoding="utf-8"))
        found = macros.execute(
            "SELECT count(*) FROM duckdb_functions() WHERE NOT internal AND function_type LIKE '%macro'"
        ).fetchall()[0][0]
        self.expect(found, f"{MACROS} defines nothing")
        self.followed.append("macros")

    def declare(self) -> None:
        form = FORM.read_text(encoding="utf-8")
        fields = tomllib.loads(form)
        filled = [f'{name} = "as the rules say"' for name in fields]
        DECLARATION.write_text("\n".join(filled) + "\n", encoding="utf-8")
        STAGES.mkdir(exist_ok=True)
        asked = re.findall(r"^### `(\w+)`$", self.plan["prompt"], re.MULTILINE)
        self.expect(set(asked) == set(self.plan["stages"]), "the prompt asks for other stages")
        for name, query in self.plan["stages"].items():
            columns = columns_in(section(self.plan["prompt"], f"`{name}`"))
            picked = ", ".join(f'"{column}"' for column in columns)
            self.engine.execute(f"COPY (SELECT {picked} FROM ({query})) TO '{STAGES / name}.csv' (HEADER)")
        self.followed.append("declaration")

    def read_example(self) -> None:
        text = EXAMPLE.read_text(encoding="utf-8")
        for part in re.findall(r"^`(\w+\.\w+)`\n\n(\|.*?\|)$", text, re.MULTILINE):
            columns = {name.strip() for name in part[1].strip("|").split("|")}
            known = self.catalog.get(part[0])
            self.expect(known is None or columns <= known, f"{EXAMPLE}: {part[0]} has no such columns")
            self.expect(
                known is not None or part[0].split(".")[0] not in self.plan["sources"],
                f"{EXAMPLE}: there is no {part[0]}",
            )
        self.followed.append("example")

    def try_step(self, name: str, step: Callable[[], None]) -> None:
        """What fails is told by its first line, and the others are followed all the same."""
        try:
            step()
        except (duckdb.Error, OSError, ValueError, KeyError) as error:
            self.problems.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:200]}")

    def follow(self) -> None:
        self.solve()
        self.places(self.plan["prompt"], "prompt")
        steps: dict[Path, Callable[[], None]] = {
            DICTIONARY: self.read_dictionary,
            CHECKS: self.run_checks,
            MACROS: self.load_macros,
            FORM: self.declare,
            EXAMPLE: self.read_example,
        }
        for file, step in steps.items():
            if file.exists():
                self.try_step(file.name, step)
        for skill in sorted(Path(".agents/skills").glob("*/SKILL.md")):
            self.try_step(skill.parent.name, partial(self.read_skill, skill))
        with OUTPUT.open(encoding="utf-8", newline="") as written:
            self.expect(next(csv.reader(written), []), "the output has no header")


if __name__ == "__main__":
    solver = Solver(json.loads(PLAN))
    solver.follow()
    REPORT.write_text(
        json.dumps({"followed": solver.followed, "problems": solver.problems}), encoding="utf-8"
    )
