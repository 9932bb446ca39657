"""Counts every edge in data: what tests and the documentation use."""

from __future__ import annotations

from workbench.ehr.connect import Connection, count
from workbench.ehr.synthetic.scripts import sections


def edges_present(connection: Connection) -> dict[str, int]:
    """Rows or patients that carry each edge, by edge id.

    ``connection`` sees the tables as ``mimiciv_hosp.<table>`` and ``mimiciv_icu.<table>``; nothing but the
    published tables is read, so that any source can be counted.
    """
    return {edge: count(connection, select) for edge, select in sections("presence").items()}
