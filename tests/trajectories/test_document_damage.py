"""Damaged documents of every format: no error, no hang, and the steps before the damage are kept."""

from __future__ import annotations

import io
import json
import time
import zipfile
from typing import Any

import pytest

from workbench.records import Step

from .damage import Damaged, cuts, damages, elements_of
from .samples import read_bytes, sample

MUTATIONS = 500
HEAD_BYTES = 60_000
"""Of a large log, what is damaged: it is read five hundred times."""
LONGEST_SECONDS = 5.0
"""For one damaged log on a busy machine; whole ones take some hundredths."""

DOCUMENTS = [
    ("atif", "atif/harbor-0.26_converted_claude-code.json", "steps"),
    ("atif", "atif/harbor-0.26_converted_codex.json", "steps"),
    ("atif", "atif/harbor-golden_openhands_hello-world_v1.5.json", "steps"),
    ("gemini-session", "gemini_session/agentcmd_session-2025-10-27T19-55-981c87cb.json", "messages"),
    ("mini-swe-agent", "mini_swe_agent/github_issue.traj.json", ""),
    ("swe-agent", "swe_agent/marshmallow-1867_function_calling_v1.traj", "trajectory"),
]
MADE = {
    "gemini-json": {
        "session_id": "s",
        "response": "done",
        "stats": {"models": {"m": {"tokens": {"prompt": 5}, "api": {"totalErrors": 1}}}, "tools": {}},
        "error": {"type": "t", "message": "m", "code": 1},
    }
}  # fmt: skip


def head(name: str, array: str) -> bytes:
    """A log, or as many of its first elements as fit, as a whole document."""
    data = sample(name).read_bytes()
    if len(data) <= HEAD_BYTES:
        return data
    document = json.loads(data)
    kept, size = [], 0
    for element in document[array]:
        size += len(json.dumps(element))
        if kept and size > HEAD_BYTES:
            break
        kept.append(element)
    return json.dumps(with_elements(json.loads(data), array, kept)).encode()


def with_elements(document: Any, array: str, elements: list[object]) -> Any:
    """The document with these elements, and without what no reader reads."""
    if not array:
        return elements
    known = {key: value for key, value in document.items() if key not in ("history", "replay_config")}
    return {**known, array: elements}


def steps_before(format: str, data: bytes, array: str) -> list[tuple[int, list[Step]]]:
    """Up to which byte a log must be whole for which steps: those of the elements that end before it.

    All but the last, to which something may belong that comes later.
    """
    elements, ends = elements_of(data, array)
    document = json.loads(data)
    found: list[tuple[int, list[Step]]] = [(0, [])]
    for count, end in enumerate(ends, 1):
        shorter = json.dumps(with_elements(document, array, elements[:count])).encode()
        found.append((end, read_bytes(format, shorter)[0][:-1]))
    return found


def check(format: str, damaged: Damaged, whole: list[tuple[int, list[Step]]]) -> None:
    started = time.monotonic()
    steps, summary = read_bytes(format, damaged.data, 32 * 1024)
    assert time.monotonic() - started < LONGEST_SECONDS, damaged.kind
    assert summary.steps == len(steps)
    assert summary.model_dump_json()
    kept = max((known for at, known in whole if at <= damaged.intact), key=len)
    assert steps[: len(kept)] == kept, damaged.kind


@pytest.mark.demo
@pytest.mark.parametrize(("format", "name", "array"), DOCUMENTS)
def test_damaged_documents(format: str, name: str, array: str) -> None:
    data = head(name, array)
    whole = steps_before(format, data, array)
    for damaged in damages(data, MUTATIONS, seed=6):
        check(format, damaged, whole)


@pytest.mark.parametrize("format", MADE)
def test_damaged_documents_made_here(format: str) -> None:
    data = json.dumps(MADE[format]).encode()
    for damaged in damages(data, MUTATIONS, seed=6):
        check(format, damaged, [(0, [])])


@pytest.mark.demo
@pytest.mark.parametrize(("format", "name", "array"), DOCUMENTS)
def test_a_cut_document_gives_what_its_whole_elements_give(format: str, name: str, array: str) -> None:
    document = json.loads(head(name, array))
    data = json.dumps(document, indent=1).encode()
    elements, ends = elements_of(data, array)
    for cut in cuts(data, 60, seed=6):
        count = sum(end <= cut for end in ends)
        shorter = json.dumps(with_elements(document, array, elements[:count])).encode()
        expected = read_bytes(format, shorter)[0]
        steps = read_bytes(format, data[:cut], 8_192)[0]
        assert steps[: len(expected)] == expected, cut
        assert len(steps) <= len(expected) + 1, cut  # what there is of the next


def openhands_head() -> bytes:
    """The first two tasks, with the first events of each."""
    lines = []
    for line in sample("openhands/multi_swe_bench_output.jsonl").read_bytes().splitlines()[:2]:
        task = json.loads(line)
        lines.append(json.dumps({**task, "history": task["history"][:14], "instance": {}, "instruction": ""}))
    return "\n".join(lines).encode() + b"\n"


@pytest.mark.demo
def test_damaged_lines_of_tasks() -> None:
    data = openhands_head()
    first = data.index(b"\n") + 1
    whole = steps_before("openhands", data[:first], "history")
    for damaged in damages(data, MUTATIONS, seed=6):
        check("openhands", damaged, whole)


@pytest.mark.demo
def test_a_cut_line_of_tasks_gives_what_its_whole_events_give() -> None:
    first, second = openhands_head().splitlines(keepends=True)
    before = read_bytes("openhands", first)[0]
    task = json.loads(second)
    events, ends = elements_of(second, "history")
    for cut in cuts(second, 60, seed=6):
        count = sum(end <= cut for end in ends)
        expected = read_bytes("openhands", first + json.dumps({**task, "history": events[:count]}).encode())[
            0
        ]
        assert read_bytes("openhands", first + second[:cut], 8_192)[0] == (expected if count else before), cut


@pytest.mark.demo
def test_a_broken_line_costs_no_other_task() -> None:
    first, second = openhands_head().splitlines(keepends=True)
    alone = read_bytes("openhands", second)[0]
    for cut in cuts(first, 60, seed=6):
        steps, summary = read_bytes("openhands", first[:cut] + b"\n" + second, 4_096)
        assert [step.model_copy(update={"number": 0}) for step in steps[-len(alone) :]] == [
            step.model_copy(update={"number": 0}) for step in alone
        ], cut
        broken = summary.damaged_lines + summary.unknown_events.get("(text line)", 0)
        assert broken == (0 < cut < len(first) - 1), cut


def eval_head(events: int, messages: int) -> dict[str, bytes]:
    """The members of a log with two samples, and the first events and messages of each."""
    members = {}
    with zipfile.ZipFile(sample("inspect_eval/vivaria_small_agentic.eval")) as archive:
        for name in archive.namelist():
            if name.startswith("samples/") and not name.endswith(("_1.json", "_2.json")):
                continue
            document = json.loads(archive.read(name))
            if name.startswith("samples/"):
                document["messages"] = document["messages"][:messages]
                document["events"] = [event | {"call": None} for event in document["events"][:events]]
            members[name] = json.dumps(document).encode()
    return members


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


@pytest.mark.demo
def test_damaged_zip_files() -> None:
    members = eval_head(20, 6)
    data = zipped(members)
    whole, _ = read_bytes("inspect-eval", data)
    second = data.index(b"samples/default_epoch_2.json")
    first_sample = [step for step in whole if step.session == "default_epoch_1"]
    for damaged in damages(data, MUTATIONS, seed=6):
        check("inspect-eval", damaged, [(0, []), (second, first_sample)])


@pytest.mark.demo
def test_damaged_samples_in_a_sound_zip_file() -> None:
    members = eval_head(20, 6)
    name = "samples/default_epoch_2.json"
    whole, _ = read_bytes("inspect-eval", zipped(members))
    first_sample = [step for step in whole if step.session == "default_epoch_1"]
    for damaged in damages(members[name], 200, seed=6):
        data = zipped({**members, name: damaged.data})
        check("inspect-eval", Damaged(damaged.kind, data, 1), [(0, first_sample)])


@pytest.mark.demo
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_sample_cut_in_its_zip_file_gives_what_is_before_the_cut(method: int) -> None:
    name = "samples/default_epoch_1.json"
    member = eval_head(60, 20)[name]
    sample_document = json.loads(member)
    data = zipped({name: member}, method)
    for cut in cuts(member, 60, seed=6):
        if method == zipfile.ZIP_STORED:
            shorter = data[: data.index(member) + cut]
        else:
            shorter = zipped({name: member[:cut]}, method)
        steps, summary = read_bytes("inspect-eval", shorter)
        shown = {step.message_id for step in steps}
        for array in ("messages", "events"):
            elements, ends = elements_of(member, array)
            for element in elements[: sum(end <= cut for end in ends)]:
                assert isinstance(element, dict)
                told = (
                    element["output"]["choices"][0]["message"] if element.get("event") == "model" else element
                )
                assert told.get("role") in (None, "tool") or told["id"] in shown, cut
        assert summary.damaged_lines and not summary.complete
        assert len(steps) <= len(sample_document["events"]) + len(sample_document["messages"])


HOSTILE = {
    "deep lists": b"[" * 2_000_000,
    "deep objects": b'{"a":' * 400_000,
    "many brackets": b"[]," * 100_000,
    "quotes": b'"' * 2_000_001,
    "escapes": b'"' + b"\\" * 1_000_001,
    "a huge number": b"1" * 2_000_000,
    "a long name": b'{"' + b"n" * 2_000_000,
    "commas": b"," * 2_000_000,
    "many small ones": b'{"role": "user", "type": "x", "event": "y", "action": "z"},' * 10_000,
    "nothing": bytes(2_000_000),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize(
    ("format", "opening"),
    [
        ("atif", b'{"steps": ['),
        ("swe-agent", b'{"trajectory": ['),
        ("mini-swe-agent", b"["),
        ("openhands", b'{"instance_id": "i", "history": ['),
        ("inspect-eval", b'{"eval": {}, "samples": ['),
        ("gemini-json", b'{"response": '),
        ("gemini-session", b'{\n"messages": [\n'),
    ],
)
def test_hostile_documents_take_little_time(format: str, opening: bytes, kind: str) -> None:
    started = time.process_time()
    for data in (opening + HOSTILE[kind], opening + b'{"x": ' + HOSTILE[kind], HOSTILE[kind]):
        _, summary = read_bytes(format, data, 64 * 1024)
        assert summary.model_dump_json()
    assert time.process_time() - started < LONGEST_SECONDS
