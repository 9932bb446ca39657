"""``workbench task family`` and the commands that print one part of a family each."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.catalog import SQL_BESIDE, FamilyPart, PartKind, family_parts, part_text, reference_name
from workbench.cli.output import JsonOption, open_session, print_envelope, print_table, say
from workbench.patterns import visible
from workbench.records import BadInput, Problem

FAMILY_HELP = """Everything that a family has: tasks, skills, specifications, references, caveats.

One line a part, with the command that prints it. What cannot be read is a note; the exit code is then 1.
With --about the family's own words instead: definition, grain, when inputs become known.
"""
REFERENCE_HELP = """SQL of a family: a reference, or what stands beside it.

The target is public-code, adjudicated or accepted-<name>, as `workbench task family` lists them; or
admissible (every row that the pinned concept may give), concept (it in the tasks' grain) or naive.
"""
FamilyArgument = Annotated[str, typer.Argument(help="Family, alias or task.")]


def family(
    name: Annotated[str, typer.Argument(help="Family, alias or task.")],
    about: Annotated[bool, typer.Option("--about", help="The family's own words.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Exit code 1 if a part cannot be read."""
    content = open_session().content
    wanted = _family(name)
    if about:
        _print_part(wanted, PartKind.ABOUT, wanted, as_json=as_json)
        return
    parts = family_parts(content, wanted)
    items = [_item(part) for part in parts]
    problems = [
        Problem(what=part.problem.what, where=part.problem.where, remedy=part.problem.remedy)
        for part in parts
        if part.problem is not None
    ]
    columns = ("kind", "name", "note", "command")
    print_table("parts", items, columns, as_json=as_json, problems=problems, drop=("command",))


def spec(task: Annotated[str, typer.Argument(help="Task id.")], as_json: JsonOption = False) -> None:
    """The operational specification as it is written."""
    found = open_session().content.task(task)
    _print_part(found.family, PartKind.SPECIFICATION, found.id, as_json=as_json)


def reference(
    name: FamilyArgument,
    target: Annotated[str, typer.Option(help="Which; see above.")] = "public-code",
    database: Annotated[str, typer.Option(help="mimic-iv or eicu; the first there is unless given.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Raises BadInput with the targets there are."""
    content = open_session().content
    wanted = _family(name)
    there = {
        part.name if part.kind is PartKind.REFERENCE else reference_name(part.kind, part.name): part
        for part in family_parts(content, wanted)
        if part.kind in (PartKind.REFERENCE, *SQL_BESIDE)
    }
    for label, part in there.items():
        if label == reference_name(target, database or label.rpartition(", ")[2]):
            _print_part(wanted, part.kind, part.name, as_json=as_json)
            return
    what = reference_name(target, database) if database else target
    raise BadInput(f"family {wanted} has no {what}", remedy=f"It has: {'; '.join(there) or 'none'}.")


def deviations(name: FamilyArgument, as_json: JsonOption = False) -> None:
    """Each with its reason and the rows that may differ for it."""
    wanted = _family(name)
    if as_json:
        found = open_session().content.deviations(wanted).deviations
        print_envelope("deviations", [item.model_dump(mode="json") for item in found])
    else:
        _print_part(wanted, PartKind.DEVIATIONS, wanted)


def caveats(name: FamilyArgument, as_json: JsonOption = False) -> None:
    """Caveats with their witness cases, whose rows are made up."""
    wanted = _family(name)
    if as_json:
        found = open_session().content.audit(wanted).caveats
        print_envelope("caveats", [item.model_dump(mode="json") for item in found])
    else:
        _print_part(wanted, PartKind.CAVEATS, wanted)


def checks(name: FamilyArgument, as_json: JsonOption = False) -> None:
    """What an output must satisfy whatever its reference."""
    wanted = _family(name)
    if as_json:
        found = open_session().content.files(wanted).output_checks().databases
        print_envelope("output-checks", [item.model_dump(mode="json") for item in found])
    else:
        _print_part(wanted, PartKind.CHECKS, wanted)


def stages(name: FamilyArgument, as_json: JsonOption = False) -> None:
    """What an agent writes besides its output where it has to declare what it does."""
    wanted = _family(name)
    if as_json:
        found = open_session().content.files(wanted).stages().databases
        print_envelope("stages", [item.model_dump(mode="json") for item in found])
    else:
        _print_part(wanted, PartKind.STAGES, wanted)


def _family(name: str) -> str:
    """The family that a name means; of one that cannot be read its folder's name does. Raises BadInput."""
    content = open_session().content
    if name in [entry.name for entry in content.entries()]:
        return name
    return content.resolve(name)[0].family


def _print_part(family: str, kind: PartKind, name: str, *, as_json: bool = False) -> None:
    found = part_text(open_session().content, family, f"{kind}:{name}")
    if as_json:
        print_envelope("texts", [{"family": family, "kind": str(kind), "name": name, "text": found.text}])
    else:
        say(visible(found.text).rstrip())


def _item(part: FamilyPart) -> dict[str, str]:
    severity = f"{part.severity}: " if part.severity else ""
    note = "cannot be read" if part.problem is not None else f"{severity}{part.note}"
    return {"kind": str(part.kind), "name": part.name, "note": note, "command": part.command}
