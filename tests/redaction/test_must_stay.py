"""The list of what must stay, and its look-alikes."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmark_emitters import EMITTERS
from must_stay import go_log, lost, must_go, must_stay, stay_log
from planted import survivors
from second_look import Source, accusations

LEAST = 600


def test_the_list_is_long_and_says_nothing_twice() -> None:
    strings = must_stay()
    assert len({stay.text for stay in strings}) == len(strings) >= LEAST
    assert {stay.place for stay in strings} == {go.place for go in must_go()} == {"prose", "command", "sql"}
    assert len(must_go()) >= 40


@pytest.mark.parametrize("format", EMITTERS)
def test_a_log_of_a_format_says_all_of_it(format: str) -> None:
    assert lost(stay_log(format).decode()) == []


def test_what_a_text_no_longer_has_is_told() -> None:
    first, second = must_stay()[:2]
    assert second in lost(first.text) and first not in lost(first.text)


def test_the_second_look_accuses_none_of_it(source_folder: Path, eicu_folder: Path) -> None:
    texts = {f"{stay.why}: {stay.text}": stay.text for stay in must_stay()}
    texts["all"] = "\n".join(texts.values())
    for folder in (source_folder, eicu_folder):
        assert [(found.place, found.kind) for found in accusations(Source(folder), texts)] == []


@pytest.mark.parametrize("format", ["codex-exec", "workbench"])
def test_look_alikes_are_found_by_both(format: str, source_folder: Path) -> None:
    log = go_log(source_folder, 3, format)
    assert len(log.planted) == len(must_go())
    assert survivors(log.data.decode(), log) == log.planted
    found = {str(one.value)[:19] for one in accusations(Source(source_folder), {"log": log.data.decode()})}
    missed = [
        one.value
        for one in log.planted
        if (one.kind == "identifier" and one.value not in found)
        or (one.kind == "timestamp" and one.value[:10] not in found)
    ]
    assert missed == []
