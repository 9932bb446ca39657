"""Stages of all families: they can be computed, equal themselves, and a planted divergence is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import pinned
from laboratory import mutations, targets

from workbench.catalog import Content
from workbench.ehr import connect
from workbench.ehr.stage_tables import StageTable, write_stage_tables
from workbench.records import DatabaseStages, DataPaths, Source, StageScore
from workbench.scoring import first_diverging, score_stages

FAMILIES = sorted({(family, database) for family, database, _ in targets()})
Tables = Mapping[str, StageTable]


@pytest.fixture(scope="module")
def written(
    content: Content,
    shared_home: DataPaths,
    source_of: Callable[[str], Source],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[..., Tables]:
    """The tables of a family's stages over the synthetic source, from its reference or another one."""

    made: dict[tuple[str, str, str], Tables] = {}

    def write(family: str, database: str, sql: str = "") -> Tables:
        if (family, database, sql) not in made:
            stages = content.files(family).stages().required(database)
            reference = sql or content.reference_sql(family, "public-code", database)
            concept_sql = pinned(database, shared_home)
            folder = tmp_path_factory.mktemp(family)
            made[family, database, sql] = write_stage_tables(
                shared_home, source_of(database), stages, reference, concept_sql, folder
            )
        return made[family, database, sql]

    return write


def as_an_agent_writes(tables: Tables, folder: Path) -> None:
    """Each table as CSV, in no order."""
    folder.mkdir()
    with connect() as connection:
        for name, table in tables.items():
            connection.execute(
                f"COPY (FROM '{table.file}' ORDER BY random()) TO '{folder / name}.csv' (HEADER)"
            )


def scored(folder: Path, stages: DatabaseStages, tables: Tables) -> list[StageScore]:
    return score_stages(folder, stages, tables)


@pytest.mark.parametrize(("family", "database"), FAMILIES)
def test_stages_hold_and_a_planted_divergence_is_named(
    content: Content, written: Callable[..., Tables], tmp_path: Path, family: str, database: str
) -> None:
    stages = content.files(family).stages().required(database)
    tables = written(family, database)
    assert {name: table.problem for name, table in tables.items()} == {s.name: "" for s in stages.stages}
    assert all(table.rows > 20 for table in tables.values()), {n: t.rows for n, t in tables.items()}
    own = tmp_path / "stages"
    as_an_agent_writes(tables, own)
    assert [stage.summary for stage in scored(own, stages, tables)] == ["equal  1.000"] * len(stages.stages)
    names = [stage.name for stage in stages.stages]
    for place in reversed(range(len(names))):
        file = own / f"{names[place]}.csv"
        file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
        found = scored(own, stages, tables)
        assert [stage.name for stage in found if stage.rate != 1] == names[place:]
        assert first_diverging(found, 1.0) == names[place]
    with connect() as connection:
        for stage in stages.stages:
            for column in stage.columns:
                (values,) = connection.execute(
                    f'SELECT count(DISTINCT "{column.name}") FROM read_parquet(?)',
                    [str(tables[stage.name].file)],
                ).fetchall()[0]
                assert values > 1, f"{stage.name}.{column.name} holds one value alone"


# Rules by the stage that shows a departure from them first.
DEPARTURES = [
    ("gcs", "mimic-iv", "tube-verbal", "charted"),
    ("gcs", "mimic-iv", "carry-six-hours", "scored"),
    ("gcs", "mimic-iv", "tied-scores", "lowest"),
    ("gcs", "eicu", "eicu-gcs-total-valid", "valued"),
    ("kdigo", "mimic-iv", "comparator-48h", "creatinine"),
    ("kdigo", "mimic-iv", "weight-above-zero", "weights"),
    ("kdigo", "mimic-iv", "irrigant-sign", "urine"),
    ("kdigo", "mimic-iv", "rate-6h", "rates"),
    ("kdigo", "mimic-iv", "urine-day", "result"),
    ("meld", "mimic-iv", "dialysis-window", "dialysis"),
    ("meld", "mimic-iv", "forty-at-most", "initial_score"),
    ("sepsis3", "mimic-iv", "culture-first-precedence", "suspicions"),
    ("sofa", "mimic-iv", "drug-highest-rate", "circulation"),
    ("suspicion-infection", "mimic-iv", "culture-positive", "cultures"),
    ("suspicion-infection", "mimic-iv", "date-only-time", "pairs"),
    ("ventilation", "mimic-iv", "class-precedence", "classified"),
    ("ventilation", "mimic-iv", "new-after-gap", "numbered"),
]


@pytest.mark.parametrize(("family", "database", "rule", "stage"), DEPARTURES)
def test_a_rule_that_is_not_followed_shows_at_its_stage(
    content: Content,
    written: Callable[..., Tables],
    tmp_path: Path,
    family: str,
    database: str,
    rule: str,
    stage: str,
) -> None:
    """The tables of a reference with one rule altered, as an agent's, beside those of the reference."""
    altered = [
        item
        for item in mutations()
        if (item.family, item.database, item.rule, item.script) == (family, database, rule, "reference")
    ]
    assert altered, f"no alteration of {rule}"
    sql = altered[0].apply(content.reference_sql(family, "public-code", database))
    stages = content.files(family).stages().required(database)
    as_an_agent_writes(written(family, database, sql), tmp_path / "stages")
    tables = written(family, database)
    assert first_diverging(scored(tmp_path / "stages", stages, tables), 0.5) == stage
