"""One audit file as it was read, and how a new text takes its place unless somebody else was faster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import Content, did_you_mean, read_toml
from workbench.records import BadInput, Caveat, DataPaths, FamilyAudit, Refused, blob_hash, read_regular
from workbench.store import FileLock, atomic_write, private_folder

GENERAL = "_general"
"""The audit of what concerns no single family."""
_WAIT_S = 5.0


@dataclass(frozen=True)
class AuditText:
    """``hash`` is the git blob hash of the bytes that were read, empty for a file that is not there yet;
    ``audit`` is None then.
    """

    family: str
    path: Path
    text: str
    hash: str
    audit: FamilyAudit | None

    def caveat(self, name: str) -> Caveat:
        """The caveat of that id. Raises BadInput."""
        caveats = self.audit.caveats if self.audit else []
        for caveat in caveats:
            if caveat.id == name:
                return caveat
        raise BadInput(
            f"{self.family} has no caveat {name!r}",
            remedy=did_you_mean(
                name, [one.id for one in caveats], f"See workbench caveat list --family {self.family}."
            ),
        )


def open_audit(content: Content, family: str) -> AuditText:
    """The audit of a family (a name or alias), or ``_general``. Raises BadInput."""
    name = _family_of(content, family)
    path = content.paths.audit(name)
    try:
        data = read_regular(path)
    except FileNotFoundError:
        return AuditText(name, path, "", "", None)
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    audit = read_toml(path, FamilyAudit, lambda _: _text(data, path).replace("\r\n", "\n"))
    return AuditText(name, path, _text(data, path), blob_hash(data), audit)


def _family_of(content: Content, family: str) -> str:
    """Its own name, known by its folder, too: a broken task does not hide the audit."""
    if family == GENERAL:
        return family
    try:
        return content.family_paths(family).folder.name
    except BadInput:
        return content.resolve(family)[0].family


def write_audit(content: Content, data: DataPaths, read: AuditText, text: str) -> AuditText:
    """Put ``text`` in the place of what was read; a kill leaves the old file or the new one.

    Raises Refused where the file is not as it was read, and for the installed copy; BadInput for a text that
    is no audit.
    """
    if not content.paths.writable:
        raise Refused(
            "the installed copy of the audits cannot be changed",
            remedy="Work in a clone of the project, or in a folder of your own with a workbench.toml.",
        )
    if read.path.is_symlink():
        raise Refused("is a link", where=str(read.path), remedy="Put the file there itself.")
    checked = read_toml(read.path, FamilyAudit, lambda _: text.replace("\r\n", "\n"))
    private_folder(data.root)
    private_folder(data.locks)
    with FileLock(data.audit_lock(read.family), f"the audit of {read.family}", wait_s=_WAIT_S):
        require_unchanged(read.path, read.hash)
        read.path.parent.mkdir(parents=True, exist_ok=True)
        mode = read.path.stat().st_mode & 0o777 if read.hash else 0o644
        atomic_write(read.path, text, mode=mode)
    return AuditText(read.family, read.path, text, blob_hash(text.encode()), checked)


def require_unchanged(path: Path, expected: str) -> None:
    """Raises Refused where a file's bytes do not have the hash that they had when it was read."""
    try:
        found = blob_hash(read_regular(path))
    except FileNotFoundError:
        found = ""
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from None
    if found != expected:
        raise Refused(
            "was changed by somebody else since it was read; nothing was written",
            where=str(path),
            remedy="Look at it once more, then make your change again.",
        )


def _text(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput("not UTF-8 text", where=str(path), remedy="Save it as UTF-8.") from None
