"""The rules by name: all of them, those selected, those left out."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.contamination.rule import LintRule
from workbench.contamination.rules import DEFAULT_RULES
from workbench.records import BadInput


def rules(select: Sequence[str] = (), ignore: Sequence[str] = ()) -> list[LintRule]:
    """The selected rules (none named: all) without the ignored ones, in the order of the lint.

    Raises BadInput for a name that no rule has.
    """
    for name in (*select, *ignore):
        rule_named(name)
    return [rule for rule in DEFAULT_RULES if (not select or rule.name in select) and rule.name not in ignore]


def rule_named(name: str) -> LintRule:
    """Raises BadInput naming the rules there are."""
    known = {rule.name: rule for rule in DEFAULT_RULES}
    if name not in known:
        raise BadInput(f"no lint rule is called {name!r}", remedy=f"Rules: {', '.join(known)}.")
    return known[name]
