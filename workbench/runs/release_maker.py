"""One log of a release: cleaned, written where only we read, and checked as it was written.

The raw log is passed over three times (what has to go is learned, then the steps are cleaned as they are
written, then what tools printed is compared with what was written), and never held.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from workbench.records import (
    DataPaths,
    Progress,
    Refused,
    ReleasedLog,
    ReleaseFormat,
    Step,
    TrajectorySummary,
    file_sha256,
    open_regular,
)
from workbench.redaction import (
    Fault,
    IdentifierLookup,
    Redactor,
    ReleaseCheck,
    names_of_machine,
    names_of_step,
)
from workbench.runs.release_logs import LogToRelease
from workbench.store import atomic_write
from workbench.trajectories import atif_bytes, trajectory_lines

SUFFIXES: dict[ReleaseFormat, str] = {"workbench": ".jsonl", "atif": ".json"}
MOST_TOLD = 12
"""Places of what may not leave that one message names."""
PIECE_BYTES = 1024 * 1024


class LogMaker:
    """Makes one file of a release after the other in ``files``; the lookup is open and the release locked."""

    def __init__(
        self,
        data: DataPaths,
        files: Path,
        salt: bytes,
        lookup: IdentifierLookup,
        *,
        format: ReleaseFormat,
        small_count: int,
        out: str,
    ) -> None:
        """``out``: what a refusal is about."""
        self.data, self.files, self.salt = data, files, salt
        self.format, self.small_count, self.out = format, small_count, out
        self._lookup = lookup
        self.check = ReleaseCheck(lookup)

    def name_of(self, log: LogToRelease) -> str:
        return log.name + SUFFIXES[self.format]

    def mark_of(self, sha256: str) -> str:
        return hmac.new(self.salt, sha256.encode(), hashlib.sha256).hexdigest()[:32]

    def holds(self, done: Iterable[ReleasedLog], log: LogToRelease, sha256: str) -> bool:
        """Whether the log's file is there as it was written and checked before an interruption."""
        for one in done:
            if one.file == self.name_of(log) and one.origin_mark == self.mark_of(sha256):
                with contextlib.suppress(OSError):
                    if file_sha256(self.files / one.file) == one.sha256:
                        return True
        return False

    def made(self, log: LogToRelease, sha256: str, progress: Progress) -> ReleasedLog:
        """One log cleaned, written and checked. Raises Refused; then the file is gone. ``progress`` is told
        bytes of the log, once a pass."""
        raw = log.opened(self.data, progress)
        redactor = Redactor(
            self._lookup, self.salt, threshold=self.small_count, public=log.public, names=names_of_machine()
        )
        progress("reading", 0, raw.size_bytes, "bytes")
        names: set[str] = set()
        steps = 0
        for step in redactor.learned(raw, raw.format):
            names |= names_of_step(step)
            steps += 1
        progress("redacting", 0, raw.size_bytes, "bytes")
        summary = raw.summary
        written = redactor.cleaned(raw, raw.format)
        path = self.files / self.name_of(log)
        atomic_write(path, _written(written, redactor.summary(summary), self.format))
        self._tell_no_size(path)
        progress("checking", 0, raw.size_bytes, "bytes")
        try:
            others = (summary.model_dump_json(),)
            faults = self.check.of_log(path, self.format, raw, others, steps, log.public, names)
            refuse([*self.check.of_text(path.name, ""), *faults], self.out)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return ReleasedLog(
            file=path.name,
            format=self.format,
            sha256=file_sha256(path),
            bytes=path.stat().st_size,
            steps=steps,
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
            atomic_write(path, _and_a_line(path))


def refuse(faults: Sequence[Fault], out: str) -> None:
    """Raise Refused, with kinds and places, where there are any."""
    if not faults:
        return
    told = [str(fault) for fault in faults[:MOST_TOLD]]
    if len(faults) > MOST_TOLD:
        told.append(f"and {len(faults) - MOST_TOLD} more")
    raise Refused(
        f"not written: {len(faults)} {'thing' if len(faults) == 1 else 'things'} may not leave this machine",
        where=out,
        remedy="\n".join(
            [*told, "Look at the steps with `workbench trajectory show`; leave that log out, or tell us."]
        ),
    )


def _written(steps: Iterable[Step], summary: TrajectorySummary, format: ReleaseFormat) -> Iterable[bytes]:
    """ATIF is one document, which has to be held; lines are not."""
    return [atif_bytes(list(steps), summary)] if format == "atif" else trajectory_lines(steps, summary)


def _and_a_line(path: Path) -> Iterator[bytes]:
    with open_regular(path) as file:
        yield from iter(partial(file.read, PIECE_BYTES), b"")
    yield b"\n"
