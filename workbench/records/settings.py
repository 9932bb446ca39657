"""Configuration: ``workbench.toml`` < environment < option.

Keys for model endpoints are read from the environment and never written.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from workbench.records.base import Record
from workbench.records.errors import BadInput

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
    "diff_output": "WORKBENCH_DIFF_OUTPUT",
}
"""Setting to environment variable."""

MODEL_KEY_VARIABLE = "WORKBENCH_MODEL_KEY"
"""The environment variable that holds the model endpoint's key. Never stored."""


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
    ssh_profile: Literal["auto", "on", "off"] = "auto"  # auto: on inside an SSH session
    ascii: bool = False  # draw the app with ASCII characters only
    diff_output: bool = True  # send only the cells that changed


def load_settings(
    file: Path | None, environment: Mapping[str, str] | None = None, **options: Any
) -> Settings:
    """Merge file, environment and options (``None`` options are not given). Raises BadInput."""
    environment = os.environ if environment is None else environment
    raw: dict[str, Any] = {}
    where = "settings"
    if file is not None and file.exists():
        where = str(file)
        try:
            raw = tomllib.loads(file.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"not valid TOML ({error})", where=where) from None
        except OSError as error:
            raise BadInput(f"cannot be read ({error.strerror})", where=where) from None
    for field, variable in ENVIRONMENT.items():
        if environment.get(variable):
            value: Any = environment[variable]
            raw[field] = int(value) if field == "duckdb_threads" and value.isdigit() else value
            where = f"{where}, {variable}"
    raw.update({field: value for field, value in options.items() if value is not None})
    return Settings.from_raw(raw, where)
