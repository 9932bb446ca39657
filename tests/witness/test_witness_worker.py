"""Foreign SQL in the worker: it answers, or is stopped with a reason a person understands."""

from pathlib import Path

import pytest

from workbench.ehr import published_schema
from workbench.witness import WorkerLimits
from workbench.witness.process import ask_worker
from workbench.witness.rows import table_types
from workbench.witness.worker_request import CaseRows, ConceptScript, Query, WorkerAnswer, WorkerRequest

OUTSIDE = "reaches outside its own database"
MEMORY = "needs more memory than it may have"
BROKEN = "does not run"
ROWS = CaseRows(
    case="one", tables={"mimiciv_icu.icustays": [{"stay_id": 30, "intime": "2180-05-01T08:00:00"}]}
)


def ask(sql: str, limits: WorkerLimits | None = None) -> WorkerAnswer:
    request = WorkerRequest(
        tables=table_types(published_schema()),
        extra_schemas=["mimiciv_derived"],
        cases=[ROWS],
        queries=[Query(sql=sql)],
        limits=limits or WorkerLimits(),
    )
    return ask_worker(request)[0][0]


def test_rows_come_back_typed_by_the_published_schema() -> None:
    answer = ask(
        "CREATE TABLE mimiciv_derived.mine AS SELECT stay_id, intime, outtime, 1.50::DECIMAL(9, 2) AS d "
        "FROM mimiciv_icu.icustays; SELECT * FROM mimiciv_derived.mine ORDER BY stay_id"
    )
    assert answer.problem == ""
    assert answer.records() == [{"stay_id": 30, "intime": "2180-05-01T08:00:00", "outtime": None, "d": 1.5}]


def test_tables_that_a_case_does_not_name_are_there_and_empty() -> None:
    assert ask("SELECT count(*) AS n FROM mimiciv_icu.chartevents").records() == [{"n": 0}]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT * FROM read_csv('/etc/passwd')", OUTSIDE),
        ("SELECT * FROM read_text('/etc/passwd')", OUTSIDE),
        ("SELECT * FROM '/etc/passwd'", BROKEN),
        ("SELECT * FROM glob('/etc/*')", OUTSIDE),
        ("INSTALL httpfs", OUTSIDE),
        ("LOAD httpfs", OUTSIDE),
        ("ATTACH '{folder}/other.db' AS other", OUTSIDE),
        ("COPY (SELECT 1) TO '{folder}/out.csv'", OUTSIDE),
        ("EXPORT DATABASE '{folder}/out'", OUTSIDE),
        ("SET enable_external_access = true", OUTSIDE),
        ("SET lock_configuration = false", OUTSIDE),
        ("SET memory_limit = '64GB'", OUTSIDE),
        ("SELECT list(range) FROM range(1000000000)", MEMORY),
        ("SELECT repeat('x', 2000000000)", MEMORY),
        ("SELECT repeat('x', 5000000)", "characters of text"),
        ("SELECT * FROM range(20000)", "more than 10000 rows"),
        ("SELECT * FROM request", BROKEN),  # no Python variable is a table
        ("SELEC 1", BROKEN),
        ("  -- nothing\n", "no statement"),
    ],
)
def test_what_is_refused(sql: str, reason: str, tmp_path: Path) -> None:
    answer = ask(sql.replace("{folder}", str(tmp_path)))
    assert reason in answer.problem
    assert answer.rows == []
    assert list(tmp_path.iterdir()) == []


def test_a_query_that_never_ends_is_killed() -> None:
    answer = ask("SELECT sum(hash(a.range) % 7) FROM range(1000000000000) AS a", WorkerLimits(wall_s=2.0))
    assert answer.problem == "no answer: stopped after 2 s"


def test_the_cases_before_a_hang_keep_their_answers() -> None:
    sql = (
        "SELECT CASE WHEN (SELECT count(*) FROM mimiciv_icu.icustays) = 0 THEN 0 ELSE "
        "(SELECT sum(hash(range) % 7) FROM range(1000000000000)) END AS n"
    )
    request = WorkerRequest(
        tables=table_types(published_schema()),
        cases=[CaseRows(case="empty", tables={}), ROWS],
        queries=[Query(sql=sql)],
        limits=WorkerLimits(wall_s=4.0),
    )
    ((first, second),) = ask_worker(request)
    assert first.case == "empty"
    assert second.problem == "no answer: stopped after 4 s"


def test_the_worker_sees_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_MODEL_KEY", "planted")
    assert "planted" not in str(ask("SELECT * FROM duckdb_settings()").rows)


def test_what_a_script_leaves_behind_does_not_reach_the_next_case() -> None:
    """Not even in the database of the empty tables, which all cases of an engine start from."""
    request = WorkerRequest(
        tables=table_types(published_schema()),
        cases=[ROWS, ROWS.model_copy(update={"case": "two"})],
        queries=[Query(sql="CREATE TABLE memory.main.left_behind (n INTEGER); SELECT 1 AS n")],
    )
    (answers,) = ask_worker(request)
    assert [(answer.problem, answer.records()) for answer in answers] == [("", [{"n": 1}])] * 2


@pytest.mark.parametrize("behind", [["mimiciv_icu.icustays"], None])
def test_a_concept_is_that_of_the_rows_behind_it(behind: list[str] | None) -> None:
    other = CaseRows(case="other", tables={"mimiciv_icu.icustays": [{"stay_id": 31}]})
    again = ROWS.model_copy(update={"case": "again"})
    made = "mimiciv_derived.stay"
    script = ConceptScript(
        name="stay",
        sql=f"DROP TABLE IF EXISTS {made}; CREATE TABLE {made} AS SELECT stay_id FROM mimiciv_icu.icustays",
        makes=made,
        behind=behind,
    )
    request = WorkerRequest(
        tables=table_types(published_schema()),
        extra_schemas=["mimiciv_derived"],
        cases=[ROWS, other, again],
        scripts=[script],
        queries=[
            Query(sql=f"SELECT stay_id FROM {made}", concepts=["stay"]),
            Query(sql=f"SELECT count(*) AS n FROM {made}", concepts=["stay"]),
        ],
    )
    stays, counts = ask_worker(request)
    assert [answer.records() for answer in stays] == [[{"stay_id": 30}], [{"stay_id": 31}], [{"stay_id": 30}]]
    assert [answer.records() for answer in counts] == [[{"n": 1}]] * 3
