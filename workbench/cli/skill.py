"""``workbench skill``: the written procedures there are."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli import skill_proposals, skill_sign_offs, skill_versions
from workbench.cli.output import JsonOption, open_session, print_envelope, print_table, say, say_wrapped
from workbench.patterns import visible

app = typer.Typer(no_args_is_help=True, help="Skills: written derivation procedures.")


@app.command("new", help="Make a skill with the sections that every skill has. Nothing is written over.")
def new(
    name: Annotated[str, typer.Argument(help="Lower-case letters, digits, hyphens; also the folder's name.")],
    title: Annotated[str, typer.Option(help="Its heading; the name in words unless given.")] = "",
    description: Annotated[
        str, typer.Option(help="What it is for and when to load it; holds the words 'Use when'.")
    ] = "",
    database: Annotated[str, typer.Option(help="The database that it is written for, in words.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Prints the file, and what to do next."""
    from workbench import scaffold

    content = open_session().content
    path = scaffold.new_skill(content, name, title=title, description=description, database=database)
    written = path.relative_to(content.paths.root).as_posix()
    following = f"workbench check {path.parent.relative_to(content.paths.root).as_posix()}"
    if as_json:
        print_envelope("files", [{"file": written}], {"skill": name, "next": [following]})
        return
    say(written)
    say_wrapped(visible(f"Open it and write its sections; then: {following}"), 2)


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


skill_versions.add_to(app)
skill_proposals.add_to(app)
skill_sign_offs.add_to(app)
