"""Search over the steps of all runs, and of one log of any format."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.records import DataPaths, Progress, Step, open_regular, silent
from workbench.sql import quick_reads
from workbench.store import SEARCH, FoundStep, StepSearch, count_steps, found_steps, with_index
from workbench.trajectories.search_fill import MOST_LINE_BYTES, fill_search_index
from workbench.trajectories.step_query import StepQuery
from workbench.trajectories.step_text import raw_code, raw_failed, raw_parts, raw_step_text
from workbench.trajectories.values import json_object, mapping_of, text_of

BEFORE, AFTER = 16, 104
"""Characters of an excerpt before and after what was found: it is seen where only the begin has room."""
_PAGE = 2_000


@dataclass(frozen=True)
class Hit:
    """A step that fits. ``excerpt`` holds what came back of calls, too: for a person's eyes only."""

    run_id: str
    step: int
    tools: tuple[str, ...]
    error: bool
    rules: tuple[str, ...]
    excerpt: str


@dataclass(frozen=True)
class Found:
    """Hits of one page, the newest first. ``total``: all that fit; None where only reading would tell."""

    hits: list[Hit]
    total: int | None


@dataclass(frozen=True)
class Only:
    """Which steps are looked at; ``runs``: ids, empty for all."""

    sql: bool = False
    errors: bool = False
    violations: bool = False
    runs: Sequence[str] = ()


ALL_STEPS = Only()


def search_runs(
    data: DataPaths,
    query: StepQuery,
    only: Only = ALL_STEPS,
    *,
    limit: int = 50,
    skip: int = 0,
    progress: Progress = silent,
) -> Found:
    """Steps of all runs; the index is brought up to date first. Raises BadInput, Unavailable."""
    wanted = StepSearch(
        words=query.expression,
        sql=only.sql,
        errors=only.errors,
        violations=only.violations,
        runs=tuple(only.runs),
    )
    _ = query.compiled

    def work(index: sqlite3.Connection) -> Found:
        fill_search_index(index, data, progress)
        total = count_steps(index, wanted)
        if not query.pattern:
            hits = list(_hits(data, found_steps(index, wanted, limit, skip), query))
            return Found(hits, total)
        hits, at = [], 0
        while (page := found_steps(index, wanted, _PAGE, at)) and len(hits) < skip + limit:
            hits += _hits(data, page, query)
            at += len(page)
            progress("reading steps", at, total, "steps")
        return Found(hits[skip : skip + limit], None if page else len(hits))

    return with_index(data.search_index, SEARCH, work)


def search_steps(steps: Iterable[Step], query: StepQuery, only: Only = ALL_STEPS) -> Iterator[Hit]:
    """Steps of one log that fit, in its order; the same as over runs, without an index."""
    for step in steps:
        raw = step.model_dump(mode="json")
        tables = {name for code in raw_code(raw) for name in quick_reads(code)}
        if (only.sql and not tables) or (only.errors and not raw_failed(raw)):
            continue
        text = raw_step_text(raw)
        tools = [f"{call.name} {call.kind}" for call in step.calls]
        if query.fits_words(text, tools, tables) and query.fits(text):
            yield _hit("", step.number, raw, (), query, text)


def _hits(data: DataPaths, found: Iterable[FoundStep], query: StepQuery) -> Iterator[Hit]:
    """Found steps read from their logs, without those that changed since or do not match after all."""
    for item, line in lines_of(data, found):
        step = mapping_of((json_object(line) or {}).get("step"))
        text = raw_step_text(step)
        if step.get("number") == item.number and query.fits(text):
            yield _hit(item.run_id, item.number, step, item.rules, query, text)


def lines_of(data: DataPaths, found: Iterable[FoundStep]) -> Iterator[tuple[FoundStep, bytes]]:
    """Each step's line; a log is opened once for steps that follow each other."""
    by_run: dict[str, list[FoundStep]] = {}
    for item in found:
        by_run.setdefault(item.run_id, []).append(item)
    for run_id, items in by_run.items():
        try:
            with open_regular(data.run(run_id).events) as file:
                for item in items:
                    file.seek(item.offset)
                    yield item, file.read(min(item.bytes, MOST_LINE_BYTES))
        except OSError:
            continue


def _hit(
    run_id: str, number: int, step: Mapping[str, Any], rules: tuple[str, ...], query: StepQuery, text: str
) -> Hit:
    first, last = next(query.places(text), (0, 0))
    begin = max(first - BEFORE, 0)
    excerpt = ("…" if begin else "") + " ".join(text[begin : last + AFTER].split())
    tools = tuple(dict.fromkeys(text_of(call.get("name")) for call in raw_parts(step, "calls")))
    return Hit(run_id, number, tools, raw_failed(step), rules, excerpt)
