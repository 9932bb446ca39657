"""Every edge of the table is planted, at its rate, and belongs to a rule or a report that exists."""

import csv
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr import make_synthetic
from workbench.ehr.source_views import open_source
from workbench.ehr.synthetic import EDGES, edges_present
from workbench.records import DataPaths, Source

FAMILY = "suspicion-infection"
UNREAD = {
    "antibiotic-one-minute",
    "height-implausible",
    "height-inches-only",
    "intracranial-pressure-at-limits",
}
"""Edges without a rule: heights, pressures in the head; infused antibiotics, which an extension reads."""
SHARED = Path(__file__).resolve().parents[2].parent / "shared"


@pytest.fixture(scope="module")
def found(shared_home: DataPaths, synthetic: Source) -> dict[str, int]:
    with open_source(shared_home, synthetic) as connection:
        return edges_present(connection)


def test_the_table_of_edges_is_well_formed() -> None:
    assert [edge for edge, times in Counter(edge.id for edge in EDGES).items() if times > 1] == []
    assert [edge.id for edge in EDGES if (edge.rate == 0) != (edge.unit == "natural")] == []
    assert sum(edge.rate for edge in EDGES if edge.unit == "work-up") < 0.5
    assert [edge.id for edge in EDGES if (edge.unit == "later stay") != bool(edge.topic)] == []


def test_edges_of_a_topic_take_turns() -> None:
    """All of a topic have one rate, so low that a run of stays has a place for each."""
    topics = defaultdict(list)
    for edge in EDGES:
        topics[edge.topic].append(edge.rate)
    del topics[""]
    assert [topic for topic, rates in topics.items() if len(set(rates)) > 1] == []
    assert [topic for topic, rates in topics.items() if len(rates) > round(1 / rates[0])] == []


def test_every_edge_occurs_in_500_stays(found: dict[str, int]) -> None:
    assert {edge for edge, count in found.items() if count == 0} == set()
    assert set(found) == {edge.id for edge in EDGES}


def test_every_rule_of_the_reference_has_an_edge_and_no_edge_an_unknown_rule(content: Content) -> None:
    sql = content.reference_sql(FAMILY, "public-code", "mimic-iv")
    rules = set(re.findall(r"-- rule: (\S+)", sql))
    named = {edge.rule for edge in EDGES if edge.rule}
    assert rules <= named
    references = (
        content.reference_sql(task.family, "public-code", task.database)
        for task in content.tasks()
        if task.database == "mimic-iv"
    )
    assert named <= {rule for text in references for rule in re.findall(r"rule: ([a-z0-9-]+)", text)}
    assert {edge.id for edge in EDGES if not edge.rule} == UNREAD


def test_every_source_of_an_edge_exists() -> None:
    faults = SHARED / "data" / "clinical" / "reported_faults.csv"
    sheets = SHARED / "docs" / "clinical"
    if not faults.is_file() or not sheets.is_dir():
        pytest.skip("the fact sheets are not beside the project (../shared)")
    with faults.open(encoding="utf-8", newline="") as file:
        known = {row["id"] for row in csv.DictReader(file)} | {path.name for path in sheets.iterdir()}
    assert {edge.source for edge in EDGES} <= known


def test_rates_hold_and_edges_grow_with_the_number_of_stays(
    found: dict[str, int], synthetic: Source, tmp_path: Path
) -> None:
    """Per patient, planted edges are as frequent in a fifth of the stays; an edge may be missing there."""
    data = DataPaths(tmp_path / "home")
    small = make_synthetic(data, 100, 1)
    with open_source(data, small) as connection:
        few = edges_present(connection)
    planted = [edge.id for edge in EDGES if edge.unit in ("work-up", "stay")]
    ratio = sum(few[edge] for edge in planted) / sum(found[edge] for edge in planted)
    assert 0.12 < ratio < 0.30
    for edge, at_least, at_most in [
        ("weight-800-kg", 3, 8),
        ("vasopressor-rate-zero", 3, 8),
        ("culture-equal-minute", 1, 8),
        ("organism-empty-name", 1, 6),
    ]:
        assert at_least <= found[edge] <= at_most


def test_every_edge_is_in_the_documentation() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "synthetic-data.md").read_text(encoding="utf-8")
    assert {edge.id for edge in EDGES if f"`{edge.id}`" not in text} == set()
