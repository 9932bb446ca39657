"""A release: logs cleaned, written, checked as written, and put in place at once or not at all.

While it is made everything is in the private data directory, from where an interrupted release goes on when
it is asked for again. Only what has passed the check is copied to where it is to be, under a hidden name, and
renamed.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.ehr import open_identifiers
from workbench.records import (
    RELEASE_MANIFEST,
    BadInput,
    DataPaths,
    Progress,
    Refused,
    ReleasedLog,
    ReleaseFormat,
    ReleaseManifest,
    ReleasePaths,
    ReleaseRecord,
    ReleaseSource,
    Source,
    Step,
    TrajectorySummary,
    file_sha256,
    read_regular,
    silent,
)
from workbench.redaction import (
    CHECK_VERSION,
    CHECKS,
    REDACTION_VERSION,
    SMALL_COUNT,
    Fault,
    IdentifierLookup,
    Redactor,
    ReleaseCheck,
    names_of_machine,
)
from workbench.runs.context import Context
from workbench.runs.release_logs import LogToRelease
from workbench.store import FileLock, atomic_write, private_folder, publish_folder, writing
from workbench.trajectories import atif_bytes, trajectory_lines

SUFFIXES: dict[ReleaseFormat, str] = {"workbench": ".jsonl", "atif": ".json"}
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
MOST_TOLD = 12
"""Places of what may not leave that one message names."""


@dataclass(frozen=True)
class ReleaseRequest:
    """``out`` is a new folder. ``again``: an earlier release that is made again, with its pseudonyms."""

    logs: Sequence[LogToRelease]
    sources: Sequence[Source]
    out: Path
    format: ReleaseFormat = "workbench"
    small_count: int = SMALL_COUNT
    again: str = ""


def make_release(context: Context, request: ReleaseRequest, progress: Progress = silent) -> ReleaseManifest:
    """Write a release and return its manifest.

    Raises BadInput for a place that is taken, a log that cannot be read or an earlier release that is not
    here; Refused, with kinds and places, where the check finds what may not leave. Then, and whenever it is
    interrupted, nothing is at ``request.out``.
    """
    _refuse_taken(request.out)
    asked, marks = _asked(request)
    record = _begun(context, request, asked)
    kept = context.data.release(record.release)
    with (
        FileLock(context.data.locks / f"release-{record.release}.lock", f"release {record.release}"),
        open_identifiers(
            context.data, request.sources, settings=context.settings, progress=progress
        ) as lookup,
    ):
        private_folder(kept.files)
        atomic_write(kept.record, record.to_json() + "\n")
        maker = _Maker(context.data, request, kept, bytes.fromhex(record.salt), lookup, progress)
        for log, mark in zip(request.logs, marks, strict=True):
            if maker.holds(record, log, mark):
                continue
            done = [one for one in record.done if one.file != maker.name_of(log)]
            record = record.model_copy(update={"done": [*done, maker.made(log, mark)]})
            atomic_write(kept.record, record.to_json() + "\n")
        manifest = _manifest(request, record, maker)
        _refuse(maker.check.of_text(RELEASE_MANIFEST, manifest.to_json()), request)
        _publish(manifest, kept, request.out)
        atomic_write(kept.record, record.model_copy(update={"published": True}).to_json() + "\n")
        shutil.rmtree(kept.files, ignore_errors=True)
    return manifest


class _Maker:
    """Makes one file after the other; the lookup is open and the release locked."""

    def __init__(
        self,
        data: DataPaths,
        request: ReleaseRequest,
        kept: ReleasePaths,
        salt: bytes,
        lookup: IdentifierLookup,
        progress: Progress,
    ) -> None:
        self._data, self._request, self._kept, self._salt = data, request, kept, salt
        self._lookup, self._progress = lookup, progress
        self.check = ReleaseCheck(lookup)
        self._total = sum(log.path.stat().st_size for log in request.logs)
        self._read = 0

    def name_of(self, log: LogToRelease) -> str:
        return log.name + SUFFIXES[self._request.format]

    def mark_of(self, sha256: str) -> str:
        return hmac.new(self._salt, sha256.encode(), hashlib.sha256).hexdigest()[:32]

    def holds(self, record: ReleaseRecord, log: LogToRelease, sha256: str) -> bool:
        """Whether the log's file is there as it was written and checked before an interruption."""
        for one in record.done:
            if one.file == self.name_of(log) and one.origin_mark == self.mark_of(sha256):
                with contextlib.suppress(OSError):
                    if file_sha256(self._kept.files / one.file) == one.sha256:
                        self._read += log.path.stat().st_size
                        return True
        return False

    def made(self, log: LogToRelease, sha256: str) -> ReleasedLog:
        """One log cleaned, written and checked. Raises Refused; then the file is gone."""
        raw = log.opened(self._data)
        self._progress("redacting", self._read, self._total, "bytes")
        redactor = Redactor(
            self._lookup,
            self._salt,
            threshold=self._request.small_count,
            public=log.public,
            names=names_of_machine(),
        )
        summary = raw.summary
        steps, cleaned = redactor.log(self._watched(raw, summary.steps, raw.size_bytes), summary)
        path = self._kept.files / self.name_of(log)
        atomic_write(path, _written(steps, cleaned, self._request.format))
        self._tell_no_size(path)
        self._read += raw.size_bytes
        self._progress("checking", self._read, self._total, "bytes")
        try:
            others = (summary.model_dump_json(),)
            faults = self.check.of_log(path, self._request.format, raw, others, len(steps), log.public)
            _refuse([*self.check.of_text(path.name, ""), *faults], self._request)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return ReleasedLog(
            file=path.name,
            format=self._request.format,
            sha256=file_sha256(path),
            bytes=path.stat().st_size,
            steps=len(steps),
            origin_format=summary.format,
            origin_mark=self.mark_of(sha256),
            replaced=dict(sorted(redactor.replaced.items())),
            run=log.run,
        )

    def _tell_no_size(self, path: Path) -> None:
        """A size that is an identifier by chance could be taken for one: then an empty line is added."""
        while (size := path.stat().st_size) >= 100_000:
            columns = self._lookup.numbers([size]).get(size, ())
            if all(self._lookup.dense(column, len(str(size))) for column in columns):
                return
            atomic_write(path, read_regular(path) + b"\n")

    def _watched(self, steps: Iterable[Step], count: int, size: int) -> Iterator[Step]:
        for at, step in enumerate(steps):
            self._progress("redacting", self._read + size * at / max(count, 1), self._total, "bytes")
            yield step


def _written(steps: list[Step], summary: TrajectorySummary, format: ReleaseFormat) -> Iterable[bytes]:
    return [atif_bytes(steps, summary)] if format == "atif" else trajectory_lines(steps, summary)


def _refuse_taken(out: Path) -> None:
    if os.path.lexists(out) and not (out.is_dir() and not out.is_symlink() and not any(out.iterdir())):
        raise BadInput("is there already", where=str(out), remedy="Name a new folder, or remove that one.")
    if not out.parent.is_dir():
        raise BadInput("the folder above it is not there", where=str(out), remedy="Make it first.")


def _asked(request: ReleaseRequest) -> tuple[str, list[str]]:
    """A hash over all that a release hangs on but its salt, and the hash of each log."""
    if not request.logs:
        raise BadInput("there is nothing to release", remedy="Name recorded runs or files.")
    marks = [log.sha256 for log in request.logs]
    parts = {
        "logs": [
            [log.name, mark, log.format, *log.public] for log, mark in zip(request.logs, marks, strict=True)
        ],
        "sources": sorted([source.name, source.content_hash] for source in request.sources),
        "how": [request.format, request.small_count, REDACTION_VERSION, CHECK_VERSION],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest(), marks


def _begun(context: Context, request: ReleaseRequest, asked: str) -> ReleaseRecord:
    """The record of the release that is made again or gone on with, else a new one with a new salt."""
    data = context.data
    if request.again:
        if request.again not in _names(data):
            raise BadInput(
                f"there is no release {request.again!r} whose salt is kept here",
                remedy="Its name stands in its manifest.json; only where it was made can it be made again.",
            )
        record = ReleaseRecord.load(data.release(request.again).record)
        return record.model_copy(
            update={"asked": asked, "published": False} | ({} if record.asked == asked else {"done": []})
        )
    for name in _names(data):
        with contextlib.suppress(BadInput):
            record = ReleaseRecord.load(data.release(name).record)
            if record.asked == asked and not record.published:
                return record
    name = "rel-" + "".join(secrets.choice(LETTERS) for _ in range(12))
    private_folder(data.releases)
    private_folder(data.release(name).folder)
    return ReleaseRecord(release=name, salt=secrets.token_hex(32), created=context.clock.now(), asked=asked)


def _names(data: DataPaths) -> list[str]:
    if not data.releases.is_dir():
        return []
    return sorted(folder.name for folder in data.releases.iterdir() if folder.is_dir())


def _manifest(request: ReleaseRequest, record: ReleaseRecord, maker: _Maker) -> ReleaseManifest:
    by_name = {one.file: one for one in record.done}
    files = [by_name[maker.name_of(log)] for log in request.logs]
    replaced: Counter[str] = Counter()
    for one in files:
        replaced.update(one.replaced)
    return ReleaseManifest(
        release=record.release,
        redaction_version=REDACTION_VERSION,
        check_version=CHECK_VERSION,
        checks=list(CHECKS),
        small_count=request.small_count,
        sources=[
            ReleaseSource(name=source.name, database=source.database, content_hash=source.content_hash)
            for source in request.sources
        ],
        files=files,
        replaced=dict(sorted(replaced.items())),
    )


def _refuse(faults: Sequence[Fault], request: ReleaseRequest) -> None:
    if not faults:
        return
    told = [str(fault) for fault in faults[:MOST_TOLD]]
    if len(faults) > MOST_TOLD:
        told.append(f"and {len(faults) - MOST_TOLD} more")
    raise Refused(
        f"not written: {len(faults)} {'thing' if len(faults) == 1 else 'things'} may not leave this machine",
        where=str(request.out),
        remedy="\n".join(
            [*told, "Look at the steps with `workbench trajectory show`; leave that log out, or tell us."]
        ),
    )


def _publish(manifest: ReleaseManifest, kept: ReleasePaths, out: Path) -> None:
    """Copy what was checked beside ``out`` under a hidden name, make it durable, and rename it."""
    part = out.parent / f".{out.name}.{secrets.token_hex(6)}.part"
    try:
        with writing(part):
            part.mkdir(mode=0o700)
        for one in manifest.files:
            data = read_regular(kept.files / one.file)
            if hashlib.sha256(data).hexdigest() != one.sha256:
                raise Refused(
                    "a file was changed after it was checked",
                    where=one.file,
                    remedy="Make the release again.",
                )
            atomic_write(part / one.file, data)
        atomic_write(part / RELEASE_MANIFEST, manifest.to_json() + "\n")
        publish_folder(part, out)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
