"""The rules of the lint as ``workbench lint --rules`` and ``--explain`` tell them."""

from __future__ import annotations

from typing import Any

from workbench.cli.output import print_envelope, print_pairs, print_table, say, say_wrapped


def list_rules(*, as_json: bool) -> None:
    """One line a rule, in the order in which they run."""
    from workbench import contamination

    items = [_about(rule) for rule in contamination.lint_rules()]
    print_table(
        "lint-rules", items, ("rule", "version", "severity", "description"), as_json=as_json,
        drop=("version",), shorten="description",
    )  # fmt: skip


def tell_rule(name: str, *, as_json: bool) -> None:
    """All that a rule says of itself. Raises BadInput naming the rules there are."""
    from workbench import contamination

    item = _about(contamination.rule_named(name))
    if as_json:
        print_envelope("lint-rules", [item])
        return
    print_pairs({key: item[key] for key in ("rule", "version", "severity")})
    for text in (item["description"], item["explanation"], f"False positives: {item['false_positives']}"):
        say("")
        say_wrapped(text[:1].upper() + text[1:])


def _about(rule: Any) -> dict[str, Any]:
    return {
        "rule": rule.name,
        "version": rule.version,
        "severity": str(rule.severity),
        "description": rule.description,
        "explanation": rule.explanation,
        "false_positives": rule.false_positives,
    }
