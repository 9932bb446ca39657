"""``workbench config``: the settings, where each comes from, and the user's own file."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from workbench.catalog import did_you_mean
from workbench.cli.output import JsonOption, print_envelope, print_table, say_wrapped
from workbench.cli.session import find_home
from workbench.records import BadInput, Configured, LintSettings, Settings, find_content, read_settings

app = typer.Typer(no_args_is_help=True, help="Settings: what holds, where it comes from, your own.")

_LISTS = tuple(f"lint.{name}" for name in LintSettings.model_fields)
_NAMES = (
    *(name for name in Settings.model_fields if name not in ("schema_version", "keys", "lint")),
    *_LISTS,
)
_YES_NO = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}


@app.command("show", help="Every setting and where it comes from.")
def show(
    keys: Annotated[bool, typer.Option("--keys", help="The keys of all commands of the app.")] = False,
    as_json: JsonOption = False,
) -> None:
    """One line a setting; keys that are not the usual ones by action, with --keys all of them."""
    configured = _configured()
    summary = {"own_file": str(find_home().settings)}
    if keys:
        from workbench.tui import action_keys

        commands = [
            _item(configured, f"keys.{action}", usual) | {"does": does}
            for action, (usual, does) in action_keys().items()
        ]
        columns = ("name", "value", "from", "does")
        print_table("settings", commands, columns, as_json=as_json, summary=summary, drop=("from",))
        return
    names = [*_NAMES, *(f"keys.{action}" for action in sorted(configured.settings.keys))]
    items = [_item(configured, name) for name in names]
    print_table("settings", items, ("name", "value", "from"), as_json=as_json, summary=summary)


@app.command("set", help="Set one of your own settings.")
def set_command(
    name: Annotated[str, typer.Argument(help="As `config show` lists it; of a key keys.ACTION.")],
    value: Annotated[str, typer.Argument(help="The new value; of keys and rules several with commas.")],
    as_json: JsonOption = False,
) -> None:
    """Into the user's own file; refused where it would not be valid, or where a key is taken."""
    _known(name)
    _refuse(name, value)
    _change(name, _typed(name, value), as_json=as_json)


@app.command("unset", help="Take one of your own settings away; what is below it holds again.")
def unset(
    name: Annotated[str, typer.Argument(help="As `config show` lists it; of a key keys.ACTION.")],
    as_json: JsonOption = False,
) -> None:
    """Out of the user's own file; nothing happens where it is not there."""
    _known(name)
    _change(name, None, as_json=as_json)


def _configured() -> Configured:
    return read_settings(find_content().settings, own=find_home().settings)


def _item(configured: Configured, name: str, usual: str = "") -> dict[str, Any]:
    """``usual``: the value of a key that nobody has set."""
    if name.startswith("keys."):
        value: Any = configured.settings.keys.get(name.removeprefix("keys."), usual)
    elif name in _LISTS:
        value = getattr(configured.settings.lint, name.removeprefix("lint."))
    else:
        value = getattr(configured.settings, name)
    return {"name": name, "value": value, "from": configured.origin(name)}


def _known(name: str) -> None:
    """Raises BadInput for a name that no setting has."""
    from workbench.tui import action_keys

    known = [*_NAMES, *(f"keys.{action}" for action in action_keys())]
    if name not in known:
        listed = "`workbench config show` lists them, with --keys those of the app's commands."
        remedy = did_you_mean(name, known, listed)
        raise BadInput(f"there is no setting {name!r}", where="workbench config", remedy=remedy)


def _refuse(name: str, value: str) -> None:
    """Raises BadInput for a theme, a key or a rule of the lint that cannot be."""
    from workbench.tui import key_refusal, theme_names

    if name == "theme" and value and value not in theme_names():
        raise BadInput(
            f"there is no theme {value!r}", where="theme", remedy=f"There are: {', '.join(theme_names())}."
        )
    if name in _LISTS:
        from workbench.contamination import rule_named

        for rule in _rules(value):
            rule_named(rule)
    if name.startswith("keys."):
        reason = key_refusal(name.removeprefix("keys."), value, _configured().settings.keys)
        if reason:
            raise BadInput(
                reason, where=name, remedy="Take another key, or give the other command one first."
            )


def _typed(name: str, value: str) -> str | int | bool | list[str]:
    """As the file holds it; what the model then refuses stays a text."""
    if name in _LISTS:
        return _rules(value)
    if name == "diff_output":
        return _YES_NO.get(value.lower(), value)
    if name == "duckdb_threads" and value.isdecimal():
        return int(value)
    return value


def _rules(value: str) -> list[str]:
    """Names between commas."""
    return [name for part in value.split(",") if (name := part.strip())]


def _change(name: str, given: str | int | bool | list[str] | None, *, as_json: bool) -> None:
    from workbench.store import change_settings

    changed = change_settings(find_home(), {name: given})
    from workbench.tui import action_keys

    usual = action_keys().get(name.removeprefix("keys."), ("", ""))[0]
    item = _item(_configured(), name, usual)
    if as_json:
        print_envelope("settings", [item], {"changed": changed})
        return
    value = ", ".join(item["value"]) if isinstance(item["value"], list) else item["value"]
    now = f"{name} is {value if value not in ('', None) else 'not set'}, from {item['from']}"
    say_wrapped(now if changed else f"nothing to change: {now}", 2)
