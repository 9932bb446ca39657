"""The one table of edges: what is planted, how often, for which rule, on whose word (``lists/edges.csv``).

A rate belongs to its unit: ``work-up`` and ``patient`` count patients, ``admission``, ``stay`` and ``second stay``
count what they say, ``row`` counts the rows that could carry it. ``natural`` edges are not planted: they follow
from the course of illness and have rate 0 here.
"""

from __future__ import annotations

import csv
from importlib import resources
from typing import Literal

from workbench.records import Part

Unit = Literal["work-up", "patient", "admission", "stay", "second stay", "row", "natural"]


class Edge(Part):
    """One edge of charting or of the published rules.

    ``rule`` is the id of a rule of a reference (``-- rule: <id>``) or empty where no reference is written yet;
    ``source`` is a fact sheet or a row of ``reported_faults.csv``.
    """

    id: str
    unit: Unit
    rate: float
    rule: str
    what: str
    source: str


def _read_edges() -> tuple[Edge, ...]:
    text = (resources.files("workbench.ehr.synthetic") / "lists" / "edges.csv").read_text(encoding="utf-8")
    return tuple(Edge.model_validate(row) for row in csv.DictReader(text.splitlines()))


EDGES = _read_edges()
"""All edges, in the order of the table."""
