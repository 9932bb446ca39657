"""The planted corpus and what decides over survivors: they find what is there, and only that."""

from __future__ import annotations

import base64
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from benchmark_emitters import EMITTERS
from must_stay import stay_log
from planted import PLACES, PlantedLog, counted, planted_logs, survivors
from planted_secrets import NAMED, PERSONS, PREFIXED, SHAPED
from readable import Planted, Readable, spellings_of
from spelled_carriers import IDENTIFIERS, IN_LISTS, MEASURED, TIMES
from table_carriers import TABLES

LEAST = 3_000
CARRIERS = {*TABLES, *IDENTIFIERS, *IN_LISTS, *TIMES, *MEASURED, *PREFIXED, *NAMED, *SHAPED, *PERSONS}
CARRIERS |= {"envelope", "row_in_prose", "note_quoted", "note_in_output", "pem", "jwt"}


def test_the_corpus_is_as_large_and_as_wide_as_it_has_to_be(logs: dict[str, PlantedLog]) -> None:
    planted = [one for log in logs.values() for one in log.planted]
    clinical = [one for one in planted if one.kind in ("identifier", "timestamp", "date", "measured", "text")]
    assert set(logs) == set(EMITTERS)
    assert len(clinical) >= LEAST and len(planted) - len(clinical) >= LEAST // 3
    assert {one.carrier for one in planted} == CARRIERS
    assert {one.place for one in planted} == {*PLACES, "output", "envelope"}
    assert sum(count for *_, count in counted(logs.values())) == len(planted)
    rare = [name for name, count in Counter(one.carrier for one in planted).items() if count < 5]
    assert rare == []


def test_no_value_is_planted_for_two_carriers_of_a_log(logs: dict[str, PlantedLog]) -> None:
    for log in logs.values():
        values = Counter(
            (one.kind, one.value) for one in log.planted if one.kind in ("identifier", "timestamp")
        )
        assert [value for value, count in values.items() if count > 1] == []


def test_the_same_seed_gives_the_same_logs(source_folder: Path, logs: dict[str, PlantedLog]) -> None:
    again = planted_logs(source_folder, 1)
    assert [log.data for log in again] == [log.data for log in logs.values()]
    assert [log.planted for log in again] == [log.planted for log in logs.values()]
    assert planted_logs(source_folder, 2)[0].planted != again[0].planted


@pytest.mark.parametrize("format", EMITTERS)
def test_everything_survives_where_nothing_was_taken(format: str, logs: dict[str, PlantedLog]) -> None:
    log = logs[format]
    found = set(survivors(log.data.decode(), log))
    assert [one for one in log.planted if one not in found] == []


@pytest.mark.parametrize("format", ["codex-exec", "gemini-json", "swe-agent"])
def test_everything_of_eicu_survives_too(format: str, eicu_logs: dict[str, PlantedLog]) -> None:
    log = eicu_logs[format]
    found = set(survivors(log.data.decode(), log))
    assert [one for one in log.planted if one not in found] == []
    assert {one.kind for one in log.planted} >= {"identifier", "measured", "text", "secret"}


@pytest.mark.parametrize("format", EMITTERS)
def test_nothing_survives_in_what_an_agent_may_say(
    format: str, logs: dict[str, PlantedLog], eicu_logs: dict[str, PlantedLog]
) -> None:
    text = stay_log(format).decode()
    assert survivors(text, logs[format]) == survivors(text, eicu_logs[format]) == []


def test_one_value_that_is_left_is_told_alone(logs: dict[str, PlantedLog]) -> None:
    log = logs["workbench"]
    chosen = random.Random(5).sample([one for one in log.planted if one.kind == "identifier"], 40)
    for one in chosen:
        assert {left.value for left in survivors(f"the row of {one.value} stayed", log)} == {one.value}


ONE = Planted("10000032", "identifier", "x", spellings_of("10000032", "identifier"))
TIME = Planted("2180-05-06 14:23:00", "timestamp", "x", spellings_of("2180-05-06 14:23:00", "timestamp"))
TEXT = "Received pt from emergency room to MICU, denies pain overnight"
SECRET = Planted("x", "secret", "x", ("abcdefghijklmn", "opqrstuvwxyzab"))


@pytest.mark.parametrize(
    "text",
    [
        "10000032", "id10000032x", "10000032.0", "1.0000032e7", "1.0000032E+07", "10,000,032", "10_000_032",
        "10 000 032", "0010000032", "0x9896a0", "9896A0", "1-0-0-0-0-0-3-2", "1000 0032", "１００００032",
        "١٠٠٠٠٠٣٢", "1\u200b0000032", "1\u00ad0000032", "\\u0031\\u0030000032", "%31%30000032",
        "&#49;0000032",
        base64.b64encode(b"10000032").decode(), base64.b64encode(b"a,10000032\n").decode(),
        base64.b64encode(base64.b64encode(b"10000032")).decode(), b"10000032".hex(),
        '{"a": "{\\"b\\": \\"x\\\\n10000032\\"}"}', "stay_10000032.png", "1000003220000123",
    ],
)  # fmt: skip
def test_an_identifier_is_read_in_this_spelling(text: str) -> None:
    assert Readable(f"so {text} it is").has(ONE)


@pytest.mark.parametrize(
    "text", ["10000033", "1000003", "[id-1]", "0.1000003", "220045 10000 32", "9896a1", "MTAwMDAwMzM="]
)
def test_an_identifier_is_not_read_in_this(text: str) -> None:
    assert not Readable(f"so {text} it is").has(ONE)


@pytest.mark.parametrize(
    "text",
    [
        "2180-05-06 14:23:00", "2180-05-06T14:23", "2180/05/06", "05/06/2180 02:23 PM", "06.05.2180",
        "6/5/2180", "06-May-2180", "May 6, 2180", "6th of May 2180", "Sat May  6 14:23:00 2180", "21800506",
        "21800506T142300",
        "6637904580", "6637904580000", "datetime.datetime(2180, 5, 6, 14, 23)", "2180-05-06_14-23-00",
        base64.b64encode(b"at 2180-05-06 14:23").decode(), "\\u0032180-05-06", "２180-05-06",
    ],
)  # fmt: skip
def test_a_time_is_read_in_this_spelling(text: str) -> None:
    assert Readable(f"at {text} then").has(TIME)


@pytest.mark.parametrize("text", ["2180-05-07", "14:23:00", "2180", "12180-05-06", "6637904581", "May 2180"])
def test_a_time_is_not_read_in_this(text: str) -> None:
    assert not Readable(f"at {text} then").has(TIME)


def test_measured_values_texts_and_secrets() -> None:
    value = Planted("13.7", "measured", "x", ("13.7",))
    assert Readable("was 13.7 mg").has(value) and Readable("was -13.7").has(replace(value, value="-13.7"))
    assert not any(Readable(text).has(value) for text in ("13.75", "113.7", "1.13.7", "13", "13.7.1"))
    note = Planted(TEXT, "text", "x", (TEXT,))
    assert Readable("note: from  emergency│room to MICU, denies").has(note)
    assert not Readable("from the emergency room to the MICU; denies pain").has(note)
    assert Readable("key ab\ncdefghijklmn").has(SECRET) and Readable("OPQR opqrstuvwxyzab").has(SECRET)
    assert not Readable("abcdefg opqrst").has(SECRET)
