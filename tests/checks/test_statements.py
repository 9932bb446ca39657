"""SQL on a database of one's own is bound on its declared types: file, line, and what was meant."""

from __future__ import annotations

import pytest

from workbench.catalog import Content
from workbench.checks import check_content

FOLDER = "tasks/local/pulse"
REFERENCE, NAIVE = "reference.clinic.sql", "naive.clinic.sql"
TASK, CHECKS = "clinic-pulse/task.toml", "output-checks.toml"
ONE = "Write one SELECT"
MEANT = "Did you mean heart_rate"
COUNTS = "[[databases.counts]]"
RELATION = '[[databases.relations]]\nsays = "x"\nsql = "higest > 0"\n\n'

Told = tuple[str, str, str, str, str, str]
FAULTS: list[Told] = [
    # file, what is replaced, by what, the line's words, what is told, what to do
    (REFERENCE, "GROUP BY", "GRUOP BY", "GRUOP BY", 'syntax error at or near "BY"', ONE),
    (REFERENCE, "GROUP BY stay_id", "GROUP BY stay_id;\nSELECT 1", "SELECT 1", "2 statements", ONE),
    (REFERENCE, "heart_rate AS", "hart_rate AS", "hart_rate AS", 'column "hart_rate" not found', MEANT),
    (REFERENCE, "main.vital_signs", "read_csv('/tmp/x.csv')", "/tmp/x.csv", "reads the file /tmp/x.csv", ONE),
    (NAIVE, "avg(heart_rate)", "avg(hart_rate)", "hart_rate", 'column "hart_rate" not found', MEANT),
    (NAIVE, "main.vital_signs", "'/tmp/x.csv'", "/tmp/x.csv", "reads the file /tmp/x.csv", ONE),
    (TASK, '"highest"', '"higest"', "higest", f"{REFERENCE} gives no column: higest", "mean highest?"),
    (CHECKS, "DISTINCT stay_id", "DISTINCT stayid", "stayid", "cohort: Referenced column", "stay_id?"),
    (CHECKS, "count(heart_rate)", "count(hart_rate)", "hart_rate", "count 'values of heart rate': ", MEANT),
    (CHECKS, COUNTS, RELATION + COUNTS, "higest", "relation 'x': Referenced column", "mean highest?"),
]  # fmt: skip


@pytest.mark.parametrize("told", FAULTS, ids=[f"{fault[0]} {fault[2][:20]}" for fault in FAULTS])
def test_a_fault_is_told_with_line_and_remedy(small: Content, told: Told) -> None:
    file, old, new, words, what, remedy = told
    path = small.paths.root / FOLDER / file
    path.write_text(path.read_text().replace(old, new))
    line = next(number for number, text in enumerate(path.read_text().splitlines(), 1) if words in text)
    found = [item for item in check_content(small) if item.where == f"{FOLDER}/{file}" and what in item.what]
    assert [item.line for item in found][:1] == [line]
    assert remedy in found[0].remedy


def test_without_a_reference_there_is_one_finding_that_names_it(small: Content) -> None:
    (small.paths.root / FOLDER / REFERENCE).unlink()
    found = [(item.where, item.what) for item in check_content(small) if "pulse" in item.where]
    assert found == [(f"{FOLDER}/{REFERENCE}", "there is no reference SQL")]
