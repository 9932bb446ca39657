"""The few settings that the first frame of the terminal app needs, without the model behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from workbench.records.regular_file import read_regular
from workbench.records.toml_text import parse_toml

MOST_SETTINGS_BYTES = 1_000_000
"""Of one settings file."""

Choice = Literal["auto", "on", "off"]


@dataclass(frozen=True)
class FrameSettings:
    """As the fields of ``Settings`` with the same names."""

    theme: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    ssh_profile: Choice = "auto"
    ascii: Choice = "auto"
    diff_output: bool = True


FRAME = tuple(FrameSettings.__dataclass_fields__)


def _text(value: object) -> bool:
    return type(value) is str


def _choice(value: object) -> bool:
    return value in get_args(Choice)


def _number(value: object) -> bool:
    return type(value) is int


def _keys(value: object) -> bool:
    return type(value) is dict and all(type(keys) is str for keys in value.values())


def _lint(value: object) -> bool:
    return type(value) is dict and all(
        name in ("select", "ignore") and type(rules) is list and all(map(_text, rules))
        for name, rules in value.items()
    )


PLAIN: dict[str, Callable[[object], bool]] = {
    "schema_version": lambda value: type(value) is int and value == 1,
    "source": _text,
    "sandbox": _text,
    "agent": _text,
    "model": _text,
    "model_endpoint": _text,
    "concepts_folder": _text,
    "duckdb_memory_limit": _text,
    "duckdb_threads": _number,
    "lint": _lint,
    "theme": _text,
    "keys": _keys,
    "ssh_profile": _choice,
    "ascii": _choice,
    "diff_output": lambda value: type(value) is bool,
    "data_access": lambda value: value in ("synthetic", "all", "none"),
}
"""Setting to whether the model would take a value from a file as it stands."""

VARIABLES: dict[str, tuple[str, Callable[[object], bool]]] = {
    "theme": ("WORKBENCH_THEME", _text),
    "ssh_profile": ("WORKBENCH_SSH_PROFILE", _choice),
    "ascii": ("WORKBENCH_ASCII", _choice),
    "diff_output": ("WORKBENCH_DIFF_OUTPUT", lambda _: False),
    "data_access": ("WORKBENCH_DATA_ACCESS", lambda value: value in ("synthetic", "all", "none")),
    "duckdb_threads": ("WORKBENCH_DUCKDB_THREADS", lambda value: str(value).isdigit()),
}
"""Setting to its environment variable and the same question; the variables left out are texts."""


def plain_settings(files: Sequence[Path], environment: Mapping[str, str]) -> FrameSettings | None:
    """Merged as ``read_settings`` merges. None where the model has to be asked: a value of another type, a
    name that nobody knows, a file that cannot be read.
    """
    merged: dict[str, Any] = {"keys": {}}
    for path in files:
        try:
            raw = parse_toml(read_regular(path, MOST_SETTINGS_BYTES).decode("utf-8-sig"))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError):
            return None
        if not all(name in PLAIN and PLAIN[name](value) for name, value in raw.items()):
            return None
        merged |= raw | {"keys": merged["keys"] | raw.get("keys", {})}
    for name, (variable, taken) in VARIABLES.items():
        value = environment.get(variable)
        if value and not taken(value):
            return None
        if value:
            merged[name] = value
    return FrameSettings(**{name: merged[name] for name in FRAME if name in merged})
