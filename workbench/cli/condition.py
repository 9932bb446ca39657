"""``workbench condition``: what an agent gets beyond instruction and database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.output import JsonOption, open_session, print_envelope, print_table, say
from workbench.patterns import visible
from workbench.records import BadInput, Condition, SchemaVariant, blob_hash

app = typer.Typer(
    no_args_is_help=True, help="Conditions: what an agent gets beyond instruction and database."
)


@app.command("list", help="All conditions, and what each gives an agent.")
def list_command(as_json: JsonOption = False) -> None:
    """One line a condition."""
    from workbench.runs import explain_condition

    items = [{"name": str(condition), "gives": explain_condition(condition)} for condition in Condition]
    print_table("conditions", items, ("name", "gives"), as_json=as_json, empty="no conditions")


@app.command("preview", help="Prompt and files of a task under a condition, byte for byte; nothing is run.")
def preview(
    task: Annotated[str, typer.Argument(help="The task.")],
    condition: Annotated[Condition, typer.Option(help="The condition.")] = Condition.NO_SKILL,
    counterfactual: Annotated[
        str, typer.Option(help="One rule changed in all texts (workbench counterfactual list).")
    ] = "",
    schema: Annotated[SchemaVariant, typer.Option(help="Schema variant.")] = SchemaVariant.NATIVE,
    to: Annotated[Path | None, typer.Option(help="Write prompt and files below this new folder.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Every file's place in the sandbox, size, hash and text."""
    from workbench import runs

    content = open_session().content
    seen = runs.content_of(
        content, task=content.task(task), counterfactual=counterfactual, schema_variant=schema
    )
    found = runs.preview(seen, seen.task(task), condition)
    if to is not None:
        try:
            written = found.write(to)
        except OSError as error:
            raise BadInput(
                f"cannot be written ({error.strerror})",
                where=str(to),
                remedy="Name a folder that is not there.",
            ) from None
        say("\n".join(visible(str(path)) for path in written))
        return
    items = [
        {
            "path": path,
            "bytes": len(text),
            "hash": blob_hash(text),
            "text_hash": found.text_hashes.get(path, blob_hash(text)),
            "text": text.decode("utf-8"),
        }
        for path, text in found.files.items()
    ]
    if as_json:
        prompt = {"prompt": found.prompt, "prompt_hash": blob_hash(found.prompt.encode())}
        summary = {"task": found.task, "condition": str(condition), **prompt}
        print_envelope("condition-files", items, summary)
        return
    say(f"==> prompt ({len(found.prompt.encode()):,} bytes) <==")
    say(visible(found.prompt).rstrip("\n"))
    for item in items:
        as_written = f", as written {item['text_hash']}" if item["text_hash"] != item["hash"] else ""
        say(f"\n==> {item['path']} ({item['bytes']:,} bytes, {item['hash']}{as_written}) <==")
        say(visible(str(item["text"])).rstrip("\n"))
