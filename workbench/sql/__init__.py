"""SQL read with sqlglot: what is read, build order, SQL inside other text, likeness."""

from workbench.sql.graph import build_order, reads
from workbench.sql.tables import SqlUse, tables

__all__ = ["SqlUse", "build_order", "reads", "tables"]
