"""The reference's own stages over a source: what is wrong with one is told of that one, without a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.ehr import concept_sql_of, load_source
from workbench.ehr.stage_tables import StageTable, write_stage_tables
from workbench.records import DatabaseStages
from workbench.runs import Context

REFERENCE = """
WITH stay AS (SELECT stay_id, subject_id, intime FROM mimiciv_icu.icustays),
doubled AS (SELECT * FROM stay UNION ALL SELECT * FROM stay),
keyless AS (SELECT NULL::INTEGER AS stay_id, subject_id FROM stay),
scored AS (SELECT stay_id, max(gcs) AS gcs FROM mimiciv_derived.gcs GROUP BY stay_id)
SELECT * FROM stay
"""
STAGES = {
    "stays": "SELECT stay_id, subject_id FROM stay",
    "doubled": "SELECT stay_id, subject_id FROM doubled",
    "keyless": "SELECT stay_id, subject_id FROM keyless",
    "lost": "SELECT stay_id, subject_id FROM nowhere",
    "broken": "SELECT stay_id, nothing AS subject_id FROM stay",
    "concept": "SELECT stay_id, gcs AS subject_id FROM scored",
}


@pytest.fixture(scope="module")
def tables(ready_context: Context, tmp_path_factory: pytest.TempPathFactory) -> dict[str, StageTable]:
    context, source = ready_context, ready_context.settings.source
    stages = DatabaseStages.model_validate(
        {
            "database": "mimic-iv",
            "stages": [
                {
                    "name": name,
                    "rows": "r",
                    "keys": [{"name": "stay_id"}],
                    "columns": [{"name": "subject_id", "type": "nominal"}],
                    "sql": sql,
                }
                for name, sql in STAGES.items()
            ],
        }
    )
    found = write_stage_tables(
        context.data,
        load_source(context.data, source),
        stages,
        REFERENCE,
        concept_sql_of("mimic-iv", context.data),
        tmp_path_factory.mktemp("tables"),
    )
    return dict(found)


def test_what_can_be_had(tables: dict[str, StageTable]) -> None:
    assert (tables["stays"].rows, tables["stays"].problem) == (500, "")
    assert tables["concept"].rows > 400, "a concept that the reference reads is built"
    assert all(isinstance(tables[name].file, Path) for name in ("stays", "concept"))


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("doubled", "its SQL gives 500 rows without a key of their own"),
        ("keyless", "its SQL gives 500 rows without a key of their own"),
        ("lost", "the statement has no step nowhere"),
        ("broken", "its SQL does not run (BinderException)"),
    ],
)
def test_what_cannot(tables: dict[str, StageTable], name: str, problem: str) -> None:
    assert tables[name] == StageTable(problem=problem)
