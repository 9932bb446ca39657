"""The check of a release: it finds each kind of what may not leave, tells no value, accuses nothing else."""

from __future__ import annotations

import base64
import json
import socket
import zlib
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from drawn_values import load_pool
from must_stay import stay_log
from planted import PlantedLog

from workbench.ehr import SourceIdentifiers, open_identifiers
from workbench.records import Observation, Source, Step, StepSource, ToolCall, ToolKind, Usage
from workbench.redaction import ReleaseCheck
from workbench.redaction.release_layers import layers_of
from workbench.redaction.release_numbers import numbers_read
from workbench.redaction.release_times import times_read
from workbench.runs import Context
from workbench.trajectories import atif_bytes, read_log, read_trajectory, write_trajectory

SourceOf = Callable[[str], Source]


@pytest.fixture(scope="module")
def lookup(release_context: Context) -> Iterator[SourceIdentifiers]:
    from workbench.ehr import readable_sources

    sources, _ = readable_sources(release_context.data)
    with open_identifiers(release_context.data, sources) as found:
        yield found


@pytest.fixture(scope="module")
def known(source_folder: Path) -> dict[str, Any]:
    """One row of a stay: values of the source by column."""
    row = load_pool(source_folder, 7).rows["mimiciv_icu.icustays"][0]
    return {cell.column: cell.value for cell in row}


def steps_of(text: str, raw: str = "") -> list[Step]:
    back = [Observation(call_id="c", text=raw)] if raw else []
    call = ToolCall(call_id="c", name="bash", kind=ToolKind.COMMAND, command="python show.py")
    return [
        Step(number=1, source=StepSource.AGENT, calls=[call], observations=back),
        Step(number=2, source=StepSource.AGENT, message=text, usage=Usage(input_tokens=123456)),
    ]


def faults_of(
    lookup: SourceIdentifiers, path: Path, text: str, raw: str = "", **more: Any
) -> list[tuple[str, str]]:
    """Kind and place of what is found in a release whose second step says ``text``."""
    steps = steps_of(text)
    write_trajectory(path, steps, read_summary(steps, path))
    told = ReleaseCheck(lookup).of_log(path, "workbench", steps_of(text, raw)[:1], [], len(steps), **more)
    for fault in told:
        assert fault.file == path.name and not {digit for digit in str(fault) if digit in "3456789"}
    return [(fault.kind, fault.place) for fault in told]


def read_summary(steps: list[Step], path: Path) -> Any:
    from workbench.records import TrajectorySummary

    return TrajectorySummary(format="workbench", steps=len(steps))


SPELLINGS: dict[str, Callable[[int], str]] = {
    "plain": lambda stay: f"the stay {stay} is odd",
    "grouped": lambda stay: f"{stay:,}",
    "underscores": lambda stay: f"WHERE stay_id = {stay:_}",
    "split": lambda stay: "-".join(str(stay)),
    "zero padded": lambda stay: f"{stay:012}",
    "float": lambda stay: f"{stay}.0",
    "power": lambda stay: f"{stay:.7e}",
    "hexadecimal": hex,
    "octal": oct,
    "binary": bin,
    "base64": lambda stay: base64.b64encode(f"stay {stay}".encode()).decode(),
    "base64 twice": lambda stay: base64.b64encode(base64.b64encode(f"stays: {stay}".encode())).decode(),
    "hexadecimal text": lambda stay: f"stay {stay}".encode().hex(),
    "escaped": lambda stay: "".join(f"\\x{ord(digit):02x}" for digit in str(stay)),
    "percent": lambda stay: "".join(f"%{ord(digit):02X}" for digit in str(stay)),
    "entities": lambda stay: "".join(f"&#{ord(digit)};" for digit in str(stay)),
    "full width": lambda stay: "".join(chr(ord(digit) + 0xFEE0) for digit in str(stay)),
    "run together": lambda stay: f"{stay}{stay}",
    "file name": lambda stay: f"/workspace/stay_{stay}.csv",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_identifier_is_found_in_any_spelling(
    spelling: str, lookup: SourceIdentifiers, known: dict[str, Any], tmp_path: Path
) -> None:
    found = faults_of(lookup, tmp_path / "log.jsonl", SPELLINGS[spelling](known["stay_id"]))
    assert ("identifier stay_id", "step 2, message") in found


TIMES: dict[str, Callable[[datetime], str]] = {
    "day": lambda time: f"on {time:%Y-%m-%d}",
    "with time": lambda time: f"{time:%Y-%m-%dT%H:%M:%S}",
    "compact": lambda time: f"{time:%Y%m%d}",
    "American": lambda time: f"{time:%m/%d/%Y}",
    "German": lambda time: f"{time:%d.%m.%Y}",
    "words": lambda time: f"{time.day} {time:%B} {time.year}",
    "words first": lambda time: f"{time:%b} {time.day}, {time.year}",
    "folders": lambda time: f"year={time.year}/month={time.month:02}/day={time.day:02}/part-0.parquet",
    "year first": lambda time: f"{time:%Y %b %d}",
    "two digits": lambda time: f"{time:%d/%m/%y %H:%M}",
    "two digits, American": lambda time: f"{time:%m/%d/%y}",
    "two digits, year first": lambda time: f"{time:%y-%m-%d %H:%M}",
    "code": lambda time: f"datetime({time.year}, {time.month}, {time.day}, 0, 0)",
}


@pytest.mark.parametrize("spelling", TIMES)
def test_a_day_of_the_source_is_found_in_any_order(
    spelling: str, lookup: SourceIdentifiers, known: dict[str, Any], tmp_path: Path
) -> None:
    found = faults_of(lookup, tmp_path / "log.jsonl", TIMES[spelling](known["intime"]))
    assert found == [("date of a source", "step 2, message")]


def test_a_time_since_1970_is_found(lookup: SourceIdentifiers, known: dict[str, Any], tmp_path: Path) -> None:
    seconds = (known["intime"] - datetime(1970, 1, 1)).total_seconds()  # noqa: DTZ001
    found = faults_of(lookup, tmp_path / "log.jsonl", f"at {seconds:.0f}")
    assert found == [("time of a source, as a count of seconds", "step 2, message")]


WORDS = "pt received from the operating room in stable condition and family at bedside was updated"
LINES = {
    "a key": ("export OPENAI_API_KEY=sk-proj-" + "a1B2c3D4e5" * 5, "openai key"),
    "a signed address": ("https://a.example/b?sv=1&sig=" + "aB3dE5gH7j" * 4, "signed address"),
    "an e-mail address": ("write to mara.okafor@ward-clinic.org", "e-mail address"),
    "a home folder": ("cd /home/mokafor/icu", "home folder of a person"),
    "a home folder of Windows": ("C:\\Users\\mokafor\\icu", "home folder of a person"),
}


@pytest.mark.parametrize("line", LINES)
def test_secrets_and_persons_are_found(line: str, lookup: SourceIdentifiers, tmp_path: Path) -> None:
    text, kind = LINES[line]
    assert faults_of(lookup, tmp_path / "log.jsonl", text) == [(kind, "step 2, message")]


def test_names_that_the_log_tells_and_this_machines_are_found(
    lookup: SourceIdentifiers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "ward-ws417.clinic.example")
    path = tmp_path / "log.jsonl"
    kind = "name of a person or machine"
    raw = "mokafor@res-node9:/workspace$ ls"
    assert faults_of(lookup, path, "ask mokafor about it", raw) == [(kind, "step 2, message")]
    assert faults_of(lookup, path, "it ran on res-node9", raw) == [(kind, "step 2, message")]
    assert faults_of(lookup, path, "it ran on ward-ws417") == [(kind, "step 2, message")]
    assert faults_of(lookup, path, "the mokaforest node, root, ward", raw) == []


def test_words_and_rows_of_an_output_are_found(lookup: SourceIdentifiers, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    row = "heart rate | 71.25 | 0.8125 |"
    assert faults_of(lookup, path, f"The note says {WORDS}.", WORDS) == [
        ("a sentence of an output", "step 2, message")
    ]
    assert faults_of(lookup, path, "They are 71.25 and 0.8125.", row) == [
        ("values of a row of an output", "step 2, message")
    ]
    swedish = "patienten är vaken och orienterad och lungorna är rena utan några smärtor"
    assert faults_of(lookup, path, f"Där står: {swedish}", swedish) == [
        ("a sentence of an output", "step 2, message")
    ]
    assert faults_of(lookup, path, "It says pt received from the operating room.", WORDS) == []
    assert faults_of(lookup, path, WORDS, WORDS, public=[f"Look for: {WORDS}."]) == []


def test_row_numbers_are_found_only_where_they_are_named(
    lookup: SourceIdentifiers, source_folder: Path, tmp_path: Path
) -> None:
    import duckdb

    table = str(source_folder / "tables" / "mimiciv_hosp.labevents.parquet")
    query = "SELECT max(labevent_id) FROM read_parquet(?) WHERE labevent_id BETWEEN 200000 AND 219000"
    row = duckdb.execute(query, [table]).fetchall()[0][0]
    path = tmp_path / "log.jsonl"
    assert faults_of(lookup, path, f"{row} tokens were used, itemid 220045") == []
    assert faults_of(lookup, path, f"labevent_id {row}") == [("identifier labevent_id", "step 2, message")]


def test_keys_and_numbers_of_arguments_are_read_and_counts_of_the_log_are_not(
    lookup: SourceIdentifiers, known: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    call = ToolCall(
        call_id="c", name="look", arguments={str(known["stay_id"]): 1, "hadm_id": known["hadm_id"]}
    )
    steps = [Step(number=1, source=StepSource.AGENT, calls=[call])]
    write_trajectory(path, steps, read_summary(steps, path))
    told = ReleaseCheck(lookup).of_log(path, "workbench", [], [], 1)
    assert {(fault.kind, fault.place) for fault in told} == {
        ("identifier stay_id", "step 1, calls"), ("identifier hadm_id", "step 1, calls"),
    }  # fmt: skip
    text = json.dumps({"bytes": known["stay_id"], "usage": {"calls": [known["hadm_id"]]}})
    assert [str(fault) for fault in ReleaseCheck(lookup).of_text("manifest.json", text)] == [
        "manifest.json, the text: identifier hadm_id"
    ]
    found = ReleaseCheck(lookup).of_text(f"{known['stay_id']}.json", "{}")
    assert [(fault.kind, fault.place) for fault in found] == [("identifier stay_id", "the name")]


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (lambda text: text[:-20], "not valid: is not valid JSON"),
        (
            lambda text: text.replace('"step", "step"', '"stap", "step"', 1),
            "not valid: it does not read back",
        ),
        (lambda text: text + text.split("\n")[1] + "\n", "not valid: it does not read back"),
    ],
)
def test_what_is_no_log_of_its_format_is_refused(
    spoil: Callable[[str], str], kind: str, lookup: SourceIdentifiers, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    steps = steps_of("done")
    write_trajectory(path, steps, read_summary(steps, path))
    path.write_text(spoil(path.read_text()))
    told = ReleaseCheck(lookup).of_log(path, "workbench", steps, [], len(steps))
    assert len(told) == 1 and told[0].kind.startswith(kind)


def test_an_atif_document_is_checked_step_by_step(
    lookup: SourceIdentifiers, known: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "log.json"
    steps = steps_of(f"stay {known['stay_id']}")
    path.write_bytes(atif_bytes(steps, read_summary(steps, path)))
    read, _ = read_trajectory(path)
    told = ReleaseCheck(lookup).of_log(path, "atif", [], [], len(read))
    assert [(fault.kind, fault.place) for fault in told] == [("identifier stay_id", "step 2, message")]
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"steps": "none"}))
    assert [fault.kind[:9] for fault in ReleaseCheck(lookup).of_log(path, "atif", [], [], 2)] == ["not valid"]


class Remembering:
    """A lookup that remembers what was found."""

    def __init__(self, inner: SourceIdentifiers) -> None:
        self._inner = inner
        self.found: set[str] = set()

    def numbers(self, numbers: Any) -> Mapping[int, AbstractSet[str]]:
        return self._kept(self._inner.numbers(numbers))

    def keys(self, keys: Any) -> Mapping[str, AbstractSet[str]]:
        return self._kept(self._inner.keys(keys))

    def items(self, numbers: Any) -> AbstractSet[int]:
        return self._inner.items(numbers)

    def days(self, days: Any) -> AbstractSet[date]:
        return self._kept(self._inner.days(days))

    def moments(self, moments: Any) -> AbstractSet[datetime]:
        return self._kept(self._inner.moments(moments))

    def dense(self, column: str, digits: int) -> bool:
        return self._inner.dense(column, digits)

    def _kept(self, found: Any) -> Any:
        self.found.update(str(one)[:10] if isinstance(one, date) else str(one).lower() for one in found)
        return found


@pytest.mark.parametrize("format", ["codex-exec", "claude-session", "swe-agent"])
@pytest.mark.parametrize("database", ["mimic-iv", "eicu"])
def test_the_check_reads_every_planted_identifier_and_time(
    format: str,
    database: str,
    lookup: SourceIdentifiers,
    logs: dict[str, PlantedLog],
    eicu_logs: dict[str, PlantedLog],
    tmp_path: Path,
) -> None:
    log = (logs if database == "mimic-iv" else eicu_logs)[format]
    path, raw = tmp_path / "released.jsonl", tmp_path / "raw"
    raw.write_bytes(log.data)
    steps, summary = read_log(raw)
    write_trajectory(path, steps, summary)
    remembering = Remembering(lookup)
    assert ReleaseCheck(remembering).of_log(path, "workbench", steps, [], len(steps))
    wanted = {
        one.value[:10] if one.kind in ("timestamp", "date") else one.value
        for one in log.planted
        if one.kind in ("identifier", "timestamp", "date")
        and not (one.value.isdigit() and len(one.value) < 6)
    }
    missed = {value for value in wanted if not {value, value.partition("-")[0]} & remembering.found}
    assert missed == set()


def test_what_has_to_stay_is_not_accused(lookup: SourceIdentifiers, tmp_path: Path) -> None:
    raw, path = tmp_path / "raw.jsonl", tmp_path / "released.jsonl"
    raw.write_bytes(stay_log("claude-stream"))
    steps, summary = read_log(raw)
    write_trajectory(path, steps, summary)
    told = ReleaseCheck(lookup).of_log(path, "workbench", steps, [], len(steps))
    assert [str(fault) for fault in told] == []


def test_what_unpacks_to_too_much_is_refused(lookup: SourceIdentifiers, tmp_path: Path) -> None:
    packed = base64.b64encode(zlib.compress(b"a" * 2_000_000)).decode()
    kind = "a text that unpacks to more than is looked at"
    assert faults_of(lookup, tmp_path / "log.jsonl", packed) == [(kind, "step 2, message")]


def test_readings_of_numbers_days_and_layers() -> None:
    assert {one.value for one in numbers_read("30,012,345 and 0x1c9f0e1")} >= {30012345, 0x1C9F0E1}
    assert [one.value for one in numbers_read("2026-03-02 11:04, 3.11.14, 10.0")] == []
    assert not list(numbers_read("5f1e1e0e6c2d2b1c1b0c0a0d0e0f0a0b 0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"))
    assert {one.day for one in times_read("03/04/2150")} == {date(2150, 3, 4), date(2150, 4, 3)}
    assert [one.moment for one in times_read("4 mar 2150 at 5:06 pm")] == [datetime(2150, 3, 4, 17, 6)]  # noqa: DTZ001
    assert any("stay 30012345" in layer for layer in layers_of("c3RheSAzMDAxMjM0NQ=="))
