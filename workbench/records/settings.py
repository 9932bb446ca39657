"""Configuration: ``workbench.toml`` < the user's own file < environment < option.

Keys for model endpoints are read from the environment and never written.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import field_validator

from workbench.records.base import Part, Record
from workbench.records.errors import BadInput
from workbench.records.frame_settings import MOST_SETTINGS_BYTES
from workbench.records.regular_file import read_regular
from workbench.records.toml_text import parse_toml

ENVIRONMENT = {
    "source": "WORKBENCH_SOURCE",
    "sandbox": "WORKBENCH_SANDBOX",
    "agent": "WORKBENCH_AGENT",
    "model": "WORKBENCH_MODEL",
    "model_endpoint": "WORKBENCH_MODEL_ENDPOINT",
    "concepts_folder": "WORKBENCH_CONCEPTS",
    "duckdb_memory_limit": "WORKBENCH_DUCKDB_MEMORY",
    "duckdb_threads": "WORKBENCH_DUCKDB_THREADS",
    "theme": "WORKBENCH_THEME",
    "ssh_profile": "WORKBENCH_SSH_PROFILE",
    "ascii": "WORKBENCH_ASCII",
    "diff_output": "WORKBENCH_DIFF_OUTPUT",
    "data_access": "WORKBENCH_DATA_ACCESS",
}
"""Setting to environment variable."""

MODEL_KEY_VARIABLE = "WORKBENCH_MODEL_KEY"
"""The environment variable that holds the model endpoint's key. Never stored."""


class LintSettings(Part):
    """Rules of the lint by name: those to run (none: all), and those to leave out, which never pass."""

    select: list[str] = []
    ignore: list[str] = []


class Settings(Record):
    """What a user can configure; every field can be overridden by an option."""

    source: str = "synthetic-500-1"
    sandbox: str = "auto"
    agent: str = ""
    model: str = ""
    model_endpoint: str = ""
    concepts_folder: str = ""
    duckdb_memory_limit: str = "4GB"
    duckdb_threads: int = 0  # 0: as many as the machine has
    theme: str = ""  # of the terminal app; '' = what suits the terminal
    keys: dict[str, str] = {}  # action id to key, or several with commas
    lint: LintSettings = LintSettings()
    ssh_profile: Literal["auto", "on", "off"] = "auto"  # auto: on inside an SSH session
    ascii: Literal["auto", "on", "off"] = "auto"  # draw with ASCII only; auto: where TERM has few characters
    diff_output: bool = True  # send only the cells that changed
    data_access: Literal["synthetic", "all", "none"] = "synthetic"  # whose logs are shown as they are

    @field_validator("ascii", "ssh_profile", mode="before")
    @classmethod
    def _word(cls, value: Any) -> Any:
        """``true`` and ``false`` are ``on`` and ``off``."""
        return ("on" if value else "off") if isinstance(value, bool) else value


DEFAULT_ORIGIN = "default"
OPTION = "option"


@dataclass(frozen=True)
class Configured:
    """The settings, and where those come from that are not the usual ones.

    ``origins``: a setting's name (``keys.<action>`` for a key, ``lint.<which>``) to a file, a variable, or
    ``option``.
    """

    settings: Settings
    origins: Mapping[str, str] = field(default_factory=dict)

    def origin(self, name: str) -> str:
        """Where the value comes from; ``default`` where nothing sets it."""
        return self.origins.get(name, DEFAULT_ORIGIN)


def read_settings(
    file: Path | None,
    environment: Mapping[str, str] | None = None,
    *,
    own: Path | None = None,
    **options: Any,
) -> Configured:
    """Merge the project's ``file``, the user's ``own`` file, environment and options, the later ones winning
    (``None`` options are not given; of ``keys`` and ``lint`` each by itself).

    Raises BadInput naming the layer.
    """
    environment = os.environ if environment is None else environment
    layers = [(str(path), _from_file(path)) for path in (file, own) if path is not None]
    layers += [
        (variable, {name: _from_text(name, environment[variable])})
        for name, variable in ENVIRONMENT.items()
        if environment.get(variable)
    ]
    layers.append((OPTION, {name: value for name, value in options.items() if value is not None}))
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for where, raw in layers:
        layer = Settings.from_raw(raw, where)
        for name in raw:
            value = getattr(layer, name)
            if name == "keys":
                merged["keys"] = merged.get("keys", {}) | value
                origins |= {f"keys.{action}": where for action in value}
            elif name == "lint":
                given = {part: getattr(layer.lint, part) for part in layer.lint.model_fields_set}
                merged["lint"] = merged.get("lint", {}) | given
                origins |= {f"lint.{part}": where for part in given}
            elif name != "schema_version":
                merged[name] = value
                origins[name] = where
    return Configured(Settings.model_validate(merged), origins)


def load_settings(
    file: Path | None,
    environment: Mapping[str, str] | None = None,
    *,
    own: Path | None = None,
    **options: Any,
) -> Settings:
    """The settings alone; see ``read_settings``. Raises BadInput."""
    return read_settings(file, environment, own=own, **options).settings


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(read_regular(path, MOST_SETTINGS_BYTES).decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"not valid TOML ({error})", where=str(path), remedy="Correct it.") from None
    except OSError as error:
        remedy = "Correct it, or delete it: then the usual settings hold."
        raise BadInput(f"cannot be read ({error.strerror})", where=str(path), remedy=remedy) from None


def _from_text(name: str, value: str) -> Any:
    return int(value) if name == "duckdb_threads" and value.isdigit() else value
