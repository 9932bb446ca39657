"""The logs of a release, made by several processes where there are several: a log a process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.sharedctypes import SynchronizedArray
from pathlib import Path

from workbench.ehr import open_identifiers
from workbench.records import DataPaths, Progress, ReleasedLog, ReleaseFormat, Settings, Source, Unavailable
from workbench.runs.context import Context
from workbench.runs.release_logs import LogToRelease
from workbench.runs.release_maker import LogMaker

FEWEST_BYTES = 8_000_000
"""Of fewer, one process is through before others have begun."""
MOST_PROCESSES = 8
PASSES = {"reading": 0.0, "redacting": 0.2, "checking": 0.5}
"""Part of the work on a log to the share of it that is done before."""
ENDS = (*list(PASSES.values())[1:], 1.0)
TOLD_S = 0.2
Asked = tuple[LogToRelease, str]
"""A log, and the hash of it."""


@dataclass(frozen=True)
class _Job:
    """What a process has to know, all of it plain."""

    data: DataPaths
    settings: Settings
    sources: tuple[Source, ...]
    files: Path
    salt: bytes
    format: ReleaseFormat
    small_count: int
    out: str


def made_logs(
    context: Context, sources: Sequence[Source], maker: LogMaker, asked: Sequence[Asked], progress: Progress
) -> Iterator[ReleasedLog]:
    """Each log as it is finished. Raises what making it raises; the others are then not waited for."""
    sizes = [log.path.stat().st_size for log, _ in asked]
    processes = min(len(asked), os.cpu_count() or 1, MOST_PROCESSES)
    if processes < 2 or sum(sizes) - max(sizes) < FEWEST_BYTES:
        before = 0
        for (log, sha256), size in zip(asked, sizes, strict=True):
            yield maker.made(log, sha256, _Of(progress, before, size, sum(sizes)))
            before += size
        return
    job = _Job(
        context.data,
        context.settings,
        tuple(sources),
        maker.files,
        maker.salt,
        maker.format,
        maker.small_count,
        maker.out,
    )
    yield from _by_processes(job, asked, sizes, processes, progress)


class _Of:
    """The progress of one log, told as that of all; one process works on one after the other."""

    def __init__(self, progress: Progress, before: float, size: float, total: float) -> None:
        self._progress, self._before, self._size, self._total = progress, before, size, total
        self._label = "reading"

    def __call__(self, label: str, done: float, total: float, unit: str) -> None:
        self._label, share = _share(self._label, label, done, total)
        self._progress(self._label, self._before + self._size * share, self._total, unit)


def _share(now: str, label: str, done: float, total: float) -> tuple[str, float]:
    """The pass at work and the share of a log that is done. A pass begins with its label and nothing done;
    whatever is read then is told as reading."""
    if done == 0 and label in PASSES:
        now = label
    start, end = PASSES[now], ENDS[list(PASSES).index(now)]
    return now, start + (end - start) * (done / total if total else 0)


def _by_processes(
    job: _Job, asked: Sequence[Asked], sizes: list[int], processes: int, progress: Progress
) -> Iterator[ReleasedLog]:
    spawn = multiprocessing.get_context("spawn")
    shares: SynchronizedArray[float] = spawn.Array("d", len(asked))
    pool = ProcessPoolExecutor(processes, spawn, _begin, (job, shares))
    waiting: set[Future[ReleasedLog]] = set()
    try:
        for at in sorted(range(len(asked)), key=lambda at: -sizes[at]):
            waiting.add(pool.submit(_make, at, *asked[at]))
        while waiting:
            done, waiting = wait(waiting, TOLD_S, FIRST_COMPLETED)
            read = sum(size * share for size, share in zip(sizes, shares[:], strict=True))
            progress("redacting and checking", read, sum(sizes), "bytes")
            for one in done:
                yield one.result()
    except BrokenProcessPool:
        raise Unavailable(
            "a process that worked on the release has ended",
            where=job.out,
            remedy="Memory may not have sufficed. Ask for the same again: what is finished is kept.",
        ) from None
    finally:
        if waiting:  # cancelled or refused: what is at work now is for nothing
            for process in list((pool._processes or {}).values()):
                process.terminate()
        pool.shutdown(cancel_futures=True)


_HELD = ExitStack()
"""What a process keeps open as long as it lives."""
_MAKER: list[LogMaker] = []
_SHARES: list[SynchronizedArray[float]] = []


def _begin(job: _Job, shares: SynchronizedArray[float]) -> None:
    """Ctrl-C is the parent's; without a parent nobody waits for what is made here."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    lookup = _HELD.enter_context(open_identifiers(job.data, job.sources, settings=job.settings))
    _SHARES.append(shares)
    _MAKER.append(
        LogMaker(
            job.data, job.files, job.salt, lookup, format=job.format, small_count=job.small_count, out=job.out
        )
    )


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _make(at: int, log: LogToRelease, sha256: str) -> ReleasedLog:
    now = "reading"

    def told(label: str, done: float, total: float, unit: str) -> None:
        nonlocal now
        now, _SHARES[0][at] = _share(now, label, done, total)

    return _MAKER[0].made(log, sha256, told)
