"""``workbench doctor``: what works here, what does not, and what to do."""

from __future__ import annotations

import typer

from workbench.cli.output import JsonOption, open_session, print_envelope, say_wrapped
from workbench.patterns import visible
from workbench.records import ExitCode, HealthState

app = typer.Typer(help="What works here, and what to do about the rest.")

SIGNS = {
    HealthState.OK: "ok     ",
    HealthState.LIMITED: "limited",
    HealthState.MISSING: "missing",
    HealthState.BROKEN: "BROKEN ",
}
INDENT = 28


@app.callback(invoke_without_command=True)
def doctor(as_json: JsonOption = False) -> None:
    """One line a check, below it what to do; exit code 1 if something is broken."""
    from workbench.cli.machine import all_checks

    checks = []
    for check in all_checks(open_session()):
        checks.append(check)
        if as_json:
            continue
        say_wrapped(f"{SIGNS[check.state]}  {check.name:<18} {visible(check.detail)}", INDENT)
        if check.remedy and check.state is not HealthState.OK:
            say_wrapped(f"{'':<{INDENT}}{visible(check.remedy)}", INDENT)
    counts = {state.value: sum(check.state is state for check in checks) for state in HealthState}
    if as_json:
        print_envelope("doctor", [check.model_dump(mode="json") for check in checks], counts)
    if counts[HealthState.BROKEN]:
        raise typer.Exit(ExitCode.FOUND)
