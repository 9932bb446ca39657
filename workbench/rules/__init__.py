"""Rules out of SQL and out of Markdown, laid side by side: the rule diff."""

from workbench.rules.acceptance import accept_row, accepted_rows, withdraw_row
from workbench.rules.alignment import Row, Status, align
from workbench.rules.asked import AGAINST, asked_sides, one_side
from workbench.rules.claims import claims
from workbench.rules.closure import SourceText, closure, rules_of_texts
from workbench.rules.comparison import (
    COLUMNS,
    Comparison,
    Coverage,
    compare,
    place,
    row_cells,
    row_id,
    rows_csv,
    shown,
)
from workbench.rules.explain import rows_by_column
from workbench.rules.export import ENDINGS, exported, summary
from workbench.rules.reach import lines_by_column
from workbench.rules.rule import Kind, Rule
from workbench.rules.sides import (
    PUBLIC_CODE,
    Side,
    concept_side,
    file_side,
    reference_side,
    skill_side,
    spec_side,
    tasks_of_skill,
    with_closure,
)
from workbench.rules.sql_rules import counted, rules_of_sql

__all__ = [
    "AGAINST",
    "COLUMNS",
    "ENDINGS",
    "PUBLIC_CODE",
    "Comparison",
    "Coverage",
    "Kind",
    "Row",
    "Rule",
    "Side",
    "SourceText",
    "Status",
    "accept_row",
    "accepted_rows",
    "align",
    "asked_sides",
    "claims",
    "closure",
    "compare",
    "concept_side",
    "counted",
    "exported",
    "file_side",
    "lines_by_column",
    "one_side",
    "place",
    "reference_side",
    "row_cells",
    "row_id",
    "rows_by_column",
    "rows_csv",
    "rules_of_sql",
    "rules_of_texts",
    "shown",
    "skill_side",
    "spec_side",
    "summary",
    "tasks_of_skill",
    "with_closure",
    "withdraw_row",
]
