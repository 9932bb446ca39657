"""Releases: whole and clean, or not there at all; made again alike; gone on with after an interruption."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from planted import PlantedLog, survivors

from workbench.ehr import SourceIdentifiers
from workbench.records import (
    AgentChoice,
    BadInput,
    Condition,
    ExitCode,
    Refused,
    ReleaseManifest,
    RunPlan,
    Step,
    SystemClock,
    TrajectorySummary,
)
from workbench.redaction import Redactor
from workbench.runs import Context, ReleaseRequest, logs_to_release, make_release, sources_to_ask
from workbench.runs.release_place import put_in_place
from workbench.store import RunStore
from workbench.trajectories import read_trajectory

SCRIPT = Path(__file__).with_name("second_look.py")
SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "trajectories"
Command = Callable[..., list[str]]


def ask(context: Context, out: Path, *files: Path | str, **more: Any) -> ReleaseRequest:
    logs = logs_to_release(context, [str(file) for file in files])
    return ReleaseRequest(logs=logs, sources=sources_to_ask(context, [], logs), out=out, **more)


def line(number: int, text: str) -> str:
    item = {"id": f"item_{number}", "type": "agent_message", "text": text}
    return json.dumps({"type": "item.completed", "item": item})


@pytest.fixture
def stay(logs: dict[str, PlantedLog]) -> str:
    """A stay of the source."""
    return next(one.value for one in logs["plain"].planted if re.fullmatch(r"30\d{6}", one.value))


@pytest.fixture
def two(tmp_path: Path, stay: str) -> list[Path]:
    """Two small logs that name the same stay, of this test alone."""
    made = []
    for name in ("first", "second"):
        path = tmp_path / f"{name}.jsonl"
        said = (f"{tmp_path.name} {name}", f"Stay {stay} is odd.", "Done.")
        lines = [line(number, text) for number, text in enumerate(said, 1)]
        path.write_text("\n".join(['{"type":"thread.started","thread_id":"t1"}', *lines]) + "\n")
        made.append(path)
    return made


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".jsonl")


def test_a_release_is_whole_and_tells_no_salt(
    release_context: Context, two: list[Path], tmp_path: Path, stay: str
) -> None:
    out = tmp_path / "out"
    manifest = make_release(release_context, ask(release_context, out, *two))
    assert sorted(path.name for path in out.iterdir()) == ["log-001.jsonl", "log-002.jsonl", "manifest.json"]
    assert ReleaseManifest.load(out / "manifest.json") == manifest
    for one in manifest.files:
        data = (out / one.file).read_bytes()
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (one.sha256, one.bytes)
        steps, summary = read_trajectory(out / one.file)
        assert (len(steps), summary.damaged_lines) == (one.steps, 0)
    assert manifest.replaced == {"stay": 2} and [one.replaced for one in manifest.files] == [{"stay": 1}] * 2
    salt = json.loads(release_context.data.release(manifest.release).record.read_text())["salt"]
    everything = b"".join(path.read_bytes() for path in out.iterdir()).decode()
    assert (
        salt not in everything and stay not in everything and bytes.fromhex(salt) not in everything.encode()
    )
    words = re.findall(r"\[stay (\w+)\]", everything)
    assert len(words) == 2 and len(set(words)) == 1
    kept = release_context.data.release(manifest.release)
    assert (kept.folder.stat().st_mode & 0o777, kept.record.stat().st_mode & 0o777) == (0o700, 0o600)
    assert not kept.files.exists()


@pytest.mark.parametrize(
    "spelling", ["%Y %b %d", "%B %d, %Y", "year=%Y/month=%m/day=%d", "'year': %Y, 'month': %m, 'day': %d"]
)
def test_days_go_in_any_spelling_that_the_check_knows(
    spelling: str, release_context: Context, two: list[Path], tmp_path: Path, logs: dict[str, PlantedLog]
) -> None:
    day = next(one.value[:10] for one in logs["plain"].planted if one.kind == "timestamp")
    written = date.fromisoformat(day).strftime(spelling)
    two[0].write_text(
        two[0].read_text() + line(4, f"Look at {written} there.") + "\n" + line(5, "Done.") + "\n"
    )
    make_release(release_context, ask(release_context, tmp_path / "out", two[0]))
    steps, _ = read_trajectory(tmp_path / "out" / "log-001.jsonl")
    assert re.fullmatch(r"Look at \[date \w+\] there\.", steps[3].message.replace("'", ""))


def test_another_release_has_other_names_and_the_same_one_is_made_again_alike(
    release_context: Context, two: list[Path], tmp_path: Path
) -> None:
    first = make_release(release_context, ask(release_context, tmp_path / "a", *two))
    other = make_release(release_context, ask(release_context, tmp_path / "b", *two))
    again = make_release(release_context, ask(release_context, tmp_path / "c", *two, again=first.release))
    assert other.release != first.release and again == first
    texts = [
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("a", "b", "c")
    ]
    assert texts[0] == texts[2] and texts[0]["log-001.jsonl"] != texts[1]["log-001.jsonl"]
    with pytest.raises(BadInput, match="no release"):
        make_release(release_context, ask(release_context, tmp_path / "d", *two, again="rel-aaaaaaaaaaaa"))


class Leaky:
    """A redaction that takes nothing out."""

    def __init__(self, lookup: Any, salt: bytes, **more: Any) -> None:
        self.replaced: dict[str, int] = {}

    def learned(self, steps: Iterable[Step], format: str) -> Iterable[Step]:
        return steps

    def cleaned(self, steps: Iterable[Step], format: str) -> Iterable[Step]:
        return steps

    def summary(self, summary: TrajectorySummary) -> TrajectorySummary:
        return summary


def test_what_is_left_in_a_log_refuses_the_release_and_nothing_is_written(
    release_context: Context, two: list[Path], tmp_path: Path, stay: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.runs.release_maker.Redactor", Leaky)
    with pytest.raises(Refused) as refused:
        make_release(release_context, ask(release_context, tmp_path / "out", *two))
    told = f"{refused.value.what} {refused.value.where} {refused.value.remedy}"
    assert "log-001.jsonl, step 2, message: identifier stay_id" in told and stay not in told
    assert leftovers(tmp_path) == []
    made = [path for path in release_context.data.releases.rglob("log-*") if path.is_file()]
    assert made == []


def test_a_size_is_no_identifier(
    release_context: Context, two: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    class Sized(SourceIdentifiers):
        def numbers(self, numbers: Collection[int]) -> Mapping[int, frozenset[str]]:
            if len(numbers) == 1 and len(sizes) < 3 and min(numbers) in range(100_000, 400_000):
                sizes.extend(numbers)
                return {next(iter(numbers)): frozenset({"stay_id"})}
            return super().numbers(numbers)

    two[0].write_text(two[0].read_text() + line(4, "word " * 30_000) + "\n")
    monkeypatch.setattr("workbench.ehr.identifiers.SourceIdentifiers", Sized)
    manifest = make_release(release_context, ask(release_context, tmp_path / "out", two[0]))
    assert [one - sizes[0] for one in sizes] == [0, 1, 2]
    assert manifest.files[0].bytes == sizes[2] + 1
    assert read_trajectory(tmp_path / "out" / "log-001.jsonl")[1].damaged_lines == 0


def test_names_of_this_machine_do_not_leave(
    release_context: Context, two: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "ward-ws417.clinic")
    two[0].write_text(two[0].read_text() + line(4, "It ran on ward-ws417, in `/home/mokafor`.") + "\n")
    make_release(release_context, ask(release_context, tmp_path / "out", *two))
    text = (tmp_path / "out" / "log-001.jsonl").read_text()
    assert "ward-ws417" not in text and "mokafor" not in text and "It ran on [person" in text


@pytest.mark.parametrize("crash", [KeyboardInterrupt, OSError, MemoryError])
def test_a_crash_leaves_nothing_and_is_gone_on_with(
    crash: type[BaseException],
    release_context: Context,
    two: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(made: Path, final: Path) -> None:
        raise crash

    out = tmp_path / "out"
    with monkeypatch.context() as broken:
        broken.setattr("workbench.runs.release_place.publish_folder", fail)
        with pytest.raises(crash):
            make_release(release_context, ask(release_context, out, *two))
    assert leftovers(tmp_path) == []
    began = set(release_context.data.releases.iterdir())
    with monkeypatch.context() as watched:
        watched.setattr(
            "workbench.runs.release_maker.Redactor", None
        )  # both logs are done: none is cleaned again
        manifest = make_release(release_context, ask(release_context, out, *two))
    assert set(release_context.data.releases.iterdir()) == began
    assert ReleaseManifest.load(out / "manifest.json") == manifest and manifest.replaced == {"stay": 2}


def test_a_cancelled_release_goes_on_with_the_log_where_it_was(
    release_context: Context, two: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = two[0].stat().st_size
    opened: list[str] = []
    real = Redactor

    def watched(*given: Any, **more: Any) -> Any:
        opened.append("one")
        return real(*given, **more)

    monkeypatch.setattr("workbench.runs.release_maker.Redactor", watched)

    def cancel(label: str, done: float, total: float, unit: str) -> None:
        if label == "redacting" and done > first:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_release(release_context, ask(release_context, tmp_path / "out", *two), cancel)
    assert leftovers(tmp_path) == [] and len(opened) == 2
    make_release(release_context, ask(release_context, tmp_path / "out", *two))
    assert len(opened) == 3


def test_a_file_that_was_changed_after_its_check_is_not_released(
    release_context: Context, two: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stay: str
) -> None:
    real = put_in_place

    def change(manifest: ReleaseManifest, kept: Any, out: Path) -> None:
        with (kept.files / "log-002.jsonl").open("a") as file:
            file.write(stay)
        real(manifest, kept, out)

    monkeypatch.setattr("workbench.runs.releasing.put_in_place", change)
    with pytest.raises(Refused, match="changed after it was checked"):
        make_release(release_context, ask(release_context, tmp_path / "out", *two))
    assert leftovers(tmp_path) == []


def test_places_and_sources_that_do_not_do(
    release_context: Context, two: list[Path], tmp_path: Path, content: Any
) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "file").touch()
    for out, words in ((taken, "is there already"), (tmp_path / "no" / "out", "folder above")):
        with pytest.raises(BadInput, match=words):
            make_release(release_context, ask(release_context, out, *two))
    with pytest.raises(BadInput, match="named twice"):
        logs_to_release(release_context, [str(two[0]), str(two[0])])
    with pytest.raises(BadInput, match="no such file"):
        logs_to_release(release_context, [str(tmp_path / "missing.jsonl")])
    from workbench.records import DataPaths

    empty = Context(content, DataPaths(tmp_path / "empty"), release_context.settings)
    with pytest.raises(Refused, match="no source"):
        sources_to_ask(empty, [], [])
    broken = empty.data.source("broken").folder
    broken.mkdir(parents=True)
    empty.data.source("broken").manifest.write_text("{")
    with pytest.raises(Refused, match="cannot be read"):
        sources_to_ask(empty, [], [])


def test_a_recorded_run_is_released_under_its_name_with_what_it_was(
    release_context: Context, two: list[Path], tmp_path: Path, source_folder: Path
) -> None:
    plan = RunPlan(
        run_id="20260302t110405-first-run", created=SystemClock().now(), task="m4bench-sofa", family="sofa",
        condition=Condition.NO_SKILL, source=source_folder.name, agent=AgentChoice(name="codex", model="m-1"),
        sandbox="bubblewrap",
    )  # fmt: skip
    paths = RunStore(release_context.data).create(plan)
    paths.trajectory.write_bytes(two[0].read_bytes())
    manifest = make_release(release_context, ask(release_context, tmp_path / "out", "20260302t11"))
    (one,) = manifest.files
    assert one.file == "20260302t110405-first-run.jsonl" and one.run is not None
    assert (one.run.task, one.run.agent, one.run.model) == ("m4bench-sofa", "codex", "m-1")
    others = [source for source in sources_to_ask(release_context, [], []) if source.name != plan.source]
    with pytest.raises(Refused, match=plan.source):
        sources_to_ask(
            release_context,
            [source.name for source in others],
            logs_to_release(release_context, ["20260302t11"]),
        )


def second_look(source: Path, out: Path) -> str:
    """What a script that knows the source and nothing of the product finds; run as a process of its own."""
    command = [sys.executable, str(SCRIPT), str(source), *map(str, sorted(out.iterdir()))]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    return ended.stdout


def run_command(
    workbench_command: Command, context: Context, *words: str
) -> subprocess.CompletedProcess[str]:
    import os

    environment = {**os.environ, "WORKBENCH_HOME": str(context.data.root)}
    return subprocess.run(
        workbench_command("trajectory", "redact", *words), capture_output=True, text=True, timeout=240,
        env=environment, cwd=context.content.paths.root,
    )  # fmt: skip


@pytest.mark.parametrize("written", ["workbench", "atif"])
def test_every_real_log_passes_the_check_and_the_second_look(
    written: str,
    release_context: Context,
    workbench_command: Command,
    source_folder: Path,
    eicu_folder: Path,
    tmp_path: Path,
) -> None:
    if not SAMPLES.is_dir():
        pytest.skip("the shared sample logs are not beside the project")
    samples = [path for path in sorted(SAMPLES.rglob("*")) if path.is_file() and path.name != "MANIFEST.json"]
    out = tmp_path / "out"
    ended = run_command(
        workbench_command, release_context, *map(str, samples), "--out", str(out), "--as", written, "--json"
    )
    assert ended.returncode == 0, ended.stderr
    envelope = json.loads(ended.stdout)
    assert (envelope["kind"], envelope["problems"]) == ("released", [])
    assert [item["of"] for item in envelope["items"]] == [path.name for path in samples]
    assert envelope["summary"]["sources"] == sorted([source_folder.name, eicu_folder.name])
    manifest = ReleaseManifest.load(out / "manifest.json")
    assert [one.file for one in manifest.files] == [item["file"] for item in envelope["items"]]
    assert all(read_trajectory(out / one.file)[1].steps == one.steps for one in manifest.files)
    for source in (source_folder, eicu_folder):
        assert second_look(source, out).startswith("0 found")


@pytest.mark.parametrize("database", ["mimic-iv", "eicu"])
def test_planted_values_of_all_formats_do_not_leave(
    database: str,
    release_context: Context,
    workbench_command: Command,
    logs: dict[str, PlantedLog],
    eicu_logs: dict[str, PlantedLog],
    source_folder: Path,
    eicu_folder: Path,
    tmp_path: Path,
) -> None:
    planted = logs if database == "mimic-iv" else eicu_logs
    files = []
    for name, log in planted.items():
        files.append(tmp_path / f"{name}.log")
        files[-1].write_bytes(log.data)
    out = tmp_path / "out"
    ended = run_command(workbench_command, release_context, *map(str, files), "--out", str(out))
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"^release rel-\w{12} in ", ended.stdout, re.M)
    assert second_look(source_folder if database == "mimic-iv" else eicu_folder, out).startswith("0 found")
    for at, log in enumerate(planted.values(), 1):
        text = (out / f"log-{at:03}.jsonl").read_text("utf-8")
        assert [(one.carrier, one.kind, one.place) for one in survivors(text, log)] == []


def test_the_command_says_what_is_wrong(
    release_context: Context, workbench_command: Command, two: list[Path], tmp_path: Path
) -> None:
    log, out = str(two[0]), str(tmp_path / "out")
    wrong = [
        ([log, "--out", str(tmp_path)], "is there already"),
        ([log, "--out", out, "--as", "text"], "Known: workbench, atif"),
        ([log, "--out", out, "--source", "nothing"], "no source named"),
    ]
    for words, said in wrong:
        ended = run_command(workbench_command, release_context, *words)
        assert (ended.returncode, said in ended.stderr, "Traceback" in ended.stderr) == (
            ExitCode.WRONG_USE,
            True,
            False,
        )
