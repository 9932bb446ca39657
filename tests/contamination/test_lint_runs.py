"""The lint over steps and files of whole runs: memory, places, outcomes, bounds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.contamination import (
    IGNORED,
    CannotRun,
    HiddenMaterial,
    Lint,
    RunContext,
    RunView,
    StepContext,
    key_by_hash,
    key_in_text,
    lint_rules,
    rule_named,
)
from workbench.contamination.rules import DEFAULT_RULES
from workbench.records import (
    GENESIS,
    BadInput,
    EgressRecord,
    Level,
    LintReport,
    Observation,
    Step,
    StepSource,
    ToolCall,
    ToolKind,
    Violation,
)

StepMaker = Callable[..., Step]
LintFolder = Callable[..., LintReport]
READ = "SELECT * FROM mimiciv_derived.suspicion_of_infection"
MESSAGE = "SQL reads the hidden table mimiciv_derived.suspicion_of_infection"


def _said(violations: list[Violation], rule: str = "removed-tables") -> list[tuple[int | None, str]]:
    return [(item.place.step, item.level.value) for item in violations if item.rule == rule]


def test_a_file_written_earlier_counts_where_it_is_run(
    hidden: HiddenMaterial, command_step: StepMaker, file_step: StepMaker
) -> None:
    lint = Lint(hidden)
    code = f"import duckdb\nprint(duckdb.connect('/data/ehr.duckdb').sql('{READ}'))\n"
    found = lint.check_step(file_step(1, "/workspace/derive.py", code))
    found += lint.check_step(command_step(2, "ls", "derive.py"))
    found += lint.check_step(
        command_step(3, "cd /workspace && python3 derive.py", "subject_id,ab_id\n10000032,1\n1,2\n")
    )
    assert _said(found) == [(1, "warn"), (3, "fail")]


def test_a_script_of_sql_run_by_a_runner_counts(
    hidden: HiddenMaterial, command_step: StepMaker, file_step: StepMaker
) -> None:
    lint = Lint(hidden)
    lint.check_step(file_step(1, "solution.sql", READ))
    found = lint.check_step(
        command_step(2, "python3 run_sql.py solution.sql output.csv", "rows: 12, columns: 4")
    )
    assert _said(found) == [(2, "fail")]


def test_own_tables_stay_own_over_steps(hidden: HiddenMaterial, command_step: StepMaker) -> None:
    lint = Lint(hidden)
    found = lint.check_step(
        command_step(1, "duckdb own.db -c 'CREATE TABLE suspicion_of_infection AS SELECT 1'")
    )
    found += lint.check_step(
        command_step(2, "duckdb own.db -c 'SELECT * FROM suspicion_of_infection'", "1,2\n3,4\n")
    )
    assert found == []


def test_a_view_made_of_a_hidden_table_counts_as_it(hidden: HiddenMaterial, command_step: StepMaker) -> None:
    lint = Lint(hidden)
    lint.check_step(command_step(1, f'duckdb own.db -c "CREATE VIEW v AS {READ}"', "", 0))
    found = lint.check_step(command_step(2, "duckdb own.db -c 'SELECT * FROM v'", "1,2\n3,4\n"))
    assert _said(found) == [(2, "fail")]
    lint.check_step(command_step(3, "duckdb own.db -c 'CREATE OR REPLACE VIEW v AS SELECT 1'", "", 0))
    assert lint.check_step(command_step(4, "duckdb own.db -c 'SELECT * FROM v'", "1,2\n3,4\n")) == []


def test_a_tool_keeps_its_session(hidden: HiddenMaterial) -> None:
    lint = Lint(hidden)
    found: list[Violation] = []
    for number, sql in enumerate(
        ["PREPARE p AS FROM query_table($1)", "SET VARIABLE t = 'mimiciv_derived.sep'",
         "EXECUTE p(getvariable('t') || 'sis3')"], 1
    ):  # fmt: skip
        call = ToolCall(call_id=f"s{number}", name="sql", kind=ToolKind.OTHER, arguments={"sql": sql})
        back = Observation(call_id=call.call_id, text="2311")
        step = Step(number=number, source=StepSource.AGENT, calls=[call], observations=[back])
        found += lint.check_step(step)
    assert _said(found) == [(3, "fail")]


def test_cells_know_the_names_of_cells_before(hidden: HiddenMaterial) -> None:
    lint = Lint(hidden)
    found: list[Violation] = []
    for number, code in enumerate(
        ["t = 'suspicion_of'", "con.table('mimiciv_derived.' + t + '_infection')"], 1
    ):
        call = ToolCall(call_id=f"c{number}", name="cell", kind=ToolKind.OTHER, arguments={"code": code})
        found += lint.check_step(Step(number=number, source=StepSource.AGENT, calls=[call]))
    assert _said(found) == [(2, "warn")]


def test_a_name_in_a_file_that_is_read_in_an_unknown_way(
    hidden: HiddenMaterial, command_step: StepMaker, file_step: StepMaker
) -> None:
    lint = Lint(hidden)
    lint.check_step(file_step(1, "/workspace/c.ini", "[a]\ntable = sepsis3\n"))
    code = "c.read('c.ini')\ncon.sql('from mimiciv_derived.' + c['a']['table'])"
    found = lint.check_step(command_step(2, f"python3 - <<'E'\n{code}\nE", "", 1))
    assert _said(found, "hidden-names") == [(2, "warn")]


def test_parts_of_a_name_in_files_of_several_steps(
    hidden: HiddenMaterial, command_step: StepMaker, file_step: StepMaker
) -> None:
    lint = Lint(hidden)
    lint.check_step(file_step(1, "/workspace/names.py", "FIRST = 'suspicion_of'"))
    lint.check_step(command_step(2, "echo infection > second.txt", ""))
    code = "from names import FIRST\nx = FIRST + '_' + open('second.txt').read().strip()"
    code += "\ncon.table('mimiciv_derived.' + x)"
    found = lint.check_step(command_step(3, f"python3 - <<'E'\n{code}\nE", "", 1))
    assert _said(found) == [(3, "warn")]


def test_each_command_is_a_fresh_shell(hidden: HiddenMaterial, command_step: StepMaker) -> None:
    lint = Lint(hidden)
    first = lint.check_step(command_step(1, "cd /srv", "", 1))
    second = lint.check_step(command_step(2, "cat notes.md", "text"))
    assert (_said(first, "outside-paths"), second) == ([(1, "warn")], [])


def test_an_observation_that_comes_later_finds_its_call(hidden: HiddenMaterial) -> None:
    lint = Lint(hidden)
    call = ToolCall(call_id="a", name="bash", kind=ToolKind.COMMAND, command="cat /etc/shadow")
    found = lint.check_step(Step(number=1, source=StepSource.AGENT, calls=[call]))
    back = Observation(call_id="a", text="root:*:1:0:99999:7:::\n")
    found += lint.check_step(Step(number=2, source=StepSource.USER, observations=[back]))
    assert _said(found, "outside-paths") == [(1, "warn"), (2, "fail")]


@pytest.mark.parametrize(
    ("kind", "arguments", "expected"),
    [
        (ToolKind.OTHER, {"code": f"con.sql('{READ}')"}, ("removed-tables", "warn")),
        (ToolKind.OTHER, {"sql": READ}, ("removed-tables", "warn")),
        (ToolKind.OTHER, {"cmd": ["bash", "-lc", "cat /etc/shadow"]}, ("outside-paths", "warn")),
        (ToolKind.FILE_READ, {"file_path": "/etc/shadow"}, ("outside-paths", "warn")),
        (ToolKind.SEARCH, {"path": "/", "pattern": "suspicion"}, ("outside-paths", "warn")),
        (ToolKind.WEB, {"query": "suspicion of infection mimic sql"}, ("web-search", "warn")),
        (ToolKind.AGENT, {"prompt": "count the rows"}, ("network", "warn")),
    ],
)
def test_every_kind_of_tool_is_read(
    hidden: HiddenMaterial, kind: ToolKind, arguments: dict[str, object], expected: tuple[str, str]
) -> None:
    step = Step(
        number=4,
        source=StepSource.AGENT,
        calls=[ToolCall(call_id="x", name="tool", kind=kind, arguments=arguments)],
    )
    found = Lint(hidden).check_step(step)
    assert [(item.rule, item.level.value) for item in found] == [expected]


def test_files_are_read_by_any_name_and_named_with_their_line(
    lint_folder: LintFolder, tmp_path: Path
) -> None:
    notebook = {
        "cells": [
            {"cell_type": "code", "source": ["%%sql\n", READ]},
            {"cell_type": "markdown", "source": READ},
        ]
    }
    files = {
        "query.SQL": f"-- a first line\n\n{READ};\n",
        ".hidden/run.py": f"x = 1\ncon.sql('''\n{READ}''')\n",
        "work.ipynb": json.dumps(notebook),
        "run.SH": f"duckdb d <<E\n{READ}\nE\n",
        "notes.md": f"Prose that says {READ}.\n\n```sql\n{READ}\n```\n",
        "session.log": f"executing:\n{READ};\n",
        "clean.sql": "WITH suspicion_of_infection AS (SELECT 1) SELECT * FROM suspicion_of_infection",
        "comment.sql": f"-- {READ}\nSELECT 1",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    report = lint_folder(tmp_path)
    places = {
        (item.place.file, item.place.line) for item in report.violations if item.rule == "removed-tables"
    }
    assert places == {
        ("query.SQL", 3),
        (".hidden/run.py", 3),
        ("work.ipynb", 2),
        ("run.SH", 2),
        ("notes.md", 4),
        ("session.log", 2),
    }
    assert report.verdict == "warn"


def test_what_a_step_said_is_not_said_again_of_the_file(
    lint_folder: LintFolder, command_step: StepMaker, tmp_path: Path
) -> None:
    (tmp_path / "q.sql").write_text(READ)
    step = command_step(1, f"cat > q.sql <<'E'\n{READ}\nE")
    report = lint_folder(tmp_path, [step])
    assert [(item.place.step, item.place.file) for item in report.violations if item.message == MESSAGE] == [
        (1, None)
    ]


def test_secrets_in_files_and_the_key_in_an_output(lint_folder: LintFolder, tmp_path: Path) -> None:
    (tmp_path / "output.csv").write_text("subject_id,ab_id\n1,wbk-5Zq8Lr2Vn7Xt4Kc9Hd1M\n")
    (tmp_path / "notes.txt").write_text("one\ntwo sk-proj-4fT9Lm2Qx7Vb1Nz8Rc5Wd3Kj\n")
    found = [item for item in lint_folder(tmp_path).violations if item.rule == "secrets"]
    assert [(item.place.file, item.place.line, item.level.value) for item in found] == [
        ("notes.txt", 2, "warn"), ("output.csv", None, "fail"),
    ]  # fmt: skip


def test_key_checks() -> None:
    digest = "6b7e2cbd3a0b" + "0" * 52
    assert key_in_text("") is None
    check = key_in_text("abcdefgh12345678")
    assert check is not None and check("x abcdefgh12345678y") and not check("abcdefgh")
    assert not key_by_hash(digest)("abcdefgh12345678")
    assert key_by_hash(hashlib.sha256(b"abcdefgh12345678").hexdigest())("key: abcdefgh12345678\n")


def test_egress_refusals_warn_and_a_broken_chain_fails(lint_folder: LintFolder) -> None:
    lines = [
        EgressRecord(
            sequence=number,
            at=datetime(2026, 1, 1, tzinfo=UTC),
            method="POST",
            path=path,
            allowed=allowed,
            reason=reason,
            previous=GENESIS,
        )
        for number, (path, allowed, reason) in enumerate(
            [("/v1/responses", True, ""), ("/v1/files", False, "path"), ("/v1/files", False, "path")], 1
        )
    ]
    found = lint_folder(None, egress=lines).violations
    assert [(item.level.value, item.place.file, item.place.line) for item in found] == [
        ("warn", "egress.jsonl", 2)
    ]
    broken = lint_folder(None, egress=lines, egress_valid=False, egress_reason="line 2 was changed")
    assert broken.verdict == "fail"


def test_likeness_to_the_reference_is_information(
    lint_folder: LintFolder, hidden: HiddenMaterial, command_step: StepMaker, tmp_path: Path
) -> None:
    near = (
        hidden.reference_sql["public-code"]
        .replace("abx", "drugs")
        .replace("cultures", "micro")
        .replace("72", "48")
    )
    near = near.replace("mimiciv_derived.suspicion_of_infection", "mine")
    report = lint_folder(tmp_path, [command_step(1, f"cat > solution.sql <<'E'\n{near}\nE")])
    found = [item for item in report.violations if item.rule == "sql-similarity"]
    assert [(item.level, item.place.step) for item in found] == [(Level.INFORMATION, 1)]
    assert report.verdict == "clean"


class _Rule:
    name = "planted"
    version = 1
    severity = Level.WARN
    description = "breaks"
    explanation = "breaks at the end of a run"
    false_positives = "none"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        return []

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        raise self._error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyError("subject 10000032"), "KeyError"),
        (RecursionError("x"), "RecursionError"),
        (CannotRun("no log"), "no log"),
    ],
)
def test_a_rule_that_breaks_is_not_run_and_never_passed(
    hidden: HiddenMaterial, error: Exception, reason: str
) -> None:
    lint = Lint(hidden, [*DEFAULT_RULES, _Rule(error)])
    report = lint.check_run(
        RunView(steps=[], collected=None, output=None, egress=[], egress_valid=True, hidden=hidden)
    )
    assert report.verdict == "not-run"
    assert [(item.ran, item.reason) for item in report.outcomes if item.rule == "planted"] == [
        (False, reason)
    ]
    assert "10000032" not in report.to_json()


def test_every_rule_has_an_outcome(lint_folder: LintFolder) -> None:
    report = lint_folder(None)
    assert [item.rule for item in report.outcomes] == [rule.name for rule in DEFAULT_RULES]
    assert report.verdict == "clean" and all(item.ran and item.worst is None for item in report.outcomes)


def test_lint_after_the_fact_says_the_same_as_while_streaming(
    hidden: HiddenMaterial, lint_folder: LintFolder, command_step: StepMaker
) -> None:
    steps = [command_step(1, f'duckdb d -c "{READ}"', "", 1), command_step(2, "cat /etc/shadow", "a:b:1,2\n")]
    streamed = Lint(hidden)
    found = [item for step in steps for item in streamed.check_step(step)]
    assert lint_folder(None, steps).violations == found


HOSTILE = {
    "a megabyte of table": ("ls", "subject_id,ab_id,token\n" + "10000032,1,deadbeef\n" * 50_000),
    "a megabyte of words": ("ls", "error: does not exist " * 45_000),
    "one line of ten megabytes": ("cat " + "a" * 10_000_000, ""),
    "deep brackets in SQL": ('duckdb d -c "SELECT ' + "(" * 50_000 + '"', ""),
    "long sum": ('python3 -c "x = ' + "+".join(["'a'"] * 30_000) + '"', ""),
    "quotes": ('"' * 300_000, ""),
    "substitutions": ("$(" * 100_000, ""),
    "backticks and braces": ("`{a,b" * 60_000, ""),
    "heredocs": ("cat <<A\n" * 40_000, ""),
    "deep python": ("python3 - <<'E'\n" + "f(" * 50_000 + "\nE", ""),
    "many statements": ("duckdb d <<'E'\n" + "SELECT 1;\n" * 40_000 + "E", ""),
    "no text": ("\x00\ud800\ufffc", "\x1b[31m\ud800"),
}


@pytest.mark.parametrize(("command", "text"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_bounded_and_breaks_nothing(
    hidden: HiddenMaterial, command_step: StepMaker, command: str, text: str
) -> None:
    found = Lint(hidden).check_step(command_step(1, command, text))
    assert all(item.level in (Level.NOT_RUN, Level.WARN) for item in found)
    assert not any("could not be run" in item.message for item in found), found


def test_rules_say_what_they_are() -> None:
    known = lint_rules()
    assert [rule.name for rule in known] == [rule.name for rule in DEFAULT_RULES]
    for rule in known:
        assert rule_named(rule.name) is rule
        assert rule.version >= 1 and rule.severity in Level
        assert all(len(text) > 20 for text in (rule.description, rule.explanation, rule.false_positives))
    with pytest.raises(BadInput, match="no lint rule is called 'tables'"):
        rule_named("tables")


def test_an_ignored_rule_never_passes(hidden: HiddenMaterial) -> None:
    chosen = lint_rules(ignore=["network"])
    view = RunView(steps=[], collected=None, output=None, egress=[], egress_valid=True, hidden=hidden)
    report = Lint(hidden, chosen).check_run(view)
    assert report.verdict == "not-run"
    assert [(item.rule, item.reason) for item in report.outcomes if not item.ran] == [("network", IGNORED)]
    assert [rule.name for rule in lint_rules(select=["network", "secrets"])] == ["network", "secrets"]
    with pytest.raises(BadInput):
        lint_rules(select=["nothing"])
