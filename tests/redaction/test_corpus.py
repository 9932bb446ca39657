"""Redaction of the planted corpora: nothing planted survives, what must stay stays, nothing else ships."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from benchmark_emitters import EMITTERS
from must_stay import go_log, lost, must_stay, stay_log
from parquet_lookup import ParquetLookup
from planted import PlantedLog, survivors
from second_look import Source, accusations

from workbench.redaction import Redactor, redacted_atif
from workbench.trajectories import read_trajectory

SALT = b"a salt of this test only"
STRUCTURED = [name for name in EMITTERS if name != "plain"]
"""Nothing in a plain log tells output from words: none of its words are released."""


@pytest.fixture(scope="session")
def lookup(source_folder: Path) -> ParquetLookup:
    return ParquetLookup(source_folder)


@pytest.fixture(scope="session")
def eicu_lookup(eicu_folder: Path) -> ParquetLookup:
    return ParquetLookup(eicu_folder)


def release(folder: Path, data: bytes, lookup: ParquetLookup, salt: bytes = SALT) -> str:
    """What is released of a log, as text; it can be read back."""
    path, made = folder / "log", folder / "released.json"
    path.write_bytes(data)
    made.write_bytes(redacted_atif(path, Redactor(lookup, salt)))
    steps, summary = read_trajectory(made)
    assert summary.format == "atif" and len(steps) == summary.steps
    return made.read_text("utf-8")


@pytest.mark.parametrize("format", EMITTERS)
def test_nothing_planted_survives(
    format: str, tmp_path: Path, logs: dict[str, PlantedLog], lookup: ParquetLookup
) -> None:
    log = logs[format]
    text = release(tmp_path, log.data, lookup)
    assert [(one.carrier, one.kind, one.place) for one in survivors(text, log)] == []


@pytest.mark.parametrize("format", EMITTERS)
def test_nothing_of_eicu_survives(
    format: str, tmp_path: Path, eicu_logs: dict[str, PlantedLog], eicu_lookup: ParquetLookup
) -> None:
    log = eicu_logs[format]
    text = release(tmp_path, log.data, eicu_lookup)
    assert [(one.carrier, one.kind, one.place) for one in survivors(text, log)] == []


def test_an_independent_second_look_accuses_nothing(
    tmp_path: Path, logs: dict[str, PlantedLog], lookup: ParquetLookup, source_folder: Path
) -> None:
    texts = {name: release(tmp_path, log.data, lookup) for name, log in logs.items()}
    assert [(one.place, one.kind) for one in accusations(Source(source_folder), texts)] == []


def test_what_must_stay_stays(tmp_path: Path, lookup: ParquetLookup) -> None:
    gone = {
        format: [stay.text for stay in lost(release(tmp_path, stay_log(format), lookup))]
        for format in STRUCTURED
    }
    assert {name: texts for name, texts in gone.items() if texts and name != "gemini-json"} == {}
    assert sum(map(len, gone.values())) <= 0.005 * len(STRUCTURED) * len(must_stay())


@pytest.mark.parametrize("format", ["codex-exec", "claude-session", "gemini-json", "mini-swe-agent"])
def test_look_alikes_go(format: str, tmp_path: Path, source_folder: Path, lookup: ParquetLookup) -> None:
    log = go_log(source_folder, 7, format)
    assert survivors(release(tmp_path, log.data, lookup), log) == []


def test_one_value_has_one_name_within_a_release_and_another_in_the_next(
    tmp_path: Path, logs: dict[str, PlantedLog], lookup: ParquetLookup
) -> None:
    def named(data: bytes, salt: bytes) -> str:
        return release(tmp_path, data, lookup, salt)

    stay = next(one for one in logs["workbench"].planted if len(one.value) == 8 and one.value[:2] == "30")
    texts = [f"stay_id {stay.value} is odd", f"WHERE stay_id = {int(stay.value):_}", f"{int(stay.value):#x}"]
    lines = "".join(
        json.dumps({"kind": "step", "step": {"number": at, "source": "agent", "message": text}}) + "\n"
        for at, text in enumerate(texts, 1)
    )
    data = ('{"kind": "start", "workbench": 1}\n' + lines).encode()
    first, second = named(data, SALT), named(data, b"another salt")
    names = re.findall(r"\[stay [a-z]{8}\]", first)
    assert len(names) >= 3 and len(set(names)) == 1
    assert set(names).isdisjoint(re.findall(r"\[stay [a-z]{8}\]", second))


def test_the_salt_does_not_ship(tmp_path: Path, logs: dict[str, PlantedLog], lookup: ParquetLookup) -> None:
    text = release(tmp_path, logs["codex-rollout"].data, lookup)
    assert SALT.decode() not in text and SALT.hex() not in text


HOSTILE = {
    "bad UTF-8": b'{"type":"thread.started"}\n\xff\xfe{"type":"item.completed"}\n\x00\x01',
    "digits": b"7" * 300_000,
    "letters": b"a1" * 150_000,
    "points": b"1." * 150_000,
    "backslashes": b"\\" * 300_000,
    "percents": b"%31" * 100_000,
    "at signs": b"a@" * 150_000,
    "quotes": b'"' * 300_000,
    "words": b"key token secret " * 20_000,
    "months": b"may 1 " * 50_000,
    "markers": b"-----BEGIN PRIVATE KEY-----" * 10_000,
    "slashes": b"/home/" * 50_000,
    "base64": b"QUJD" * 75_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_does_no_harm(name: str, tmp_path: Path, lookup: ParquetLookup) -> None:
    text = HOSTILE[name].decode("utf-8", "replace")
    step = {"number": 1, "source": "agent", "message": text, "reasoning": text[::-1]}
    release(tmp_path, HOSTILE[name], lookup)
    own = '{"kind": "start", "workbench": 1}\n' + json.dumps({"kind": "step", "step": step}) + "\n"
    release(tmp_path, own.encode(), lookup)
