"""``workbench trajectory`` on files and on recorded runs."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.records import Step, StepSource, ToolCall, ToolKind, TrajectorySummary
from workbench.trajectories import read_trajectory, write_trajectory

Run = Callable[..., Any]
SQL = "SELECT stay_id FROM mimiciv_icu.icustays"


def _item(number: int, command: str, text: str, exit_code: int = 0) -> str:
    item = {
        "id": f"item_{number}",
        "type": "command_execution",
        "command": command,
        "aggregated_output": text,
        "exit_code": exit_code,
        "status": "completed",
    }
    return json.dumps({"type": "item.completed", "item": item})


@pytest.fixture
def log(tmp_path: Path) -> Path:
    lines = [
        '{"type":"thread.started","thread_id":"t1"}',
        _item(1, f"duckdb /data/ehr.duckdb -c '{SQL}'", "│ stay_id │\n│ 3 │"),
        _item(2, "cat missing", "No such file\x1b[2J", 1),
        '{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"All done"}}',
        '{"type":"turn.completed","usage":{"input_tokens":70,"cached_input_tokens":20,"output_tokens":9}}',
    ]
    path = tmp_path / "codex.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_show_a_file_in_pages(command: Run, log: Path) -> None:
    ended = command("trajectory", "show", str(log), "--limit", "2")
    assert (ended.code, "No such file" in ended.out, "\x1b" in ended.out) == (0, True, False)
    assert "All done" not in ended.out
    assert "--from 3" in ended.err
    assert "All done" in command("trajectory", "show", str(log), "--from", "3").out
    one = command("trajectory", "show", str(log), "--step", "2", "--json").envelope
    assert [item["number"] for item in one["items"]] == [2]
    assert one["summary"]["format"] == "codex-exec"
    missing = command("trajectory", "show", str(log), "--step", "9")
    assert (missing.code, "It has 3 steps" in missing.err) == (2, True)


def test_show_statements(command: Run, log: Path) -> None:
    (item,) = command("trajectory", "show", str(log), "--sql", "--json").envelope["items"]
    assert (item["step"], item["sql"], item["tables"]) == (1, SQL, ["mimiciv_icu.icustays"])


def test_the_format_may_be_named_auto(command: Run, log: Path) -> None:
    for words in (("show",), ("stats",), ("show", "--sql")):
        plain, auto = (
            command("trajectory", *words, str(log), *more).out for more in ((), ("--format", "auto"))
        )
        assert plain == auto
    assert "codex-exec" in command("trajectory", "stats", str(log), "--format", "auto").out


def test_long_sql_is_broken_with_a_sign_on_a_terminal_only(
    command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT stay_id, intime, outtime, first_careunit, last_careunit\n  FROM mimiciv_icu.icustays"
    log = tmp_path / "log.jsonl"
    start = '{"type":"thread.started","thread_id":"t1"}\n'
    log.write_text(start + _item(1, f"duckdb e.db <<'E'\n{sql}\nE", "") + "\n")
    assert "last_careunit\n    FROM mimiciv_icu.icustays" in command("trajectory", "show", log, "--sql").out
    monkeypatch.setenv("COLUMNS", "60")
    told = command("trajectory", "show", log, "--sql").out.splitlines()
    assert told[1:] == [
        "    SELECT stay_id, intime, outtime, first_careunit,",
        "  ↪ last_careunit",
        "    FROM mimiciv_icu.icustays",
    ]


def test_stats(command: Run, log: Path) -> None:
    (item,) = command("trajectory", "stats", str(log), "--json").envelope["items"]
    wanted = {"steps": 3, "calls": 2, "failed_calls": 1, "sql_statements": 1, "unanswered_calls": 0}
    assert {name: item[name] for name in wanted} == wanted
    assert item["tables"] == {"mimiciv_icu.icustays": 1}
    assert item["by_kind"] == {"command": 2}
    (usage,) = item["usage"]
    assert (usage["shown"], usage["input_tokens"], usage["output_tokens"]) == (True, 70, 9)
    assert "input tokens" in command("trajectory", "stats", str(log)).out


@pytest.mark.parametrize("into", ["workbench", "atif"])
def test_convert_and_read_back(command: Run, log: Path, tmp_path: Path, into: str) -> None:
    new = tmp_path / "new.json"
    (item,) = command("trajectory", "convert", str(log), "--to", str(new), "--as", into, "--json").envelope[
        "items"
    ]
    assert item["steps"] == 3
    steps, summary = read_trajectory(log)
    again, told = read_trajectory(new)
    assert again == steps
    assert (told.usage, told.final_message) == (summary.usage, summary.final_message)
    taken = command("trajectory", "convert", str(log), "--to", str(new), "--as", into)
    assert (taken.code, "is there already" in taken.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "said", "then"),
    [
        ("none/new.json", "there is no such folder", "Make it first"),
        ("", "is a folder", "Name a new file in it"),
        ("dangling", "is there already", "Name a new file"),
        ("n" * 300, "File name too long", "Name another place"),
        ("locked/new.json", "No space left on device", "Name another place"),
    ],
)
def test_convert_to_where_nothing_can_be(
    command: Run, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str, then: str
) -> None:
    folder = tmp_path / "to"
    (folder / "locked").mkdir(parents=True)
    (folder / "dangling").symlink_to("nothing")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if name.startswith("locked"):
        monkeypatch.setattr(os, "fsync", full)
    ended = command("trajectory", "convert", str(log), "--to", str(folder / name))
    assert (ended.code in (2, 3), said in ended.err, then in ended.err) == (True, True, True), ended.err
    assert sorted(path.name for path in folder.rglob("*")) == ["dangling", "locked"]
    assert (folder / "dangling").is_symlink()


def test_plain_words_are_told_to_be_so(command: Run, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("I looked at the tables.\n")
    for ended in (
        command("trajectory", "show", words),
        command("trajectory", "search", "tables", "--in", words),
        command("trajectory", "convert", words, "--to", tmp_path / "new.jsonl"),
    ):
        assert (ended.code, "no known format, read as plain text" in ended.err) == (0, True)
    assert command("trajectory", "show", words, "--format", "plain").err == ""


def test_convert_to_text(command: Run, log: Path, tmp_path: Path) -> None:
    command("trajectory", "convert", str(log), "--to", str(tmp_path / "t.txt"), "--as", "text")
    text = (tmp_path / "t.txt").read_text()
    assert SQL in text
    assert "\x1b" not in text


def test_search_a_file(command: Run, log: Path) -> None:
    found = command("trajectory", "search", "icustays", "--in", str(log), "--json").envelope
    assert [(item["step"], item["error"]) for item in found["items"]] == [(1, False)]
    errors = command("trajectory", "search", "--errors", "--in", str(log), "--json").envelope
    assert [item["step"] for item in errors["items"]] == [2]
    assert "no step fits" in command("trajectory", "search", "zebra", "--in", str(log)).out


def test_search_runs_that_are_not_there(command: Run) -> None:
    assert "no step fits" in command("trajectory", "search", "anything").out
    unknown = command("trajectory", "search", "anything", "--in", "nosuchrun")
    assert (unknown.code, "no" in unknown.err) == (2, True)


@pytest.mark.parametrize("what", ["show", "stats"])
def test_a_file_that_is_not_there(command: Run, tmp_path: Path, what: str) -> None:
    ended = command("trajectory", what, str(tmp_path / "none.jsonl"))
    assert ended.code == 2
    assert "none.jsonl" in ended.err


def test_words_of_a_search_need_no_quotes(command: Run, log: Path) -> None:
    hits = command("trajectory", "search", "stay_id", "icustays", "--in", str(log), "--json").envelope[
        "items"
    ]
    assert [hit["step"] for hit in hits] == [1]


def test_the_match_is_at_the_begin_of_the_excerpt(command: Run, tmp_path: Path) -> None:
    log = tmp_path / "long.jsonl"
    lines = ['{"type":"thread.started","thread_id":"t1"}', _item(1, "echo " + "padding " * 40 + "needle", "")]
    log.write_text("\n".join(lines) + "\n")
    (hit,) = command("trajectory", "search", "needle", "--in", str(log), "--json").envelope["items"]
    assert hit["excerpt"].index("needle") <= 17


def test_pages_past_the_end_and_unknown_names_are_told(command: Run, log: Path) -> None:
    past = command("trajectory", "show", str(log), "--from", "9")
    assert (past.code, "The last step is 3" in past.err) == (2, True)
    page = command("trajectory", "search", "stay_id", "--in", str(log), "--page", "4")
    assert (page.code, page.out) == (
        0,
        "page 4 is behind the last one: 1 step fits, the last page is --page 1\n",
    )
    none = command("trajectory", "search", "--tool", "nothing", "--table", "no_table")
    assert none.out == (
        "no step fits; no recorded run has the tool 'nothing'; no recorded run has the table 'no_table'\n"
    )


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        (("--tool", "comand"), "the tool 'comand' (near it: command"),
        (("--tool", "exec"), "the tool 'exec' (near it: command_execution)"),
        (("--table", "icustay"), "the table 'icustay' (near it: mimiciv_icu.icustays)"),
        (("--table", "mimic_icu.icustay"), "(near it: mimiciv_icu.icustays)"),
    ],
)
def test_names_near_an_unknown_one_are_told(
    command: Run, log: Path, asked: tuple[str, str], near: str
) -> None:
    assert near in command("trajectory", "search", *asked, "--in", str(log)).out
    assert "near it" not in command("trajectory", "search", "zebra", "--tool", "command", "--in", log).out


def test_every_page_says_where_it_is(command: Run, log: Path) -> None:
    for words in ((), ("--sql",)):
        begin = command("trajectory", "show", str(log), "--limit", "2", "--json", *words).envelope["summary"]
        assert {name: begin[name] for name in ("format", "shown", "from", "next")} == {
            "format": "codex-exec", "shown": 2, "from": 1, "next": 3,
        }  # fmt: skip
        end = command("trajectory", "show", str(log), "--from", "3", "--json", *words).envelope["summary"]
        assert (end["shown"], end["from"], end["next"]) == (1, 3, None)
    assert "--from 3" in command("trajectory", "show", str(log), "--limit", "2", "--sql").err


def test_what_became_of_sql_in_a_file(command: Run, tmp_path: Path) -> None:
    steps = [
        Step(
            number=1, source=StepSource.AGENT,
            calls=[
                ToolCall(
                    call_id="a", name="write", kind=ToolKind.FILE_CHANGE, path="/workspace/q.sql",
                    content=f"-- all stays\n{SQL}",
                )
            ],
        ),
        Step(
            number=2, source=StepSource.AGENT,
            calls=[ToolCall(call_id="b", name="sh", kind=ToolKind.COMMAND, command="duckdb e.db < q.sql")],
        ),
    ]  # fmt: skip
    log = tmp_path / "own.jsonl"
    write_trajectory(log, steps, TrajectorySummary(format="workbench", steps=2))
    told = command("trajectory", "show", str(log), "--sql").out
    assert "step 1, line 1: written to a file that step 2 names; reads mimiciv_icu.icustays" in told
    assert f"    {SQL}" in told
    (item,) = command("trajectory", "show", str(log), "--sql", "--json").envelope["items"]
    assert (item["executed"], item["file_named_at"]) == (False, 2)


def test_a_pipe_gets_whole_lines(command: Run, tmp_path: Path) -> None:
    log = tmp_path / "wide.jsonl"
    long = "echo " + "word " * 60 + "end"
    lines = ['{"type":"thread.started","thread_id":"t1"}', _item(1, long, "")]
    log.write_text("\n".join(lines) + "\n")
    assert f"$ {long}" in command("trajectory", "show", str(log)).out


def test_a_log_says_why_it_is_not_complete_and_that_it_counts_nothing(command: Run, tmp_path: Path) -> None:
    log = tmp_path / "cut.jsonl"
    log.write_text('{"type":"thread.started","thread_id":"t1"}\n' + _item(1, "ls", "") + "\n")
    told = command("trajectory", "stats", str(log)).out
    assert "no: its last event is not there" in told
    assert "this log counts no tokens" in told
    (item,) = command("trajectory", "stats", str(log), "--json").envelope["items"]
    assert (item["complete"], item["usage"]) == (False, [])
