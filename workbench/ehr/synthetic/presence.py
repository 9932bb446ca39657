"""Counts every edge in data: what tests and the documentation use."""

from __future__ import annotations

import csv
from collections import defaultdict

from workbench.ehr.connect import Connection, identifier, rows
from workbench.ehr.synthetic.scripts import MIMIC_IV, Recipe


def edges_present(connection: Connection, recipe: Recipe = MIMIC_IV) -> dict[str, int]:
    """Rows that carry each edge, by edge id, in the order of ``lists/presence.csv``.

    ``connection`` sees the tables under their published names. Nothing else is read, so that any source can
    be counted; one statement a relation.
    """
    conditions: dict[str, dict[str, str]] = defaultdict(dict)
    listed = list(csv.DictReader(recipe.list_text("presence").splitlines()))
    for line in listed:
        conditions[line["relation"]][line["edge"]] = line["condition"]
    shared = recipe.script("presence")
    found: dict[str, int] = {}
    for relation, wanted in conditions.items():
        columns = [f"edge_{place}" for place in range(len(wanted))]
        marked = ",\n    ".join(
            f"({condition}) AS {column}" for column, condition in zip(columns, wanted.values(), strict=True)
        )
        counts = ",\n  ".join(f"count(*) FILTER ({column})" for column in columns)
        answer = rows(
            connection,
            f"{shared}\nSELECT\n  {counts}\nFROM (\n  SELECT\n    {marked}\n  FROM {identifier(relation)}\n)",
        )[0]
        found.update(zip(wanted, (int(str(number)) for number in answer), strict=True))
    return {line["edge"]: found[line["edge"]] for line in listed}
