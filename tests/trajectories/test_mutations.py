"""Damaged logs: never an exception, never a hang, and the steps before the damage are kept."""

from __future__ import annotations

import random
import time

import pytest

from workbench.records import Step
from workbench.trajectories import open_reader
from workbench.trajectories.formats import LINE_READERS
from workbench.trajectories.reader import TrajectoryReader
from workbench.trajectories.values import json_value

from .line_logs import MADE_UP, REAL, fed, read, real
from .mutations import mutated

SEEDS = 500
HEAD_BYTES = 96_000
"""Of a real log, so that 500 of it take seconds; all but two are shorter."""
SLOWEST_SECONDS = 5.0
LOGS = [*(pytest.param(name, "", id=f"made-up {name}") for name in MADE_UP), *(
    pytest.param(format, name, id=name.split("/")[1][:30]) for name, format in REAL.items()
)]  # fmt: skip


def whole_lines(data: bytes, most: int) -> bytes:
    return data if len(data) <= most else data[: data.rfind(b"\n", 0, most) + 1]


@pytest.mark.parametrize(("format", "name"), LOGS)
def test_five_hundred_mutations(format: str, name: str) -> None:
    data = whole_lines(real(name), HEAD_BYTES) if name else MADE_UP[format]
    for seed in range(SEEDS):
        dice = random.Random(seed)
        broken = mutated(data, dice)
        began = time.process_time()
        reader = open_reader("auto") if seed % 5 == 0 else LINE_READERS[format]()
        steps = fed_in_pieces(reader, broken, dice)
        summary = reader.summary()
        assert time.process_time() - began < SLOWEST_SECONDS
        assert [step.number for step in steps] == list(range(1, len(steps) + 1))
        assert (summary.steps, summary.calls) == (len(steps), sum(len(step.calls) for step in steps)) or (
            summary.format in ("plain", "workbench")
        )
        for step in steps[:: max(len(steps) // 4, 1)]:
            assert Step.model_validate_json(step.model_dump_json()) == step


def fed_in_pieces(reader: TrajectoryReader, data: bytes, dice: random.Random) -> list[Step]:
    return fed(reader, data, dice.choice((997, 4096, 1 << 20)))


@pytest.mark.parametrize(("format", "name"), LOGS)
def test_steps_before_the_damage_are_kept(format: str, name: str) -> None:
    """Lines up to a point, then anything: the steps that those lines complete are the same."""
    data = whole_lines(real(name), HEAD_BYTES) if name else MADE_UP[format]
    if format == "gemini-session" and name:
        pytest.skip("one document: see test_a_damaged_document_keeps_the_messages_before")
    for seed in range(40):
        dice = random.Random(seed)
        lines = data.splitlines(keepends=True)
        kept = b"".join(lines[: dice.randint(0, len(lines))])
        reader = LINE_READERS[format]()
        before = reader.feed(kept)
        tail = mutated(data[len(kept) :], dice)
        assert read(format, kept + tail)[0][: len(before)] == before


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("damage", [b"", b'"', b"\0\0", b"}}}", b"\xff", b"[" * 3000])
def test_a_damaged_document_keeps_the_messages_before(cut: float, damage: bytes) -> None:
    data = real("gemini_session/agentcmd_session-2025-10-27T19-55-981c87cb.json")
    whole, _ = read("gemini-session", data)
    place = int(len(data) * cut)
    broken = data[:place] + damage + data[place + 1 :] * bool(damage)
    steps, summary = read("gemini-session", broken)
    ends = [data.index(b'"id": "' + step.message_id.encode()) for step in whole]
    complete = sum(end < place for end in ends) - 1
    assert steps[:complete] == whole[:complete]
    assert summary.damaged_lines == (json_value(broken) is None)


@pytest.mark.parametrize("format", MADE_UP)
@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'{"type":"' * 200_000, id="events that never end"),
        pytest.param(b'{"kind":{"id":{"timestamp":' * 60_000, id="deep objects"),
        pytest.param(b"[" * 2_000_000, id="deep lists"),
        pytest.param(b'{"type":"' + b"\\u00" * 300_000, id="escapes"),
        pytest.param(b'{"type":' + b"1" * 2_000_000 + b"}", id="a huge number"),
        pytest.param(
            b'{"type":"user","message":{"content":[' + b"{}," * 100_000 + b"{}]}}", id="many blocks"
        ),
        pytest.param((b'{"type":"x","a":' + b"\n") * 20_000, id="many broken lines"),
    ],
)
def test_hostile_lines_take_little_time(format: str, line: bytes) -> None:
    began = time.process_time()
    for reader in (LINE_READERS[format](), open_reader("auto")):
        fed(reader, b"\n" + line + b"\n")
        reader.summary()
    assert time.process_time() - began < SLOWEST_SECONDS
