"""``workbench task compare``: a family's reference beside the pinned concept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.output import JsonOption, open_context, print_envelope, print_pairs, progress_line, say
from workbench.patterns import visible
from workbench.records import ExitCode

if TYPE_CHECKING:
    from workbench.ehr import EqualityReport, UnexplainedRow

COMPARE_HELP = """Compare a family's reference with the pinned public concept, row for row.

Builds the reference on the source first. Prints counts: equal; tied (another of the rows the concept may
give); deviating on purpose, by deviation; unexplained. Exit code 1 if anything is unexplained.
"""


def compare(
    family: Annotated[str, typer.Argument(help="Family, alias or task.")],
    source: Annotated[str | None, typer.Option(help="Source; its database decides which reference.")] = None,
    target: Annotated[str, typer.Option(help="Which reference.")] = "public-code",
    examples: Annotated[
        int, typer.Option(min=0, max=1000, help="Show unexplained rows; they hold patients' values.")
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Counts only, unless examples are asked for."""
    from workbench import runs

    context = open_context(source=source)
    name = context.content.resolve(family)[0].family
    with progress_line() as progress:
        report = runs.compare_family(
            context, name, context.settings.source, target, examples=examples, progress=progress
        )
    if as_json:
        item = {"family": name, "target": target, "source": context.settings.source}
        print_envelope("comparisons", [item | report.model_dump(mode="json")])
    else:
        print_pairs({"family": name, "target": target, "source": context.settings.source} | _counts(report))
        for example in report.examples:
            _print_example(example)
    if report.unexplained:
        raise typer.Exit(ExitCode.FOUND)


def _counts(report: EqualityReport) -> dict[str, str | list[str]]:
    return {
        "keys": str(report.rows),
        "equal": str(report.equal),
        "tied": str(report.tied),
        "deviating": [f"{name} ({number})" for name, number in report.deviating.items()],
        "unexplained": str(report.unexplained),
        "only in reference": str(report.only_reference),
        "only in concept": str(report.only_concept),
        "columns": [f"{name} ({number})" for name, number in report.unexplained_columns.items()],
    }


def _print_example(row: UnexplainedRow) -> None:
    say(", ".join(f"{name} {_shown(value)}" for name, value in row.key.items()))
    if row.in_reference != row.in_concept:
        say("  only in the reference" if row.in_reference else "  only in the concept")
        return
    for name, (reference, concept) in row.differing.items():
        say(f"  {name}: reference {_shown(reference)}, concept {_shown(concept)}")


def _shown(value: str | None) -> str:
    return "NULL" if value is None else visible(value)
