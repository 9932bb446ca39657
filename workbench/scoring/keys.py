"""Key agreement, from counts."""

from __future__ import annotations

from workbench.records import KeyScore
from workbench.scoring.table import OutputTable


def key_score(reference_rows: int, table: OutputTable, matched: int) -> KeyScore:
    """Precision, recall and F1 over unique keys; a row whose key cannot be read is an extra one.

    ``matched``: keys of the output that the reference has.
    """
    extra = table.unique - matched + table.unreadable
    precision = matched / (matched + extra) if matched else 0.0
    recall = matched / reference_rows
    return KeyScore(
        reference_rows=reference_rows,
        output_rows=table.rows,
        matched=matched,
        missing=reference_rows - matched,
        extra=extra,
        duplicates=table.duplicates,
        unreadable=table.unreadable,
        precision=precision,
        recall=recall,
        f1=2 * matched / (2 * matched + extra + reference_rows - matched),
    )
