"""``workbench check``: what a machine can see wrong with tasks, skills, specifications and audits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.output import (
    JsonOption,
    open_session,
    print_envelope,
    print_table,
    progress_line,
    say,
    say_wrapped,
)
from workbench.patterns import visible
from workbench.records import BadInput, ExitCode

CHECK_HELP = """Check tasks, instructions, specifications, skills, audits and links of the content.

Nothing is run and no data is needed. A finding is told as FILE:LINE: what [rule], with what to do below it.
With PATHS, only findings about files there are told, and only families that these belong to are looked into.
"""


def check(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files or folders of the content.")] = None,
    rules: Annotated[bool, typer.Option("--rules", help="Say what is asked for, and check nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Exit code 1 where something is found."""
    from workbench import checks

    if rules:
        asked = [
            {"rule": name, "asks": rule.says, "remedy": rule.remedy, "warning": rule.warning}
            for name, rule in checks.RULES.items()
        ]
        print_table("rules", asked, ("rule", "asks"), as_json=as_json)
        return
    content = open_session().content
    root = content.paths.root
    wanted = []
    for path in paths or []:
        if not path.exists():
            raise BadInput("there is no such file or folder", where=str(path))
        full = path.resolve()
        if not full.is_relative_to(root):
            raise BadInput("is outside the content", where=str(path), remedy=f"The content is in {root}.")
        wanted.append(full.relative_to(root).as_posix())
    with progress_line() as progress:
        found = checks.check_content(content, progress, wanted)
    if as_json:
        items = [
            {
                "rule": item.rule,
                "where": item.where,
                "line": item.line,
                "warning": item.is_warning,
                "what": item.what,
                "remedy": item.remedy,
            }
            for item in found
        ]
        warnings = sum(item.is_warning for item in found)
        print_envelope("findings", items, {"findings": len(found), "warnings": warnings})
    else:
        for item in found:
            kind = "warning: " if item.is_warning else ""
            say_wrapped(visible(f"{item.where}:{item.line}: {kind}{item.what} [{item.rule}]"), 2)
            say_wrapped(visible(f"  {item.remedy}"), 2)
        say(f"{len(found)} findings" if found else "clean")
    if found:
        raise typer.Exit(ExitCode.FOUND)
