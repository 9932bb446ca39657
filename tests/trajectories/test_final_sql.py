"""Which SQL an answer came from: the last call that names the output, with what was made for it before."""

from __future__ import annotations

from workbench.records import Step, StepSource, ToolCall, ToolKind
from workbench.trajectories import final_sql

LOOK = "SELECT count(*) FROM mimiciv_icu.icustays"
DERIVE = "SELECT stay_id, max(valuenum) AS highest FROM labs WHERE itemid = 50813 GROUP BY stay_id"
MAKE = "CREATE TABLE labs AS SELECT stay_id, valuenum, itemid FROM mimiciv_hosp.labevents"


def command(number: int, text: str) -> Step:
    call = ToolCall(call_id=f"c{number}", name="sh", kind=ToolKind.COMMAND, command=text)
    return Step(number=number, source=StepSource.AGENT, calls=[call])


def written(number: int, path: str, content: str) -> Step:
    call = ToolCall(call_id=f"c{number}", name="write", kind=ToolKind.FILE_CHANGE, path=path, content=content)
    return Step(number=number, source=StepSource.AGENT, calls=[call])


def duckdb(sql: str) -> str:
    return f"duckdb w.db <<'SQL'\n{sql};\nSQL"


def test_the_last_query_that_names_the_output() -> None:
    steps = [
        command(1, duckdb(LOOK)),
        command(2, duckdb(f"COPY ({DERIVE.replace('50813', '1')}) TO '/workspace/output.csv'")),
        command(3, duckdb(f"COPY ({DERIVE}) TO '/workspace/output.csv'")),
        command(4, duckdb(LOOK)),
    ]
    found = final_sql(steps)
    assert found is not None
    assert (found.step, found.names_output) == (3, True)
    assert DERIVE in found.sql and "itemid = 1 " not in found.sql and LOOK not in found.sql


def test_with_the_tables_that_were_made_for_it_and_no_others() -> None:
    steps = [
        command(
            1, duckdb("CREATE TABLE other AS SELECT 1 AS something_else_entirely FROM mimiciv_icu.icustays")
        ),
        command(2, duckdb(MAKE.replace("valuenum", "value"))),
        command(3, duckdb(MAKE)),
        command(4, duckdb(f"COPY ({DERIVE}) TO 'output.csv'")),
    ]
    found = final_sql(steps)
    assert found is not None
    assert found.sql.index(MAKE) < found.sql.index(DERIVE)  # the newest maker of it
    assert "something_else_entirely" not in found.sql and ", value," not in found.sql


def test_a_script_counts_where_its_text_is() -> None:
    script = f'import duckdb\nrows = duckdb.sql("""{DERIVE}""").df()\nrows.to_csv("/workspace/output.csv")\n'
    found = final_sql([written(1, "/workspace/derive.py", script), command(2, "python derive.py")])
    assert found is not None
    assert (found.step, found.names_output, DERIVE in found.sql) == (1, True, True)


def test_without_the_output_the_longest_query() -> None:
    found = final_sql([command(1, duckdb(DERIVE)), command(2, duckdb(LOOK))])
    assert found is not None
    assert (found.step, found.names_output) == (1, False)


def test_a_log_without_a_query_has_none() -> None:
    assert final_sql([]) is None
    assert final_sql([command(1, "ls /data"), command(2, duckdb("SELECT 1"))]) is None
