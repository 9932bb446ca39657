"""All public concepts build on synthetic data, none is empty or one-sided, and their values are plausible.

The ranges are wide: they keep the generator from drifting into nonsense and say nothing clinical.
"""

from collections.abc import Iterator

import pytest

from workbench.ehr import ConceptSql, Connection, ensure_concepts, fetch_concept_sql, make_synthetic
from workbench.ehr.connect import rows
from workbench.ehr.source_views import open_source
from workbench.records import DataPaths, Unavailable

STAYS = 220
CONCEPTS = 63

SHARES = [
    # what, share of stays (or of rows), least, most
    ("invasively ventilated", "ventilation_status = 'InvasiveVent'", "ventilation", 0.20, 0.50),
    ("masks", "ventilation_status = 'NonInvasiveVent'", "ventilation", 0.01, 0.15),
    ("sepsis", "sepsis3", "sepsis3", 0.20, 0.55),
    ("kidney injury by creatinine", "aki_stage_creat >= 1", "kdigo_stages", 0.20, 0.55),
    ("kidney injury stage 3", "aki_stage = 3", "kdigo_stages", 0.05, 0.40),
    ("vasoactive drugs", "norepinephrine IS NOT NULL", "vasoactive_agent", 0.15, 0.50),
    ("renal replacement", "crrt_mode IS NOT NULL", "crrt", 0.01, 0.15),
    ("low consciousness", "gcs_min < 13", "first_day_gcs", 0.05, 0.40),
    ("suspected infection", "suspected_infection = 1", "suspicion_of_infection", 0.30, 0.75),
]

QUANTILES = [
    # table, column, condition, lowest 5 %, median from, median to, highest 5 %
    ("vitalsign", "heart_rate", "TRUE", 45, 75, 100, 140),
    ("vitalsign", "mbp", "TRUE", 50, 68, 95, 125),
    ("vitalsign", "resp_rate", "TRUE", 8, 14, 22, 35),
    ("vitalsign", "temperature", "TRUE", 35, 36.4, 37.4, 39.5),
    ("vitalsign", "spo2", "TRUE", 85, 95, 99, 100),
    ("chemistry", "creatinine", "TRUE", 0.3, 0.7, 1.6, 7),
    ("chemistry", "sodium", "TRUE", 120, 135, 142, 155),
    ("chemistry", "potassium", "TRUE", 2.8, 3.6, 4.6, 6),
    ("bg", "ph", "specimen = 'ART.'", 7.1, 7.28, 7.44, 7.6),
    ("bg", "pao2fio2ratio", "specimen = 'ART.'", 40, 150, 400, 800),
    ("complete_blood_count", "platelet", "TRUE", 5, 120, 280, 500),
    ("sofa", "sofa_24hours", "TRUE", 0, 2, 8, 18),
    ("first_day_sofa", "sofa", "TRUE", 0, 3, 9, 18),
    ("sapsii", "sapsii", "TRUE", 6, 22, 48, 90),
    ("oasis", "oasis", "TRUE", 8, 20, 40, 65),
    ("apsiii", "apsiii", "TRUE", 8, 22, 60, 140),
    ("charlson", "charlson_comorbidity_index", "TRUE", 0, 2, 7, 16),
    ("urine_output_rate", "uo_mlkghr_6hr", "TRUE", -1, 0.3, 1.5, 6),
    ("norepinephrine_equivalent_dose", "norepinephrine_equivalent_dose", "TRUE", 0, 0.05, 0.4, 60),
    ("icustay_detail", "los_icu", "TRUE", 0.2, 1.2, 3.5, 20),
]


@pytest.fixture(scope="module")
def concept_sql(shared_home: DataPaths) -> ConceptSql:
    try:
        return fetch_concept_sql(shared_home)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory, concept_sql: ConceptSql) -> Iterator[Connection]:
    data = DataPaths(tmp_path_factory.mktemp("plausible") / "home")
    source = make_synthetic(data, STAYS, 3)
    built = ensure_concepts(data, source, concept_sql)
    names = [concept.name for concept in built.concepts]
    with open_source(data, source, concept_revision=built.revision, concepts=names) as opened:
        yield opened


def test_all_concepts_build_and_none_is_empty(connection: Connection, concept_sql: ConceptSql) -> None:
    assert len(concept_sql.scripts) == CONCEPTS
    empty = [
        name
        for name in concept_sql.scripts
        if rows(connection, f"SELECT 1 FROM mimiciv_derived.{name} LIMIT 1") == []
    ]
    assert empty == []


def test_no_column_of_a_concept_is_empty(connection: Connection, concept_sql: ConceptSql) -> None:
    hollow = []
    for name in concept_sql.scripts:
        columns = [str(row[0]) for row in rows(connection, f"DESCRIBE mimiciv_derived.{name}")]
        counts = rows(
            connection,
            f"SELECT {', '.join(f'count({column})' for column in columns)} FROM mimiciv_derived.{name}",
        )[0]
        hollow += [f"{name}.{column}" for column, found in zip(columns, counts, strict=True) if found == 0]
    assert hollow == []


@pytest.mark.parametrize(
    "component", ["respiration", "coagulation", "liver", "cardiovascular", "cns", "renal"]
)
def test_sofa_components_vary(connection: Connection, component: str) -> None:
    found = rows(connection, f"SELECT count(DISTINCT {component}) FROM mimiciv_derived.first_day_sofa")
    assert int(str(found[0][0])) >= 4


@pytest.mark.parametrize(("what", "condition", "concept", "least", "most"), SHARES, ids=lambda v: str(v)[:20])
def test_shares_of_stays(
    connection: Connection, what: str, condition: str, concept: str, least: float, most: float
) -> None:
    found = rows(
        connection,
        f"SELECT count(DISTINCT stay_id) FILTER ({condition}) / {STAYS} FROM mimiciv_derived.{concept}",
    )
    assert least <= float(str(found[0][0])) <= most, what


@pytest.mark.parametrize(
    ("table", "column", "condition", "low", "median_from", "median_to", "high"),
    QUANTILES,
    ids=lambda v: str(v)[:20],
)
def test_values_lie_where_they_should(
    connection: Connection,
    table: str,
    column: str,
    condition: str,
    low: float,
    median_from: float,
    median_to: float,
    high: float,
) -> None:
    found = rows(
        connection,
        f"SELECT quantile_cont({column}::DOUBLE, 0.05), median({column}::DOUBLE), "
        f"quantile_cont({column}::DOUBLE, 0.95) FROM mimiciv_derived.{table} WHERE {condition}",
    )[0]
    fifth, median, ninety_fifth = (float(str(value)) for value in found)
    assert low <= fifth
    assert median_from <= median <= median_to
    assert ninety_fifth <= high


def test_deaths_and_lengths(connection: Connection) -> None:
    died = rows(connection, "SELECT avg(hospital_expire_flag) FROM mimiciv_hosp.admissions")[0][0]
    assert 0.03 <= float(str(died)) <= 0.20
    after_death = rows(
        connection,
        "SELECT 1 FROM mimiciv_icu.chartevents AS c INNER JOIN mimiciv_hosp.admissions AS a "
        "ON c.hadm_id = a.hadm_id WHERE c.itemid = 220210 AND c.charttime > a.deathtime + INTERVAL 3 HOUR",
    )
    assert after_death == []


def test_rows_of_a_stay_are_as_dense_as_charting_is(connection: Connection) -> None:
    found = rows(
        connection, f"SELECT count(*) / {STAYS} FROM mimiciv_icu.chartevents WHERE stay_id IS NOT NULL"
    )
    assert 1_300 <= float(str(found[0][0])) <= 3_500
