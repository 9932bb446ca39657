"""``workbench skill``: the written procedures there are."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_session, print_envelope, print_table, say
from workbench.patterns import visible

app = typer.Typer(no_args_is_help=True, help="Skills: written derivation procedures.")


@app.command("list", help="All skills. Exit code 1 if one cannot be read.")
def list_command(as_json: JsonOption = False) -> None:
    """One line a skill; what cannot be read is a note."""
    content = open_session().content
    skills, problems = content.readable_skills()
    items = [
        skill.frontmatter.model_dump(mode="json", by_alias=True) | {"lines": skill.text.count("\n")}
        for skill in skills
    ]
    print_table(
        "skills",
        items,
        ("name", "lines", "description"),
        as_json=as_json,
        problems=problems,
        empty="no skills",
        shorten="description",
    )


@app.command("show", help="One skill as an agent reads it.")
def show(name: Annotated[str, typer.Argument(help="The skill's name.")], as_json: JsonOption = False) -> None:
    """The whole SKILL.md."""
    skill = open_session().content.skill(name)
    if as_json:
        print_envelope("skills", [skill.model_dump(mode="json", by_alias=True)])
    else:
        say(visible(skill.text).rstrip("\n"))


@app.command("sections", help="The headings of one skill, and the lines of its file they stand in.")
def sections(
    name: Annotated[str, typer.Argument(help="The skill's name.")], as_json: JsonOption = False
) -> None:
    """One line a heading."""
    from dataclasses import asdict

    from workbench.catalog import headings

    skill = open_session().content.skill(name)
    items = [asdict(found) for found in headings(skill.body, skill.body_line)]
    print_table("sections", items, ("line", "level", "title"), as_json=as_json, empty="no headings")
