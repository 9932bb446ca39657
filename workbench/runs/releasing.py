"""A release: logs cleaned, written, checked as written, and put in place at once or not at all.

While it is made everything is in the private data directory, from where an interrupted release goes on when
it is asked for again. Only what has passed the check is copied to where it is to be, under a hidden name, and
renamed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.ehr import open_identifiers
from workbench.records import (
    RELEASE_MANIFEST,
    BadInput,
    DataPaths,
    Progress,
    ReleaseFormat,
    ReleaseManifest,
    ReleaseRecord,
    ReleaseSource,
    Source,
    silent,
)
from workbench.redaction import CHECK_VERSION, CHECKS, REDACTION_VERSION, SMALL_COUNT
from workbench.runs.context import Context
from workbench.runs.release_logs import LogToRelease
from workbench.runs.release_maker import LogMaker, refuse
from workbench.runs.release_place import put_in_place, refuse_place
from workbench.runs.release_workers import made_logs
from workbench.store import FileLock, atomic_write, private_folder

LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


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
    refuse_place(request.out, context.data)
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
        maker = LogMaker(
            context.data,
            kept.files,
            bytes.fromhex(record.salt),
            lookup,
            format=request.format,
            small_count=request.small_count,
            out=str(request.out),
        )
        missing = [
            (log, mark)
            for log, mark in zip(request.logs, marks, strict=True)
            if not maker.holds(record.done, log, mark)
        ]
        for made in made_logs(context, request.sources, maker, missing, progress):
            done = [one for one in record.done if one.file != made.file]
            record = record.model_copy(update={"done": [*done, made]})
            atomic_write(kept.record, record.to_json() + "\n")
        manifest = _manifest(request, record, maker)
        refuse(maker.check.of_text(RELEASE_MANIFEST, manifest.to_json()), str(request.out))
        put_in_place(manifest, kept, request.out)
        atomic_write(kept.record, record.model_copy(update={"published": True}).to_json() + "\n")
        shutil.rmtree(kept.files, ignore_errors=True)
    return manifest


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


def _manifest(request: ReleaseRequest, record: ReleaseRecord, maker: LogMaker) -> ReleaseManifest:
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
