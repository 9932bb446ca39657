"""The one table of edges: what is planted, how often, for which rule, on whose word (``lists/edges.csv``).

A rate belongs to its unit. ``work-up`` and ``patient`` count patients; ``admission`` the patient's first
admission; ``stay`` the first unit stay; ``second stay`` later stays of an admission; ``later stay`` the only
stay of a patient's second admission (of the third for the topic ``end``), which has no other edge; ``row``
the rows that could carry the edge. ``natural`` edges are not planted: they follow from the course of illness
and have rate 0 here. A patient has at most one ``work-up`` edge, and a later stay one of each topic, whose
ordinary rows it lacks, so that nothing else hides it.
"""

from __future__ import annotations

import csv
from typing import Literal

from workbench.ehr.synthetic.scripts import MIMIC_IV, Recipe
from workbench.records import Part

Unit = Literal["work-up", "patient", "admission", "stay", "second stay", "later stay", "row", "natural"]


class Edge(Part):
    """One edge of charting or of the published rules.

    ``rule`` is the id of a rule of a reference (``-- rule: <id>``), empty where no reference reads what it is
    about, or where it can change no answer; ``source`` is a fact sheet or a row of ``reported_faults.csv``.
    At most one edge of a ``topic`` a stay.
    """

    id: str
    unit: Unit
    rate: float
    topic: str = ""
    rule: str
    what: str
    source: str


def read_edges(recipe: Recipe) -> tuple[Edge, ...]:
    """All edges of one generator, in the order of its table."""
    return tuple(Edge.model_validate(row) for row in csv.DictReader(recipe.list_text("edges").splitlines()))


EDGES = read_edges(MIMIC_IV)
"""The edges of synthetic MIMIC-IV."""
