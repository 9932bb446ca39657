"""``workbench lint``: rules told, logs linted, runs linted again and kept."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.contamination import lint_rules
from workbench.ehr import concept_sql_of
from workbench.records import (
    AgentChoice,
    Condition,
    DataPaths,
    Level,
    LintReport,
    Observation,
    Place,
    RuleOutcome,
    RunPaths,
    RunPlan,
    RunResult,
    SchemaVariant,
    Step,
    StepSource,
    ToolCall,
    ToolKind,
    Verdict,
    Violation,
)
from workbench.runs import Context, lint_lines
from workbench.runs.material import other_names
from workbench.store import EventLog, RunStore, atomic_write

Run = Callable[..., Any]
NOON = datetime(2030, 5, 1, 12, tzinfo=UTC)
RUN = "20300501-120000-abcdef"
LOOKS = "cat /root/answers.csv"


def _log(path: Path, *commands: str) -> Path:
    lines = ['{"type":"thread.started","thread_id":"t1"}']
    for number, text in enumerate(commands):
        item = {
            "id": f"item_{number}", "type": "command_execution", "command": text, "exit_code": 1,
            "aggregated_output": "Permission denied\x1b[2J", "status": "completed",
        }  # fmt: skip
        lines.append(json.dumps({"type": "item.completed", "item": item}))
    lines.append('{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}')
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def run(home: Path, shared_context: Context) -> RunPaths:
    """A run that tried a hidden place, recorded when nothing was said of that."""
    data = DataPaths(home)
    home.mkdir()
    concept_sql_of("mimic-iv", shared_context.data)
    data.concept_sql.symlink_to(shared_context.data.concept_sql)
    plan = RunPlan(
        run_id=RUN, created=NOON, task="mimic-suspicion-infection", family="suspicion-infection",
        condition=Condition.NO_SKILL, source="synthetic-40-1", sandbox="bubblewrap",
        agent=AgentChoice(name="codex", model="m"),
    )  # fmt: skip
    paths = RunStore(data).create(plan)
    call = ToolCall(call_id="c", name="bash", kind=ToolKind.COMMAND, command=LOOKS)
    back = Observation(call_id="c", text="cat: Permission denied", exit_code=1)
    result = RunResult(
        run_id=RUN, started=NOON, finished=NOON, verdict=Verdict.PUBLISHABLE, lint=LintReport(verdict="clean")
    )
    log = EventLog(paths.events)
    log.step(Step(number=1, source=StepSource.AGENT, calls=[call], observations=[back]))
    log.finished(result)
    log.close()
    atomic_write(paths.result, result.to_json())
    paths.trajectory.write_text("{}\n")
    return paths


def test_rules_are_listed_and_explained(command: Run) -> None:
    names = [rule.name for rule in lint_rules()]
    listed = command("lint", "--rules", "--json").envelope
    assert [item["rule"] for item in listed["items"]] == names
    assert all(item["explanation"] and item["false_positives"] for item in listed["items"])
    plain = command("lint", "--rules").out
    assert all(name in plain for name in names)
    told = command("lint", "--explain", "network")
    assert told.code == 0 and "False positives: " in told.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to lint"),
        (("--explain", "nothing"), "no lint rule is called 'nothing'"),
        (("--rules", "x.jsonl"), "without a run or a file"),
        (("missing.jsonl",), "there is no such file"),
        (("20300501-999999",), "no run starts with"),
    ],
)
def test_wrong_use(command: Run, arguments: tuple[str, ...], said: str) -> None:
    ended = command("lint", *arguments)
    assert (ended.code, said in ended.err) == (2, True), ended.err


def test_a_file_that_shows_nothing_is_no_finding(command: Run, tmp_path: Path) -> None:
    """What cannot be known of a log alone is told, and is not held against it."""
    ended = command("lint", _log(tmp_path / "a.jsonl", "ls /workspace"))
    assert ended.code == 0
    assert "(codex-exec, 1 step)" in ended.out
    line = next(line for line in ended.out.splitlines() if "hidden-copies" in line)
    assert line.startswith("   [NOT RUN]") and ": did not run: needs a recorded run" in line
    assert ended.out.count("[NOT RUN]") <= 4
    looked = next(line for line in ended.out.splitlines() if line.startswith("   [STEPS]"))
    assert "secrets" in looked and ": looked at the steps alone" in looked
    states = re.search(r"(\d+) of (\d+) rules ran, (\d+) looked at the steps alone", ended.out)
    assert states is not None
    assert looked.partition(": ")[0].count(",") + 1 == int(states[3])
    assert "removed-tables" in ended.out and "clean" not in ended.out


def test_each_reason_is_told_on_one_line_after_what_was_found() -> None:
    steps = {"version": 1, "ran": False, "steps_only": True}
    report = LintReport(
        verdict="not-run",
        outcomes=[
            RuleOutcome(rule="canaries", version=1, ran=False, reason="needs a recorded run"),
            RuleOutcome(rule="network", reason="looked at the steps alone: files need a run", **steps),
            RuleOutcome(rule="outside-paths", reason="needs to know which task", **steps),
            RuleOutcome(rule="prior-runs", version=1, ran=False, reason="needs a recorded run"),
            RuleOutcome(rule="no-work", version=1, ran=True),
        ],
        violations=[Violation(rule="network", level=Level.WARN, message="network: m", place=Place(step=1))],
    )
    assert list(lint_lines(report)) == [
        "   [WARN] network: m (step 1)",
        "   [STEPS] network: looked at the steps alone: files need a run",
        "   [STEPS] outside-paths: looked at the steps alone: needs to know which task",
        "   [NOT RUN] canaries, prior-runs: did not run: needs a recorded run",
    ]


def test_several_files_and_what_was_found(command: Run, tmp_path: Path) -> None:
    files = [_log(tmp_path / "a.jsonl", "ls"), _log(tmp_path / "b.jsonl", "ls", LOOKS)]
    ended = command("lint", *files, "--json")
    assert ended.code == 1
    assert ended.envelope["summary"] == {"targets": 2, "found": 1}
    clean, found = ended.envelope["items"]
    assert (clean["found"], found["found"]) == (False, True)
    (violation,) = found["report"]["violations"]
    assert (violation["rule"], violation["level"], violation["place"]["step"]) == ("outside-paths", "warn", 2)
    left_out = command("lint", files[1], "--ignore", "outside-paths")
    assert left_out.code == 0 and "outside-paths: did not run: ignored by configuration" in left_out.out
    assert command("lint", files[1], "--select", "secrets").code == 0
    assert command("lint", files[1], "--select", "outside").code == 2


def test_nothing_is_printed_behind_a_progress_line(
    command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal both share the line where the cursor is."""
    drawn: list[str] = []

    @contextlib.contextmanager
    def progress() -> Iterator[Callable[..., None]]:
        drawn.append("begin")
        yield lambda *told: None
        drawn.append("end")

    monkeypatch.setattr("workbench.cli.lint.progress_line", progress)
    monkeypatch.setattr("workbench.cli.lint.say_wrapped", lambda *told: drawn.append("line"))
    command("lint", _log(tmp_path / "a.jsonl", "ls"), _log(tmp_path / "b.jsonl", "ls"))
    assert [drawn[at : at + 2] for at, what in enumerate(drawn) if what == "begin"] == [["begin", "end"]] * 2
    assert "line" in drawn


def test_settings_choose_rules(command: Run, tmp_path: Path) -> None:
    file = _log(tmp_path / "b.jsonl", LOOKS)
    assert command("config", "set", "lint.ignore", "outside-paths").code == 0
    assert command("lint", file).code == 0
    assert command("lint", file, "--ignore", "secrets").code == 1


def test_a_run_linted_again_is_kept_beside_its_result(command: Run, run: RunPaths) -> None:
    before = run.result.read_bytes()
    ended = command("lint", RUN[:10])
    assert ended.code == 1
    assert "outside-paths" in ended.out and "(step 1)" in ended.out
    assert "as it was; kept as re-lint 1" in ended.out
    assert run.result.read_bytes() == before
    item = command("lint", RUN, "--json").envelope["items"][0]
    assert (item["run_id"], item["kept"], item["equal_to_kept"], item["differs"]) == (RUN, None, True, False)
    assert "the newest kept re-lint says the same" in command("lint", RUN).out
    assert [path.name for path in run.lints.iterdir()] == ["0001.json"]
    shown = command("runs", "show", RUN)
    assert "re-lint  linted again on " in shown.out and "the verdict is the same" in shown.out
    whole = command("runs", "show", RUN, "--json").envelope["items"][0]
    assert whole["result"]["lint"]["violations"] == []
    assert whole["relint"]["report"]["violations"][0]["rule"] == "outside-paths"
    events = command("runs", "show", RUN, "--events").out
    assert events.index(LOOKS) < events.index("[WARN] outside-paths") < events.index("verdict  publishable")
    assert "re-lint" in command("runs", "list").out
    (hit,) = command("trajectory", "search", "--violations", "--json").envelope["items"]
    assert hit["step"] == 1 and "outside-paths" in hit["rules"]


def test_a_look_with_chosen_rules_is_not_kept(command: Run, run: RunPaths) -> None:
    ended = command("lint", RUN, "--select", "outside-paths")
    assert ended.code == 1 and "not kept: what chosen rules say is no verdict" in ended.out
    assert not run.lints.exists()


def test_a_run_without_a_result_cannot_be_linted(command: Run, run: RunPaths) -> None:
    """Its process, which is this one, is still to come; then it is gone."""
    run.result.unlink()
    ended = command("lint", RUN)
    assert ended.code == 2 and "the run is still going on" in ended.err
    run.lock.unlink()
    ended = command("lint", RUN)
    assert ended.code == 2 and "the run ended without a result" in ended.err
    assert "trajectory.jsonl" in ended.err


def test_options_for_files_are_refused_with_a_run(command: Run, run: RunPaths, tmp_path: Path) -> None:
    file = _log(tmp_path / "a.jsonl", "ls")
    for option in ("--task", "--format"):
        ended = command("lint", file, RUN, option, "codex-exec")
        assert (ended.code, f"{option} is for files, and {RUN} is the name of a run" in ended.err) == (
            2,
            True,
        )


def test_the_task_of_a_log_is_enough_to_know_its_names(
    command: Run, home: Path, shared_context: Context, tmp_path: Path
) -> None:
    home.mkdir()
    concept_sql_of("mimic-iv", shared_context.data)
    DataPaths(home).concept_sql.symlink_to(shared_context.data.concept_sql)
    content = shared_context.content
    task = content.task("mimic-suspicion-infection")
    name = min(name for name in other_names(content, task, SchemaVariant.NATIVE) if "." in name)
    file = _log(tmp_path / "a.jsonl", f"duckdb e.db -c 'SELECT * FROM {name}'")
    report = command("lint", file, "--task", task.id, "--json").envelope["items"][0]["report"]
    reasons = {item["rule"]: item["reason"] for item in report["outcomes"] if not item["ran"]}
    assert not any("--task" in reason for reason in reasons.values())
    assert "hidden-names" in {item["rule"] for item in report["violations"]}
    several = command("lint", file, "--task", "suspected_infection", "--json").envelope["items"]
    assert [item["task"] for item in several] == [task.id, f"{task.id}-raw"]
    assert several[0]["report"] == report
    assert f"task     {task.id}-raw" in command("lint", file, "--task", "suspected_infection").out
    assert command("lint", file, "--task", "suspected_infections").code == 2


def _zip(name: str, data: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(name, data)
    return held.getvalue()


BAD = {
    "packed.jsonl": (gzip.compress(b'{"type":"thread.started"}'), "is packed by gzip"),
    "picture.log": (bytes(range(256)) * 40, "is no text"),
    "other.json": (b"{}", "is JSON, but no log of a known format"),
    "rows.json": (b'[{"a": 1}, {"a": 2}]', "is JSON, but no log of a known format"),
    "empty.jsonl": (b" \n", "is empty"),
    "mark.txt": (b"\xef\xbb\xbf", "is empty"),
    "zeros.img": (bytes(4096), "is no text"),
    "cut.json": (b'{"a": [1, 2, {"b": "c', "is JSON, but no log of a known format"),
    "nothing.zip": (b"PK\x05\x06" + bytes(18), "is packed by zip"),
    "other.zip": (_zip("a.txt", b"x" * 100), "no step can be read"),
    "cut.eval": (_zip("a.txt", b"x" * 100)[:40], "no step can be read"),
    "cut.jsonl": (b'{"type":"thread.started","thread_id":"t1"}\n{"type":"item.comp\n', "no step can be read"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("words", [("lint",), ("trajectory", "show"), ("trajectory", "stats")])
def test_what_is_no_log_is_refused(command: Run, tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    data, said = BAD[name]
    (tmp_path / name).write_bytes(data)
    ended = command(*words, tmp_path / name)
    assert (ended.code, said in ended.err, ended.out) == (2, True, "")


@pytest.mark.parametrize("format", ["plain", "codex-exec"])
def test_no_format_makes_a_log_of_what_is_no_text(command: Run, tmp_path: Path, format: str) -> None:
    for name in ("packed.jsonl", "picture.log", "empty.jsonl"):
        data, said = BAD[name]
        (tmp_path / name).write_bytes(data)
        ended = command("lint", tmp_path / name, "--format", format)
        assert (ended.code, said in ended.err) == (2, True)


def test_folders_devices_and_missing_files_are_told_as_what_they_are(command: Run, tmp_path: Path) -> None:
    for target, said in (
        (tmp_path, "is a folder"),
        ("/dev/null", "not a regular"),
        ("./no.jsonl", "no such file"),
    ):
        ended = command("lint", target)
        assert (ended.code, said in ended.err) == (2, True), ended.err


def test_plain_words_are_read_and_said_to_be_so(command: Run, tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("[12:00] Größe und Maß: über all tables.\nAll done.\n", encoding="latin-1")
    ended = command("lint", file)
    assert ended.code == 0
    assert "note: no known format: read as one text" in " ".join(ended.out.split())
    (tmp_path / "other.json").write_text("{}")
    assert command("lint", tmp_path / "other.json", "--format", "plain").code == 0


def test_a_format_that_it_is_not_is_refused(command: Run, tmp_path: Path) -> None:
    file = _log(tmp_path / "a.jsonl", "ls")
    ended = command("lint", file, "--format", "claude-stream")
    assert (ended.code, "It looks like codex-exec" in ended.err) == (2, True)
    assert command("lint", file, "--format", "no-format").code == 2
