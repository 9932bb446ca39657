"""An export, checked for values of patients before a byte of it is written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.records import BadInput, Refused
from workbench.redaction import IdentifierLookup
from workbench.review.audit_tables import AuditTable
from workbench.review.export_formats import SUFFIX, ExportFormat, rendered
from workbench.review.private_text import doubtful_kinds, private_kinds
from workbench.store import atomic_write


def export_text(
    tables: Sequence[AuditTable], form: ExportFormat, lookup: IdentifierLookup | None = None
) -> str:
    """The tables in that format. Raises Refused naming tables, columns and kinds of what may not leave."""
    _require_clean(tables, lookup)
    return rendered(tables, form)


def export_files(
    tables: Sequence[AuditTable], form: ExportFormat, folder: Path, lookup: IdentifierLookup | None = None
) -> list[Path]:
    """A file a table in ``folder``, which is made; each is replaced whole. Raises as ``export_text``."""
    _require_clean(tables, lookup)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise BadInput("is no folder", where=str(folder), remedy="Name a folder for the files.") from None
    made = []
    for table in tables:
        path = folder / f"{table.name}{SUFFIX[form]}"
        if path.is_symlink():
            raise Refused("is a link", where=str(path), remedy="Export into a folder of its own.")
        atomic_write(path, rendered([table], form), mode=0o644)
        made.append(path)
    return made


def _require_clean(tables: Sequence[AuditTable], lookup: IdentifierLookup | None) -> None:
    """Witness values are invented: of them only secrets and addresses are looked for."""
    faults: dict[str, None] = {}
    for table in tables:
        for column in table.columns:
            asked = None if column in table.made_up else lookup
            text = "\n".join(row[column] for row in table.rows)
            for kind in private_kinds(text, asked):
                faults[f"{table.name}, column {column}: {kind}"] = None
        for place, text in table.words:
            for kind in doubtful_kinds(text):
                faults[f"{table.name}, {place}: {kind}"] = None
    if faults:
        more = f" and {len(faults) - 5} more" if len(faults) > 5 else ""
        raise Refused(
            f"the export holds what may not leave ({'; '.join(list(faults)[:5])}{more}); nothing was written",
            remedy="Say it there without the value, then export again.",
        )
