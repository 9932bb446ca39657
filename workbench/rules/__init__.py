"""Rules out of SQL and out of Markdown, laid side by side: the rule diff."""

from workbench.rules.closure import SqlText, closure, rules_of_texts
from workbench.rules.rule import Kind, Rule
from workbench.rules.sql_rules import counted, rules_of_sql

__all__ = ["Kind", "Rule", "SqlText", "closure", "counted", "rules_of_sql", "rules_of_texts"]
