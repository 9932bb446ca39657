"""Parts of two scripts that are alike are found whatever their names."""

from __future__ import annotations

from workbench.sql import aligned, tree_likeness

FIRST = """
WITH abx AS (SELECT subject_id, max(starttime) AS t FROM s.drugs WHERE route = 'IV' GROUP BY subject_id),
cul AS (SELECT id, min(charttime) AS t, count(*) AS n FROM s.micro WHERE spec IS NOT NULL GROUP BY id)
SELECT abx.subject_id, CASE WHEN cul.t IS NULL THEN 0 ELSE 1 END AS flag
FROM abx LEFT JOIN cul ON abx.subject_id = cul.id AND abx.t BETWEEN cul.t AND cul.t + INTERVAL 72 HOUR
"""
SECOND = FIRST.replace("abx", "a").replace("cul", "b").replace("72", "48").replace("subject_id", "pid")
OTHER = "SELECT x, row_number() OVER (PARTITION BY y ORDER BY z) AS n, sum(v) / count(v) FROM t QUALIFY n = 1"


def test_names_and_literals_make_no_difference_to_shapes() -> None:
    assert tree_likeness(FIRST, SECOND) == 1.0
    assert tree_likeness(FIRST, OTHER) < 0.5
    assert tree_likeness("", FIRST) == tree_likeness("", "") == 0.0
    assert tree_likeness("SELECT ((", FIRST) == 0.0


def test_each_part_stands_beside_its_nearest() -> None:
    found = {item.part: item for item in aligned(FIRST, SECOND)}
    assert {name: item.nearest for name, item in found.items()} == {"abx": "a", "cul": "b", "query": "query"}
    assert all(item.likeness == 1.0 for item in found.values())
    assert (found["abx"].line, found["cul"].line) == (2, 3)
    assert aligned(FIRST, "") and all(item.likeness == 0.0 for item in aligned(FIRST, ""))
