"""``workbench task check-output`` and ``workbench task selftest``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_context, print_envelope, progress_line, say, say_wrapped
from workbench.patterns import visible
from workbench.records import BadInput, ExitCode, OutputReport

CHECK_HELP = """Check an output without its reference: columns, keys, cohort, ranges, relations, counts.

Prints counts only. With --script, print the same checks as a program that an agent can run (duckdb only).
"""


def check_output(
    task: Annotated[str, typer.Argument(help="Task id.")],
    file: Annotated[Path | None, typer.Argument(help="The output, a CSV file.")] = None,
    source: Annotated[str, typer.Option(help="The source that the output was derived from.")] = "",
    script: Annotated[bool, typer.Option("--script", help="Print the checks as a program.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Exit code 1 where a check does not hold."""
    from workbench import runs, scoring

    context = open_context(source=source or None)
    chosen = context.content.task(task)
    checks = context.content.files(chosen.family).output_checks().of(chosen.database)
    if checks is None:
        raise BadInput(f"the family {chosen.family} has no output checks for {chosen.database}")
    if script:
        say(scoring.check_script(chosen, checks).rstrip())
        return
    if file is None:
        raise BadInput("which output?", remedy="Name the CSV file, or ask for --script.")
    name = runs.source_for(context.settings.source, chosen)
    with progress_line() as progress:
        made = runs.ensure_source(context, name, progress)
    if made.database != chosen.database:
        raise BadInput(
            f"task {chosen.id} needs a {chosen.database} source; '{name}' is {made.database}",
            remedy="Choose another with --source (workbench data list).",
        )
    report = scoring.check_output(context.data, made, chosen, checks, file, settings=context.settings)
    if as_json:
        summary = {"task": report.task, "source": report.source, "rows": report.rows, "passed": report.passed}
        items = [finding.model_dump(mode="json") | {"kind": "check"} for finding in report.findings]
        items += [step.model_dump(mode="json") | {"kind": "count"} for step in report.steps]
        print_envelope("output-checks", items, summary)
    else:
        _print_report(report)
    if not report.passed:
        raise typer.Exit(ExitCode.FOUND)


def _print_report(report: OutputReport) -> None:
    for finding in report.findings:
        mark = "ok  " if finding.passed else "FAIL"
        say_wrapped(visible(f"{mark}  {finding.check:<8}  {finding.says}: {finding.offending:,}"), 16)
    for step in report.steps:
        more = f" ({step.says})" if step.says else ""
        say_wrapped(visible(f"      count     {step.step}: {step.count:,}{more}"), 16)
    failed = sum(not finding.passed for finding in report.findings)
    say(f"{report.rows:,} rows, {len(report.findings)} checks, {failed} failed")
